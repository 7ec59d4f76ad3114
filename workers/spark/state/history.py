"""The events of keys: recent rows in pages, older ones in the archive, with the ids of archived events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.compiler import Program
from timeline_app.events.columns import code_texts, take_rows
from workers.spark.state.archive import ARCHIVED, Archive, drop_expired, restore_rows
from workers.spark.state.archived_ids import ArchivedIds, Hashes, hash_ids
from workers.spark.state.archiving import archive_rows
from workers.spark.state.evaluation import DecodedRows, Evaluation
from workers.spark.state.inputs import HashedKeys
from workers.spark.state.page_view import POSITION, PageView, is_snapshot, mark_snapshot
from workers.spark.state.pages import Pages
from workers.spark.state.prefix_snapshots import TouchedKeys, is_due, select_resting_rows, take_snapshots
from workers.spark.state.rows import SNAPSHOT, KeyRows, KeySummaries
from workers.spark.state.summaries import Summarize, summarize_events, summarize_expired


@dataclass(frozen=True, slots=True, eq=False)
class LoadedHistory:
    """The keys of a batch: the rows to evaluate, their summaries, and the snapshots of some.

    `key` is the key of each row, `touched` what arrived for the keys.
    """

    keys: HashedKeys
    rows: pa.Table
    key: Ints
    summaries: KeySummaries
    snapshots: KeySummaries
    touched: TouchedKeys

    @property
    def starting_points(self) -> KeySummaries:
        """Return the snapshot or summary from which each key is evaluated."""
        summaries = self.summaries.copy()
        nearly = np.flatnonzero(self.snapshots.until != BEGINNING)
        summaries.update(nearly, self.snapshots.take(nearly))
        return summaries


@dataclass(frozen=True, slots=True)
class History:
    """The events of a bucket's keys."""

    program: Program
    pages: Pages

    @property
    def _archive(self) -> Archive:
        return Archive(self.pages, self.program.reach)

    @property
    def _frontiers(self) -> dict[str, int]:
        frontiers: dict[str, int] = self.pages.memory.get("frontiers", {})
        return frontiers

    @property
    def _latest_summary(self) -> int:
        return self.program.foldable_until(self._frontiers)

    def _summarize_with(self, horizon: int) -> Summarize:
        return partial(summarize_events, self.program, horizon, self._frontiers)

    def load(
        self,
        arrived: pa.Table,
        keys: HashedKeys,
        key: Ints,
        horizon: int,
        changes: int = OPEN,
        *,
        load_everything: bool,
    ) -> LoadedHistory:
        """Load the events that are needed to apply the arrived ones, and the summaries of the others.

        With `load_everything`, which emits timelines in full, these are all events. `key` is the key of each arriving
        event; from `changes` on all keys may change in any case.
        """
        names, view = keys.names, self.pages.load_tracked(keys.hashes)
        old_summaries, snapshot_rows = _take_summaries(view, names)
        since = np.full(len(names), horizon if load_everything else changes, dtype=np.int64)
        np.minimum.at(since, key, arrived["time"].to_numpy())
        long = old_summaries.filter(pc.less(old_summaries["tail"], OPEN))["key"]
        if len(long):
            self._reach_archived_copies(
                arrived.filter(pc.is_in(arrived["key"], value_set=pc.unique(long))), names, since, horizon
            )
        nearly = KeySummaries.from_rows(snapshot_rows, names)
        able = (nearly.until != BEGINNING) & (since >= nearly.until)
        if load_everything or len(names) > len(
            view.asked
        ):  # where two keys share a hash, all are evaluated whole
            able[:] = False
        rests = self._rows_at_rest(
            keys, (arrived, key), (KeySummaries.from_rows(old_summaries, names), nearly), able, horizon
        )
        lost = ~able & (nearly.until != BEGINNING)
        nearly.until[~able] = BEGINNING
        current_rows, their = _take_rows(view, view.of_asked_keys & ~view.in_snapshot & ~rests, names)
        copied, copied_keys = _take_rows(view, view.of_asked_keys & view.in_snapshot, names)
        copied, copied_keys = copied.filter(pa.array(able[copied_keys])), copied_keys[able[copied_keys]]
        rows, summaries = restore_rows(self._archive, KeyRows(current_rows, old_summaries), names, since)
        their = their if rows is current_rows else code_texts(rows["key"], names)
        together = pa.concat_tables([rows, copied], promote_options="default")
        batch = TouchedKeys.find((key, arrived["time"].to_numpy()), (their, rows["time"].to_numpy()), lost)
        return LoadedHistory(keys, together, np.concatenate((their, copied_keys)), summaries, nearly, batch)

    def save(self, new: Evaluation, decoded: DecodedRows, loaded: LoadedHistory, horizon: int) -> None:
        """Save what stays in pages, and archive older rows of long keys."""
        (key, time, at), table = _locate_evaluated_rows(new, decoded), decoded.table
        view, snapshots, reach = self.pages.view, loaded.snapshots, self.program.reach
        emptied = self._drop_expired(loaded.keys.names, loaded.summaries, horizon)
        nearly = (snapshots.until != BEGINNING)[key]
        copied = nearly & (time <= snapshots.instants(1 + reach)[key])
        long = ~nearly & is_due(self.program, loaded.summaries, key[~nearly], time[~nearly], horizon)[key]
        fresh = [
            self._shorten(take_rows(table, at[long]), loaded, horizon, emptied),
            _keep_in_place(view, table, at[~long & ~copied]),
        ]
        going, snapshots_taken, witnesses = take_snapshots(
            loaded.keys.names,
            loaded.starting_points,
            (key[~long], time[~long]),
            (table, at[~long]),
            reach,
            loaded.touched,
            self._summarize_with(horizon),
            self._latest_summary,
        )
        unplaced = _keep_in_place(view, table, at[copied & ~going[key]])
        assert not len(unplaced), "copies of rows lie in pages"
        snapshots.update(np.flatnonzero(going), snapshots_taken)
        self._write_back(loaded, fresh, witnesses)

    def _write_back(self, loaded: LoadedHistory, fresh: list[pa.Table], witnesses: pa.Table) -> None:
        """Write new rows, new snapshots with their rows, and summaries."""
        view, columns = self.pages.view, self.pages.schema.names
        pieces = [*(mark_snapshot(item, False) for item in fresh), mark_snapshot(witnesses, True)]
        view.new_rows = pa.concat_tables([item.select([*columns, SNAPSHOT]) for item in pieces])
        records = (
            mark_snapshot(item.rows(loaded.keys.names, loaded.keys.hashes), item is loaded.snapshots)
            for item in (loaded.summaries, loaded.snapshots)
        )
        view.summaries = pa.concat_tables([view.summaries, *records])
        self.pages.write_tracked()

    def _rows_at_rest(
        self,
        keys: HashedKeys,
        arrived: tuple[pa.Table, Ints],
        summaries: tuple[KeySummaries, KeySummaries],
        able: Mask,
        horizon: int,
    ) -> Mask:
        """Return which rows rest. Update `able`, the keys whose snapshot is used."""
        view, (old_summaries, snapshots), (events, their) = self.pages.view, summaries, arrived
        if not able.any():
            return np.zeros(len(view.rows), dtype=bool)
        number = np.full(len(view.asked) + 1, -1, dtype=np.int64)
        number[np.searchsorted(view.asked, keys.hashes)] = np.arange(len(keys.names))
        key, is_current = number[view.asked_place], view.of_asked_keys & ~view.in_snapshot
        times = view.rows["time"].to_numpy()[is_current], events["time"].to_numpy()
        together = np.concatenate((key[is_current], their)), np.concatenate(times)
        able &= ~is_due(self.program, old_summaries, *together, horizon)
        return select_resting_rows(self.program, view, key, snapshots, able, arrived)

    def _shorten(self, rows: pa.Table, loaded: LoadedHistory, horizon: int, emptied: list[str]) -> pa.Table:
        """Summarize and archive keys where that is due. Return their rows that are new to pages.

        Rows restored from the archive have their ids in the index, except those of keys that were `emptied`.
        """
        if not len(rows):
            return rows
        names, old_summaries, steps, latest = (
            loaded.keys.names,
            loaded.summaries,
            self._summarize_with(horizon),
            self._latest_summary,
        )
        until = horizon if latest == OPEN else min(horizon, latest + 1 + self.program.reach)
        rows = summarize_expired(rows, names, old_summaries, self.program.reach, steps, until)
        rows, archived = archive_rows(
            rows, names, loaded.keys.hashes, old_summaries, self._archive, steps, latest
        )
        if ARCHIVED in archived.column_names:
            unindexed = pc.is_in(archived["key"], value_set=pa.array(emptied, archived["key"].type))
            archived = archived.filter(pc.or_(pc.is_null(archived[ARCHIVED]), unindexed))
        for name, hashes, times in self._ids_by_key(archived):
            ArchivedIds(self.pages).add(name, hashes, times, horizon)
        return _keep_in_place(self.pages.view, rows, np.arange(len(rows)))

    def _reach_archived_copies(self, arrived: pa.Table, names: pa.Array, since: Ints, horizon: int) -> None:
        """Let `since` reach back to archived events with the ids of arriving ones."""
        ids, ids_by_key = ArchivedIds(self.pages), self._ids_by_key(arrived)
        places = code_texts(pa.chunked_array([[name for name, _, _ in ids_by_key]], pa.string()), names)
        reached = [ids.earliest_time(name, hashes, horizon) for name, hashes, _ in ids_by_key]
        since[places] = np.minimum(since[places], np.array(reached, dtype=np.int64))

    def _ids_by_key(self, rows: pa.Table) -> list[tuple[str, Hashes, Ints]]:
        """Return the hashes of ids and the times of their events, by key."""
        rows, hashes = hash_ids(self.program, rows)
        names = pc.unique(rows["key"])
        key = code_texts(rows["key"], names)
        order = np.argsort(key, kind="stable")
        edges = np.searchsorted(key[order], np.arange(len(names) + 1))
        hashes, times = hashes[order], rows["time"].to_numpy()[order]
        return [
            (str(name), hashes[edges[index] : edges[index + 1]], times[edges[index] : edges[index + 1]])
            for index, name in enumerate(names.to_pylist())
        ]

    def _drop_expired(self, names: pa.Array, summaries: KeySummaries, horizon: int) -> list[str]:
        """Drop archived rows before the horizon, with the ids of emptied keys. Return those keys."""
        emptied = drop_expired(self._archive, names, summaries, horizon)
        for name in emptied:
            ArchivedIds(self.pages).drop(name)
        return emptied


