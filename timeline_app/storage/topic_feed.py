"""A feed in a topic of the broker: its packets in one partition, the manifests that name them in another.

Tasks of Spark write packets; when all of a batch have, its manifest is appended: the batch is there with it, whole, or
not at all. What no manifest names was left by a batch that failed or ran twice, and is not read.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from timeline_app.storage import durable
from timeline_app.storage.addresses import Place, told
from timeline_app.storage.broker import Broker, Lost, Unknown, kept
from timeline_app.storage.feed import SCHEMA
from timeline_app.storage.manifests import MANIFESTS, PACKETS, Manifest, Manifests, Packet, forgotten
from timeline_app.storage.packets import unpacked
from timeline_app.storage.packs import BATCH
from timeline_app.storage.parts import numbered
from timeline_app.storage.topics import Topics, topics_of

FORMAT = "timeline_topic"
"""The name of the format by which Spark writes it."""
PACKETS_AT_ONCE = 4
LARGEST = 512 * 1_024
"""What is larger becomes several messages: a broker takes a mebibyte unless it was told otherwise."""


@dataclass(frozen=True, slots=True)
class TopicFeed:
    """The topic that a query's tasks fill; its directory holds the note that says which."""

    path: Place
    topic: str

    @property
    def name(self) -> str:
        """Whose it is."""
        return self.path.name

    def look(self) -> None:
        """Learn what is there by now; raises `BrokerTrouble`."""
        self._manifests.look()

    def last(self) -> int:
        """The newest batch; raises `BrokerTrouble`."""
        return self._manifests.end() - 1

    def has(self, batch: int) -> bool:
        """Whether a batch is known to be there; while the broker is away nothing new is."""
        return self._manifests.has(batch)

    def read(self, batch: int) -> pa.Table:
        """The rows of a batch; raises `BrokerTrouble`."""
        [rows] = self._read([self._manifests.of(batch)])
        return rows

    def portions(self, batch: int) -> Iterator[pa.Table]:
        """The same, some packets at a time; raises `BrokerTrouble`."""
        packets = self._manifests.of(batch).packets
        for start in range(0, len(packets), PACKETS_AT_ONCE):
            yield from self._read([Manifest(batch, packets[start : start + PACKETS_AT_ONCE])])

    def rows(self, start: int, end: int) -> pa.Table:
        """The rows of the batches from start to end (exclusive), each with its number as `batch`."""
        found = self._read([self._manifests.of(batch) for batch in range(start, end)])
        tables = [numbered(rows, BATCH, batch) for batch, rows in enumerate(found, start)]
        return pa.concat_tables([numbered(SCHEMA.empty_table(), BATCH, start), *tables])

    def size(self, batch: int) -> int:
        """How many rows a batch has."""
        return self._manifests.of(batch).size

    def written_at(self, batch: int) -> float | None:
        """When its manifest was written, in seconds since 1970."""
        return self._manifests.of(batch).at

    def is_whole(self, batch: int) -> bool:
        """Whether a batch that is there can be read; raises `BrokerTrouble` where the broker does not say."""
        try:
            self.read(batch)
        except (Lost, ValueError):  # Arrow's errors are ValueErrors
            return False
        return True

    def forget(self, batch: int) -> None:
        """The newest batch is there no more."""
        self._topics.append(self.topic, MANIFESTS, [forgotten(batch)])

    def pack(self, published: int, size: int) -> int:  # noqa: ARG002  (of the protocol)
        """The broker keeps few large files by itself."""
        return 0

    def sink(self) -> tuple[str, dict[str, str]]:
        """Our own format."""
        return FORMAT, {"feed": told(self.path)}

    def write(self, packets: Iterable[tuple[int, bytes]]) -> list[Packet]:
        """Write packets; they are there for whoever reads a manifest that names them."""
        cut = [
            (rows, [blob[at : at + LARGEST] for at in range(0, len(blob), LARGEST)]) for rows, blob in packets
        ]
        if not cut:
            return []
        offsets = iter(self._topics.append(self.topic, PACKETS, [part for _, parts in cut for part in parts]))
        return [Packet(rows, tuple(next(offsets) for _ in parts)) for rows, parts in cut]

    def commit(self, batch: int, packets: Iterable[Packet]) -> None:
        """These packets are a batch. Said again of the same batch, it does not count.

        Raises `Lost` where batches before it are not there any more: the query has to go back to them.
        """
        if (end := self._manifests.end()) < batch:
            raise Lost(self._topics.broker, f"batches {end} to {batch - 1} of the topic {self.topic!r}")
        self._topics.append(self.topic, MANIFESTS, [Manifest(batch, tuple(packets)).message()])

    def _read(self, manifests: list[Manifest]) -> list[pa.Table]:
        """The rows of each of these batches."""
        spans = [span for span in (manifest.span for manifest in manifests) if span[1]]
        if not spans:
            return [SCHEMA.empty_table() for _ in manifests]
        start, end = min(first for first, _ in spans), max(last for _, last in spans)
        messages = self._topics.fetch(self.topic, PACKETS, start, end)
        parts = {message.offset() or 0: message.value() or b"" for message in messages}
        return [_rows(manifest, parts) for manifest in manifests]

    @property
    def _topics(self) -> Topics:
        return topics_of(_broker(self.path))

    @property
    def _manifests(self) -> Manifests:
        return _manifests(os.getpid(), self._topics, self.topic)


def _rows(manifest: Manifest, parts: Mapping[int, bytes]) -> pa.Table:
    joined = ((packet.rows, b"".join(parts[at] for at in packet.offsets)) for packet in manifest.packets)
    return unpacked(joined, SCHEMA)


def _broker(feed: Place) -> Broker:
    broker = kept(feed.parent.parent)
    if broker is None:
        raise Unknown(feed.name)
    return broker


@lru_cache(maxsize=16_384)
def _manifests(_process: int, topics: Topics, topic: str) -> Manifests:
    return Manifests(topics, topic)


def make(feed: Place, note: str, broker: Broker) -> None:
    """Make the topic of a new feed, under a name that was never used, and in its directory a note of it.

    Of several that do so at once one writes the note; the others delete their topics.
    """
    topic = f"{broker.prefix}.{feed.name}.{uuid.uuid4().hex[:8]}"
    topics_of(broker).make(topic, 2)
    durable.make_folders(feed)
    with durable.drafted(feed / note) as draft:
        draft.sink.write(topic.encode())
        if draft.create():
            return
    topics_of(broker).delete(topic)
