"""Windows over pieces: what held at some instant in the last so many microseconds, since birth at the earliest.

A piece `[a, b)` counts in a window of `d` for t in `[a, b + d)`. The pieces of one window stand beside each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import Aligned, align
from timeline_app.algebra.kinds import BEGINNING, Ints, Kind, Values
from timeline_app.algebra.states import cut_at_birth, later
from timeline_app.algebra.timelines import Timelines, offsets_of, timelines


def true_within(item: Timelines, duration: int) -> Timelines:
    """Whether a bool was true at some instant of the window, in Kleene's logic; unknown before birth."""
    born = since_birth(item)
    both, first, last = windows(born, duration)
    value = greatest(born.value, first, last)
    return timelines(Kind.BOOL, item.names, both.birth, both.key, both.time, value)


def greatest_within(item: Timelines, duration: int, sign: float = 1.0) -> Timelines:
    """The greatest known value of a steady number in the window; the least, where the sign is -1."""
    born = since_birth(item)
    both, first, last = windows(born, duration)
    found = greatest(np.where(born.known, sign * born.value, -np.inf), first, last)
    value = np.where(found == -np.inf, np.nan, sign * found + 0.0)
    return timelines(Kind.NUMBER, item.names, both.birth, both.key, both.time, value)


def since_birth(item: Timelines) -> Timelines:
    """States from birth on, where a piece begins, and unknown before; not in normal form."""
    key, time, rows = cut_at_birth(item)
    counting = (time != BEGINNING) & (time >= item.birth[key])
    kept = counting | (time == BEGINNING)
    value = np.where(counting, item.value[rows], item.kind.unknown).astype(item.kind.dtype)
    return replace(
        item,
        offsets=offsets_of(np.bincount(key[kept], minlength=item.size)),
        time=time[kept],
        value=value[kept],
        slope=np.zeros(int(kept.sum()), item.kind.slope_dtype),
    )


def windows(born: Timelines, duration: int) -> tuple[Aligned, Ints, Ints]:
    """Where windows over `since_birth` change, and the first and the last piece of each."""
    both = align(born, later(born, duration))
    last, first = both.rows
    before_birth = (born.time[first] == BEGINNING) & (first < last)
    return both, first + before_birth, last


def greatest(value: Values, first: Ints, last: Ints) -> Values:
    """The greatest value of each range of rows, both ends included: of two ranges of a power of two that cover it."""
    power = np.frexp(last - first + 1.0)[1] - 1
    found = np.empty(len(first), value.dtype)
    reach = value
    for exponent in range(int(power.max(initial=0)) + 1):
        if exponent:
            half = 1 << (exponent - 1)
            reach = np.maximum(reach[:-half], reach[half:])
        here = np.flatnonzero(power == exponent)
        found[here] = np.maximum(reach[first[here]], reach[last[here] + 1 - (1 << exponent)])
    return found
