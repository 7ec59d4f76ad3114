"""Cutting pieces at instants that are computed: where a line crosses another, or a denominator is zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Floats, Ints
from timeline_app.algebra.lines import evaluate_after
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.timelines import Timelines, compute_offsets

_FAR = 2.0**62


def compute_cuts(time: Ints, end: Ints, *after: Floats) -> tuple[Ints, Ints]:
    """Cut each piece this many whole microseconds after its start, wherever that lies inside it.

    Returns for every part the row of its piece, and its distance from that piece's start.
    """
    boundless = (end == OPEN) | (time == BEGINNING)
    room = np.where(boundless, _FAR, np.where(boundless, 0, end) - np.where(boundless, 0, time))
    inside = [(item > 0) & (item < room) for item in after]
    rows = [np.arange(len(time)), *(np.flatnonzero(mask) for mask in inside)]
    elapsed = [np.zeros(len(time)), *(item[mask] for item, mask in zip(after, inside, strict=True))]
    row, since = np.concatenate(rows), np.concatenate(elapsed).astype(np.int64)
    order = order_of(row, since)
    row, since = row[order], since[order]
    keep = mark_firsts(row, since)
    return row[keep], since[keep]


def refine(item: Timelines, *after: Floats) -> Timelines:
    """Return the same timelines with further change points; they are not in normal form."""
    row, elapsed = compute_cuts(item.time, item.end, *after)
    return replace(
        item,
        offsets=compute_offsets(np.bincount(item.key[row], minlength=item.size)),
        time=item.time[row] + elapsed,
        value=evaluate_after(item.value[row], item.slope[row], elapsed),
        slope=item.slope[row],
    )
