"""The hosts of nodes that are computed from the feeds of other nodes: across keys, and above that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.groups import Deltas, add, compress, subtract
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.algebra.names import reindex, union_of_names
from timeline_app.algebra.revisions import Revisions, apply_all, diff
from timeline_app.algebra.sums import WIDTH
from timeline_app.algebra.timelines import Timelines
from timeline_app.storage import feed
from timeline_app.storage.columns import codes, labels_of, sorted_names
from workers.spark.folded import Held, folded_schema
from workers.spark.pages import Pages
from workers.spark.processor import PagedProcessor
from workers.spark.telling import Mode, modes, tell

FED_SCHEMA = pa.schema([("port", pa.int32()), ("hash", pa.int64()), ("batch", pa.int64()), *feed.PIECES])
"""Rows of feeds with the place of the feed among the program's inputs, the hash of the key, the batch."""
AMOUNTS = [f"a{place}" for place in range(WIDTH)]
DELTA_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("source", pa.string()),
        ("t", pa.int64()),
        *((name, pa.int64()) for name in AMOUNTS),
    ]
)
"""What is added to the sums of group `name` at `t`; a row without name is a mark, as in a feed."""
SUMS_SCHEMA = pa.schema([("hash", pa.int64()), *DELTA_SCHEMA])

Inputs = dict[str, Timelines]


@dataclass(frozen=True, slots=True)
class Hashes:
    """The hashes of names, as Spark computed them."""

    names: pa.Array
    hashes: pa.Array

    @classmethod
    def of(cls, rows: pa.Table, column: str) -> Hashes:
        """From rows that hold both."""
        firsts = rows.select([column, "hash"]).group_by(column).aggregate([("hash", "min")])
        return cls(firsts[column].combine_chunks(), firsts["hash_min"].combine_chunks())

    def find(self, names: pa.ChunkedArray) -> pa.Array:
        """The hash of each name."""
        return self.hashes.take(pc.index_in(names, value_set=self.names).combine_chunks())


class FedProcessor(PagedProcessor):
    """Keeps the timelines of its inputs for every key, and applies the revisions that come."""

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Apply what came, and answer with what changed; marks go through with the digest of their input."""
        yield from self.marks(rows)
        rows = rows.filter(pc.is_valid(rows["key"]))
        if not len(rows):
            return
        names = sorted_names(rows["key"])
        held = pages.load(rows["hash"].to_numpy()).rows
        touched = pc.is_in(held["key"], value_set=names)
        old, new = self._before_and_after(held.filter(touched), rows, names)
        reached = rows.group_by("port").aggregate([("batch", "max")])
        numbers = zip(reached["port"].to_pylist(), reached["batch_max"].to_pylist(), strict=True)
        how = modes(self.taken, {self.program.inputs[port]: batch for port, batch in numbers}, pages.memory)
        yield from self.answer(old, new, how)
        hashes = Hashes.of(rows, "key")
        kept = [self._rows(place, new[item.digest], hashes) for place, item in enumerate(self.program.feeds)]
        left = pa.concat_tables([held.filter(pc.invert(touched)), *kept])
        pages.save(Held(left, folded_schema(0).empty_table()))

    def marks(self, rows: pa.Table) -> Iterator[pa.Table]:
        """The marks of the inputs, with the digest of their input."""
        marks = feed.marks_of(rows)
        for port, source, until, seen in zip(
            *(marks[name].to_pylist() for name in ("port", "source", "t", "end")), strict=True
        ):
            yield self.passed_on(f"{self.program.feeds[port].digest}/{source}", until, seen)

    def passed_on(self, source: str, until: int, seen: int) -> pa.Table:
        """A mark of an input as a mark of this node."""
        return feed.told(feed.mark(source, until, seen))

    def answer(self, old: Inputs, new: Inputs, how: Mapping[str, Mode]) -> Iterator[pa.Table]:
        """What the change of the inputs means for the nodes."""
        before, after = dict(old), dict(new)
        self.program.evaluate({}, before)
        self.program.evaluate({}, after)
        yield from tell(self.program, how, before, after, BEGINNING)

    def _before_and_after(self, held: pa.Table, rows: pa.Table, names: pa.Array) -> tuple[Inputs, Inputs]:
        labels = labels_of(names)
        old: Inputs = {}
        new: Inputs = {}
        for place, item in enumerate(self.program.feeds):
            mine = held.filter(pc.equal(held["port"], place))
            came = rows.filter(pc.equal(rows["port"], place))
            known = feed.timelines_of(feed.revisions_of(mine.select(feed.PIECES.names), item.kind))
            steps = [
                feed.revisions_of(
                    came.filter(pc.equal(came["batch"], batch)).select(feed.PIECES.names), item.kind
                )
                for batch in sorted(pc.unique(came["batch"]).to_pylist())
            ]
            old[item.digest], new[item.digest] = apply_all(reindex(known, labels, item.start), steps)
        return old, new

    def _rows(self, place: int, item: Timelines, hashes: Hashes) -> pa.Table:
        rows = feed.rows_of(feed.whole(item))
        constant = [
            pa.array(np.full(len(rows), place, dtype=np.int32)),
            hashes.find(rows["key"]),
            pa.array(np.zeros(len(rows), dtype=np.int64)),
        ]
        return pa.table([*constant, *rows.columns], schema=FED_SCHEMA)


class Gatherer(FedProcessor):
    """The host of functions that must see all keys at once: one bucket, and every key's timelines at hand.

    What lies before the first change stays as it was, and is not computed again.
    """

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Apply what came, and publish how the groups changed."""
        yield from self.marks(rows)
        before = int(pages.memory.get("last", BEGINNING))
        seen = feed.marks_of(rows)["end"].to_pylist()
        pages.memory["last"] = after = max([before, *seen])
        rows = rows.filter(pc.is_valid(rows["key"]))
        held = pages.load(rows["hash"].to_numpy()).rows
        everything = pa.concat_tables([held, pages.rest().rows])
        old, new = self._before_and_after(everything, rows, sorted_names(everything["key"], rows["key"]))
        since = min([before, *_effective(rows)])
        yield self._changes(old, new, (before, after), since)
        touched = pc.is_in(held["key"], value_set=sorted_names(rows["key"]))
        hashes = Hashes.of(rows, "key")
        kept = [
            self._rows(place, _only(new[item.digest], hashes.names), hashes)
            for place, item in enumerate(self.program.feeds)
        ]
        left = pa.concat_tables([held.filter(pc.invert(touched)), *kept])
        pages.save(Held(left, folded_schema(0).empty_table()))

    def _changes(self, old: Inputs, new: Inputs, last: tuple[int, int], since: int) -> pa.Table:
        before, after = dict(old), dict(new)
        for inputs, seen in zip((before, after), last, strict=True):
            self.program.evaluate({}, inputs, seen, since)
        was, becomes = before[self.program.digest], after[self.program.digest]
        names = union_of_names(was, becomes)
        return feed.told(feed.rows_of(diff(reindex(was, names, None), reindex(becomes, names, None))), 0)


