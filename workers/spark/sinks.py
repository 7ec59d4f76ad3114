"""Writing a feed that is a topic: packets by the tasks of a batch, then its manifest by the driver's side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import pyarrow as pa

from timeline_app.storage.addresses import place
from timeline_app.storage.feed import PACKETS
from timeline_app.storage.feeds import feed_of
from timeline_app.storage.manifests import Packet
from timeline_app.storage.topic_feed import TopicFeed

Places = Sequence[tuple[int, Sequence[int]]]
"""Of each packet the number of its rows, and the offsets of its messages."""


def write(feed: str, batches: Iterable[pa.RecordBatch]) -> Places:
    """Write the packets that come to a task."""
    found = _feed(feed).write(_packets(batches))
    return [(packet.rows, packet.offsets) for packet in found]


def commit(feed: str, batch: int, written: Iterable[Places]) -> None:
    """Name what the tasks have written as the batch."""
    packets = [Packet(rows, tuple(offsets)) for places in written for rows, offsets in places]
    _feed(feed).commit(batch, packets)


def _packets(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, bytes]]:
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in PACKETS.names), strict=True)


def _feed(folder: str) -> TopicFeed:
    return cast("TopicFeed", feed_of(place(folder)))
