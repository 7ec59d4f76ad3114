"""What batches added to a page after it was written whole: values of their own, as small as what came.

A row that a batch did not touch is not written again. A key of which an older row went (it moved to a tail, was folded,
left for the cold, turned out to be a copy) is written with all its rows, which then stand for it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints, Mask
from workers.spark.folded import Held, pack, unpack

AT = "at"
"""The column that says where a row lay among those that were loaded; null in those that are new."""


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """Rows behind those from before, what is remembered of folded keys instead of before, keys that are `replaced`."""

    held: Held
    replaced: Ints

    def to_bytes(self) -> bytes:
        """How many keys are replaced, their hashes, what is held."""
        return np.int64(len(self.replaced)).tobytes() + self.replaced.tobytes() + pack(self.held)

    @classmethod
    def from_bytes(cls, blob: Any) -> Addition:
        """The reverse."""
        head = 8 * (1 + int(np.frombuffer(blob, np.int64, 1)[0]))
        return cls(unpack(blob[head:]), np.frombuffer(blob[8:head], np.int64))


def settled(parts: Sequence[tuple[int, Addition]]) -> Held:
    """What is held after additions of several pages; each with its number within its page, in their order."""
    together = Held.together(part.held for _, part in parts)
    numbers = np.array([number for number, _ in parts])
    gone = _newest([(number, part.replaced) for number, part in parts])
    anew = _newest([(number, part.held.folded["hash"].to_numpy()) for number, part in parts])
    rows = np.repeat(numbers, [len(part.held.rows) for _, part in parts])
    folded = np.repeat(numbers, [len(part.held.folded) for _, part in parts])
    return Held(
        _where(together.rows, _holds(together.rows, rows, gone)),
        _where(
            together.folded, _holds(together.folded, folded, gone) & _holds(together.folded, folded, anew)
        ),
    )


def followed(rows: pa.Table, count: int) -> pa.Table:
    """Rows of which the first so many say where they lay."""
    at = pa.chunked_array([np.arange(count, dtype=np.int32), pa.nulls(len(rows) - count, pa.int32())])
    return rows.append_column(AT, at)


def vanished(before: pa.Table, rows: pa.Table) -> Ints:
    """The hashes of keys of which rows were there before that are not any more, sorted."""
    gone = np.ones(len(before), dtype=bool)
    gone[rows[AT].drop_null().to_numpy()] = False
    return np.unique(before["hash"].to_numpy()[gone])


Newest = tuple[Ints, Ints]
"""Hashes, sorted, and the last number of each."""


def _newest(parts: Sequence[tuple[int, Ints]]) -> Newest:
    hashes = np.concatenate([found for _, found in parts])
    numbers = np.repeat([number for number, _ in parts], [len(found) for _, found in parts])
    order = np.lexsort((numbers, hashes))
    hashes, numbers = hashes[order], numbers[order]
    last = np.append(hashes[1:] != hashes[:-1], True) if len(hashes) else np.zeros(0, dtype=bool)
    return hashes[last], numbers[last]


def _holds(table: pa.Table, numbers: Ints, newest: Newest) -> Mask:
    """Which rows are not older than what replaced their key."""
    hashes, last = newest
    if not len(hashes):
        return np.ones(len(table), dtype=bool)
    own = table["hash"].to_numpy()
    place = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
    return np.asarray((hashes[place] != own) | (numbers >= last[place]))


def _where(table: pa.Table, mask: Mask) -> pa.Table:
    return table if mask.all() else table.filter(pa.array(mask))
