"""What is left of a key beyond the retention: a few events that still matter, and what operators remember of the rest.

A key is *folded* at an instant. Of its events up to then only witnesses are kept, of which the timelines from there on
follow; an operator with a memory (a count, a duration) takes what it has come to instead. What timelines of a folded
key say before that instant means nothing, and never changes any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, NO_LABELS, SECOND, Ints, Labels, Mask
from timeline_app.algebra.order import mark_firsts, mark_lasts, order_of
from timeline_app.algebra.timelines import Timelines, build_timelines


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """An operator's memory of each key: `amounts[k]`, integers that represent everything up to `at[k]`.

    For a key without a summary `at` is `BEGINNING`, and the amounts have no meaning. A text memory is `texts[k]`
    instead, None where unknown.
    """

    at: Ints
    amounts: Ints
    texts: Labels = field(default_factory=lambda: NO_LABELS)

    @property
    def folded(self) -> Mask:
        """Which keys are."""
        return np.asarray(self.at != BEGINNING)

    def column(self, column: int, otherwise: int) -> Ints:
        """Return one of the amounts; something else for keys that are not folded."""
        return np.where(self.folded, self.amounts[:, column], otherwise)

    def totals(self) -> Ints:
        """Return all amounts; 0 for keys that are not folded."""
        return np.where(self.folded[:, np.newaxis], self.amounts, 0)


def find_holding(item: Timelines, at: Ints) -> Ints:
    """Return the piece of each key that holds at its instant."""
    reached = np.bincount(item.key[item.time <= at[item.key]], minlength=item.size)
    return np.asarray(item.offsets[:-1] + np.maximum(reached, 1) - 1)


def find_starts(item: Timelines, at: Ints) -> Ints:
    """Return when the piece that holds at each key's instant began."""
    return np.asarray(item.time[find_holding(item, at)])


def hide_before(item: Timelines, at: Ints, start: Ints) -> Timelines:
    """Return states from each key's `at` on: the current one begins at `start`, earlier ones are unknown.

    With a `start` of `BEGINNING` it has always held; with such an `at` nothing is forgotten.
    """
    is_after = item.time > at[item.key]
    base = np.arange(item.size, dtype=np.int64)
    before = base[start != BEGINNING]
    key = np.concatenate((before, base, item.key[is_after]))
    time = np.concatenate((np.full(len(before), BEGINNING, dtype=np.int64), start, item.time[is_after]))
    unknown = np.full(len(before), item.kind.unknown, dtype=item.kind.dtype)
    value = np.concatenate((unknown, item.value[find_holding(item, at)], item.value[is_after]))
    order = order_of(key, time)
    return build_timelines(
        item.kind, item.names, item.birth, key[order], time[order], value[order], labels=item.labels
    )


def take_whole(item: Timelines, at: Ints, scale: int = 1) -> Ints:
    """Return the value of a number at each key's instant, times `scale`, as a column of whole numbers."""
    value = evaluate_at(item, find_holding(item, at), at) * scale
    return np.rint(value).astype(np.int64)[:, np.newaxis]


def take_microunits(item: Timelines, at: Ints) -> Ints:
    """Return a number of seconds at each key's instant in microseconds."""
    return take_whole(item, at, SECOND)


def select_after(events: Events, carried: Carried | None) -> Mask:
    """Return the events after those that the memory represents."""
    return np.ones(events.size, dtype=bool) if carried is None else events.time > carried.at[events.key]


def select_between(events: Events, carried: Carried | None, at: Ints) -> Mask:
    """Return the events that are to be folded at `at`, and are not folded yet."""
    return np.asarray(select_after(events, carried) & (events.time <= at[events.key]))


def select_last(events: Events, rows: Ints, at: Ints) -> Mask:
    """Return a mask of the last event of each key up to its instant, among rows in order."""
    rows = rows[events.time[rows] <= at[events.key[rows]]]
    return _mask(events, rows[mark_lasts(events.key[rows])] if len(rows) else rows)


def select_first(events: Events, rows: Ints, at: Ints) -> Mask:
    """Return a mask of the first event of each key up to its instant, among rows in order."""
    rows = rows[mark_firsts(events.key[rows])] if len(rows) else rows
    return _mask(events, rows[events.time[rows] <= at[events.key[rows]]])


def _mask(events: Events, rows: Ints) -> Mask:
    mask = np.zeros(events.size, dtype=bool)
    mask[rows] = True
    return mask


def sum_by_key(events: Events, matching: Mask, amounts: Ints) -> Ints:
    """Return the sums of rows of whole numbers over the matching events of each key."""
    numbers = np.zeros((len(events.names), amounts.shape[1]), dtype=np.int64)
    np.add.at(numbers, events.key[matching], amounts[matching])
    return numbers
