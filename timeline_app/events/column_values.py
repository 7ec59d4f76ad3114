"""Converts columns of raw values: the rules of `events.validate`, for a whole column at once.

Every function gives the result of the rule for a single value. Common types are converted quickly; other columns are
passed to the rule value by value, which also raises the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_values import Raw, is_text, list_values
from timeline_app.events.validate import (
    FIRST_DAY_OF_SHEET,
    MAX_KEY,
    MAX_VALUE,
    MIDNIGHT_OF_DAY,
    join_time,
    read_key,
    read_time,
    read_until,
    spell,
    spell_id,
)
from timeline_app.times.columns import Clocks, read_clocks, read_column
from timeline_app.times.reader import read_clock
from timeline_app.times.units import PADDING

NAMES = pa.dictionary(pa.int32(), pa.string())
"""The type of columns of keys and texts: codes into the texts that occur in a chunk."""

_ARROW = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}


def read_keys(raw: Raw, name: str) -> pa.Array:
    """Return the keys of events from the field of that name. Raises `WrongEvent` for an invalid key."""
    values = _to_arrow(raw)
    texts = (
        _format_texts(values)
        if isinstance(values, pa.Array) and not pa.types.is_boolean(values.type)
        else None
    )
    if texts is not None and _are_keys(texts):
        return texts
    return _encode([read_key({name: value}, name) for value in as_list(values)])


def read_joined_keys(raws: dict[str, Raw], key: str) -> pa.Array:
    """Return keys of several fields, each a JSON list as in `read_key`."""
    parts = [_key_part(_to_arrow(raw)) for raw in raws.values()]
    if any(part is None for part in parts):
        events = zip(*(as_list(raw) for raw in raws.values()), strict=True)
        return _encode([read_key(dict(zip(raws, event, strict=True)), key) for event in events])
    texts = pc.binary_join_element_wise("[", pc.binary_join_element_wise(*parts, ","), "]", "")
    if len(texts) and pc.max(pc.binary_length(texts)).as_py() > MAX_KEY:
        raise ValueError("a key may be too long")
    return texts.dictionary_encode().cast(NAMES)


def _key_part(values: Raw) -> pa.Array | None:
    """Return texts and whole numbers as JSON, each different one once; None where something may be no part of a key."""
    if not isinstance(values, pa.Array) or values.null_count or not len(values):
        return None
    texts = _format_texts(values) if not pa.types.is_boolean(values.type) else None
    if texts is None or not _are_keys(texts):
        return None
    if pa.types.is_integer(values.type):
        return pc.cast(values, pa.string())
    spelled = [orjson.dumps(name).decode() for name in texts.dictionary.to_pylist()]
    return pa.array(spelled, pa.string()).take(texts.indices)


def join_times(raws: dict[str, Raw], time: str) -> Raw:
    """Return dates and clocks of several fields as one text each, as `join_time` does."""
    parts = [_to_arrow(raw) for raw in raws.values()]
    if all(isinstance(part, pa.Array) and is_text(part.type) and not part.null_count for part in parts):
        texts = [pc.utf8_trim(pc.cast(part, pa.string()), PADDING) for part in parts]
        if not any(pc.any(pc.equal(part, "")).as_py() for part in texts):
            days = [pc.replace_substring_regex(part, MIDNIGHT_OF_DAY, "") for part in texts[:-1]]
            clock = pc.replace_substring_regex(texts[-1], FIRST_DAY_OF_SHEET, "")
            return pc.binary_join_element_wise(*days, clock, " ")
    events = zip(*(as_list(raw) for raw in raws.values()), strict=True)
    return [join_time(dict(zip(raws, event, strict=True)), time) for event in events]


def _are_keys(texts: pa.Array) -> bool:
    """Return whether all texts exist, and none is empty, too long in bytes, or holds a NUL."""
    names = texts.dictionary
    if texts.null_count or not len(names):
        return not texts.null_count
    bounds, content = _get_text_buffers(names)
    sizes = np.diff(bounds)
    return bool(0 < sizes.min() <= sizes.max() <= MAX_KEY and not _has_nul(content))


def read_times(raw: Raw, declared: StreamDeclaration) -> pa.Array:
    """Times in microseconds since the epoch; raises `WrongEvent` where one is no time of the stream's unit."""
    values = _to_arrow(raw)
    quick = read_column(values, declared.unit, declared.zone) if isinstance(values, pa.Array) else None
    if quick is not None:
        return quick
    return pa.array([read_time(value, declared) for value in as_list(values)], pa.int64())


