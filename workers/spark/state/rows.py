"""Rows of keys, and the summaries of keys whose older rows are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Labels
from timeline_app.algebra.timelines import compute_offsets
from timeline_app.events.columns import code_texts
from timeline_app.feed.packets import READ, WRITE


def build_summary_schema(width: int, texts: int = 0) -> pa.Schema:
    """Return the columns of summaries: up to when a key is summarized, where its archive begins, numbers, texts."""
    numbers = [(f"m{index}", pa.int64()) for index in range(width)]
    strings = [(f"t{index}", pa.string()) for index in range(texts)]
    fixed = [("hash", pa.int64()), ("key", pa.string()), ("until", pa.int64()), ("tail", pa.int64())]
    return pa.schema([*fixed, *numbers, *strings])


SNAPSHOT = "near"
"""The column that marks rows and summaries of a prefix snapshot (see `prefix_snapshots`)."""


@dataclass(frozen=True, slots=True)
class KeyRows:
    """Rows of keys, and a row of `build_summary_schema` for each key that has a summary."""

    rows: pa.Table
    summaries: pa.Table

    @classmethod
    def concat(cls, pieces: Iterable[KeyRows]) -> KeyRows:
        """Concatenate the parts."""
        rows, summaries = zip(*((item.rows, item.summaries) for item in pieces), strict=True)
        return cls(pa.concat_tables(rows), pa.concat_tables(summaries))

    def hashes(self) -> Ints:
        """Return the hashes of the keys, sorted."""
        return np.unique(np.concatenate([item["hash"].to_numpy() for item in (self.rows, self.summaries)]))

    def of_keys(self, hashes: Ints) -> KeyRows:
        """Return the rows and summaries of the keys with these hashes."""
        return KeyRows(*(item.filter(_match_keys(item, hashes)) for item in (self.rows, self.summaries)))

    def without_keys(self, hashes: Ints) -> KeyRows:
        """Return the rows and summaries of all other keys."""
        return KeyRows(
            *(item.filter(pc.invert(_match_keys(item, hashes))) for item in (self.rows, self.summaries))
        )

    def split_by_number(self, hashes: Ints, numbers: Ints) -> Iterator[tuple[int, KeyRows]]:
        """Split by the number of each key; `hashes` are those of all keys, sorted."""
        rows, summaries = (_sort_by_number(item, hashes, numbers) for item in (self.rows, self.summaries))
        for number in np.unique(numbers).tolist():
            yield number, KeyRows(_slice(*rows, number), _slice(*summaries, number))

    def split_by_names(self, names: pa.Array) -> tuple[KeyRows, KeyRows]:
        """Split into these keys and all others."""
        of_rows, two = (pc.is_in(item["key"], value_set=names) for item in (self.rows, self.summaries))
        selected = KeyRows(self.rows.filter(of_rows), self.summaries.filter(two))
        return selected, KeyRows(self.rows.filter(pc.invert(of_rows)), self.summaries.filter(pc.invert(two)))


def _match_keys(item: pa.Table, hashes: Ints) -> pa.Array:
    return pc.is_in(item["hash"], value_set=pa.array(hashes))


def _sort_by_number(item: pa.Table, hashes: Ints, numbers: Ints) -> tuple[pa.Table, Ints]:
    """Return the rows sorted by the number of their key, and those numbers."""
    row_numbers = numbers[np.searchsorted(hashes, item["hash"].to_numpy())]
    order = np.argsort(row_numbers, kind="stable")
    return item.take(pa.array(order)).combine_chunks(), row_numbers[order]


def _slice(item: pa.Table, numbers: Ints, number: int) -> pa.Table:
    start, end = np.searchsorted(numbers, [number, number + 1])
    return item.slice(start, end - start)


@dataclass(frozen=True, slots=True, eq=False)
class KeySummaries:
    """Up to when each key is summarized (`BEGINNING`: not at all), its numbers and texts, of shape (keys, columns).

    `archived_from` is the first instant at which rows of the key went to the archive; `OPEN`: none did.
    """

    until: Ints
    archived_from: Ints
    memory: Ints
    texts: Labels

    @classmethod
    def from_rows(cls, rows: pa.Table, names: pa.Array) -> KeySummaries:
        """Read the summaries of these keys from rows of `build_summary_schema`."""
        key, (numbers, texts) = code_texts(rows["key"], names), _split_memory_columns(rows.schema)
        until = np.full(len(names), BEGINNING, dtype=np.int64)
        tail = np.full(len(names), OPEN, dtype=np.int64)
        memory = np.zeros((len(names), len(numbers)), dtype=np.int64)
        strings: Labels = np.full((len(names), len(texts)), None, dtype=object)
        until[key], tail[key] = rows["until"].to_numpy(), rows["tail"].to_numpy()
        for index, name in enumerate(numbers):
            memory[key, index] = rows[name].to_numpy()
        for index, name in enumerate(texts):
            strings[key, index] = rows[name].to_numpy()
        return cls(until, tail, memory, strings)

    def copy(self) -> KeySummaries:
        """Return a copy that may be changed."""
        return KeySummaries(
            self.until.copy(), self.archived_from.copy(), self.memory.copy(), self.texts.copy()
        )

    def take(self, keys: Ints) -> KeySummaries:
        """Return the summaries of some keys, in the given order."""
        return KeySummaries(self.until[keys], self.archived_from[keys], self.memory[keys], self.texts[keys])

    def update(self, keys: Ints, other: KeySummaries) -> None:
        """Replace the summaries of some keys."""
        self.until[keys], self.archived_from[keys] = other.until, other.archived_from
        self.memory[keys], self.texts[keys] = other.memory, other.texts

    def instants(self, before: int) -> Ints:
        """Return the instant `before` microseconds earlier than each key's summary; `BEGINNING` where there is none."""
        return np.where(self.until == BEGINNING, BEGINNING, self.until - before)

    def rows(self, names: pa.Array, hashes: Ints) -> pa.Table:
        """Return these summaries as rows of `build_summary_schema`."""
        rows = np.flatnonzero(self.until != BEGINNING)
        columns = [hashes, None, self.until, self.archived_from, *self.memory.T]
        arrays = [
            names.take(pa.array(rows)) if item is None else pa.array(np.ascontiguousarray(item[rows]))
            for item in columns
        ]
        strings = [pa.array(item[rows], pa.string()) for item in self.texts.T]
        schema = build_summary_schema(self.memory.shape[1], self.texts.shape[1])
        return pa.table([*arrays, *strings], schema=schema)


