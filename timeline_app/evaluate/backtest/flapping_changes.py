"""When keys begin to flap and settle in a back-test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, Ints, Mask
from timeline_app.algebra.order import mark_firsts, mark_lasts
from timeline_app.algebra.timelines import concatenate_ranges
from timeline_app.evaluate.backtest.clock import ArrivalClock
from timeline_app.evaluate.backtest.flapping import FlappingRule
from timeline_app.evaluate.backtest.incidents import STATES, IncidentChanges
from timeline_app.evaluate.backtest.telling import RETRACTED


@dataclass(frozen=True, slots=True, eq=False)
class FlappingChanges:
    """When keys begin to flap (`flaps`) and settle, by key and step.

    `carrier` is the incident with the newest start where a key begins to flap, and -1 where it settles.
    """

    key: Ints
    step: Ints
    flaps: Mask
    carrier: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _CountedStarts:
    """Starts of incidents, each with the steps in which its key counts it: from `since`, before `until`."""

    key: Ints
    incident: Ints
    start: Ints
    since: Ints
    until: Ints

    def select(self, rows: Mask) -> _CountedStarts:
        return _CountedStarts(
            self.key[rows], self.incident[rows], self.start[rows], self.since[rows], self.until[rows]
        )


def find_flapping(rule: FlappingRule, changes: IncidentChanges, clock: ArrivalClock) -> FlappingChanges:
    """Return when the keys of a back-test begin to flap and settle."""
    starts = _count_starts(rule, changes, clock)
    is_flapping = np.bincount(starts.key, minlength=1) > rule.max_starts
    starts = starts.select(is_flapping[starts.key] & (rule.max_starts > 0))
    key, step = np.tile(starts.key, 2), np.concatenate((starts.since, starts.until))
    order = np.lexsort((step, key))
    key, step, count = key[order], step[order], np.cumsum(np.where(order < len(starts.key), 1, -1))
    last = mark_lasts(key, step)
    key, step, count = key[last], step[last], count[last]
    flaps = _keep_state(key, count > rule.max_starts, count <= rule.max_starts_settled)
    before = np.append(False, flaps[:-1])[: len(flaps)] & ~mark_firsts(key)
    changed = (flaps != before) & (step < clock.size)
    key, step, flaps = key[changed], step[changed], flaps[changed]
    return FlappingChanges(key, step, flaps, _find_carriers(starts, key, step, flaps, rule, clock))


def _count_starts(rule: FlappingRule, changes: IncidentChanges, clock: ArrivalClock) -> _CountedStarts:
    """Return the starts of existing incidents within the window before the newest event."""
    until = np.where(changes.is_last, clock.size, np.append(changes.step[1:], 0)[: len(changes.step)])
    begins = np.searchsorted(clock.newest, changes.start)
    ends = np.searchsorted(clock.newest, np.maximum(changes.start, BEGINNING // 2) + rule.window)
    since, until = np.maximum(changes.step, begins), np.minimum(until, ends)
    starts = _CountedStarts(changes.key[changes.incident], changes.incident, changes.start, since, until)
    return starts.select((since < until) & (changes.state != STATES.index(RETRACTED)))


def _keep_state(key: Ints, begins: Mask, settles: Mask) -> Mask:
    """Return which rows flap, by the latest row of the key that begins or settles; at first none does."""
    decides = np.where(begins | settles | mark_firsts(key), np.arange(len(key)), 0)
    return np.asarray(begins[np.maximum.accumulate(decides)])


def _find_carriers(
    starts: _CountedStarts, key: Ints, step: Ints, flaps: Mask, rule: FlappingRule, clock: ArrivalClock
) -> Ints:
    """Return the incident with the newest counted start at each step at which a key begins to flap."""
    carrier = np.full(len(key), -1, dtype=np.int64)
    rows, newest = np.flatnonzero(flaps), clock.newest[step[flaps]]
    order = np.lexsort((starts.start, starts.key))
    times = np.unique(starts.start)
    rank = starts.key[order] * (len(times) + 1) + np.searchsorted(times, starts.start[order])
    low, high = (
        np.searchsorted(rank, key[rows] * (len(times) + 1) + np.searchsorted(times, bound, side="right"))
        for bound in (newest - rule.window, newest)
    )
    near, owner = order[concatenate_ranges(low, high - low)], np.repeat(np.arange(len(rows)), high - low)
    counts = (starts.since[near] <= step[rows][owner]) & (step[rows][owner] < starts.until[near])
    carrier[rows[owner[counts]]] = starts.incident[near[counts]]  # the newest start comes last
    return carrier