def read_wall_clocks(raw: Raw, unit: str) -> Clocks:
    """Return the wall-clock times that can be read, and their offsets to UTC."""
    values = _to_arrow(raw)
    quick = read_clocks(values, unit) if isinstance(values, pa.Array) else None
    if quick is not None:
        return quick
    clocks = np.array([read_clock(value, unit) for value in as_list(values)], dtype=np.int64).reshape(-1, 2)
    return clocks[:, 0], clocks[:, 1]


def read_ends(raw: Raw, declared: StreamDeclaration) -> pa.Array:
    """Ends in microseconds, null where a row has none; raises `ValueError` where one is no time."""
    values = _to_arrow([None if value == "" else value for value in raw] if isinstance(raw, list) else raw)
    if isinstance(values, pa.Array) and _count_present(values):
        quick = read_column(values.drop_null(), declared.unit, declared.zone)
        if quick is not None:
            return pc.replace_with_mask(pa.nulls(len(values), pa.int64()), values.is_valid(), quick)
    name = declared.until or ""
    return pa.array([read_until({name: value}, declared) for value in as_list(values)], pa.int64())


def read_field(raw: Raw, kind: Kind) -> tuple[pa.Array, int]:
    """Return a field's values, null where they do not fit the kind, and how many those are."""
    values = _to_arrow(raw, kind)
    if isinstance(values, pa.Array) and (quick := _QUICK[kind](values)) is not None:
        _refuse_unkept(quick)
        return quick, _count_present(values) - _count_present(quick)
    spelled = [None if value is None else spell(value, kind) for value in as_list(values)]
    typed = _parse_texts(spelled, kind)
    _refuse_unkept(typed)
    return typed, _count_mistyped(spelled, as_list(values))


def _refuse_unkept(values: pa.Array) -> None:
    """Raise `ValueError` where a text may hold a NUL or be too long; the rule for single values decides."""
    texts = values.dictionary if pa.types.is_dictionary(values.type) else values
    if not pa.types.is_string(texts.type) or not len(texts):
        return
    offsets, content = _get_text_buffers(texts)
    if np.diff(offsets).max() > MAX_VALUE and pc.max(pc.utf8_length(texts)).as_py() > MAX_VALUE:
        raise ValueError("a text is too long")
    if _has_nul(content):
        raise ValueError("a text holds a NUL")


def _has_nul(content: npt.NDArray[np.uint8]) -> bool:
    """Return whether bytes hold a NUL; the minimum needs no mask of their length."""
    return len(content) > 0 and int(content.min()) == 0


