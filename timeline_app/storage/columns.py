"""From Arrow columns to the algebra's events, and the order-preserving codes of texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected, Column, Events, births, collect, ranks
from timeline_app.algebra.kinds import FALSE, NO_LABELS, TRUE, UNKNOWN, Ints, Kind, Labels, Values
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.storage.landing import typed


def codes(texts: pa.ChunkedArray, names: pa.Array) -> Ints:
    """The place of each text among sorted names; -1 for null."""
    places = pc.fill_null(pc.index_in(texts, value_set=names), -1)
    return np.asarray(_whole(places).to_numpy(zero_copy_only=False), dtype=np.int64)


def sorted_names(*columns: pa.ChunkedArray) -> pa.Array:
    """Every text that occurs, once, in order of code points."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    unique = pc.drop_null(pc.unique(together))
    return unique.take(pc.sort_indices(unique))


def labels_of(names: pa.Array) -> Labels:
    """Names as the algebra keeps them."""
    labels = np.empty(len(names), dtype=object)
    labels[:] = names.to_pylist()
    return labels


def column_of(values: pa.ChunkedArray, kind: Kind) -> Column:
    """One field of events as a column of the algebra."""
    if kind is Kind.TEXT:
        names = sorted_names(values)
        return Column(kind, codes(values, names).astype(np.int32), labels_of(names))
    if kind is Kind.NUMBER:
        numbers = _whole(pc.cast(values, pa.float64())).to_numpy(zero_copy_only=False)
        return Column(kind, np.asarray(numbers, dtype=np.float64), NO_LABELS)
    flags = _whole(pc.cast(values, pa.int8())).fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(
        kind, np.select([flags == 1, flags == 0], [TRUE, FALSE], UNKNOWN).astype(np.int8), NO_LABELS
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """Canonical texts by row, made into Python text only where somebody looks."""

    column: pa.ChunkedArray

    def __getitem__(self, row: int) -> str:
        return str(self.column[int(row)].as_py())


def events_of(
    table: pa.Table, declaration: StreamDeclaration, fields: tuple[str, ...], names: pa.Array
) -> tuple[Events, Collected]:
    """The events of a host table over the given names, and which of its rows they are."""
    key = codes(table["key"], names)
    time = np.asarray(_whole(table["time"]).to_numpy(zero_copy_only=False), dtype=np.int64)
    ids = texts = None
    if declaration.id:
        ids = _ids(table["id"], declaration)
        texts = _Texts(table["text"])
    collected = collect(key, time, ids, texts)
    rows = collected.rows
    kept = table.take(pa.array(rows))
    columns: Mapping[str, Column] = {
        name: column_of(kept[f"v{place}"], declaration.kind_of(name)) for place, name in enumerate(fields)
    }
    key, time = key[rows], time[rows]
    labels = labels_of(names)
    return Events(labels, births(len(names), key, time), key, time, columns, _rank(ids, rows)), collected


def _rank(ids: Column | None, rows: Ints) -> Values | None:
    if ids is None:
        return np.zeros(len(rows), dtype=np.int8)
    kept = ids.take(rows)
    return None if kept.present.all() else ranks(kept)


def _ids(values: pa.ChunkedArray, declaration: StreamDeclaration) -> Column:
    """Ids in their order: numbers where the id is declared a number, else text."""
    assert declaration.id is not None
    kind = declaration.kind_of(declaration.id)
    if kind is Kind.NUMBER:
        return column_of(typed(values, kind), kind)
    return column_of(values, Kind.TEXT)


def _whole(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
