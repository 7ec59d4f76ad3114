"""The manifests of a feed that is a topic: of each batch, in which messages its packets lie.

They are appended in the order of batches, to a partition of their own. A batch that ran twice has several: the first
counts, unless the batch was forgotten behind it. So the manifest of batch n lies at offset n or, mostly little, later,
and is found there however long the feed is; only the newest are kept in memory.
"""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from confluent_kafka import Message

from timeline_app.storage.broker import BrokerTrouble, Lost
from timeline_app.storage.topics import PATIENCE, REST, Topics

MANIFESTS, PACKETS = 0, 1
"""The partitions of a topic."""
WINDOW = 256
"""So many manifests are looked at together."""
RECENT = 4_096
"""So many of the newest are kept."""
WINDOWS = 8
"""So many windows of older ones are kept."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Packet:
    """So many rows, in the messages at these offsets, joined in this order."""

    rows: int
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The packets of a batch; when they were named, in seconds since 1970."""

    batch: int
    packets: tuple[Packet, ...]
    at: float = 0.0

    @property
    def size(self) -> int:
        """How many rows the batch has."""
        return sum(packet.rows for packet in self.packets)

    @property
    def span(self) -> tuple[int, int]:
        """From the first offset of its packets to the one behind the last; both 0 where there are none."""
        offsets = [offset for packet in self.packets for offset in packet.offsets]
        return (min(offsets), max(offsets) + 1) if offsets else (0, 0)

    def message(self) -> bytes:
        """As it is written."""
        packets = [[packet.rows, packet.offsets] for packet in self.packets]
        return json.dumps({"batch": self.batch, "packets": packets}, separators=(",", ":")).encode()


def forgotten(batch: int) -> bytes:
    """The message after which a batch, and what comes behind it, is there no more."""
    return json.dumps({"forgotten": batch}, separators=(",", ":")).encode()


@dataclass(slots=True)
class Said:
    """What messages in a row say: manifests by batch, and the number after the last batch.

    It is `sure` of the end where it knows the log from its beginning, or has seen a batch follow the one before it.
    Before that, a message may only show that the end is further on.
    """

    found: dict[int, Manifest]
    end: int
    sure: bool = True

    def add(self, message: Message) -> None:
        """The next one."""
        told = json.loads(message.value() or b"")
        if "forgotten" in told:
            self.end = min(self.end, told["forgotten"]) if self.sure else told["forgotten"]
            for batch in [batch for batch in self.found if batch >= self.end]:
                del self.found[batch]
        elif told["batch"] == self.end or (told["batch"] > self.end and not self.sure):
            packets = tuple(Packet(rows, tuple(offsets)) for rows, offsets in told["packets"])
            manifest = Manifest(told["batch"], packets, message.timestamp()[1] / 1_000)
            self.sure = self.sure or manifest.batch == self.end
            self.found[manifest.batch], self.end = manifest, manifest.batch + 1
        # else it ran twice, or came after batches that the broker has lost

    def keep(self, most: int) -> None:
        """Forget the oldest of what is more than so many."""
        while len(self.found) > most:
            del self.found[next(iter(self.found))]


def said(messages: Sequence[Message], *, whole: bool) -> Said:
    """What messages say. Where they are not the `whole` log, the first one may stand for a batch that ran twice."""
    if whole or not messages:
        return _added(Said({}, 0), messages)
    told = json.loads(messages[0].value() or b"")
    end = told.get("batch", -1) + 1 or told.get("forgotten", 0)
    return _added(Said({}, end, sure="forgotten" in told), messages[1:])


def _added(known: Said, messages: Iterable[Message]) -> Said:
    for message in messages:
        known.add(message)
    return known


class Manifests:
    """The manifests of a topic, for one process."""

    def __init__(self, topics: Topics, topic: str) -> None:
        """Nothing is asked yet."""
        self._topics, self._topic = topics, topic
        self._known: Said | None = None
        self._older: deque[dict[int, Manifest]] = deque(maxlen=WINDOWS)
        self._next = 0
        self._rests = 0.0

    def look(self) -> None:
        """Learn what is there just now; raises `BrokerTrouble`."""
        with self._topics.lock:
            end, until = self._topics.end(self._topic, MANIFESTS), time.monotonic() + PATIENCE
            if self._next > end:  # the broker has lost something
                self._known = None
            while self._known is not None and self._next < end:
                if time.monotonic() > until:
                    raise self._topics.away()
                self._topics.news(0.1)
                self._topics.heard(self._topic)
            if self._known is None:
                self._begin()

    def end(self) -> int:
        """The number after the last batch, just now; raises `BrokerTrouble`."""
        self.look()
        return self._known.end if self._known else 0

    def has(self, batch: int) -> bool:
        """Whether a batch is known to be there; of a broker that is away nothing new is known."""
        with self._topics.lock:
            if self._known is None and not self._topics.rests and time.monotonic() > self._rests:
                self._try()
            if not self._reaches(batch):
                self._topics.news()
            return self._reaches(batch)

    def _try(self) -> None:
        """Begin, if the broker answers; else let this topic rest."""
        try:
            self._begin()
        except BrokerTrouble as why:
            log.warning("%s", why)
            self._rests = time.monotonic() + REST

    def _reaches(self, batch: int) -> bool:
        return self._known is not None and batch < self._known.end

    def of(self, batch: int) -> Manifest:
        """The manifest of a batch that is there; raises `BrokerTrouble`."""
        with self._topics.lock:
            if self._known is None:
                self.look()
            assert self._known is not None
            found = next((one for one in (self._known.found, *self._older) if batch in one), None)
            if found is None:
                self._topics.disturb()
                found = self._seek(batch)
                self._older.append(found)
            return found[batch]

    def _begin(self) -> None:
        """Follow the log from its end on."""
        end = self._topics.end(self._topic, MANIFESTS)
        start = max(end - WINDOW, 0)
        known = said(self._topics.fetch(self._topic, MANIFESTS, start, end), whole=not start)
        self._topics.unfollow(self._topic, MANIFESTS)
        self._topics.follow(self._topic, MANIFESTS, end, self._came)
        self._next, self._known = end, known
        self._older.clear()

    def _came(self, message: Message | None) -> None:
        if message is None or self._known is None:
            self._known = None
            return
        end = self._known.end
        self._known.add(message)
        self._known.keep(RECENT)
        if self._known.end < end:
            self._older.clear()
        self._next = (message.offset() or 0) + 1

    def _seek(self, batch: int) -> dict[int, Manifest]:
        """The manifests around that of a batch."""
        start, end = max(batch - 1, 0), self._topics.end(self._topic, MANIFESTS)
        found: dict[int, Manifest] = {}
        while start < end:
            stop = min(start + WINDOW, end)
            told = said(self._topics.fetch(self._topic, MANIFESTS, start, stop), whole=not start)
            found |= told.found
            if batch in found and (told.end > batch + 1 or stop == end):
                return found
            start = stop if stop == end else stop - 1 + max(batch - told.end, 0)
        raise Lost(self._topics.broker, f"batch {batch} of the topic {self._topic!r}")
