"""Events of many keys at once, in columns, in the one order that their collection defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from timeline_app.algebra.kinds import (
    BEGINNING,
    NO_LABELS,
    OPEN,
    Ints,
    Kind,
    Labels,
    Mask,
    Scalar,
    Values,
    is_known,
)
from timeline_app.algebra.order import find_tied, mark_firsts, mark_lasts, order_of
from timeline_app.algebra.timelines import to_scalar

ARRIVAL = "_arrived"
"""The field that says when an event arrived, microseconds since the epoch: its own, or what the landing wrote down."""
TIME = "_time"
"""The field that says when an event was, microseconds since the epoch; there only where a condition asks for it."""
UNTIL = "_until"
"""The field that says until when a row holds, whole microseconds since the epoch; `OPEN` where it has no end yet."""
TEXT = "_canonical_text"
"""The field with an event's canonical text, of a stream without ids; there only where the order of events is asked."""
Ties = Callable[[Ints], Sequence[tuple[Any, ...]]]
"""`ties(rows)` returns the sort keys of events with one key and time, of any stream.

They are the id (missing ones first), then the canonical JSON text; only those of rivals are requested.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One field of events: values as a timeline of the same kind keeps them; unknown means missing."""

    kind: Kind
    value: Values
    labels: Labels = field(default_factory=lambda: NO_LABELS)

    @property
    def present(self) -> Mask:
        """Where the field is present."""
        return is_known(self.kind, self.value)

    def take(self, rows: Ints) -> Column:
        """Return these rows, in their order."""
        return Column(self.kind, self.value[rows], self.labels)

    def first(self, count: int) -> Column:
        """Return the first `count` rows."""
        return Column(self.kind, self.value[:count], self.labels)

    def scalar(self, row: int) -> Scalar:
        """Return one value as a Python object; None is missing."""
        return to_scalar(self.kind, self.value[row], self.labels)


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
    ties: Ties | None = None

    @property
    def size(self) -> int:
        """How many events."""
        return len(self.time)

    def without_rank(self, rows: Ints) -> Events:
        """Return the events at ascending indexes, none of which tie."""
        key, time = self.key[rows], self.time[rows]
        fields = {name: column.take(rows) for name, column in self.fields.items()}
        birth = compute_births(len(self.names), key, time)
        return Events(self.names, birth, key, time, fields, None, take_ties(self.ties, rows))


class Texts(Protocol):
    """Canonical JSON texts of events; only those of rivals are requested."""

    def __call__(self, rows: Ints, /) -> Labels:
        """Return the texts of some rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """The ids of rows: the same `code` for the same id, -1 for none; `place` orders some codes."""

    code: Ints
    place: Callable[[Ints], Ints]

    @property
    def present(self) -> Mask:
        """Where there is an id."""
        return np.asarray(self.code >= 0)

    def ranks(self, rows: Ints) -> Ints:
        """Return the order of ids among some rows, a missing one before all others."""
        code, codes = np.unique(self.code[rows], return_inverse=True)
        named = code >= 0
        rank = np.full(len(code), -1, dtype=np.int64)
        rank[np.flatnonzero(named)[np.argsort(self.place(code[named]))]] = np.arange(int(named.sum()))
        return rank[codes]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Delivered events in any order; `key` is the place among names, `fields` are columns by name."""

    key: Values
    time: Ints
    ids: Ids | None
    fields: Mapping[str, Column]
    ties: Ties | None = None

    def first(self, count: int) -> Rows:
        """Return the first `count` rows."""
        ids = None if self.ids is None else Ids(self.ids.code[:count], self.ids.place)
        fields = {name: column.first(count) for name, column in self.fields.items()}
        return Rows(self.key[:count], self.time[:count], ids, fields, self.ties)

    def take(self, rows: Ints) -> Rows:
        """Return some of them, in that order."""
        ids = None if self.ids is None else Ids(self.ids.code[rows], self.ids.place)
        fields = {name: column.take(rows) for name, column in self.fields.items()}
        return Rows(self.key[rows], self.time[rows], ids, fields, take_ties(self.ties, rows))


