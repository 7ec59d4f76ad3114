"""What batches added to a page after it was written whole: values of their own, as small as what came.

A row that a batch did not touch is not written again. A key of which an older row went (it moved to a tail, was folded,
left for the cold, turned out to be a copy) is written with all its rows, which then stand for it alone. Of its near
folding what was written last counts, rows and all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.storage.columns import places
from workers.spark.state.page_view import PageView, is_snapshot
from workers.spark.state.rows import KeyRows, pack, unpack


@dataclass(frozen=True, slots=True, eq=False)
class PageDelta:
    """Rows behind those from before, what is remembered of folded keys instead of before, keys that are `replaced`."""

    key_rows: KeyRows
    replaced: Ints

    def to_bytes(self) -> bytes:
        """How many keys are replaced, their hashes, what is held."""
        return np.int64(len(self.replaced)).tobytes() + self.replaced.tobytes() + pack(self.key_rows)

    @classmethod
    def from_bytes(cls, blob: Any) -> PageDelta:
        """The reverse."""
        head = 8 * (1 + int(np.frombuffer(blob, np.int64, 1)[0]))
        return cls(unpack(blob[head:]), np.frombuffer(blob[8:head], np.int64))


def merge_deltas(parts: Sequence[tuple[int, PageDelta]]) -> tuple[pa.Table, Mask, pa.Table]:
    """What additions of several pages come to; each with its number within its page, in their order.

    Answers with all rows, which of them count, and what is remembered of folded keys.
    """
    together = KeyRows.concat(part.key_rows for _, part in parts)
    numbers = np.array([number for number, _ in parts])
    replaced = np.repeat(numbers, [len(part.replaced) for _, part in parts])
    gone = _newest_by_hash(np.concatenate([part.replaced for _, part in parts]), replaced)
    rows = np.repeat(numbers, [len(part.key_rows.rows) for _, part in parts])
    summaries = np.repeat(numbers, [len(part.key_rows.summaries) for _, part in parts])
    hashes, near = together.summaries["hash"].to_numpy(), is_snapshot(together.summaries)
    far, nearer = (_newest_by_hash(hashes[mine], summaries[mine]) for mine in (~near, near))
    mine = is_snapshot(together.rows)
    counts = _is_current(together.rows["hash"].to_numpy(), rows, gone)
    counts[mine] &= _is_current(together.rows["hash"].to_numpy()[mine], rows[mine], nearer)
    holds = np.where(near, _is_current(hashes, summaries, nearer), _is_current(hashes, summaries, far))
    return (
        together.rows,
        counts,
        together.summaries.filter(pa.array(holds & _is_current(hashes, summaries, gone))),
    )


def make_delta(view: PageView, touched: Ints) -> PageDelta:
    """What an addition must say of pages; `touched` keys may be folded anew."""
    summaries, changed = view.summaries, view.keys_with_new_snapshots()
    left = np.setdiff1d(changed, summaries["hash"].to_numpy()[is_snapshot(summaries)])
    replaced = np.unique(
        np.concatenate(
            (view.keys_with_removed_rows(), _keys_with_fewer_summaries(view.old_summaries, summaries), left)
        )
    )
    rows = view.select_unwritten(replaced, changed)
    anew = np.union1d(touched, replaced), np.unique(rows["hash"].to_numpy()[is_snapshot(rows)])
    far, nearer = (pc.is_in(summaries["hash"], value_set=pa.array(hashes)) for hashes in anew)
    return PageDelta(
        KeyRows(rows, summaries.filter(pc.if_else(pa.array(is_snapshot(summaries)), nearer, far))), replaced
    )


def _keys_with_fewer_summaries(before: pa.Table, summaries: pa.Table) -> Ints:
    """The hashes of keys of which fewer are folded than before, nearer foldings aside; keys may share one."""
    (was, counts), (now, left) = (
        np.unique(item["hash"].to_numpy()[~is_snapshot(item)], return_counts=True)
        for item in (before, summaries)
    )
    there = places(pa.array(was), pa.array(now))
    return np.asarray(was[counts > np.append(left, 0)[there]])  # what is not there, at -1, is none


Newest = tuple[Ints, Ints]
"""Hashes, sorted, and the last number of each."""


def _newest_by_hash(hashes: Ints, numbers: Ints) -> Newest:
    order = np.lexsort((numbers, hashes))
    hashes, numbers = hashes[order], numbers[order]
    last = np.append(hashes[1:] != hashes[:-1], True) if len(hashes) else np.zeros(0, dtype=bool)
    return hashes[last], numbers[last]


def _is_current(own: Ints, numbers: Ints, newest: Newest) -> Mask:
    """Which rows are not older than what replaced their key."""
    hashes, last = newest
    if not len(hashes):
        return np.ones(len(own), dtype=bool)
    place = places(pa.array(own), pa.array(hashes))
    return np.asarray((place < 0) | (numbers >= last[place]))
