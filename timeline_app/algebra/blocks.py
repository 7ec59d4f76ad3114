"""Blocks of keys: computations by key handle few keys at a time, so that columns stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from timeline_app.algebra.align import share_labels
from timeline_app.algebra.events import Column, Events, Rows, sort_events
from timeline_app.algebra.kinds import Ints, Labels
from timeline_app.algebra.timelines import Timelines, compute_offsets

EVENTS_PER_BLOCK = 1 << 18
"""Approximate."""


def iterate_blocks(names: Labels, streams: Mapping[str, Rows]) -> Iterator[dict[str, Events]]:
    """Yield the events of streams over the same names, some keys at a time; at least one block.

    Rows are without copies.
    """
    size = len(names)
    counts = sum(
        (np.bincount(item.key, minlength=size) for item in streams.values()), np.zeros(size, np.int64)
    )
    number = np.unique(np.cumsum(counts) // EVENTS_PER_BLOCK, return_inverse=True)[1]
    bounds = np.searchsorted(number, np.arange(number.max(initial=0) + 2))
    rows_by_stream = {name: _split_rows(item, number, len(bounds) - 1) for name, item in streams.items()}
    for index, (start, stop) in enumerate(pairwise(bounds.tolist())):
        yield {
            name: sort_events(_select_rows(item, rows_by_stream[name][index], start), names[start:stop])[0]
            for name, item in streams.items()
        }


def _split_rows(rows: Rows, number: Ints, count: int) -> list[Ints]:
    """Return the rows of each block, ascending; `number` is the block of each key."""
    if count == 1:
        return [np.arange(len(rows.key))]
    block = number[rows.key]
    order = np.argsort(block.astype(np.min_scalar_type(count)), kind="stable")
    return np.split(order, np.cumsum(np.bincount(block, minlength=count))[:-1])


def _select_rows(rows: Rows, which: Ints, start: int) -> Rows:
    """Return some rows, their keys counted from `start`."""
    selected = rows.take(which) if len(which) < len(rows.key) else rows
    return replace(
        selected,
        key=selected.key - selected.key.dtype.type(start),
        fields={name: _compact_labels(column) for name, column in selected.fields.items()},
    )


def _compact_labels(column: Column) -> Column:
    """Return a column without the labels that do not occur in it, where they are many."""
    if len(column.labels) <= len(column.value):
        return column
    used, codes = np.unique(column.value, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    return Column(column.kind, (codes - missing).astype(column.value.dtype), column.labels[used[missing:]])


def join_blocks(items: Sequence[Timelines], names: Labels) -> Timelines:
    """Return the timelines of blocks of keys as those of all keys, `names`."""
    if len(items) == 1:
        return items[0]
    labels, values = share_labels(*items)
    counts = np.concatenate([np.diff(item.offsets) for item in items])
    return replace(
        items[0],
        names=names,
        birth=np.concatenate([item.birth for item in items]),
        offsets=compute_offsets(counts),
        time=np.concatenate([item.time for item in items]),
        value=np.concatenate(values),
        slope=np.concatenate([item.slope for item in items]),
        labels=labels,
    )