def take_ties(ties: Ties | None, rows: Ints) -> Ties | None:
    """Return the ties of some rows, in their order."""
    return None if ties is None else lambda indices: ties(rows[indices])


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Which delivered rows are events of the collection, and what was left out."""

    rows: Ints
    duplicates: int
    conflicts: int


def collect(rows: Rows, texts: Texts) -> Collected:
    """Take copies with one id as one event; the rows that are left, ascending.

    Where copies of one key and id differ, the one with the greatest time, then the greatest canonical JSON
    text (`texts`), is the event; of equal ones it is the first. Of rows with an end, the greatest end comes before the
    text, and an end before none.
    """
    everything = np.arange(len(rows.key))
    if rows.ids is None or not rows.ids.present.any():
        return Collected(everything, 0, 0)
    key, time, code = rows.key, rows.time, rows.ids.code
    present = rows.ids.present
    repeated = np.flatnonzero((np.bincount(code[present])[code] > 1) & present)[::-1]
    if not len(repeated):
        return Collected(everything, 0, 0)
    ranks = [time] if UNTIL not in rows.fields else [_rank_of_ends(rows.fields[UNTIL].value), time]
    order = repeated[np.lexsort((*(rank[repeated] for rank in ranks), code[repeated], key[repeated]))]
    first, last = (edge(key[order], code[order]) for edge in (mark_firsts, mark_lasts))
    winners, conflicts = _choose(order, first, last, ranks, texts)
    keeps = np.ones(len(key), dtype=bool)
    keeps[order] = False
    keeps[winners] = True
    return Collected(np.flatnonzero(keeps), len(order) - len(winners), conflicts)


def sort_rows(rows: Rows) -> tuple[Ints, Values | None]:
    """Return the order of rows without copies by key, time and id, and the `rank` of `Events` in it."""
    key, time, ids = rows.key, rows.time, rows.ids
    order = order_of(key, time)
    equal = find_tied(key[order], time[order])
    if not len(equal):
        return order, None
    if ids is None:
        return order, np.zeros(len(order), dtype=np.int8)
    among = order[equal]
    order[equal] = among[np.lexsort((among, ids.ranks(among), time[among], key[among]))]
    present = ids.present[order]
    return order, None if present.all() else np.where(present, np.arange(len(order)), -1)


def sort_events(rows: Rows, names: Labels) -> tuple[Events, Ints]:
    """Rows without copies as events over the names that their keys are the places of, and the order of the rows."""
    order, rank = sort_rows(rows)
    sorted_rows = rows.take(order)
    key = sorted_rows.key.astype(np.int64, copy=False)
    birth = compute_births(len(names), key, sorted_rows.time)
    events = Events(names, birth, key, sorted_rows.time, sorted_rows.fields, rank, sorted_rows.ties)
    return events, order


def _rank_of_ends(until: Ints) -> Ints:
    """Return the order of ends among copies: an open row comes before one that has ended."""
    return np.where(until == OPEN, BEGINNING, until)


def _choose(order: Ints, first: Mask, last: Mask, ranks: list[Ints], texts: Texts) -> tuple[Ints, int]:
    """Return the winners among duplicates, and how many groups of duplicates differ.

    The rows of a group are adjacent, sorted by `ranks`, the first arrival last; only those with equal greatest ranks
    need their texts.
    """
    group = np.cumsum(first) - 1
    winners = order[last]
    earlier = np.logical_or.reduce([rank[order] != rank[winners][group] for rank in ranks])
    differ = np.zeros(len(winners), dtype=bool)
    differ[group[earlier]] = True
    rivals = np.flatnonzero(~earlier)
    rivals = rivals[np.bincount(group[rivals], minlength=len(winners))[group[rivals]] > 1]
    text, best = texts(order[rivals]), dict[int, str]()
    unlike = np.flatnonzero((text[1:] != text[:-1]) & (group[rivals][1:] == group[rivals][:-1]))
    differ[group[rivals][unlike]] = True
    for index in np.flatnonzero(np.isin(group[rivals], group[rivals][unlike])):
        owner = int(group[rivals[index]])
        if owner not in best or text[index] >= best[owner]:
            best[owner], winners[owner] = text[index], order[rivals[index]]
    return winners, int(differ.sum())


def compute_births(size: int, key: Ints, time: Ints) -> Ints:
    """Return the earliest time of each key, of rows sorted by key and time; `OPEN` for a key without events."""
    birth = np.full(size, OPEN, dtype=np.int64)
    first = mark_firsts(key)
    birth[key[first]] = time[first]
    return birth
