"""Reads columns of times in microseconds like `reader`, for the types and spellings of common files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Ints
from timeline_app.times import iso
from timeline_app.times.calendar import DAY
from timeline_app.times.formats import TimeFormat, compile_format
from timeline_app.times.names import UNKNOWN
from timeline_app.times.parts import NO_OFFSET, compute_local
from timeline_app.times.units import COUNTS, EARLIEST, ISO, LATEST, NANOS_PER_MICRO, SCALE
from timeline_app.times.zones import convert_local_column

Clocks: TypeAlias = tuple[Ints, Ints]
_WHOLE = r"^-?[0-9]{1,19}$"
_DECIMAL = r"^-?[0-9]{1,15}\.[0-9]{1,15}$"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3}|\.[0-9]{6})?"
_LOCAL = f"^{_DAY}{_CLOCK}$"
_ZONED = f"^{_DAY}{_CLOCK}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
_CALENDAR = f"^{iso.CALENDAR}$"
_WORDS = frozenset({"month", "weekday", "half"})
_MAX_FLOAT = 2.0**62
"""Greater numbers may not fit into int64."""
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def read_column(values: pa.Array, unit: str, zone: str | None) -> pa.Array | None:
    """Return the times of a column; None where it holds anything that wants a closer look."""
    clocks = read_clocks(values, unit)
    times = None if clocks is None else _convert_clocks(*clocks, zone)
    if times is None or times.min() < EARLIEST or times.max() > LATEST:
        return None
    return pa.array(times)


def read_clocks(values: pa.Array, unit: str) -> Clocks | None:
    """Return what clocks showed, and their offsets to UTC; `NO_OFFSET` where the time is local."""
    values = _decode_texts(values)
    if values.null_count or not len(values):
        return None
    if unit in COUNTS:
        return _add_offset(_read_counts(values, unit), 0)
    return _read_moments(values) if unit == ISO else _read_formatted(values, compile_format(unit))


def _add_offset(clock: Ints | None, offset: int) -> Clocks | None:
    return None if clock is None else (clock, np.full(len(clock), offset))


def _convert_clocks(clock: Ints, offset: Ints, zone: str | None) -> Ints | None:
    is_local = offset == NO_OFFSET
    if not is_local.any():
        return clock - offset
    local = np.where(is_local, clock, 0)
    if local.min() < EARLIEST or local.max() > LATEST:
        return None
    return np.where(is_local, convert_local_column(local, zone), clock - offset)


def _decode_texts(values: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(values.type):
        values = pc.cast(values, values.type.value_type)
    if pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = pc.cast(values, pa.string())
    return values


def _read_counts(values: pa.Array, unit: str) -> Ints | None:
    if pa.types.is_string(values.type):
        values = _cast_digits(values)
    if pa.types.is_integer(values.type):
        return _scale(values.to_numpy(), SCALE.get(unit, 1), NANOS_PER_MICRO if unit == "ns" else 1)
    if not (pa.types.is_float32(values.type) or pa.types.is_float64(values.type)):
        return None
    return _scale_floats(values.to_numpy().astype(np.float64), unit)


def _cast_digits(texts: pa.Array) -> pa.Array:
    """Return texts as numbers, if all of them are plain digits."""
    for pattern, kind in ((_WHOLE, pa.int64()), (_DECIMAL, pa.float64())):
        if _is_matching(texts, pattern):
            return _cast(texts, kind) or texts
    return texts


def _cast(texts: pa.Array, kind: pa.DataType) -> pa.Array | None:
    try:
        return pc.cast(texts, kind)
    except pa.ArrowInvalid:
        return None


def _scale(counts: npt.NDArray[Any], scale: int, parts: int) -> Ints | None:
    """Counts times `scale`, or by `parts` rounded down; None where that is no time or no int64."""
    least, most = EARLIEST * parts // scale, LATEST * parts // scale + 1
    if int(counts.min()) < least or int(counts.max()) > most:
        return None
    whole_counts = counts.astype(np.int64)
    return whole_counts // parts if parts > 1 else whole_counts * scale


def _scale_floats(numbers: npt.NDArray[np.float64], unit: str) -> Ints | None:
    with np.errstate(over="ignore"):
        rounded = np.floor(numbers) if unit == "ns" else np.rint(numbers * SCALE[unit])
    if not bool((np.abs(rounded) < _MAX_FLOAT).all()):
        return None
    return rounded.astype(np.int64) // (NANOS_PER_MICRO if unit == "ns" else 1)


def _read_moments(values: pa.Array) -> Clocks | None:
    """Moments, days, or texts of ISO 8601."""
    if pa.types.is_date32(values.type):
        return _add_offset(_scale(pc.cast(values, pa.int32()).to_numpy(), DAY, 1), NO_OFFSET)
    if pa.types.is_timestamp(values.type):
        return _add_offset(_count_micros(values), 0 if values.type.tz else NO_OFFSET)
    return _read_iso_texts(values) if pa.types.is_string(values.type) else None


def _count_micros(moments: pa.Array) -> Ints | None:
    per_second = _PER_SECOND[moments.type.unit]
    scale, parts = max(1_000_000 // per_second, 1), max(per_second // 1_000_000, 1)
    return _scale(pc.cast(moments, pa.int64()).to_numpy(), scale, parts)


def _read_iso_texts(texts: pa.Array) -> Clocks | None:
    """Return the usual spellings by Arrow's own reader, the others part by part."""
    zoned = _is_matching(texts, _ZONED)
    if zoned or _is_matching(texts, _LOCAL):
        moments = _cast(texts, pa.timestamp("us", "UTC" if zoned else None))
        if moments is not None:
            return _read_moments(moments)
    return _read_parts(texts, _CALENDAR, iso.READERS)


def _read_formatted(values: pa.Array, form: TimeFormat) -> Clocks | None:
    if pa.types.is_integer(values.type):
        values = pc.cast(values, pa.string())
    return _read_parts(values, form.pattern, form.readers) if pa.types.is_string(values.type) else None


def _read_parts(texts: pa.Array, pattern: str, readers: Mapping[str, Callable[[str], int]]) -> Clocks | None:
    """Return texts of which a pattern names the parts."""
    matched = pc.extract_regex(texts, pattern)
    if matched.null_count:
        return None
    names = [field.name for field in matched.type]
    parts = {
        name: _read_part(column, name, readers.get(name, int))
        for name, column in zip(names, matched.flatten(), strict=True)
    }
    clock, right = compute_local(parts)
    for name in _WORDS & parts.keys():
        right = right & (parts[name] != UNKNOWN)
    return (clock, parts.get("offset", np.full(len(texts), NO_OFFSET))) if right.all() else None


def _read_part(texts: pa.Array, part: str, read: Callable[[str], int]) -> Ints:
    """Return a part of all times as numbers; few of a part's spellings differ, but for fractions."""
    if part == "fraction":
        digits = pc.utf8_rpad(texts, 9, padding="0")
        nanos: Ints = pc.cast(digits, pa.int64()).to_numpy()
        return nanos // NANOS_PER_MICRO
    encoded = texts.dictionary_encode()
    numbers = [read(text) if text or part == "offset" else 0 for text in encoded.dictionary.to_pylist()]
    column: Ints = np.array(numbers, dtype=np.int64)[encoded.indices.to_numpy()]
    return column


def _is_matching(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
