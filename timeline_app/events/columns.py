"""From Arrow columns to the algebra's events, and the order-preserving codes of texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import (
    TEXT,
    Collected,
    Column,
    Events,
    Ids,
    Rows,
    Texts,
    Ties,
    collect,
    sort_events,
)
from timeline_app.algebra.kinds import (
    BEGINNING,
    FALSE,
    NO_LABELS,
    OPEN,
    TRUE,
    UNKNOWN,
    Ints,
    Kind,
    Labels,
    Mask,
    Values,
)
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.ids import order_key, rank_ids


def code_texts(texts: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Return the index of each text among sorted names; -1 for null."""
    return _encode_texts(texts, names).astype(np.int64)


def _encode_texts(texts: pa.ChunkedArray, names: pa.Array) -> Values:
    if not pa.types.is_dictionary(texts.type):
        return _find_places(texts, names)
    encoded = _unify_dictionaries(texts)
    places = np.append(_find_places(encoded.dictionary, names), np.int32(-1))
    return np.asarray(places[_to_numpy(encoded.indices, -1)])


def find_positions(values: pa.Array | pa.ChunkedArray, candidates: pa.Array) -> Ints:
    """Return the index of each value among known ones, in any order; -1 for a missing one."""
    return np.asarray(_find_places(values, candidates), dtype=np.int64)


def is_among(values: pa.Array | pa.ChunkedArray | Ints, candidates: Ints) -> Mask:
    """Return which of the values are among known ones."""
    values = pa.array(values) if isinstance(values, np.ndarray) else values
    return np.asarray(
        pc.is_in(values, value_set=pa.array(candidates)).to_numpy(zero_copy_only=False), dtype=bool
    )


