"""The columns of a chunk of events by name or by path."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.events import column_values
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.decode.arrow_values import Raw, is_text, list_values
from timeline_app.events.decode.chunks import Chunk
from timeline_app.events.paths import Step, flatten_event, get_root, get_value_below, is_path, split_path

MAX_SAMPLED_INCOMPLETE_EVENTS = 200
_SAMPLED_EVENTS_PER_CHUNK = 20


def select_names_to_read(declaration: StreamDeclaration, fields: Iterable[str]) -> list[str]:
    """Return the top-level names that are read for a stream's key, times, id and some fields."""
    roles = (declaration.id, declaration.until)
    names = [
        *split_key(declaration.key),
        *declaration.time_fields,
        *(role for role in roles if role),
        *fields,
    ]
    return list(dict.fromkeys([*names, *(get_root(name) for name in names if is_path(name))]))


def list_names(chunk: Chunk, wanted_names: Collection[str]) -> set[str]:
    """Return the names of a chunk's fields, the paths inside its first events, and wanted paths with values."""
    first = chunk.events(range(min(len(chunk), _SAMPLED_EVENTS_PER_CHUNK)))
    objects = {name for event in first for name, value in event.items() if isinstance(value, dict | list)}
    names = set(chunk.names()) - objects.difference(wanted_names)
    return names.union(_list_paths_with_values(chunk, wanted_names), *map(flatten_event, first))


def list_names_of_lacking(chunk: Chunk, batch: pa.RecordBatch) -> set[str]:
    """Return the names in the first events that lack a field of a batch: one may be a misspelling of it."""
    lacking = [
        column.is_null().to_numpy(zero_copy_only=False) for column in batch.columns if column.null_count
    ]
    places = [np.flatnonzero(mask)[:MAX_SAMPLED_INCOMPLETE_EVENTS] for mask in lacking]
    chosen = np.unique(np.concatenate(places))[:MAX_SAMPLED_INCOMPLETE_EVENTS].tolist() if places else []
    return set().union(*map(flatten_event, chunk.events(chosen)))


def _list_paths_with_values(chunk: Chunk, names: Collection[str]) -> set[str]:
    """Return the paths at which any of the events has a value."""
    return {
        name
        for name in names
        if is_path(name)
        and any(value is not None for value in column_values.as_list(read_column(chunk, name)))
    }


def read_column(chunk: Chunk, name: str) -> Raw:
    """Return the values of one field; a name that is spelled like the path takes precedence."""
    named = chunk.column(name)
    if not is_path(name):
        return named
    inner = _read_below(chunk.column(get_root(name)), split_path(name)[1:])
    if isinstance(named, pa.Array) and named.null_count == len(named):
        return inner
    if isinstance(inner, pa.Array) and inner.null_count == len(inner):
        return named
    pairs = zip(column_values.as_list(named), column_values.as_list(inner), strict=True)
    return [low if high is None else high for high, low in pairs]


def read_keys(chunk: Chunk, declaration: StreamDeclaration) -> pa.Array:
    """Return the keys of events. Raises `WrongEvent` for an invalid key."""
    names = split_key(declaration.key)
    if len(names) == 1:
        return column_values.read_keys(read_column(chunk, declaration.key), declaration.key)
    return column_values.read_joined_keys({name: read_column(chunk, name) for name in names}, declaration.key)


def read_time_column(chunk: Chunk, declaration: StreamDeclaration) -> Raw:
    """Return the times of events as they are spelled. Raises `WrongEvent` where a date or a clock is missing."""
    names = declaration.time_fields
    if len(names) == 1:
        return read_column(chunk, declaration.time)
    return column_values.join_times({name: read_column(chunk, name) for name in names}, declaration.time)


def _read_below(raw: Raw, steps: tuple[Step, ...]) -> Raw:
    """Structs and maps are walked by column, as far as they go; the rest value by value."""
    if (
        isinstance(raw, pa.Array)
        and pa.types.is_map(raw.type)
        and is_text(raw.type.key_type)
        and len(steps) == 1
    ):
        return pc.map_lookup(raw, pa.scalar(steps[0].key, raw.type.key_type), "last")
    while isinstance(raw, pa.Array) and pa.types.is_struct(raw.type) and steps:
        (key, rest), names = steps[0], [item.name for item in raw.type]
        if rest != key and rest in names:
            break
        if key not in names:
            return pa.nulls(len(raw))
        raw, steps = pc.struct_field(raw, names.index(key)), steps[1:]
    if not steps:
        return raw
    if isinstance(raw, pa.Array) and not pa.types.is_nested(raw.type):
        return pa.nulls(len(raw))
    return [
        get_value_below(value, steps) for value in (list_values(raw) if isinstance(raw, pa.Array) else raw)
    ]