def _split_memory_columns(schema: pa.Schema) -> tuple[list[str], list[str]]:
    """Return the names of the columns of numbers, and of those of texts."""
    columns = schema.names[4:]
    numbers = [name for name in columns if pa.types.is_integer(schema.field(name).type)]
    return numbers, columns[len(numbers) :]


def split_by_key(rows: pa.Table, names: pa.Array) -> list[pa.Table]:
    """Return the rows of each key, in the order of `names`."""
    key = code_texts(rows["key"], names)
    rows = rows.take(pa.array(np.argsort(key, kind="stable"))).combine_chunks()
    offsets = compute_offsets(np.bincount(key, minlength=len(names))).tolist()
    return [rows.slice(start, end - start) for start, end in pairwise(offsets)]


def pack(key_rows: KeyRows) -> bytes:
    """Serialise rows and summaries as two Arrow streams, one after the other."""
    sink = pa.BufferOutputStream()
    for table in (key_rows.rows, key_rows.summaries):
        with pa.ipc.new_stream(sink, table.schema, options=WRITE) as writer:
            writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def unpack(blob: Any) -> KeyRows:
    """Parse what `pack` wrote."""
    source = pa.BufferReader(pa.py_buffer(blob))
    return KeyRows(*(pa.ipc.open_stream(source, options=READ).read_all() for _ in range(2)))
