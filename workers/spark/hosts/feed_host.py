"""The hosts of nodes that read the feeds of other nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from timeline_app.algebra.names import reindex, unite_names
from timeline_app.algebra.revisions import apply_all, cut_before, diff
from timeline_app.algebra.timelines import Timelines
from timeline_app.events.columns import code_texts, sort_names
from timeline_app.feed import feed_rows
from workers.spark.budget import check_budget, enforce_budget
from workers.spark.hosts.emit import EmitMode, emit, select_modes
from workers.spark.hosts.feed_progress import FeedProgress
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.hosts.untouched_keys import find_first_moved_boundary
from workers.spark.state.archive import ARCHIVED, Archive, drop_expired, restore_rows
from workers.spark.state.archiving import archive_rows
from workers.spark.state.evaluation import Frontiers, read_memories
from workers.spark.state.inputs import (
    HashedKeys,
    Inputs,
    build_rows,
    read_timelines,
    replace_births,
    summarize_inputs,
)
from workers.spark.state.pages import Pages
from workers.spark.state.rows import KeyRows, KeySummaries
from workers.spark.state.summaries import summarize_expired

FEED_ROWS_SCHEMA = pa.schema(
    [("port", pa.int32()), ("hash", pa.int64()), ("batch", pa.int64()), *feed_rows.PIECES]
)
"""Rows of feeds with the index of the feed among the program's inputs, the hash of the key, and the batch."""


class FeedHost(PagedProcessor):
    """Keeps the timelines of its inputs for every key, and applies arriving revisions."""

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Apply the revisions that arrived, and emit what changed; forward progress with the digest of its input."""
        before = dict(pages.memory.get("frontiers", {}))
        yield from self.forward_all_progress(rows, pages)
        frontiers = before, pages.memory.get("frontiers", before)
        rows = rows.filter(pc.is_valid(rows["key"]))
        moved = find_first_moved_boundary(self.program, frontiers)
        everything = pages.empty if moved is None else pages.everything()
        keys = HashedKeys.from_tables(everything.rows, everything.summaries, rows)
        key_rows, other_rows = pages.load(keys.hashes).split_by_names(keys.names)
        how = select_modes(self.handover, self._last_batches(rows), pages.memory)
        otherwise = OPEN if moved is None else moved
        since = _find_earliest_changes(
            rows, keys.names, BEGINNING if EmitMode.FULL in how.values() else otherwise
        )
        inputs, summaries = self._load_inputs(key_rows, keys.names, since, pages)
        old, new = self._before_and_after(inputs, rows, summaries)
        yield from self.emit_changes(old, new, how, summaries, frontiers)
        pages.save(KeyRows.concat((other_rows, self._shorten(new, keys, summaries, pages))))

    def forward_all_progress(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Forward the progress of the inputs, and advance the horizon."""
        marks = FeedProgress.from_rows(feed_rows.select_progress_rows(rows))
        pages.horizon = max(pages.horizon, marks.horizon(pages.memory, len(self.program.feeds)))
        for port, source, progress in marks.sources():
            name = self.program.feeds[port].mark_of(source)
            if self.program.of_calendar and progress[2] > BEGINNING:
                frontiers = pages.memory.setdefault("frontiers", {})
                frontiers[name] = max(progress[2], frontiers.get(name, BEGINNING))
            yield self.forward_progress((name, *progress), pages.where)

    def forward_progress(self, how_far: tuple[str, int, int, int], where: Mapping[str, int]) -> pa.Table:
        """Return the progress of an input as progress of this node."""
        return feed_rows.select_node_rows(feed_rows.build_progress_row(*how_far, **where))

    def emit_changes(
        self,
        old: Inputs,
        new: Inputs,
        how: Mapping[str, EmitMode],
        summaries: KeySummaries,
        frontiers: Frontiers,
    ) -> Iterator[pa.Table]:
        """Emit what the change of the inputs, and of the frontiers, changes in the nodes."""
        before, after = dict(old), dict(new)
        for inputs, frontier in zip((before, after), frontiers, strict=True):
            with enforce_budget(self.program.nodes[0]):
                self.program.evaluate(
                    {}, inputs, carried=read_memories(self.program, summaries), frontiers=frontier
                )
        yield from emit(self.program, how, before, after, summaries.until)

    def _last_batches(self, rows: pa.Table) -> dict[str, int]:
        """Return the greatest batch number by input."""
        totals = rows.group_by("port").aggregate([("batch", "max")])
        numbers = zip(totals["port"].to_pylist(), totals["batch_max"].to_pylist(), strict=True)
        return {self.program.inputs[port]: batch for port, batch in numbers}

    def _load_inputs(
        self, key_rows: KeyRows, names: pa.Array, since: Ints, pages: Pages
    ) -> tuple[Inputs, KeySummaries]:
        """Return the inputs of keys, exact from each key's `since` on; births are in the recent rows."""
        rows, summaries = restore_rows(Archive(pages, self.program.reach), key_rows, names, since)
        inputs = read_timelines(self.program, rows, names)
        if ARCHIVED in rows.column_names:
            inputs = replace_births(inputs, read_timelines(self.program, key_rows.rows, names))
        return inputs, summaries

    def _before_and_after(
        self, inputs: Inputs, rows: pa.Table, summaries: KeySummaries
    ) -> tuple[Inputs, Inputs]:
        """Return the inputs before and after the batch; nothing before a key's summary changes.

        Neither does what a snapshot has forgotten of a known key.
        """
        old: Inputs = {}
        new: Inputs = {}
        for port, item in enumerate(self.program.feeds):
            arrived = rows.filter(pc.equal(rows["port"], port))
            names = inputs[item.digest].names
            batches = [
                feed_rows.read_revisions(
                    arrived.filter(pc.equal(arrived["batch"], batch)).select(feed_rows.PIECES.names),
                    item.kind,
                )
                for batch in sorted(pc.unique(arrived["batch"]).to_pylist())
            ]
            limits = _find_limits(arrived, inputs[item.digest], summaries)
            steps = [cut_before(step, limits[np.searchsorted(names, step.names)]) for step in batches]
            old[item.digest], new[item.digest] = apply_all(inputs[item.digest], steps)
        return old, new

    def _shorten(self, new: Inputs, keys: HashedKeys, summaries: KeySummaries, pages: Pages) -> KeyRows:
        """Return the rows that stay in pages; older rows of long keys are archived."""
        frontiers = pages.memory.get("frontiers", {})
        archive, steps = (
            Archive(pages, self.program.reach),
            partial(summarize_inputs, self.program, frontiers),
        )
        latest = self.program.foldable_until(frontiers)
        until = pages.horizon if latest == OPEN else min(pages.horizon, latest + 1 + self.program.reach)
        drop_expired(archive, keys.names, summaries, pages.horizon)
        rows = build_rows(self.program, new, keys)
        rows = summarize_expired(rows, keys.names, summaries, self.program.reach, steps, until)
        rows, _ = archive_rows(rows, keys.names, keys.hashes, summaries, archive, steps, latest)
        return KeyRows(rows, summaries.rows(keys.names, keys.hashes))


