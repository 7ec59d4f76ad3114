"""SQL with window functions in DuckDB, on as many cores as the process may use."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.peers.question import WINDOW_MS, Answer

SQL = """
with known as (
  select session_id, t,
    last_value(player_state ignore nulls) over session as state,
    {cdn} as on_cdn,
    max(t) filter (user_action = 'seek') over session as sought,
    count(*) filter (player_state = 'play') over session as plays,
    lead(t, 1, {last}) over (partition by session_id order by t) as until
  from read_parquet('{path}')
  window session as (partition by session_id order by t rows between unbounded preceding and current row)
)
select session_id,
  sum(case when plays > 0 and state = 'buffer' and on_cdn
      then greatest(until - greatest(t, coalesce(sought + {within}, t)), 0) else 0 end)::bigint * 1000 as spent
from known group by session_id
"""


def run_duckdb_sql(path: Path, last: int, cdn: str | None = None) -> Answer:
    import duckdb  # noqa: PLC0415 (what others need not carry)

    named = f"last_value(cdn ignore nulls) over session = '{cdn}'" if cdn else "true"
    threads = len(os.sched_getaffinity(0))
    with duckdb.connect(config={"threads": threads}) as database:
        question = SQL.format(path=path, last=last, within=WINDOW_MS, cdn=named)
        result = database.execute(question).fetchnumpy()
    return list(result["session_id"]), np.asarray(result["spent"], dtype=np.int64)
