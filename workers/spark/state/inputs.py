"""The timelines of a host's inputs as rows of state, one for each piece, and their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Kind, Mask
from timeline_app.algebra.names import reindex
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.retention import find_holding
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.compiler import Program
from timeline_app.compiler.step import FeedInput
from timeline_app.events.columns import code_texts, sort_names, to_labels
from timeline_app.feed import feed_rows
from workers.spark.state.evaluation import read_memories, summarize_until
from workers.spark.state.rows import KeySummaries

_VALUES = ("flag", "text", "number", "slope", "den", "den_slope")
STATE_SCHEMA = pa.schema(
    [
        ("port", pa.int32()),
        ("hash", pa.int64()),
        ("key", pa.string()),
        ("time", pa.int64()),
        ("birth", pa.int64()),
        *(feed_rows.PIECES.field(name) for name in _VALUES),
    ]
)
"""A piece of a key's input: the index of its feed among the program's inputs, the hash of the key."""

Inputs = dict[str, Timelines]
"""Timelines by digest."""


@dataclass(frozen=True, slots=True)
class HashedKeys:
    """The keys that a batch touches, sorted, with their hashes."""

    names: pa.Array
    hashes: Ints

    @classmethod
    def from_tables(cls, *tables: pa.Table) -> HashedKeys:
        """Collect the keys of rows that have key and hash."""
        names = sort_names(*(item["key"] for item in tables))
        hashes = np.zeros(len(names), dtype=np.int64)
        for item in tables:
            hashes[code_texts(item["key"], names)] = item["hash"].to_numpy()
        return cls(names, hashes)

    def take(self, places: Ints) -> HashedKeys:
        """Return the keys at these indexes."""
        return HashedKeys(self.names.take(pa.array(places)), self.hashes[places])


def read_timelines(program: Program, rows: pa.Table, names: pa.Array) -> Inputs:
    """Read the input timelines of keys from rows of state."""
    return {
        item.digest: _read_input_timelines(rows.filter(pc.equal(rows["port"], port)), item, names)
        for port, item in enumerate(program.feeds)
    }


def _read_input_timelines(rows: pa.Table, item: FeedInput, names: pa.Array) -> Timelines:
    key, time = code_texts(rows["key"], names), np.asarray(rows["time"].to_numpy(), dtype=np.int64)
    order = order_of(key, time)
    rows, key, time = rows.take(pa.array(order)), key[order], time[order]
    present = np.unique(key)
    labels = to_labels(names)
    value, texts = feed_rows.read_values(rows, item.kind)
    births = rows["birth"].to_numpy()[mark_firsts(key)]
    input_timelines = build_timelines(
        item.kind,
        labels[present],
        births,
        np.searchsorted(present, key),
        time,
        value,
        feed_rows.read_slopes(rows, item.kind) if item.kind.is_line else None,
        texts,
    )
    return reindex(input_timelines, labels, item.start)


def replace_births(inputs: Inputs, births: Mapping[str, Timelines]) -> Inputs:
    """Return the inputs with the births of other timelines over the same names."""
    return {digest: replace(item, birth=births[digest].birth) for digest, item in inputs.items()}


def build_rows(
    program: Program, inputs: Inputs, keys: HashedKeys, masks: Mapping[str, Mask] | None = None
) -> pa.Table:
    """Return the input timelines of keys as rows of state; `masks` selects pieces."""
    tables = [STATE_SCHEMA.empty_table()]
    for port, feed_of in enumerate(program.feeds):
        item = inputs[feed_of.digest]
        rows = feed_rows.build_rows(feed_rows.build_full_revisions(item))
        columns = {name: rows[name] for name in ("key", "birth", *_VALUES)}
        columns["port"] = pa.array(np.full(len(rows), port, dtype=np.int32))
        columns["hash"], columns["time"] = pa.array(keys.hashes[item.key]), rows["t"]
        table = pa.table([columns[field.name] for field in STATE_SCHEMA], schema=STATE_SCHEMA)
        tables.append(table if masks is None else table.filter(pa.array(masks[feed_of.digest])))
    return pa.concat_tables(tables)


def summarize_inputs(
    program: Program,
    frontiers: Mapping[str, int],
    rows: pa.Table,
    names: pa.Array,
    summaries: KeySummaries,
    at: Ints,
) -> tuple[pa.Table, KeySummaries]:
    """Return the pieces up to each key's instant that later answers still need, and the summaries of the others."""
    inputs = read_timelines(program, rows, names)
    results = dict(inputs)
    if program.memories:
        program.evaluate({}, results, carried=read_memories(program, summaries), frontiers=frontiers)
    until = at + 1 + program.reach
    gathered = program.across_keys and not program.additive
    pieces = {digest: _select_needed_pieces(item, at, gathered=gathered) for digest, item in inputs.items()}
    rows_after = build_rows(program, inputs, HashedKeys.from_tables(rows), pieces)
    return rows_after, summarize_until(program, {}, results, summaries, until)


def _select_needed_pieces(item: Timelines, at: Ints, *, gathered: bool) -> Mask:
    """Return the pieces that hold from the beginning and at each key's instant, and the first of each group.

    The births of groups follow from the latter, where they are computed from all keys at once.
    """
    needed: Mask = item.time == BEGINNING
    needed[find_holding(item, at)] = True
    if gathered and item.kind is Kind.TEXT:
        born = item.birth[item.key]
        rows = np.flatnonzero((item.time <= at[item.key]) & (item.end > born) & (born != OPEN) & item.known)
        order = rows[np.lexsort((item.time[rows], item.value[rows], item.key[rows]))]
        if len(order):
            needed[order[mark_firsts(item.key[order], item.value[order])]] = True
    return needed
