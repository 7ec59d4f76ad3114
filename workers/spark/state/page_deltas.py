"""Page deltas: what batches added to a page since it was written whole, as small as what arrived.

Untouched rows are not written again. If any older row of a key was removed (archived, summarized, evicted,
deduplicated), the delta holds all its rows, and they replace the earlier ones. Of a key's snapshots, the last one
written counts, with its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.events.columns import find_positions
from workers.spark.state.page_view import PageView, is_snapshot
from workers.spark.state.rows import KeyRows, pack, unpack


@dataclass(frozen=True, slots=True, eq=False)
class PageDelta:
    """Rows after the earlier ones, summaries instead of earlier ones, and keys that are `replaced` whole."""

    key_rows: KeyRows
    replaced: Ints

    def to_bytes(self) -> bytes:
        """Return the number of replaced keys, their hashes, then rows and summaries."""
        return np.int64(len(self.replaced)).tobytes() + self.replaced.tobytes() + pack(self.key_rows)

    @classmethod
    def from_bytes(cls, blob: Any) -> PageDelta:
        """Parse the stored form."""
        head = 8 * (1 + int(np.frombuffer(blob, np.int64, 1)[0]))
        return cls(unpack(blob[head:]), np.frombuffer(blob[8:head], np.int64))


def merge_deltas(numbered_deltas: Sequence[tuple[int, PageDelta]]) -> tuple[pa.Table, Mask, pa.Table]:
    """Merge pages and their deltas, each with its number within its page, in order.

    Returns all rows, which of them count, and the summaries.
    """
    together = KeyRows.concat(delta.key_rows for _, delta in numbered_deltas)
    numbers = np.array([number for number, _ in numbered_deltas])
    replaced = np.repeat(numbers, [len(delta.replaced) for _, delta in numbered_deltas])
    replaced_hashes = _select_newest(
        np.concatenate([delta.replaced for _, delta in numbered_deltas]), replaced
    )
    rows = np.repeat(numbers, [len(delta.key_rows.rows) for _, delta in numbered_deltas])
    summaries = np.repeat(numbers, [len(delta.key_rows.summaries) for _, delta in numbered_deltas])
    hashes, has_snapshot = together.summaries["hash"].to_numpy(), is_snapshot(together.summaries)
    old_summaries, nearer = (
        _select_newest(hashes[is_snapshot_row], summaries[is_snapshot_row])
        for is_snapshot_row in (~has_snapshot, has_snapshot)
    )
    is_snapshot_row = is_snapshot(together.rows)
    counts = _is_current(together.rows["hash"].to_numpy(), rows, replaced_hashes)
    counts[is_snapshot_row] &= _is_current(
        together.rows["hash"].to_numpy()[is_snapshot_row], rows[is_snapshot_row], nearer
    )
    holds = np.where(
        has_snapshot, _is_current(hashes, summaries, nearer), _is_current(hashes, summaries, old_summaries)
    )
    return (
        together.rows,
        counts,
        together.summaries.filter(pa.array(holds & _is_current(hashes, summaries, replaced_hashes))),
    )


def make_delta(view: PageView, touched: Ints) -> PageDelta:
    """Return the delta of a batch that touched these keys, whose summaries may have changed."""
    summaries, changed = view.summaries, view.keys_with_new_snapshots()
    without_snapshot = np.setdiff1d(changed, summaries["hash"].to_numpy()[is_snapshot(summaries)])
    replaced = np.unique(
        np.concatenate(
            (
                view.keys_with_removed_rows(),
                _find_keys_with_fewer_summaries(view.old_summaries, summaries),
                without_snapshot,
            )
        )
    )
    rows = view.select_unwritten(replaced, changed)
    changed_hashes = np.union1d(touched, replaced), np.unique(rows["hash"].to_numpy()[is_snapshot(rows)])
    is_old, nearer = (pc.is_in(summaries["hash"], value_set=pa.array(hashes)) for hashes in changed_hashes)
    return PageDelta(
        KeyRows(rows, summaries.filter(pc.if_else(pa.array(is_snapshot(summaries)), nearer, is_old))),
        replaced,
    )


def _find_keys_with_fewer_summaries(before: pa.Table, summaries: pa.Table) -> Ints:
    """Return the hashes of keys with fewer summaries than before, not counting snapshots; keys may share a hash."""
    (was, counts), (now, counts_after) = (
        np.unique(item["hash"].to_numpy()[~is_snapshot(item)], return_counts=True)
        for item in (before, summaries)
    )
    positions = find_positions(pa.array(was), pa.array(now))
    return np.asarray(was[counts > np.append(counts_after, 0)[positions]])  # a missing key, at -1, has none


Newest = tuple[Ints, Ints]
"""Sorted hashes, and the last number of each."""


def _select_newest(hashes: Ints, numbers: Ints) -> Newest:
    order = np.lexsort((numbers, hashes))
    hashes, numbers = hashes[order], numbers[order]
    last = np.append(hashes[1:] != hashes[:-1], True) if len(hashes) else np.zeros(0, dtype=bool)
    return hashes[last], numbers[last]


def _is_current(hashes_of_rows: Ints, numbers: Ints, newest: Newest) -> Mask:
    """Return which rows are not older than what replaced their key."""
    hashes, last = newest
    if not len(hashes):
        return np.ones(len(hashes_of_rows), dtype=bool)
    positions = find_positions(pa.array(hashes_of_rows), pa.array(hashes))
    return np.asarray((positions < 0) | (numbers >= last[positions]))
