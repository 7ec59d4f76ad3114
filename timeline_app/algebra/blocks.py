"""Blocks of keys: what is computed key by key is computed for so few at a time that columns stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import shared_labels
from timeline_app.algebra.events import Column, Events
from timeline_app.algebra.kinds import Labels
from timeline_app.algebra.timelines import Timelines, offsets_of

EVENTS = 1 << 18
"""About so many events make a block."""


def blocks(streams: Mapping[str, Events]) -> Iterator[dict[str, Events]]:
    """The events of all streams, which are over the same names, some keys at a time; at least one block."""
    size = len(next(iter(streams.values())).names) if streams else 0
    counts = sum(
        (np.bincount(item.key, minlength=size) for item in streams.values()), np.zeros(size, np.int64)
    )
    number = np.cumsum(counts) // EVENTS
    stops = [*(np.flatnonzero(number[1:] != number[:-1]) + 1).tolist(), size]
    for start, stop in zip([0, *stops[:-1]], stops, strict=True):
        yield {name: _of_keys(item, start, stop) for name, item in streams.items()}


def _of_keys(events: Events, start: int, stop: int) -> Events:
    if (start, stop) == (0, len(events.names)):
        return events
    first, end = np.searchsorted(events.key, (start, stop))
    return Events(
        events.names[start:stop],
        events.birth[start:stop],
        events.key[first:end] - start,
        events.time[first:end],
        {name: _of_rows(column, first, end) for name, column in events.fields.items()},
        None if events.rank is None else events.rank[first:end],
    )


def _of_rows(column: Column, first: int, end: int) -> Column:
    """Some rows; of many labels only those that occur in them."""
    value = column.value[first:end]
    if len(column.labels) <= len(value):
        return Column(column.kind, value, column.labels)
    used, place = np.unique(value, return_inverse=True)
    missing = int(len(used) > 0 and used[0] < 0)
    return Column(column.kind, (place - missing).astype(value.dtype), column.labels[used[missing:]])


def joined(items: Sequence[Timelines], names: Labels) -> Timelines:
    """The timelines of blocks of keys as those of all keys, `names`."""
    if len(items) == 1:
        return items[0]
    labels, values = shared_labels(*items)
    counts = np.concatenate([np.diff(item.offsets) for item in items])
    return replace(
        items[0],
        names=names,
        birth=np.concatenate([item.birth for item in items]),
        offsets=offsets_of(counts),
        time=np.concatenate([item.time for item in items]),
        value=np.concatenate(values),
        slope=np.concatenate([item.slope for item in items]),
        labels=labels,
    )
