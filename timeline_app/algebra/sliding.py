"""Windows over pieces: what held at some instant in the last so many microseconds, since birth at the earliest.

A piece `[a, b)` counts in a window of `d` for t in `[a, b + d)`. The pieces of one window stand beside each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import Aligned, align
from timeline_app.algebra.kinds import BEGINNING, Ints, Kind, Values
from timeline_app.algebra.states import cut_at_birth, shift_timelines
from timeline_app.algebra.timelines import Timelines, build_timelines, compute_offsets


def is_true_within(item: Timelines, duration: int) -> Timelines:
    """Return whether a bool was true at some instant of the window, in Kleene's logic; unknown before birth."""
    born = hide_before_birth(item)
    aligned, first, last = compute_windows(born, duration)
    value = find_range_maximum(born.value, first, last)
    return build_timelines(Kind.BOOL, item.names, aligned.birth, aligned.key, aligned.time, value)


def find_greatest_within(item: Timelines, duration: int, sign: float = 1.0) -> Timelines:
    """Return the greatest known value of a steady number in the window; the least, where the sign is -1."""
    born = hide_before_birth(item)
    aligned, first, last = compute_windows(born, duration)
    greatest = find_range_maximum(np.where(born.known, sign * born.value, -np.inf), first, last)
    value = np.where(greatest == -np.inf, np.nan, sign * greatest + 0.0)
    return build_timelines(Kind.NUMBER, item.names, aligned.birth, aligned.key, aligned.time, value)


def hide_before_birth(item: Timelines) -> Timelines:
    """States from birth on, where a piece begins, and unknown before; not in normal form."""
    key, time, rows = cut_at_birth(item)
    counting = (time != BEGINNING) & (time >= item.birth[key])
    is_kept = counting | (time == BEGINNING)
    value = np.where(counting, item.value[rows], item.kind.unknown).astype(item.kind.dtype)
    return replace(
        item,
        offsets=compute_offsets(np.bincount(key[is_kept], minlength=item.size)),
        time=time[is_kept],
        value=value[is_kept],
        slope=np.zeros(int(is_kept.sum()), item.kind.slope_dtype),
    )


def compute_windows(born: Timelines, duration: int) -> tuple[Aligned, Ints, Ints]:
    """Return where windows over `since_birth` change, and the first and the last piece of each."""
    aligned = align(born, shift_timelines(born, duration))
    last, first = aligned.rows
    before_birth = (born.time[first] == BEGINNING) & (first < last)
    return aligned, first + before_birth, last


def find_range_maximum(value: Values, first: Ints, last: Ints) -> Values:
    """The greatest value of each range of rows, both ends included: of two ranges of a power of two that cover it."""
    power = np.frexp(last - first + 1.0)[1] - 1
    maxima = np.empty(len(first), value.dtype)
    reach = value
    for exponent in range(int(power.max(initial=0)) + 1):
        if exponent:
            half = 1 << (exponent - 1)
            reach = np.maximum(reach[:-half], reach[half:])
        here = np.flatnonzero(power == exponent)
        maxima[here] = np.maximum(reach[first[here]], reach[last[here] + 1 - (1 << exponent)])
    return maxima