class GlobalHost(FeedHost):
    """The host of functions that need all keys at once: one bucket with every key's timelines.

    Everything before the first change stays unchanged, and is not computed again.
    """

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Apply the revisions that arrived, and emit how the groups changed."""
        yield from self.forward_all_progress(rows, pages)
        before = int(pages.memory.get("last", BEGINNING))
        ends = feed_rows.select_progress_rows(rows)["end"].to_pylist()
        pages.memory["last"] = after = max([before, *ends])
        rows = rows.filter(pc.is_valid(rows["key"]))
        everything = pages.everything()
        since = min([before, *_compute_effective_starts(rows, everything.rows)])
        keys = HashedKeys.from_tables(everything.rows, rows)
        reopened = everything.summaries.filter(pc.greater(everything.summaries["until"], since))
        touched = np.flatnonzero(pc.is_in(keys.names, value_set=sort_names(rows["key"], reopened["key"])))
        touched_keys = keys.take(touched)
        _, other_rows = pages.load(touched_keys.hashes).split_by_names(touched_keys.names)
        inputs, summaries = self._load_inputs(
            everything, keys.names, _find_earliest_changes(rows, keys.names, since), pages
        )
        old, new = self._before_and_after(inputs, rows, summaries)
        yield self._changes(old, new, (before, after), since)
        touched_results = {digest: item.take(touched) for digest, item in new.items()}
        pages.save(
            KeyRows.concat(
                (other_rows, self._shorten(touched_results, touched_keys, summaries.take(touched), pages))
            )
        )

    def _changes(self, old: Inputs, new: Inputs, last: tuple[int, int], since: int) -> pa.Table:
        before, after = dict(old), dict(new)
        for inputs, memories in zip((before, after), last, strict=True):
            with enforce_budget(self.program.digest):
                self.program.evaluate({}, inputs, memories, since)
        was, becomes = before[self.program.digest], after[self.program.digest]
        names = unite_names(was, becomes)
        changed = diff(reindex(was, names, None), reindex(becomes, names, None))
        return feed_rows.select_node_rows(feed_rows.build_rows(check_budget(self.program.digest, changed)), 0)


def _find_limits(arrived: pa.Table, timelines: Timelines, summaries: KeySummaries) -> Ints:
    """Return the time by key before which nothing changes."""
    limits = summaries.until.copy()
    forgotten = arrived.filter(pc.greater(arrived["horizon"], 0))
    if len(forgotten):
        names = code_texts(forgotten["key"], pa.array(timelines.names, pa.string()))
        born = timelines.birth[names] != OPEN
        np.maximum.at(limits, names[born], forgotten["horizon"].to_numpy()[born])
    return limits


def _find_earliest_changes(rows: pa.Table, names: pa.Array, otherwise: int) -> Ints:
    """Return the earliest change of each key, at most `otherwise`."""
    numbers = np.full(len(names), otherwise, dtype=np.int64)
    np.minimum.at(numbers, code_texts(rows["key"], names), rows["start"].to_numpy())
    return numbers


def _compute_effective_starts(rows: pa.Table, key_rows: pa.Table) -> list[int]:
    """Return when the first of these revisions takes effect: a key counts from its birth.

    Where a revision moves the birth to a later time, the old birth in `key_rows` counts.
    """
    if not len(rows):
        return []
    names = sort_names(rows["key"])
    births = np.full(len(names), OPEN, dtype=np.int64)
    for item in (rows, key_rows.filter(pc.is_in(key_rows["key"], value_set=names))):
        np.minimum.at(births, code_texts(item["key"], names), item["birth"].to_numpy())
    start, birth = rows["start"].to_numpy(), births[code_texts(rows["key"], names)]
    return [int(np.where(birth == OPEN, start, np.maximum(start, birth)).min())]
