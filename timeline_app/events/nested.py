"""Fields inside the objects and lists that a log keeps as JSON text, as typed columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pa_json

from timeline_app.algebra.kinds import Kind
from timeline_app.events.arrow_types import to_arrow_type
from timeline_app.events.paths import NESTED, Step, get_root, get_value_below, list_paths, split_path
from timeline_app.events.validate import MAX_SAMPLED_OBJECTS, spell

Tree: TypeAlias = "dict[str, Kind | Tree]"
"""The kinds of the values inside an object, by name."""
PART_TEXTS = 50_000
"""Texts are parsed in portions of this size; values of mixed types slow down only their portion."""
BLOCK_BYTES = 4 << 20
"""Arrow parses so much at once; a text is shorter (`MAX_NESTED`)."""


class MixedTypes(Exception):
    """The values at a path have several types, which must be distinguished one by one."""


def read_paths(
    fields: pa.ChunkedArray, names: Iterable[str], kind_of: Callable[[str], Kind]
) -> dict[str, pa.ChunkedArray]:
    """Return the values at some paths as typed columns, by path; each distinct object is parsed once."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for name in names:  # places in lists are looked up value by value, and do not slow down other paths
        groups.setdefault((get_root(name), "[" in name), []).append(name)
    read: dict[str, pa.ChunkedArray] = {}
    for (root, _), paths in groups.items():
        encoded = _select_nested_texts(fields, root).dictionary_encode()
        columns = parse_texts(encoded.dictionary, {path: kind_of(path) for path in paths})
        if len(encoded.dictionary) < len(encoded):
            columns = {path: column.take(encoded.indices) for path, column in columns.items()}
        read |= columns
    return read


def parse_texts(texts: pa.Array, kinds: Mapping[str, Kind]) -> dict[str, pa.ChunkedArray]:
    """Return the values at paths of one root in canonical JSON texts, by path; null where they do not fit."""
    parts = [_parse_part(texts.slice(start, PART_TEXTS), kinds) for start in range(0, len(texts), PART_TEXTS)]
    return {
        path: pa.chunked_array([chunk for part in parts for chunk in part[path].chunks], to_arrow_type(kind))
        for path, kind in kinds.items()
    }


def _parse_part(texts: pa.Array, kinds: Mapping[str, Kind]) -> dict[str, pa.ChunkedArray]:
    try:
        return parse_uniform(texts, kinds)
    except MixedTypes:
        return _parse_singly(texts, kinds)


def parse_uniform(texts: pa.Array, kinds: Mapping[str, Kind]) -> dict[str, pa.ChunkedArray]:
    """Do what `parse_texts` does, without a Python object per value. Raises `MixedTypes`.

    Canonical texts have unique names, no line breaks, and no numbers that Arrow would read differently.
    """
    tree = _build_tree(kinds)
    lines = pc.binary_join_element_wise('{"":', texts, "}\n", "")
    try:
        table = pa_json.read_json(
            pa.BufferReader(_get_bytes(lines)),
            pa_json.ReadOptions(block_size=BLOCK_BYTES),
            pa_json.ParseOptions(
                explicit_schema=pa.schema([("", _build_type(tree))]), unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid as why:
        raise MixedTypes from why
    return {path: _read_column_below(table[""], split_path(path)[1:], kind) for path, kind in kinds.items()}


def list_fields(fields: pa.ChunkedArray, *, every_place: bool = False) -> set[str]:
    """Return the names of the fields of a log's events, and the paths inside their objects and lists."""
    names = {name for chunk in fields.chunks for name in pc.unique(chunk.keys).to_pylist()}
    inside = {name for name in names if name.endswith(NESTED)}
    paths = (
        path
        for name in inside
        for text in pc.unique(_select_nested_texts(fields, name.removesuffix(NESTED)).drop_null())[
            :MAX_SAMPLED_OBJECTS
        ].to_pylist()
        for path in list_paths(name.removesuffix(NESTED), orjson.loads(text), every_place=every_place)
    )
    return (names - inside).union(paths)


def _select_nested_texts(fields: pa.ChunkedArray, root: str) -> pa.Array:
    return pc.map_lookup(fields, pa.scalar(root + NESTED), "last").combine_chunks()


def _parse_singly(texts: pa.Array, kinds: Mapping[str, Kind]) -> dict[str, pa.ChunkedArray]:
    paths = [(split_path(path)[1:], _FITTING[kind]) for path, kind in kinds.items()]
    rows = [
        [fit(get_value_below(value, steps)) for steps, fit in paths]
        for value in map(orjson.loads, texts.to_pylist())
    ]
    columns = zip(kinds.items(), zip(*rows, strict=True), strict=True)
    return {
        path: pa.chunked_array([pa.array(values, to_arrow_type(kind))]) for (path, kind), values in columns
    }


def _to_number(value: Any) -> float | None:
    return value + 0.0 if type(value) in (int, float) else None  # -0.0 is 0.0, and a bool is no number


def _to_bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _to_text(value: Any) -> str | None:
    return value if isinstance(value, str) else spell(value, Kind.TEXT)


_FITTING: dict[Kind, Callable[[Any], Any]] = {
    Kind.NUMBER: _to_number,
    Kind.BOOL: _to_bool,
    Kind.TEXT: _to_text,
}


def _build_tree(kinds: Mapping[str, Kind]) -> Tree:
    """Return the possible content under a root: at every level also the name spelled like the rest of the path."""
    tree: Tree = {}
    for path, kind in kinds.items():
        level = tree
        for key, name in split_path(path)[1:]:
            if isinstance(key, int) or isinstance(level.setdefault(name, kind), dict):
                raise MixedTypes
            if name == key:
                continue
            below = level.setdefault(key, {})
            if not isinstance(below, dict):
                raise MixedTypes
            level = below
    return tree


def _build_type(tree: Tree) -> pa.DataType:
    return pa.struct(
        [
            (name, _build_type(item) if isinstance(item, dict) else to_arrow_type(item))
            for name, item in tree.items()
        ]
    )


def _get_bytes(lines: pa.Array) -> pa.Buffer:
    """Return the bytes of a new array's texts, one after the other."""
    _, offsets, data = lines.buffers()
    return data.slice(0, np.frombuffer(offsets, np.int32)[len(lines)])


def _read_column_below(column: pa.ChunkedArray, steps: tuple[Step, ...], kind: Kind) -> pa.ChunkedArray:
    """Return the column at the end of the steps, as `get_value_below` does for a value."""
    (key, name), *deeper = steps
    named = pc.struct_field(column, name)
    if kind is Kind.NUMBER:
        named = pc.add(named, 0.0)  # -0.0 is 0.0
    if not deeper:
        return named
    below = _read_column_below(pc.struct_field(column, key), tuple(deeper), kind)
    return below if named.null_count == len(named) else pc.coalesce(named, below)