def _effective(rows: pa.Table) -> list[int]:
    """From when on the first of these revisions means anything: a key counts from its birth."""
    start, birth = rows["start"].to_numpy(), rows["birth"].to_numpy()
    return [int(np.where(birth == OPEN, start, np.maximum(start, birth)).min())] if len(rows) else []


def _only(item: Timelines, names: pa.Array) -> Timelines:
    """The timelines of these keys."""
    return item.take(np.searchsorted(item.names, np.sort(labels_of(names))))


class Contributor(FedProcessor):
    """The first half of going across keys: what each key's change adds to the sums of its groups."""

    def passed_on(self, source: str, until: int, seen: int) -> pa.Table:
        """A mark in the columns of deltas: the greatest event time seen stands in the first amount."""
        return pa.table([[None], [source], [until], [seen], *([[0]] * (WIDTH - 1))], schema=DELTA_SCHEMA)

    def answer(self, old: Inputs, new: Inputs, _how: Mapping[str, Mode]) -> Iterator[pa.Table]:
        """The difference of what the keys contributed and what they contribute now."""
        yield table_of_deltas(subtract(self._contributions(new), self._contributions(old)))

    def _contributions(self, inputs: Inputs) -> Deltas:
        step = self.program.last
        across = step.operator.across_keys
        assert across is not None
        ports = {port: inputs[wires[0]] for port, wires in step.inputs.items()}
        return across.contribute(**ports, **step.parsed())


class Collector(PagedProcessor):
    """The second half: the exact sums of every group, and the timelines that they say."""

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Add what came, and publish what changed."""
        marks = rows.filter(pc.is_null(rows["name"]))
        for source, until, seen in zip(
            *(marks[name].to_pylist() for name in ("source", "t", AMOUNTS[0])), strict=True
        ):
            yield feed.told(feed.mark(source, until, seen))
        rows = rows.filter(pc.is_valid(rows["name"]))
        if not len(rows):
            return
        held = pages.load(rows["hash"].to_numpy()).rows
        touched = pc.is_in(held["name"], value_set=pc.unique(rows["name"]))
        old = deltas_of(held.filter(touched))
        new = add(old, deltas_of(rows))
        yield feed.told(feed.rows_of(self._changes(old, new)), 0)
        kept = table_of_deltas(new)
        hashed = Hashes.of(rows, "name").find(kept["name"])
        left = pa.table([hashed, *kept.columns], schema=SUMS_SCHEMA)
        left = pa.concat_tables([held.filter(pc.invert(touched)), left])
        pages.save(Held(left, folded_schema(0).empty_table()))

    def _changes(self, old: Deltas, new: Deltas) -> Revisions:
        step = self.program.last
        across, params = step.operator.across_keys, step.parsed()
        assert across is not None
        assert step.operator.start is not None
        start = step.operator.start(params)
        kind = next(item.kind for item in self.program.feeds if item.digest == step.inputs["of"][0])
        before, after = (across.collect(item, kind, **params) for item in (old, new))
        names = union_of_names(before, after)
        return diff(reindex(before, names, start), reindex(after, names, start))


def table_of_deltas(deltas: Deltas) -> pa.Table:
    """Deltas as rows."""
    amounts = [pa.array(np.ascontiguousarray(deltas.amounts[:, place])) for place in range(WIDTH)]
    sources = pa.nulls(len(deltas.group), pa.string())
    name = pa.array(deltas.names[deltas.group], pa.string())
    return pa.table([name, sources, pa.array(deltas.time), *amounts], schema=DELTA_SCHEMA)


def deltas_of(rows: pa.Table) -> Deltas:
    """Rows as deltas, summed by group and time."""
    names = sorted_names(rows["name"])
    amounts = (
        np.column_stack([rows[name].to_numpy() for name in AMOUNTS]) if len(rows) else np.zeros((0, WIDTH))
    )
    time = rows["t"].to_numpy().astype(np.int64)
    return compress(labels_of(names), codes(rows["name"], names), time, amounts.astype(np.int64))
