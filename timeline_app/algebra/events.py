"""Events of many keys at once, in columns, in the one order that their collection defines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from timeline_app.algebra.kinds import NO_LABELS, OPEN, Ints, Kind, Labels, Mask, Scalar, Values, known
from timeline_app.algebra.timelines import offsets_of, scalar_of


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One field of events: values as a timeline of the same kind keeps them; unknown means missing."""

    kind: Kind
    value: Values
    labels: Labels = field(default_factory=lambda: NO_LABELS)

    @property
    def present(self) -> Mask:
        """Where the field is there."""
        return known(self.kind, self.value)

    def take(self, rows: Ints) -> Column:
        """These rows, in their order."""
        return Column(self.kind, self.value[rows], self.labels)

    def scalar(self, row: int) -> Scalar:
        """One value as Python has it; None is missing."""
        return scalar_of(self.kind, self.value[row], self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """Events sorted by key, time and rank; of rows that tie the greatest value of each field wins.

    `rank` orders ids, missing ones first; None where every event has one, so that no rows tie.
    """

    names: Labels
    birth: Ints
    key: Ints
    time: Ints
    fields: Mapping[str, Column]
    rank: Values | None

    @property
    def size(self) -> int:
        """How many events."""
        return len(self.time)


class Texts(Protocol):
    """Canonical JSON texts of events by row; only those of rivals are looked at."""

    def __getitem__(self, row: int, /) -> str:
        """The text of a row."""


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Which delivered rows are events of the collection, in their order, and what was left out."""

    rows: Ints
    duplicates: int
    conflicts: int


def collect(key: Ints, time: Ints, ids: Column | None, texts: Texts | None) -> Collected:
    """Order delivered events by key, time and id, and take copies with one id as one event.

    Where copies of one key and id differ, the one with the greatest time, then the greatest canonical JSON
    text (`texts`), is the event.
    """
    if ids is None:
        return Collected(np.lexsort((time, key)), 0, 0)
    rank = ranks(ids)
    order = np.lexsort((time, rank, key))
    copy = np.zeros(len(order), dtype=bool)
    ahead, behind = order[1:], order[:-1]
    copy[1:] = (key[ahead] == key[behind]) & (rank[ahead] == rank[behind]) & ids.present[ahead]
    conflicts = 0
    if copy.any():
        order, conflicts = _choose(order, copy, time, texts)
    kept = order[np.lexsort((rank[order], time[order], key[order]))]
    return Collected(kept, len(key) - len(kept), conflicts)


def ranks(ids: Column) -> Values:
    """The ids in their order, a missing one before all others."""
    return np.where(ids.present, ids.value, -np.inf) if ids.kind is Kind.NUMBER else ids.value


def _choose(order: Ints, copy: Mask, time: Ints, texts: Texts | None) -> tuple[Ints, int]:
    """The winners among copies, and how many groups of copies differ.

    The rows of a group stand together, sorted by time; only those of equal greatest time need their texts.
    """
    group = np.cumsum(~copy) - 1
    last = np.append(~copy[1:], True)
    winners = order[last]
    latest = time[winners]
    rivals = (time[order] == latest[group]) & (copy | np.append(copy[1:], False))
    differ = np.zeros(len(winners), dtype=bool)
    differ[group[time[order] != latest[group]]] = True
    if texts is not None:
        for place in np.flatnonzero(rivals):
            row, best = int(order[place]), int(winners[group[place]])
            if texts[row] != texts[best]:
                differ[group[place]] = True
                if texts[row] > texts[best]:
                    winners[group[place]] = row
    return winners, int(differ.sum())


def births(size: int, key: Ints, time: Ints) -> Ints:
    """The earliest time of each key; `OPEN` for a key without events."""
    birth = np.full(size, OPEN, dtype=np.int64)
    np.minimum.at(birth, key, time)
    return birth


def key_offsets(size: int, key: Ints) -> Ints:
    """Where each key's rows begin in a column sorted by key, and the end."""
    return offsets_of(np.bincount(key, minlength=size).astype(np.int64))
