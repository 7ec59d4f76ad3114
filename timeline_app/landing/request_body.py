"""Reads pushed events straight into the columns of a landing.

Regular input is read by column. Anything irregular makes `read_batch` read the same bytes event by event: it accepts
what is valid, and reports place and reason of what is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import UNTIL
from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.decode import DecodeError, Notes, Source, list_lines, open_text
from timeline_app.events.decode.chunks import Row
from timeline_app.events.decode.errors import NO_EVENTS
from timeline_app.events.decode.json_faults import decode_json
from timeline_app.events.decode.json_lines import may_repeat_names
from timeline_app.events.decode.unpacked import MAX_UNPACKED_BYTES
from timeline_app.events.paths import NESTED, is_path, read_field
from timeline_app.events.validate import (
    MAX_FIELDS,
    MAX_KEY,
    MAX_NAME,
    MAX_VALUE,
    BadEvents,
    EventBatch,
    LineProblem,
    join_time,
    read_key,
    read_right,
    read_time,
    spell,
    spell_id,
    spell_nested,
)
from timeline_app.landing.log import build_table
from timeline_app.landing.segments import SCHEMA
from timeline_app.times.columns import read_column

MAX_EVENTS_PER_REQUEST = 150_000
MAX_COLUMN_NAMES = 64
"""Events with more distinct names mostly lack most of them, and are read one by one."""
_ARROW = {int: pa.int64(), float: pa.float64(), str: pa.string()}
_canonical = partial(orjson.dumps, option=orjson.OPT_SORT_KEYS)
Event = Mapping[str, Any]


class TooManyEvents(BadEvents):
    """There are more events than a request may have."""


def _refuse_too_many() -> TooManyEvents:
    message = f"There are more than {MAX_EVENTS_PER_REQUEST:,} events. Send them in several requests."
    return TooManyEvents([LineProblem(1, None, "too_many_events", message)])


class IrregularEvents(ValueError):
    """The events are irregular; whether they are valid shows one by one."""


def read_events(body: bytes, declaration: StreamDeclaration) -> pa.Table:
    """Read events as text of any form, at most `MAX_EVENTS_PER_REQUEST`.

    Raises `BadEvents` with every reason, by line number.
    """
    if body.count(b"\n") > 2 * MAX_EVENTS_PER_REQUEST:  # lines may be empty
        raise _refuse_too_many()
    try:
        if declaration.encoding is not None and not body.isascii():
            raise IrregularEvents
        events = _parse_events(body)
        if len(events) > MAX_EVENTS_PER_REQUEST:
            raise _refuse_too_many()
        return _build_columns(events, declaration)
    except TooManyEvents:
        raise
    except (ValueError, OverflowError, BadEvents):  # errors of JSON, of events and of Arrow are ValueErrors
        return build_table(read_batch(body, declaration))


def read_batch(body: bytes, declaration: StreamDeclaration) -> EventBatch:
    """Read events one by one, as `read_events` does for irregular input."""
    try:
        source = open_text(body, declaration, Notes(), MAX_UNPACKED_BYTES)
        batch, problems = read_right(_decode_rows(source), declaration)
    except DecodeError as why:
        raise BadEvents([LineProblem(why.line or 1, None, why.code, f"{why.message} {why.hint}")]) from None
    if not batch.size and not problems:
        problems.append(LineProblem(1, None, "empty", NO_EVENTS))
    if problems:
        raise BadEvents(problems)
    return batch


def list_event_lines(body: bytes, declaration: StreamDeclaration) -> list[int]:
    """Return the line of each event of an accepted body."""
    return [line for line, _ in _decode_rows(open_text(body, declaration, Notes(), MAX_UNPACKED_BYTES))]


def select_texts(body: bytes, declaration: StreamDeclaration, lines: Collection[int]) -> dict[int, bytes]:
    """Return the text of some lines of a body, or of elements of its list, by number."""
    try:
        source = open_text(body, declaration, Notes(), MAX_UNPACKED_BYTES)
        if source.format == "json_array":
            return {line: orjson.dumps(event) for line, event in _decode_rows(source) if line in lines}
    except (DecodeError, BadEvents, TypeError):  # TypeError: nested too deeply to serialise
        pass
    texts = list_lines(body, declaration.encoding, MAX_UNPACKED_BYTES)
    return {line: texts[line - 1] for line in lines if line <= len(texts)}


def _decode_rows(source: Source) -> Iterator[Row]:
    rows = (row for chunk in source.chunks() for row in chunk.rows())
    for number, row in enumerate(rows):
        if number >= MAX_EVENTS_PER_REQUEST:
            raise _refuse_too_many()
        yield row


def read_lines(lines: Sequence[bytes], declaration: StreamDeclaration) -> tuple[pa.Table, list[LineProblem]]:
    """Return the valid events, one per line, and the problems of the other lines; lines count from 1."""
    try:
        return _build_columns(
            _require_regular([orjson.loads(line) for line in lines], b"\n".join(lines)), declaration
        ), []
    except (ValueError, OverflowError):
        rows = ((line_number, decode_json(line, line_number)) for line_number, line in enumerate(lines, 1))
        batch, problems = read_right(rows, declaration)
        return build_table(batch), problems


def _parse_events(body: bytes) -> list[Event]:
    if (stripped := body.strip()).startswith(b"["):
        return _require_regular(orjson.loads(stripped), body)
    return _require_regular([orjson.loads(line) for line in body.split(b"\n") if line.strip()], body)


def _require_regular(events: list[Any], body: bytes) -> list[Event]:
    if b"\\u0000" in body or set(map(type, events)) != {dict} or max(map(len, events)) > MAX_FIELDS:
        raise IrregularEvents
    if may_repeat_names(body, events):
        raise IrregularEvents
    return events


def _build_columns(events: list[Event], declaration: StreamDeclaration) -> pa.Table:
    names = sorted(set().union(*events) - {declaration.key, declaration.time, *declaration.always_read})
    if len(names) > MAX_COLUMN_NAMES or max(map(len, names), default=0) > MAX_NAME:
        raise IrregularEvents
    _check_paths(events, declaration)
    columns_by_name, types = dict[str, pa.Array](), dict[str, set[type]]()
    for name in names:
        raw = [event.get(name) for event in events]
        types[name] = set(map(type, raw))
        columns_by_name |= _build_field_columns(name, raw, types[name], declaration)
    times = _parse_times(_read_times(events, declaration.time), declaration)
    if declaration.until is not None:
        columns_by_name[UNTIL] = _parse_ends(_read_column(events, declaration.until), times, declaration)
    columns = {name: column for name, column in columns_by_name.items() if column.null_count < len(events)}
    return pa.table(
        [
            _build_keys(events, declaration.key),
            times,
            _format_identities(events, columns, types, declaration),
            pa.array(list(map(_canonical, events)), pa.string()),
            _build_maps(columns, len(events)),
        ],
        schema=SCHEMA,
    )


def _read_times(events: list[Event], time: str) -> list[Any]:
    is_joined = len(split_key(time)) > 1
    return [join_time(event, time) for event in events] if is_joined else _read_column(events, time)


def _read_column(events: list[Event], name: str) -> list[Any]:
    if is_path(name):
        return [read_field(event, name) for event in events]
    return [event.get(name) for event in events]


def _format_identities(
    events: list[Event],
    columns: Mapping[str, pa.Array],
    types: Mapping[str, set[type]],
    declaration: StreamDeclaration,
) -> pa.Array:
    """Format the ids as texts for comparison, as `spell_id` does for each."""
    name = declaration.id
    if name is None or name in (declaration.key, declaration.time):
        return pa.nulls(len(events), pa.string())
    if (
        not is_path(name)
        and float not in types.get(name, ())
        and declaration.kind_of(name) is not Kind.NUMBER
    ):
        return columns.get(name, pa.nulls(len(events), pa.string()))
    raw = _read_column(events, name)
    return pa.array([None if value is None else spell_id(value, declaration) for value in raw], pa.string())


def _check_paths(events: list[Event], declaration: StreamDeclaration) -> None:
    """Raise `IrregularEvents` where values inside objects do not have their declared kinds."""
    for name in declaration.paths:
        raw = _read_column(events, name)
        _format_values(raw, set(map(type, raw)), declaration.kind_of(name))


def _build_field_columns(
    name: str, raw: list[Any], types: set[type], declaration: StreamDeclaration
) -> dict[str, pa.Array]:
    """Return the columns of a field: its plain values and, where it is undeclared, its objects and lists."""
    kind = declaration.kind_of(name)
    if not types & {dict, list} or name in declaration.fields or name == declaration.id:
        return {name: _format_values(raw, types, kind)}
    plain = [None if isinstance(value, dict | list) else value for value in raw]
    nested = [spell_nested(name, value) if isinstance(value, dict | list) else None for value in raw]
    return {
        name: _format_values(plain, types - {dict, list}, kind),
        name + NESTED: pa.array(nested, pa.string()),
    }


def _build_keys(events: list[Event], key: str) -> pa.Array:
    names = split_key(key)
    if len(names) > 1:
        return pa.array([read_key(event, key) for event in events], pa.string())
    raw = _read_column(events, key)
    types = set(map(type, raw))
    if types not in ({str}, {int}):
        raise IrregularEvents
    texts = _build_texts(raw, types)
    if pc.min(pc.binary_length(texts)).as_py() == 0 or _measure_longest(texts) > MAX_KEY:
        raise IrregularEvents
    return texts


def _parse_times(raw: Sequence[Any], declaration: StreamDeclaration) -> pa.Array:
    """Return microseconds, as `read_time` does for each."""
    types = set(map(type, raw))
    kind = _ARROW.get(next(iter(types))) if len(types) == 1 else None
    times = read_column(pa.array(raw, kind), declaration.unit, declaration.zone) if kind else None
    if times is None:
        return pa.array([read_time(value, declaration) for value in raw], pa.int64())
    return times


def _parse_ends(raw: Sequence[Any], times: pa.Array, declaration: StreamDeclaration) -> pa.Array:
    """Return ends in microseconds as text; null where a row has none."""
    present = pa.array([value is not None and value != "" for value in raw], pa.bool_())
    given_values = [value for value in raw if value is not None and value != ""]
    if not given_values:
        return pa.nulls(len(raw), pa.string())
    ends = _parse_times(given_values, declaration)
    if pc.any(pc.less_equal(ends, times.filter(present))).as_py():
        raise IrregularEvents  # reading one by one finds the row that ends no later than it begins
    return pc.cast(pc.replace_with_mask(pa.nulls(len(raw), pa.int64()), present, ends), pa.string())


def _format_values(raw: Sequence[Any], types: set[type], kind: Kind) -> pa.Array:
    """Return the values of a field in canonical text, as `spell` does for each; null where there is none."""
    types = types - {type(None)}
    if kind is Kind.NUMBER:
        if not types <= {int, float}:
            raise IrregularEvents
        # adding 0.0 turns integers into floats, and -0.0 into 0.0
        return pa.array([None if value is None else repr(value + 0.0) for value in raw], pa.string())
    if kind is Kind.BOOL and not types <= {bool}:
        raise IrregularEvents
    texts = _build_texts(raw, types)
    if texts.nbytes > MAX_VALUE and _measure_longest(texts) > MAX_VALUE:
        raise IrregularEvents
    return texts


def _build_texts(raw: Sequence[Any], types: set[type]) -> pa.Array:
    if types <= {str}:
        return pa.array(raw, pa.string())
    if types in ({int}, {bool}):
        return pc.cast(pa.array(raw, pa.int64() if int in types else pa.bool_()), pa.string())
    texts = pa.array([None if value is None else spell(value, Kind.TEXT) for value in raw], pa.string())
    if texts.null_count != sum(value is None for value in raw):
        raise IrregularEvents
    return texts


def _measure_longest(texts: pa.Array) -> int:
    """Return the greatest length in bytes, which is at least that in characters."""
    return int(pc.max(pc.binary_length(texts)).as_py() or 0)


def _build_maps(columns: Mapping[str, pa.Array], size: int) -> pa.Array:
    """Return columns as one map per event, with the fields that it has."""
    kind = SCHEMA.field("fields").type
    if not columns:
        return pa.array([[]] * size, kind)
    present = np.stack(
        [column.is_valid().to_numpy(zero_copy_only=False) for column in columns.values()], axis=1
    )
    row, column_index = np.nonzero(present)
    items = pa.concat_arrays(columns.values()).take(pa.array(column_index * size + row))
    offsets = np.concatenate(([0], np.cumsum(present.sum(axis=1)))).astype(np.int32)
    names = pa.array(list(columns), pa.string()).take(pa.array(column_index))
    return pa.MapArray.from_arrays(pa.array(offsets), names, items, type=kind)
