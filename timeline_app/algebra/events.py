"""Events of many keys at once, in columns, in the one order that their collection defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from timeline_app.algebra.kinds import NO_LABELS, OPEN, Ints, Kind, Labels, Mask, Scalar, Values, known
from timeline_app.algebra.order import firsts, lasts, order_of, tied
from timeline_app.algebra.timelines import scalar_of


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
    """Events sorted by key, time and rank; of rows that tie in all of them the greatest value of each field wins.

    `rank` orders the events of one key and time by their ids, missing ones first; None where no rows tie.
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
    """Canonical JSON texts of events; only those of rivals are asked for."""

    def __call__(self, rows: Ints, /) -> Labels:
        """The texts of some rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """The ids of rows: the same `code` for the same id, -1 for none; `values` gives the ids of some codes."""

    code: Ints
    values: Callable[[Ints], Values]

    @property
    def present(self) -> Mask:
        """Where there is one."""
        return np.asarray(self.code >= 0)

    def ranks(self, rows: Ints) -> Ints:
        """The order of ids among some rows, a missing one before all others."""
        code, place = np.unique(self.code[rows], return_inverse=True)
        named = code >= 0
        rank = np.full(len(code), -1, dtype=np.int64)
        rank[np.flatnonzero(named)[np.argsort(self.values(code[named]))]] = np.arange(int(named.sum()))
        return rank[place]


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Which delivered rows are events of the collection, in their order, and what was left out.

    `rank` is that of `Events`, for these rows.
    """

    rows: Ints
    rank: Values | None
    duplicates: int
    conflicts: int


def collect(key: Ints, time: Ints, ids: Ids | None, texts: Texts) -> Collected:
    """Order delivered events by key, time and id, and take copies with one id as one event.

    Where copies of one key and id differ, the one with the greatest time, then the greatest canonical JSON
    text (`texts`), is the event.
    """
    if ids is None:
        rows = order_of(key, time)
        every = np.zeros(len(rows), dtype=np.int8)
        return Collected(rows, every if len(tied(key[rows], time[rows])) else None, 0, 0)
    kept, conflicts = _once(key, time, ids, texts)
    rows = kept[order_of(key[kept], time[kept])]
    equal = tied(key[rows], time[rows])
    among = rows[equal]
    rows[equal] = among[np.lexsort((among, ids.ranks(among), time[among], key[among]))]
    present = ids.present[rows]
    rank = None if present.all() or not len(equal) else np.where(present, np.arange(len(rows)), -1)
    return Collected(rows, rank, len(key) - len(rows), conflicts)


def _once(key: Ints, time: Ints, ids: Ids, texts: Texts) -> tuple[Ints, int]:
    """The rows without copies, ascending, and how many groups of copies differ."""
    present = ids.present
    again = np.bincount(ids.code[present])[ids.code] > 1 if present.any() else present
    rows = np.flatnonzero(again & present)
    if not len(rows):
        return np.arange(len(key)), 0
    order = rows[np.lexsort((time[rows], ids.code[rows], key[rows]))]
    first, last = (edge(key[order], ids.code[order]) for edge in (firsts, lasts))
    winners, conflicts = _choose(order, first, last, time, texts)
    kept = np.ones(len(key), dtype=bool)
    kept[order] = False
    kept[winners] = True
    return np.flatnonzero(kept), conflicts


def _choose(order: Ints, first: Mask, last: Mask, time: Ints, texts: Texts) -> tuple[Ints, int]:
    """The winners among copies, and how many groups of copies differ.

    The rows of a group stand together, sorted by time; only those of equal greatest time need their texts.
    """
    group = np.cumsum(first) - 1
    winners = order[last]
    earlier = time[order] != time[winners][group]
    differ = np.zeros(len(winners), dtype=bool)
    differ[group[earlier]] = True
    rivals = np.flatnonzero(~earlier)
    rivals = rivals[np.bincount(group[rivals], minlength=len(winners))[group[rivals]] > 1]
    text, best = texts(order[rivals]), dict[int, str]()
    unlike = np.flatnonzero((text[1:] != text[:-1]) & (group[rivals][1:] == group[rivals][:-1]))
    differ[group[rivals][unlike]] = True
    for place in np.flatnonzero(np.isin(group[rivals], group[rivals][unlike])):
        owner = int(group[rivals[place]])
        if owner not in best or text[place] > best[owner]:
            best[owner], winners[owner] = text[place], order[rivals[place]]
    return winners, int(differ.sum())


def by_value(events: Events, column: Column) -> Ints:
    """The rows that have a field, in their order; of those that tie the one with the greatest value last."""
    rows = np.flatnonzero(column.present)
    if events.rank is None:
        return rows
    equal = tied(events.key[rows], events.time[rows])
    among = rows[equal]
    order = np.lexsort((column.value[among], events.rank[among], events.time[among], events.key[among]))
    rows[equal] = among[order]
    return rows


def births(size: int, key: Ints, time: Ints) -> Ints:
    """The earliest time of each key, of rows sorted by key and time; `OPEN` for a key without events."""
    birth = np.full(size, OPEN, dtype=np.int64)
    first = firsts(key)
    birth[key[first]] = time[first]
    return birth
