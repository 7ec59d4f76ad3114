"""What a batch reads of pages: rows where they lie in the values that were read, of which only those are copied that
are worked on.

Most rows of a page belong to keys that a batch does not touch, or rest: they stay as they are, and a mask says so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.storage.columns import among, places, taken
from workers.spark.state.rows import SNAPSHOT, KeyRows

POSITION = "at"
"""The column that says where a row lies among those that were loaded; null in those that are new."""


@dataclass(slots=True, eq=False)
class PageView:
    """What was read, and what is to be saved of it: the rows that `stay`, and `fresh` ones behind them.

    The first `own` rows were in pages, those behind them were cold; `was` says which of them counted. Of the keys that
    were `asked` for, by their sorted hashes, `which` says which a row belongs to (-1: none). `before` is what pages
    remembered of folded keys, `folded` what is to be remembered.
    """

    rows: pa.Table
    own: int
    asked: Ints
    which: Ints
    hash: Ints
    near: Mask
    was: Mask
    stays: Mask
    before: pa.Table
    fresh: pa.Table
    folded: pa.Table

    @classmethod
    def of(cls, rows: pa.Table, counts: Mask, folded: pa.Table, asked: Ints) -> PageView:
        """Rows of pages, of which some count, and what is remembered of their keys."""
        hashes, which = rows["hash"].to_numpy(), places(rows["hash"], pa.array(asked))
        fresh, near = rows.slice(0, 0), is_snapshot(rows)
        return cls(rows, len(rows), asked, which, hashes, near, counts, counts.copy(), folded, fresh, folded)

    def missing(self) -> Ints:
        """Those of the keys that were asked for of which nothing is there, or to be saved."""
        there = among(self.asked, self.folded["hash"].to_numpy())
        there[self.which[self.mine]] = True
        if len(self.fresh):
            there[places(self.fresh["hash"], pa.array(self.asked))] = True
        return self.asked[~there]

    def with_cold(self, held: KeyRows) -> PageView:
        """The same with what is held of keys that were cold."""
        if not len(held.rows) and not len(held.folded):
            return self
        rows, folded = (
            pa.concat_tables(pair)
            for pair in zip((self.rows, self.folded), (held.rows, held.folded), strict=True)
        )
        counts = np.append(self.was, np.ones(len(held.rows), dtype=bool))
        found = PageView.of(rows, counts, folded, self.asked)
        found.own, found.before = self.own, self.before
        return found

    @property
    def mine(self) -> Mask:
        """Which rows are of keys that were asked for."""
        return np.asarray(self.stays & (self.which >= 0))

    def take(self, mask: Mask) -> pa.Table:
        """Some rows."""
        return taken(self.rows, np.flatnonzero(mask))

    def followed(self, mask: Mask) -> pa.Table:
        """Some rows, which say where they lie."""
        at = np.flatnonzero(mask)
        return taken(self.rows, at).append_column(POSITION, pa.array(at, pa.int64()))

    def all(self) -> KeyRows:
        """All that is to be saved."""
        return KeyRows(self._with(self.take(self.stays)), self.folded)

    def of_pages(self, page: Ints, fresh: Ints, folded: Ints, numbers: Collection[int]) -> KeyRows:
        """What is to be saved of some pages; the others say in which page each row lies."""
        wanted = np.array(sorted(numbers), dtype=np.int64)
        mine = self.take(self.stays & among(page, wanted))
        rows, records = (
            table.filter(pa.array(among(places_of, wanted)))
            for table, places_of in ((self.fresh, fresh), (self.folded, folded))
        )
        return KeyRows(pa.concat_tables([mine, rows]), records)

    def leave(self, hashes: Ints) -> KeyRows:
        """What is held of keys that were not asked for, which goes."""
        going = self.stays & among(self.hash, hashes)
        self.stays &= ~going
        folded = among(self.folded["hash"], hashes)
        held = KeyRows(self.take(going), self.folded.filter(pa.array(folded)))
        self.folded = self.folded.filter(pa.array(~folded))
        return held

    def vanished(self) -> Ints:
        """The hashes of keys of which rows of pages do not stay, near foldings aside, sorted."""
        return self._gone(~self.near)

    def nearer_anew(self) -> Ints:
        """The hashes of keys whose near foldings are not as pages have them, sorted."""
        return np.union1d(self._gone(self.near), self.fresh["hash"].to_numpy()[is_snapshot(self.fresh)])

    def unwritten(self, replaced: Ints, nearer: Ints) -> pa.Table:
        """The rows that no page has: those that were cold or are fresh, all of keys that are `replaced`, and of keys
        that are folded `nearer` those of the folding.
        """
        wanted, own = self.stays.copy(), slice(self.own)
        if len(replaced) or len(nearer):
            there = among(self.hash[own], replaced)
            there |= self.near[own] & among(self.hash[own], nearer)
            wanted[own] &= there
        else:
            wanted[own] = False
        return self._with(self.take(wanted))

    def _gone(self, mask: Mask) -> Ints:
        gone = (self.was & ~self.stays & mask)[: self.own]
        return np.unique(self.hash[: self.own][gone])

    def _with(self, rows: pa.Table) -> pa.Table:
        return pa.concat_tables([rows, self.fresh])


def is_snapshot(table: pa.Table) -> Mask:
    """Which rows are of near foldings."""
    if SNAPSHOT not in table.column_names:
        return np.zeros(len(table), dtype=bool)
    return np.asarray(table[SNAPSHOT].to_numpy(), dtype=bool)


def mark_snapshot(table: pa.Table, near: bool) -> pa.Table:
    """With a column that says whether the rows are of near foldings."""
    return table.append_column(SNAPSHOT, pa.repeat(pa.scalar(near), len(table)))
