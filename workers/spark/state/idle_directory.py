"""The directory of a bucket's idle keys: the value in which each lies, by hash of the key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import Ints

NOWHERE = -1
_MAX_CACHED_BYTES = 128 << 20
"""The approximate size of the directories that a process caches."""
_cache: OrderedDict[str, IdleDirectory] = OrderedDict()
"""The directories that this process read or wrote last, by stamp."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectoryDelta:
    """The changes of a batch: keys (sorted hashes) and the value in which each lies from now on, or `NOWHERE`.

    Keys only move to new values; `dropped` are values without keys that were removed.
    """

    hashes: Ints
    numbers: Ints
    dropped: Sequence[int] = ()

    def __len__(self) -> int:
        """Return the number of integers that it is written with."""
        return len(self.hashes) + len(self.dropped)

    def and_then(self, later: DirectoryDelta) -> DirectoryDelta:
        """Return both deltas in one; they have no key in common."""
        hashes = np.concatenate((self.hashes, later.hashes))
        order = np.argsort(hashes)
        numbers = np.concatenate((self.numbers, later.numbers))
        return DirectoryDelta(hashes[order], numbers[order], [*self.dropped, *later.dropped])

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        return _join_arrays(self.hashes, self.numbers, self.dropped)

    @classmethod
    def from_bytes(cls, blob: bytes) -> DirectoryDelta:
        """Parse the stored form."""
        hashes, numbers, dropped = _split_arrays(blob, 3)
        return cls(hashes, numbers, dropped.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class IdleDirectory:
    """Sorted hashes of keys, the value of each, and of each value the number of keys that it was written with."""

    hashes: Ints
    numbers: Ints
    written: Mapping[int, int]

    def values_of(self, hashes: Ints) -> Ints:
        """Return the value of each of these keys, `NOWHERE` for those that are not idle."""
        positions, is_same = self._places(hashes)
        numbers = np.full(len(hashes), NOWHERE)
        numbers[is_same] = self.numbers[positions]
        return numbers

    def without_keys(self, hashes: Ints) -> IdleDirectory:
        """Return the directory without these keys (sorted hashes)."""
        positions, _ = self._places(hashes)
        return IdleDirectory(
            np.delete(self.hashes, positions), np.delete(self.numbers, positions), self.written
        )

    def apply(self, *moves: DirectoryDelta) -> IdleDirectory:
        """Return the directory after these deltas, in this order."""
        written = dict(self.written)
        for move in moves:
            written |= _count_keys(move.numbers[move.numbers != NOWHERE])
            for number in move.dropped:
                del written[number]
        hashes, numbers = _select_last_values(moves)
        remaining, comes = self.without_keys(hashes), numbers != NOWHERE
        hashes, numbers = hashes[comes], numbers[comes]
        positions = np.searchsorted(remaining.hashes, hashes)
        return IdleDirectory(
            np.insert(remaining.hashes, positions, hashes),
            np.insert(remaining.numbers, positions, numbers),
            written,
        )

    def stale(self, times: int) -> list[int]:
        """Return the values of which at most 1/`times` of the keys still lie there."""
        keys_left = _count_keys(self.numbers)
        return [number for number, keys in self.written.items() if keys_left.get(number, 0) * times <= keys]

    def places_in(self, numbers: Collection[int]) -> Ints:
        """Return the indexes of the keys in these values."""
        return np.flatnonzero(np.isin(self.numbers, list(numbers)))

    def _places(self, hashes: Ints) -> tuple[Ints, Any]:
        """Return the indexes of those keys that are in the directory, and a mask of them."""
        if not len(self.hashes):
            return np.empty(0, np.int64), np.zeros(len(hashes), dtype=bool)
        positions = np.searchsorted(self.hashes, hashes).clip(max=len(self.hashes) - 1)
        is_same = self.hashes[positions] == hashes
        return positions[is_same], is_same

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        return _join_arrays(self.hashes, self.numbers, [*self.written], [*self.written.values()])

    @classmethod
    def from_bytes(cls, blob: bytes) -> IdleDirectory:
        """Parse the stored form."""
        hashes, numbers, *written = _split_arrays(blob, 4)
        return cls(hashes, numbers, dict(zip(*(column.tolist() for column in written), strict=True)))


EMPTY_DIRECTORY = IdleDirectory(np.empty(0, np.int64), np.empty(0, np.int64), {})


def remove_keys(hashes: Ints) -> DirectoryDelta:
    """Return the delta that removes these keys (sorted hashes)."""
    return DirectoryDelta(hashes, np.full(len(hashes), NOWHERE))


def get_cached_directory(stamp: str) -> IdleDirectory | None:
    """Return the directory of a stamp, if this process has it."""
    if stamp in _cache:
        _cache.move_to_end(stamp)
    return _cache.get(stamp)


def cache_directory(directory: IdleDirectory, stamp: str, instead: str | None = None) -> None:
    """Cache a directory by its stamp, `instead` of the one that it derives from."""
    if instead is not None:
        _cache.pop(instead, None)
    _cache[stamp] = directory
    while (
        len(_cache) > 1
        and sum(loaded.hashes.nbytes + loaded.numbers.nbytes for loaded in _cache.values())
        > _MAX_CACHED_BYTES
    ):
        _cache.popitem(last=False)


def _select_last_values(moves: Sequence[DirectoryDelta]) -> tuple[Ints, Ints]:
    """Return the sorted hashes in all deltas, and the last value of each."""
    hashes = np.concatenate([move.hashes for move in moves])
    numbers = np.concatenate([move.numbers for move in moves])
    order = np.argsort(hashes, kind="stable")
    hashes, numbers = hashes[order], numbers[order]
    last = np.append(hashes[1:] != hashes[:-1], True)[: len(hashes)]
    return hashes[last], numbers[last]


def _count_keys(numbers: Ints) -> dict[int, int]:
    """Return how often each number occurs. The numbers lie close together, so counting is faster than sorting."""
    if not len(numbers):
        return {}
    least = int(numbers.min())
    counts = np.bincount(numbers - least)
    places = np.flatnonzero(counts)
    return dict(zip((places + least).tolist(), counts[places].tolist(), strict=True))


def _join_arrays(*arrays: Any) -> bytes:
    """Join arrays of integers as bytes, their lengths first."""
    columns = [np.asarray(array, dtype=np.int64) for array in arrays]
    return b"".join(
        [
            np.asarray([len(column) for column in columns], np.int64).tobytes(),
            *map(np.ndarray.tobytes, columns),
        ]
    )


def _split_arrays(blob: bytes, count: int) -> list[Ints]:
    """Split what `_join_arrays` joined from `count` arrays."""
    ends = np.cumsum(np.frombuffer(blob, np.int64, count))
    return np.split(np.frombuffer(blob, np.int64, offset=8 * count), ends[:-1])
