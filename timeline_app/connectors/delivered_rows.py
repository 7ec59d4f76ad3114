"""What is delivered: rows of a table, each a span of time in which a key had a value, and when that became known.

| column | |
| --- | --- |
| `key` | text |
| `valid_from`, `valid_to` | the span, `[from, to)`, in UTC; missing: since ever, open |
| `value` | bool, text or number; missing: unknown. Of a number, the value at `valid_from` |
| `slope` | of numbers: how much it changes a second |
| `num`, `num_slope`, `den`, `den_slope` | of a ratio of two climbing numbers; `value` is its value at `valid_from` |
| `known_at` | when it became known, in UTC |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind

MOMENT = pa.timestamp("us", tz="UTC")
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999: times that a target's calendar cannot express count as unbounded."""
_VALUES: dict[Kind, tuple[tuple[str, pa.DataType], ...]] = {
    Kind.BOOL: (("value", pa.bool_()),),
    Kind.TEXT: (("value", pa.string()),),
    Kind.NUMBER: (("value", pa.float64()), ("slope", pa.float64())),
    Kind.RATIO: tuple(
        (name, pa.float64()) for name in ("value", "num", "num_slope", "den", "den_slope")
    ),
}  # fmt: skip


def build_schema(kind: Kind) -> pa.Schema:
    """Return the columns of the rows of a node of this kind."""
    times = [("valid_from", MOMENT), ("valid_to", MOMENT)]
    return pa.schema([("key", pa.string()), *times, *_VALUES[kind], ("known_at", MOMENT)])


class Rows:
    """Collects the rows of a delivery."""

    def __init__(self, kind: Kind) -> None:
        """Start without rows."""
        self._kind = kind
        self._rows: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, key: str, points: Iterable[Point], end: int | None, known_at: int) -> None:
        """Add a row for each point of a stretch of a key's timeline that ends at `end` (None: open)."""
        for start, stop, values in _iterate_spans(points, OPEN if end is None else end):
            if start <= LATEST and stop >= EARLIEST:
                low = None if start < EARLIEST else start
                high = None if stop > LATEST else stop
                self._rows.append((key, low, high, *_to_columns(self._kind, values), known_at))

    def table(self) -> pa.Table:
        """Return the rows in the order in which they were added."""
        schema = build_schema(self._kind)
        columns = zip(*self._rows, strict=True) if self._rows else iter([()] * len(schema))
        return pa.table(
            [
                pa.array(column, field.type if field.type != MOMENT else pa.int64()).cast(field.type)
                for column, field in zip(columns, schema, strict=True)
            ],
            schema=schema,
        )


def _iterate_spans(points: Iterable[Point], end: int) -> Iterator[tuple[int, int, list[Any]]]:
    before: Point | None = None
    for point in points:
        if before is not None:
            yield _get_time(before), _get_time(point), before[1:]
        before = point
    if before is not None:
        yield _get_time(before), end, before[1:]


def _get_time(point: Point) -> int:
    return BEGINNING if point[0] is None else int(point[0])


def _to_columns(kind: Kind, values: list[Any]) -> tuple[Any, ...]:
    """Return the values of a point as columns; the slope of an unknown value is left out."""
    if values[0] is None:
        return (None,) * len(_VALUES[kind])
    if kind is Kind.RATIO:
        num, num_slope, den, den_slope = values
        return num / den if den else None, num, num_slope, den, den_slope
    return tuple(values)
