"""Columns of times in microseconds, for the types and spellings of common files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Ints
from timeline_app.plan.events import EARLIEST, LATEST, SCALE

_WHOLE = r"^-?[0-9]{1,18}$"
_DECIMAL = r"^-?[0-9]{1,15}\.[0-9]{1,15}$"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3}|\.[0-9]{6})?"
_LOCAL = f"^{_DAY}{_CLOCK}$"
_ZONED = f"^{_DAY}{_CLOCK}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def quick_times(values: pa.Array, unit: str) -> pa.Array | None:
    """The times of a column in a stream's unit; None where it holds anything that wants a closer look."""
    if values.null_count:
        return None
    if pa.types.is_dictionary(values.type):
        values = pc.cast(values, values.type.value_type)
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = pc.cast(values, pa.string())
    found = _moments(values) if unit == "iso8601" else _counts(values, SCALE[unit])
    if found is None or not len(found) or found.min() < EARLIEST or found.max() > LATEST:
        return None
    return pa.array(found)


def _counts(values: pa.Array, scale: int) -> Ints | None:
    """Numbers of a unit of so many microseconds."""
    if pa.types.is_string(values.type):
        if _all_match(values, _WHOLE):
            values = pc.cast(values, pa.int64())
        elif _all_match(values, _DECIMAL):
            values = pc.cast(values, pa.float64())
    if pa.types.is_integer(values.type):
        return _scaled(values.to_numpy(), scale, 1)
    if not (pa.types.is_float32(values.type) or pa.types.is_float64(values.type)):
        return None
    with np.errstate(over="ignore"):
        exact = np.rint(values.to_numpy().astype(np.float64) * scale)
    return exact.astype(np.int64) if bool((np.abs(exact) <= LATEST).all()) else None


def _moments(values: pa.Array) -> Ints | None:
    """Moments, days, or texts of ISO 8601 in its common spellings."""
    if pa.types.is_date32(values.type):
        return _scaled(pc.cast(values, pa.int32()).to_numpy(), 86_400_000_000, 1)
    if pa.types.is_string(values.type):
        zoned = _all_match(values, _ZONED)
        if not zoned and not _all_match(values, _LOCAL):
            return None
        try:
            values = pc.cast(values, pa.timestamp("us", "UTC" if zoned else None))
        except pa.ArrowInvalid:
            return None
    if not pa.types.is_timestamp(values.type):
        return None
    per_second = _PER_SECOND[values.type.unit]
    scale, parts = max(1_000_000 // per_second, 1), max(per_second // 1_000_000, 1)
    return _scaled(pc.cast(values, pa.int64()).to_numpy(), scale, parts)


def _scaled(counts: Ints, scale: int, parts: int) -> Ints | None:
    """Counts times `scale`, or by `parts` rounded down; None where that is no time or no int64."""
    if (
        not len(counts)
        or counts.min() < EARLIEST * parts // scale
        or counts.max() > LATEST * parts // scale + 1
    ):
        return None
    whole = counts.astype(np.int64)
    return whole // parts if parts > 1 else whole * scale


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
