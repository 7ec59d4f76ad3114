"""Compute some operators in DuckDB by window functions, as its manual advises: a value after each event."""

from __future__ import annotations

from pathlib import Path

_SO_FAR = "WINDOW so_far AS (PARTITION BY session_id ORDER BY t ROWS UNBOUNDED PRECEDING)"
_LATELY = "WINDOW lately AS (PARTITION BY session_id ORDER BY t RANGE 599999 PRECEDING)"
_EVENTS = "read_parquet('{path}')"
_BEFORE = "lag(amount) OVER (PARTITION BY session_id ORDER BY t)"
_RISE = (
    f"CASE WHEN amount >= {_BEFORE} THEN amount - {_BEFORE} WHEN amount < {_BEFORE} THEN amount ELSE 0 END"
)
_RISES = f"(SELECT session_id, t, {_RISE} rise FROM {_EVENTS})"
_VALUES = {
    "event_count": ("count(*) FILTER (player_state = 'buffer') OVER so_far", _EVENTS, _SO_FAR),
    "event_sum": ("sum(amount) OVER so_far", _EVENTS, _SO_FAR),
    "running_max": ("max(amount) OVER so_far", _EVENTS, _SO_FAR),
    "count_within": ("count(*) OVER lately", _EVENTS, _LATELY),
    "sum_within": ("sum(amount) OVER lately", _EVENTS, _LATELY),
    "values_within": ("stddev_pop(amount) OVER lately", _EVENTS, _LATELY),
    "increase": ("sum(rise) OVER so_far", _RISES, _SO_FAR),
}
IN_DUCKDB = tuple(_VALUES)
"""The operators that one window function can express."""


def answer_with_duckdb(op: str, path: Path) -> dict[str, float]:
    """Compute all values, and return the last one of each session."""
    import duckdb  # noqa: PLC0415 (the product does not need it)

    value, source, window = _VALUES[op]
    inner = f"SELECT session_id, t, {value} AS v FROM {source.format(path=path)} {window}"
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = connection.execute(
            f"SELECT session_id, arg_max(v, t) FROM ({inner}) GROUP BY session_id"
        ).fetchall()
    return {session: float(last) for session, last in rows}