def filter_rows(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    """Return the rows of a mask; where it selects all, nothing is copied."""
    return rows if pc.all(mask, skip_nulls=False, min_count=0).as_py() else rows.filter(mask)


def take_rows(rows: pa.Table, at: Ints) -> pa.Table:
    """Return the rows at some indexes; for none, the columns are not concatenated."""
    return rows.take(pa.array(at)) if len(at) else rows.slice(0, 0)


def _find_places(texts: pa.Array | pa.ChunkedArray, names: pa.Array) -> Values:
    return _to_numpy(_combine_chunks(pc.index_in(texts, value_set=names)), -1)


def _to_numpy(values: pa.Array, missing: int) -> Values:
    """Return an array as numpy has it, `missing` for null."""
    filled = values.fill_null(missing) if values.null_count else values
    return np.asarray(filled.to_numpy(zero_copy_only=False))


def hash_texts(texts: pa.ChunkedArray) -> Ints:
    """Return a hash of 64 bits of each text, 0 for null; the same wherever and whenever it is computed."""
    import pandas as pd  # noqa: PLC0415 (the two processes that plan what a query reads hash nothing: 0.3 s each)

    encoded = texts.combine_chunks().dictionary_encode()
    names = np.array(encoded.dictionary.to_pylist(), dtype=object)
    hashes = np.append(pd.util.hash_array(names, categorize=False).view(np.int64), np.int64(0))
    return np.asarray(hashes[encoded.indices.fill_null(len(names)).to_numpy(zero_copy_only=False)])


def sort_names(*columns: pa.ChunkedArray) -> pa.Array:
    """Return every distinct text, in order of code points; of encoded columns also unused ones."""
    unique = pc.drop_null(
        pc.unique(pa.chunked_array([part for item in columns for part in _split_chunks(item)], pa.string()))
    )
    return unique.take(pc.sort_indices(unique))


def _split_chunks(texts: pa.ChunkedArray) -> list[pa.Array]:
    return [_unify_dictionaries(texts).dictionary] if pa.types.is_dictionary(texts.type) else texts.chunks


def _unify_dictionaries(texts: pa.ChunkedArray) -> pa.DictionaryArray:
    return _combine_chunks(texts.unify_dictionaries() if texts.num_chunks > 1 else texts)


def to_labels(names: pa.Array) -> Labels:
    """Return names as the algebra keeps them."""
    labels = np.empty(len(names), dtype=object)
    labels[:] = names.to_pylist()
    return labels


def build_column(values: pa.ChunkedArray, kind: Kind) -> Column:
    """Return one field of events as a column of the algebra; integers are ends, a missing one `OPEN`."""
    if kind is Kind.TEXT:
        names = sort_names(values)
        return Column(kind, _encode_texts(values, names), to_labels(names))
    if pa.types.is_integer(values.type):
        return Column(kind, _to_numpy(_combine_chunks(values), OPEN), NO_LABELS)
    if kind is Kind.NUMBER:
        numbers = _combine_chunks(pc.cast(values, pa.float64())).to_numpy(zero_copy_only=False)
        return Column(kind, np.asarray(numbers, dtype=np.float64), NO_LABELS)
    flags = _combine_chunks(pc.cast(values, pa.int8())).fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(
        kind, np.select([flags == 1, flags == 0], [TRUE, FALSE], UNKNOWN).astype(np.int8), NO_LABELS
    )


def build_rows(
    table: pa.Table,
    declaration: StreamDeclaration,
    fields: tuple[str, ...],
    names: pa.Array,
    ids_since: int = BEGINNING,
    key: Ints | None = None,
    texts: Texts | None = None,
) -> Rows:
    """Return the rows of a host table, in their order; texts may be encoded.

    Rows before `ids_since` are not deduplicated; `key` is the key of each row, where known. Without `texts` the
    canonical texts of events are in the table, if anywhere.
    """
    columns = {
        name: build_column(table[f"v{index}"], declaration.kind_of(name))
        for index, name in enumerate(fields)
        if name != TEXT
    }
    time = np.asarray(_combine_chunks(table["time"]).to_numpy(zero_copy_only=False), dtype=np.int64)
    ids = _rank_ids(table["id"], declaration, time < ids_since) if declaration.id else None
    ties = _make_tie_breaker(table, declaration, texts or _find_texts(table, fields))
    return Rows(_encode_texts(table["key"], names) if key is None else key, time, ids, columns, ties)


def _find_texts(table: pa.Table, fields: tuple[str, ...]) -> Texts | None:
    name = f"v{fields.index(TEXT)}" if TEXT in fields else "text"
    return get_texts(table, name) if name in table.column_names else None


def _make_tie_breaker(table: pa.Table, declaration: StreamDeclaration, texts: Texts | None) -> Ties:
    kind = declaration.kind_of(declaration.id) if declaration.id else Kind.TEXT

    def ties(rows: Ints) -> list[tuple[Any, ...]]:
        row_array = pa.array(rows)
        ids = table["id"].take(row_array).to_pylist() if declaration.id else [None] * len(rows)
        row_texts = [None] * len(rows) if texts is None else texts(rows)
        return [(order_key(name, kind), text or "") for name, text in zip(ids, row_texts, strict=True)]

    return ties


def build_events(
    table: pa.Table,
    declaration: StreamDeclaration,
    fields: tuple[str, ...],
    names: pa.Array,
    texts: Texts | None = None,
    ids_since: int = BEGINNING,
) -> tuple[Events, Collected]:
    """Return the events of a host table over the given names, and their rows, in the same order.

    Without `texts` the canonical texts of events are in the table. Events before `ids_since` are not replaced by
    later duplicates.
    """
    rows = build_rows(table, declaration, fields, names, ids_since)
    return collect_events(rows, to_labels(names), texts or get_texts(table))


def get_texts(table: pa.Table, name: str = "text") -> Texts:
    """Return the canonical texts of the events of a host table, which are in this column."""
    return lambda rows: to_labels(table[name].take(pa.array(rows)))


def collect_events(rows: Rows, names: Labels, texts: Texts) -> tuple[Events, Collected]:
    """Return the events of rows, and the rows that they come from, in the same order."""
    collected = collect(rows, texts)
    events, order = sort_events(rows.take(collected.rows), names)
    return events, replace(collected, rows=collected.rows[order])


def _rank_ids(values: pa.ChunkedArray, declaration: StreamDeclaration, alone: Mask) -> Ids:
    """Ids in their order; some rows have theirs alone."""
    assert declaration.id is not None
    kind = declaration.kind_of(declaration.id)
    encoded = _combine_chunks(values.dictionary_encode())
    code = _to_numpy(encoded.indices, -1)
    meant = np.arange(len(encoded.dictionary))
    if alone.any():
        alone, code = alone & (code >= 0), code.astype(np.int64)
        meant = np.concatenate((meant, code[alone]))
        code[alone] = np.arange(len(encoded.dictionary), len(meant))
    return Ids(code, lambda rows: rank_ids(encoded.dictionary.take(pa.array(meant[rows])), kind))


def _combine_chunks(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
