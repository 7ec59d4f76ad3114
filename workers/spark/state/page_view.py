"""The rows of a batch's pages, left in the values that were read.

Most rows of a page belong to other keys, or rest: they are not copied, and a mask says that they stay.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.events.columns import find_positions, is_among, take_rows
from workers.spark.state.rows import SNAPSHOT, KeyRows

POSITION = "at"
"""The column with the index of a row among the loaded ones; null in new rows."""


@dataclass(slots=True, eq=False)
class PageView:
    """What was read, and what will be saved: the `kept` rows, and `new_rows` after them.

    The first `in_pages` rows come from pages, those after them from idle keys; `counted` says which were valid.
    `asked` are the sorted hashes of the requested keys, `asked_place` the index of each row's key there (-1: none).
    `old_summaries` are those of the pages as read, `summaries` those to be saved.
    """

    rows: pa.Table
    in_pages: int
    asked: Ints
    asked_place: Ints
    hash: Ints
    in_snapshot: Mask
    counted: Mask
    kept: Mask
    old_summaries: pa.Table
    new_rows: pa.Table
    summaries: pa.Table

    @classmethod
    def build(cls, rows: pa.Table, counts: Mask, summaries: pa.Table, asked_keys: Ints) -> PageView:
        """Build a view of rows of pages, of which some count, and of their summaries."""
        hashes, which = rows["hash"].to_numpy(), find_positions(rows["hash"], pa.array(asked_keys))
        fresh, has_snapshot = rows.slice(0, 0), is_snapshot(rows)
        return cls(
            rows,
            len(rows),
            asked_keys,
            which,
            hashes,
            has_snapshot,
            counts,
            counts.copy(),
            summaries,
            fresh,
            summaries,
        )

    def absent_keys(self) -> Ints:
        """Return the requested keys that have neither a row nor a summary."""
        is_present = is_among(self.asked, self.summaries["hash"].to_numpy())
        is_present[self.asked_place[self.of_asked_keys]] = True
        if len(self.new_rows):
            is_present[find_positions(self.new_rows["hash"], pa.array(self.asked))] = True
        return self.asked[~is_present]

    def with_idle_keys(self, key_rows: KeyRows) -> PageView:
        """Return this view with the rows and summaries of keys that were idle."""
        if not len(key_rows.rows) and not len(key_rows.summaries):
            return self
        rows, summaries = (
            pa.concat_tables(pair)
            for pair in zip((self.rows, self.summaries), (key_rows.rows, key_rows.summaries), strict=True)
        )
        counts = np.append(self.counted, np.ones(len(key_rows.rows), dtype=bool))
        view = PageView.build(rows, counts, summaries, self.asked)
        view.in_pages, view.old_summaries = self.in_pages, self.old_summaries
        return view

    @property
    def of_asked_keys(self) -> Mask:
        """Return which kept rows belong to requested keys."""
        return np.asarray(self.kept & (self.asked_place >= 0))

    def take(self, mask: Mask) -> pa.Table:
        """Return the rows of a mask."""
        return take_rows(self.rows, np.flatnonzero(mask))

    def take_with_positions(self, mask: Mask) -> pa.Table:
        """Return rows with their positions."""
        at = np.flatnonzero(mask)
        return take_rows(self.rows, at).append_column(POSITION, pa.array(at, pa.int64()))

    def all(self) -> KeyRows:
        """Return everything that will be saved."""
        return KeyRows(self._with_fresh(self.take(self.kept)), self.summaries)

    def select_pages(self, page: Ints, fresh: Ints, summaries: Ints, numbers: Collection[int]) -> KeyRows:
        """Return what will be saved of some pages; the other arguments say in which page each row lies."""
        page_numbers = np.array(sorted(numbers), dtype=np.int64)
        page_rows = self.take(self.kept & is_among(page, page_numbers))
        rows, records = (
            table.filter(pa.array(is_among(places_of, page_numbers)))
            for table, places_of in ((self.new_rows, fresh), (self.summaries, summaries))
        )
        return KeyRows(pa.concat_tables([page_rows, rows]), records)

    def evict(self, hashes: Ints) -> KeyRows:
        """Take out the rows and summaries of keys that were not requested."""
        going = self.kept & is_among(self.hash, hashes)
        self.kept &= ~going
        summaries = is_among(self.summaries["hash"], hashes)
        key_rows = KeyRows(self.take(going), self.summaries.filter(pa.array(summaries)))
        self.summaries = self.summaries.filter(pa.array(~summaries))
        return key_rows

    def keys_with_removed_rows(self) -> Ints:
        """Return the sorted hashes of keys that lose rows of their pages, not counting snapshots."""
        return self._keys_with_removed(~self.in_snapshot)

    def keys_with_new_snapshots(self) -> Ints:
        """Return the sorted hashes of keys whose snapshots differ from those in pages."""
        return np.union1d(
            self._keys_with_removed(self.in_snapshot),
            self.new_rows["hash"].to_numpy()[is_snapshot(self.new_rows)],
        )

    def select_unwritten(self, replaced: Ints, nearer: Ints) -> pa.Table:
        """Return the rows that no page has: idle, new, of `replaced` keys, and of new snapshots of `nearer` keys."""
        selected, in_pages = self.kept.copy(), slice(self.in_pages)
        if len(replaced) or len(nearer):
            is_replaced = is_among(self.hash[in_pages], replaced)
            is_replaced |= self.in_snapshot[in_pages] & is_among(self.hash[in_pages], nearer)
            selected[in_pages] &= is_replaced
        else:
            selected[in_pages] = False
        return self._with_fresh(self.take(selected))

    def _keys_with_removed(self, mask: Mask) -> Ints:
        is_removed = (self.counted & ~self.kept & mask)[: self.in_pages]
        return np.unique(self.hash[: self.in_pages][is_removed])

    def _with_fresh(self, rows: pa.Table) -> pa.Table:
        return pa.concat_tables([rows, self.new_rows])


def is_snapshot(table: pa.Table) -> Mask:
    """Return which rows belong to a snapshot."""
    if SNAPSHOT not in table.column_names:
        return np.zeros(len(table), dtype=bool)
    return np.asarray(table[SNAPSHOT].to_numpy(), dtype=bool)


def mark_snapshot(table: pa.Table, snapshot: bool) -> pa.Table:
    """Append the column that says whether rows belong to a snapshot."""
    return table.append_column(SNAPSHOT, pa.repeat(pa.scalar(snapshot), len(table)))
