"""Timelines over other names: what combining needs when two inputs do not have the same keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import recode
from timeline_app.algebra.kinds import BEGINNING, FALSE, NO_LABELS, OPEN, TRUE, Kind, Labels, Scalar
from timeline_app.algebra.timelines import Timelines, compute_offsets


def start_value(kind: Kind, start: Scalar, labels: Labels = NO_LABELS) -> object:
    """Return a start value as a column of its kind holds it; None is unknown. A text must be among `labels`."""
    if start is None:
        return kind.unknown
    if kind is Kind.TEXT:
        return np.searchsorted(labels, start)
    return (TRUE if start else FALSE) if kind is Kind.BOOL else start


def reindex(item: Timelines, names: Labels, start: Scalar) -> Timelines:
    """Return the same timelines over a sorted superset of their names; a new key holds `start` and was never born."""
    if item.names is names:
        return item
    if isinstance(start, str) and len(names) > len(item.names):
        item = _add_label(item, start)
    positions = np.searchsorted(names, item.names)
    counts = np.ones(len(names), dtype=np.int64)
    counts[positions] = np.diff(item.offsets)
    offsets = compute_offsets(counts)
    is_present = np.zeros(len(names), dtype=bool)
    is_present[positions] = True
    rows = np.repeat(is_present, counts)
    time = np.full(offsets[-1], BEGINNING, dtype=np.int64)
    value = np.full(offsets[-1], start_value(item.kind, start, item.labels), dtype=item.kind.dtype)
    slope = np.zeros(offsets[-1], item.slope.dtype)
    birth = np.full(len(names), OPEN, dtype=np.int64)
    time[rows], value[rows], slope[rows], birth[positions] = item.time, item.value, item.slope, item.birth
    return replace(item, names=names, birth=birth, offsets=offsets, time=time, value=value, slope=slope)


def _add_label(item: Timelines, text: str) -> Timelines:
    """Return the timelines with a further possible text."""
    if text in item.labels:
        return item
    labels = np.unique(np.append(item.labels, text)).astype(object)
    return replace(item, labels=labels, value=recode(item.value, item.labels, labels))


def unite_names(*items: Timelines) -> Labels:
    """Return all names of several timelines, sorted; the very same array where they share it."""
    first = items[0].names
    if all(item.names is first for item in items):
        return first
    return np.unique(np.concatenate([item.names for item in items])).astype(object)