def _locate_evaluated_rows(new: Evaluation, decoded: DecodedRows) -> tuple[Ints, Ints, Ints]:
    """Return key and time of each evaluated event, and its index in the decoded table."""
    events = new.events.values()
    key, time = np.concatenate([item.key for item in events]), np.concatenate([item.time for item in events])
    return key, time, decoded.positions(new.collected)


def _take_summaries(view: PageView, names: pa.Array) -> tuple[pa.Table, pa.Table]:
    """Take the summaries and snapshots of keys out of the view; they are saved again."""
    is_asked = code_texts(view.summaries["key"], names) >= 0
    has_snapshot, records = is_snapshot(view.summaries), view.summaries.drop_columns([SNAPSHOT])
    view.summaries = view.summaries.filter(pa.array(~is_asked))
    old_summaries, nearer = (
        records.filter(pa.array(is_asked & selected)) for selected in (~has_snapshot, has_snapshot)
    )
    return old_summaries, nearer


def _take_rows(view: PageView, mask: Mask, names: pa.Array) -> tuple[pa.Table, Ints]:
    """Take rows of keys out of the view, with the key of each; only `_keep_in_place` puts them back."""
    rows = view.take_with_positions(mask).drop_columns([SNAPSHOT])
    key = code_texts(rows["key"], names)
    if (key < 0).any():  # of another key with the same hash
        rows, key = rows.filter(pa.array(key >= 0)), key[key >= 0]
    view.kept[rows[POSITION].to_numpy()] = False
    return rows, key


def _keep_in_place(view: PageView, rows: pa.Table, at: Ints) -> pa.Table:
    """Keep loaded rows where they lie. Return the new rows."""
    where = rows[POSITION].fill_null(-1).to_numpy()[at]
    view.kept[where[where >= 0]] = True
    return take_rows(rows, at[where < 0])
