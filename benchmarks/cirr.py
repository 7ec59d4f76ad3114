"""One question, answered in four ways: seconds of connection-induced rebuffering on CDN1 for each session.

Rebuffering counts while the session has played before, has not sought within the last five seconds, its latest
player state is buffer and its latest CDN is CDN1; up to the last event of the file. Every way reads the Parquet file
and gives the sessions and their microseconds. The products that are compared are used as their manuals advise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints

Answer: TypeAlias = tuple[Sequence[str], Ints]
"""Sessions, and microseconds for each."""

EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "cirr.json"
WITHIN = 5_000


def plan(*, ids: bool) -> dict[str, Any]:
    """The plan of the documentation, on CDN1 only."""
    document: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    nodes = document["nodes"]
    nodes["on_cdn1"] = {"op": "equal_to", "inputs": {"of": "cdn"}, "params": {"value": "CDN1"}}
    nodes["induced"]["inputs"]["of"].append("on_cdn1")
    if not ids:
        del document["streams"]["player"]["id"]
    return document


def product(path: Path, last: int, *, ids: bool = False) -> Answer:
    """What `manage.py evaluate --node cirr --at …` does."""
    from timeline_app.compiler import compile_plan  # noqa: PLC0415 (what others need not carry)
    from timeline_app.local.engine import answers  # noqa: PLC0415
    from timeline_app.local.request import read_events  # noqa: PLC0415

    compiled = compile_plan(plan(ids=ids), {})
    told = list(answers(compiled, read_events(compiled, [str(path)], ["cirr"]), ["cirr"], [], last * 1_000))
    seconds = np.array([item["value"] for item in told])
    return [item["key"] for item in told], np.rint(seconds * 1e6).astype(np.int64)


def product_ids(path: Path, last: int) -> Answer:
    """The same of a stream that declares ids, so that copies of an event count once."""
    return product(path, last, ids=True)


def numpy_kernel(path: Path, last: int) -> Answer:
    """Written by hand for this one question: one sort, then everything is a running maximum."""
    columns = ["session_id", "t", "player_state", "user_action", "cdn"]
    texts = [name for name in columns if name != "t"]
    table = pq.read_table(path, columns=columns, read_dictionary=texts).combine_chunks().unify_dictionaries()
    session, state, action, cdn = (_whole(table[name]) for name in texts)
    key, time = _codes(session), table["t"].to_numpy()
    order = np.argsort(key * np.int64(1 << 42) + (time - time.min()))
    key, time = key[order], time[order]
    row = np.arange(len(key))
    first = np.maximum.accumulate(np.where(np.append(True, key[1:] != key[:-1]), row, 0))
    state_now, cdn_now = (_latest(_codes(item)[order], first, row) for item in (state, cdn))
    played = _last_row(_codes(state)[order] == _code(state, "play"), row) >= first
    sought = _last_row(_codes(action)[order] == _code(action, "seek"), row)
    calm_from = np.where(sought >= first, time[sought] + WITHIN, 0)
    until = np.append(np.where(key[1:] == key[:-1], time[1:], last), last)
    induced = played & (state_now == _code(state, "buffer")) & (cdn_now == _code(cdn, "CDN1"))
    spent = np.where(induced, np.maximum(until - np.maximum(time, calm_from), 0), 0)
    total = np.bincount(key, weights=spent, minlength=len(session.dictionary))
    return session.dictionary.to_pylist(), total.astype(np.int64) * 1_000


def _whole(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.combine_chunks()


def _codes(column: pa.DictionaryArray) -> Ints:
    return np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _code(column: pa.DictionaryArray, text: str) -> int:
    return int(pc.index(column.dictionary, text).as_py())


def _last_row(there: Any, row: Ints) -> Ints:
    return np.maximum.accumulate(np.where(there, row, -1))


def _latest(code: Ints, first: Ints, row: Ints) -> Ints:
    found = _last_row(code >= 0, row)
    return np.where(found >= first, code[found], -1)


SQL = """
with known as (
  select session_id, t,
    last_value(player_state ignore nulls) over session as state,
    last_value(cdn ignore nulls) over session as cdn,
    max(t) filter (user_action = 'seek') over session as sought,
    count(*) filter (player_state = 'play') over session as plays,
    lead(t, 1, {last}) over (partition by session_id order by t) as until
  from read_parquet('{path}')
  window session as (partition by session_id order by t rows between unbounded preceding and current row)
)
select session_id,
  sum(case when plays > 0 and state = 'buffer' and cdn = 'CDN1'
      then greatest(until - greatest(t, coalesce(sought + {within}, t)), 0) else 0 end)::bigint * 1000 as spent
from known group by session_id
"""


def duckdb(path: Path, last: int) -> Answer:
    """SQL with window functions."""
    import duckdb  # noqa: PLC0415

    with duckdb.connect(config={"threads": 1}) as database:
        found = database.execute(SQL.format(path=path, last=last, within=WITHIN)).fetchnumpy()
    return list(found["session_id"]), np.asarray(found["spent"], dtype=np.int64)


def polars(path: Path, last: int) -> Answer:
    """Lazy expressions over sessions."""
    import polars as pl  # noqa: PLC0415

    events = pl.scan_parquet(path).select("session_id", "t", "player_state", "user_action", "cdn")
    known = events.sort("session_id", "t").with_columns(
        state=pl.col("player_state").forward_fill().over("session_id"),
        on=pl.col("cdn").forward_fill().over("session_id"),
        sought=pl.when(pl.col("user_action") == "seek").then("t").forward_fill().over("session_id"),
        plays=(pl.col("player_state") == "play").fill_null(False).cum_sum().over("session_id"),
        until=pl.col("t").shift(-1).over("session_id").fill_null(last),
    )
    calm_from = pl.max_horizontal("t", pl.col("sought") + WITHIN)
    induced = (pl.col("plays") > 0) & (pl.col("state") == "buffer") & (pl.col("on") == "CDN1")
    spent = pl.when(induced).then((pl.col("until") - calm_from).clip(0)).otherwise(0)
    found = known.group_by("session_id").agg(spent=spent.sum() * 1_000).collect()
    return found["session_id"].to_list(), found["spent"].to_numpy()


WAYS: dict[str, Callable[[Path, int], Answer]] = {
    "product": product,
    "product_ids": product_ids,
    "numpy": numpy_kernel,
    "duckdb": duckdb,
    "polars": polars,
}