def _get_text_buffers(texts: pa.Array) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Return the bounds of each text in the byte buffer, and that buffer."""
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if content is None:
        return bounds, np.empty(0, np.uint8)
    return bounds, np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]]


def _count_mistyped(spelled: list[str | None], values: list[Any]) -> int:
    return sum(text is None and value is not None for text, value in zip(spelled, values, strict=True))


def read_ids(raw: Raw, declared: StreamDeclaration) -> tuple[pa.Array, int]:
    """Return the ids of events as texts for comparison, unencoded, since they rarely repeat."""
    assert declared.id is not None
    values, kind = _to_arrow(raw), declared.kind_of(declared.id)
    if isinstance(values, pa.Array) and (quick := _format_identities(values, kind)) is not None:
        _refuse_unkept(quick)
        return quick, _count_present(values) - _count_present(quick)
    spelled = [None if value is None else spell_id(value, declared) for value in as_list(values)]
    texts = pa.array(spelled, pa.string())
    _refuse_unkept(texts)
    return texts, _count_mistyped(spelled, as_list(values))


def _format_identities(values: pa.Array, kind: Kind) -> pa.Array | None:
    """Return texts and whole numbers, as far as they fit; None for other types."""
    if pa.types.is_integer(values.type) and kind is not Kind.BOOL:
        return pc.cast(values, pa.string())
    if not is_text(values.type):
        return None
    if kind is not Kind.TEXT:
        return pa.nulls(len(values), pa.string())
    texts = pc.cast(values, pa.string())
    texts.validate(full=True)
    return texts


def _count_present(values: pa.Array) -> int:
    return len(values) - int(values.null_count)


def _to_arrow(raw: Raw, kind: Kind | None = None) -> Raw:
    """Convert a list of values of one type to an array; a mixed list stays a list."""
    if isinstance(raw, pa.Array):
        return raw
    types = set(map(type, raw)) - {type(None)}
    if not types:
        return pa.nulls(len(raw))
    if kind is Kind.NUMBER and types == {int, float}:
        return pa.array(np.array(raw, dtype=np.float64), from_pandas=True)
    (only,) = types if len(types) == 1 else (None,)
    try:
        return pa.array(raw, _ARROW[only]) if only in _ARROW else raw
    except OverflowError:
        return raw


def as_list(raw: Raw) -> list[Any]:
    """Return the values of a column one by one."""
    return raw if isinstance(raw, list) else list_values(raw)


def _encode(texts: Iterable[str | None]) -> pa.Array:
    return pa.array(texts, pa.string()).dictionary_encode()


def _parse_texts(spelled: list[str | None], kind: Kind) -> pa.Array:
    if kind is Kind.TEXT:
        return _encode(spelled)
    if kind is Kind.NUMBER:
        return pa.array([None if text is None else float(text) for text in spelled], pa.float64())
    return pa.array([None if text is None else text == "true" for text in spelled], pa.bool_())


def _format_texts(values: pa.Array) -> pa.Array | None:
    """Texts, whole numbers and bools in their JSON spelling, encoded; None for other types."""
    if is_text(values.type):
        if pa.types.is_dictionary(values.type) and values.dictionary.null_count:
            values = pc.cast(values, pa.string())
        if not pa.types.is_dictionary(values.type):
            values = pc.cast(values, pa.string()).dictionary_encode()
        texts = values.cast(NAMES)
        texts.validate(full=True)
        return texts
    if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type) or pa.types.is_null(values.type):
        return pc.cast(values, pa.string()).dictionary_encode()
    return None


def _select_numbers(values: pa.Array) -> pa.Array | None:
    if is_text(values.type) or pa.types.is_boolean(values.type) or pa.types.is_null(values.type):
        return pa.nulls(len(values), pa.float64())
    if pa.types.is_integer(values.type):
        return pc.cast(values, pa.float64(), safe=False)
    if not (pa.types.is_float32(values.type) or pa.types.is_float64(values.type)):
        return None
    numbers = pc.add(pc.cast(values, pa.float64()), 0.0)  # -0.0 is 0.0
    return pc.if_else(pc.is_finite(numbers), numbers, None)


def _select_bools(values: pa.Array) -> pa.Array | None:
    if pa.types.is_boolean(values.type):
        return values
    type_checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_null, is_text)
    return (
        pa.nulls(len(values), pa.bool_()) if any(is_other(values.type) for is_other in type_checks) else None
    )


_QUICK: dict[Kind, Callable[[pa.Array], pa.Array | None]] = {
    Kind.TEXT: _format_texts, Kind.NUMBER: _select_numbers, Kind.BOOL: _select_bools,
}  # fmt: skip
