"""A state that all keys share, each from its own birth on."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, FALSE, OPEN, TRUE, UNKNOWN, Ints, Kind, Mask
from timeline_app.algebra.limits import check_points
from timeline_app.algebra.order import order_of
from timeline_app.algebra.timelines import Timelines, build_timelines, concatenate_ranges


def build_openings(
    events: Events, begin: Ints, first: Mask, switches: tuple[Ints, Mask], until: int
) -> Timelines:
    """Return states: unknown before each key's beginning, then its state there, then `switches` (times, states).

    They end at an instant from which on nothing is known. A key whose beginning is `OPEN` has none.
    """
    size, (times, states) = len(begin), switches
    born = np.flatnonzero((begin != OPEN) & (begin < until))
    low = np.searchsorted(times, begin[born], side="right")
    counts = np.maximum(np.searchsorted(times, until) - low, 0)
    check_points(counts)
    rows = concatenate_ranges(low, counts)
    ends = born if until != OPEN else born[:0]
    key = np.concatenate((np.arange(size), born, np.repeat(born, counts), ends))
    since_ever, end = np.full(size, BEGINNING, dtype=np.int64), np.full(len(ends), until, dtype=np.int64)
    time = np.concatenate((since_ever, begin[born], times[rows], end))
    known = np.where(np.concatenate((first[born], states[rows])), TRUE, FALSE)
    value = np.concatenate((np.full(size, UNKNOWN), known, np.full(len(ends), UNKNOWN)))
    order = order_of(key, time)
    return build_timelines(Kind.BOOL, events.names, events.birth, key[order], time[order], value[order])
