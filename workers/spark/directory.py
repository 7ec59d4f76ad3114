"""The directory of a bucket: in which value of what is cold each key lies, by the hash of the key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Ints

NOWHERE = -1
_MOST = 8
_known: OrderedDict[str, Directory] = OrderedDict()
"""Those that this process has read or written last, by their stamps: one that is known is not read again."""


@dataclass(frozen=True, slots=True, eq=False)
class Directory:
    """Hashes of keys, sorted, and the number of the value of each; of each value, how many keys were put into it."""

    hashes: Ints
    numbers: Ints
    written: Mapping[int, int]

    def of(self, hashes: Ints) -> Ints:
        """The number of the value in which each of these lies."""
        if not len(self.hashes):
            return np.full(len(hashes), NOWHERE)
        place = np.searchsorted(self.hashes, hashes).clip(max=len(self.hashes) - 1)
        return np.where(self.hashes[place] == hashes, self.numbers[place], NOWHERE)

    def with_keys(self, hashes: Ints, numbers: Ints) -> Directory:
        """The same where these (sorted) lie in values of these numbers, which are new."""
        rest = self.without(hashes)
        place = np.searchsorted(rest.hashes, hashes)
        written = {**self.written, **_counts(numbers)}
        return Directory(
            np.insert(rest.hashes, place, hashes), np.insert(rest.numbers, place, numbers), written
        )

    def without(self, hashes: Ints) -> Directory:
        """The same where these (sorted) lie nowhere."""
        place = np.searchsorted(hashes, self.hashes).clip(max=max(len(hashes) - 1, 0))
        kept = hashes[place] != self.hashes if len(hashes) else np.ones(len(self.hashes), dtype=bool)
        return Directory(self.hashes[kept], self.numbers[kept], self.written)

    def left(self) -> dict[int, int]:
        """Of each value, how many keys lie there by now."""
        return {**dict.fromkeys(self.written, 0), **_counts(self.numbers)}

    def having_dropped(self, numbers: set[int]) -> Directory:
        """The same where these values, in which no key lies, are gone."""
        written = {number: keys for number, keys in self.written.items() if number not in numbers}
        return Directory(self.hashes, self.numbers, written)

    def to_bytes(self) -> bytes:
        """As it is kept."""
        columns = (self.hashes, self.numbers, [*self.written], [*self.written.values()])
        parts = ([len(self.hashes), len(self.written)], *columns)
        return b"".join(np.asarray(part, dtype=np.int64).tobytes() for part in parts)

    @classmethod
    def from_bytes(cls, blob: bytes) -> Directory:
        """The reverse of `to_bytes`."""
        keys, values = np.frombuffer(blob, np.int64, 2).tolist()
        hashes, numbers, *written = np.split(
            np.frombuffer(blob, np.int64, offset=16), np.cumsum([keys, keys, values])
        )
        return cls(hashes, numbers, dict(zip(*(part.tolist() for part in written), strict=True)))


EMPTY = Directory(np.empty(0, np.int64), np.empty(0, np.int64), {})


def remembered(stamp: str) -> Directory | None:
    """The directory of a stamp, if this process knows it."""
    if stamp in _known:
        _known.move_to_end(stamp)
    return _known.get(stamp)


def remember(directory: Directory, stamp: str) -> str:
    """Keep one at hand by its stamp."""
    _known[stamp] = directory
    while len(_known) > _MOST:
        _known.popitem(last=False)
    return stamp


def _counts(numbers: Ints) -> dict[int, int]:
    found, counts = np.unique(numbers, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))
