"""Topics of the broker of the feeds: written, read by offsets, and followed. No consumer group is joined.

Clients of a broker have threads, which a fork leaves behind: each process makes its own when it first needs them.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from timeline_app.storage.broker import Away, Broker, BrokerTrouble, Lost
from timeline_app.storage.complaints import ABSENT, FINAL, PASSING, REFUSED, SILENT

PATIENCE = 10.0
"""So many seconds are waited for an answer."""
SENDING = 30.0
"""So many until a message that the broker does not take is given up."""
REST = 2.0
"""A broker that did not answer is not asked for so many seconds by who can do without."""
NO_ANSWER = "does not answer: it is tried again, see whether it runs"
AT_ONCE = 500
KEPT = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}
"""Settings of a topic that keeps everything."""
log = logging.getLogger(__name__)
Follower = Callable[[Message | None], None]
"""Gets each message that comes; None when the topic has to be followed anew."""


class Topics:
    """The topics of a broker, for one process."""

    def __init__(self, broker: Broker) -> None:
        """Nothing is connected yet."""
        self.broker = broker
        self.lock = threading.RLock()
        self._rests = 0.0
        self._errors: deque[KafkaError] = deque(maxlen=8)
        self._followers: dict[str, Follower] = {}
        self._wrong: dict[str, KafkaError] = {}
        self._producing: Producer | None = None

    @property
    def rests(self) -> bool:
        """Whether it did not answer just now: who only wants to know whether there is more does not ask it."""
        return time.monotonic() < self._rests

    def disturb(self) -> None:
        """Raise `Away` while it rests: to ask would take as long as before."""
        if self.rests:
            raise Away(self.broker, NO_ANSWER)

    def make(self, topic: str, partitions: int) -> None:
        """Make a topic that keeps everything."""
        made = NewTopic(topic, partitions, self.broker.copies, config=KEPT)
        try:
            self._admin.create_topics([made], request_timeout=PATIENCE)[topic].result(PATIENCE)
        except KafkaException as why:
            raise self._trouble(why.args[0], topic) from None
        except TimeoutError:
            raise self.away() from None

    def delete(self, topic: str) -> None:
        """Delete a topic that nobody uses; one that cannot be deleted is left, and told."""
        try:
            self._admin.delete_topics([topic], request_timeout=PATIENCE)[topic].result(PATIENCE)
        except (KafkaException, TimeoutError) as why:
            log.warning("the topic %s is used by nobody, and cannot be deleted: %s", topic, why)

    def append(self, topic: str, partition: int, values: Iterable[bytes]) -> list[int]:
        """Write messages; the offset of each. All have them that must, when this returns."""
        with self.lock:
            self._errors.clear()
            try:
                return self._append(topic, partition, values)
            except BaseException:
                self._producing = None  # one that has given up a message may not go on
                raise

    def _append(self, topic: str, partition: int, values: Iterable[bytes]) -> list[int]:
        producer, offsets, failed = self._producer(), list[int](), list[KafkaError]()

        def delivered(error: KafkaError | None, message: Message) -> None:
            """Told in the order of the messages: they are of one partition."""
            if error is not None:
                failed.append(error)
            offsets.append(message.offset() or 0)

        for value in values:
            self._produce(producer, topic, value, partition=partition, on_delivery=delivered)
            producer.poll(0)
        left = producer.flush(SENDING + 1.0)
        if left or failed:
            raise self._trouble(failed[0], topic) if failed else self.away()
        return offsets

    def _produce(self, producer: Producer, topic: str, value: bytes, **told: Any) -> None:
        until = time.monotonic() + SENDING
        while time.monotonic() < until:
            try:
                producer.produce(topic, value, **told)
                return
            except BufferError:  # it holds as many as it may: let it send some
                producer.poll(0.1)
            except KafkaException as why:
                raise self._trouble(why.args[0], topic) from None
        raise self.away()

    def end(self, topic: str, partition: int) -> int:
        """The offset after the last message, just now."""
        place, until = TopicPartition(topic, partition), time.monotonic() + PATIENCE
        with self.lock:
            self._errors.clear()
            while True:
                try:
                    found = int(self._fetcher.get_watermark_offsets(place, PATIENCE)[1])
                    self._rests = 0.0
                    return found
                except KafkaException as why:
                    error = why.args[0]
                    if time.monotonic() > until or not self._passes(error, topic):
                        raise self._trouble(error, topic) from None
                time.sleep(0.1)

    def fetch(self, topic: str, partition: int, start: int, end: int) -> list[Message]:
        """The messages from start to end (exclusive)."""
        found: list[Message] = []
        with self.lock:
            self.disturb()
            self._errors.clear()
            self._fetcher.assign([TopicPartition(topic, partition, start)])
            try:
                until = time.monotonic() + PATIENCE
                while len(found) < end - start:
                    came = self._fetcher.consume(min(AT_ONCE, end - start - len(found)), timeout=0.5)
                    found += [message for message in came if self._sound(message, topic)]
                    until = time.monotonic() + PATIENCE if came else until
                    if time.monotonic() > until:
                        raise self._short(topic, partition, end)
            finally:
                self._fetcher.unassign()
        return found

    def follow(self, topic: str, partition: int, start: int, follower: Follower) -> None:
        """Tell the follower of what comes from an offset on, whenever somebody calls `news`."""
        with self.lock:
            self._followers[topic] = follower
            self._tail.incremental_assign([TopicPartition(topic, partition, start)])

    def unfollow(self, topic: str, partition: int) -> None:
        """Tell nobody of it any more."""
        with self.lock:
            if self._followers.pop(topic, None):
                self._tail.incremental_unassign([TopicPartition(topic, partition)])

    def news(self, seconds: float = 0.0) -> None:
        """Tell the followers what has come; waits at most so long for something."""
        with self.lock:
            for message in self._tail.consume(AT_ONCE, timeout=seconds) if self._followers else ():
                self._came(message)

    def _came(self, message: Message) -> None:
        topic, error = str(message.topic()), message.error()
        follower = self._followers.get(topic)
        if follower is None:
            return
        if error is None:
            self._wrong.pop(topic, None)
            follower(message)
        elif error.code() in (*ABSENT, KafkaError._AUTO_OFFSET_RESET):
            self.unfollow(topic, message.partition() or 0)
            follower(None)
        elif error.code() not in PASSING:
            self._note(topic, error)

    def heard(self, topic: str) -> None:
        """Raise `BrokerTrouble` where following the topic went wrong since it was last followed well."""
        with self.lock:
            if error := self._wrong.pop(topic, None):
                raise self._trouble(error, topic)

    def _note(self, topic: str, error: KafkaError) -> None:
        """Following went wrong: said once, until it goes well again."""
        if topic not in self._wrong:
            log.warning("the topic %s cannot be followed: %s", topic, error.str())
        self._wrong[topic] = error

    def _sound(self, message: Message, topic: str) -> bool:
        """Whether it is a message, and not a complaint that passes; raises `BrokerTrouble` of others."""
        error = message.error()
        if error is not None and not self._passes(error, topic):
            raise self._trouble(error, topic)
        return error is None

    def _passes(self, error: KafkaError, topic: str) -> bool:
        """Whether it is over in a moment: a broker that was just started, a topic that was just made."""
        return error.code() in PASSING or (error.code() in ABSENT and self._there(topic) is True)

    def _there(self, topic: str) -> bool | None:
        """Whether there is such a topic; None where nobody says."""
        try:
            return topic in self._admin.list_topics(timeout=PATIENCE).topics
        except KafkaException:
            return None

    def _short(self, topic: str, partition: int, end: int) -> BrokerTrouble:
        """Not all came: the broker is away, as its client may have said by now, or has less."""
        if any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in self._errors):
            return self.away()
        if self.end(topic, partition) < end:
            return Lost(self.broker, f"messages of the topic {topic!r}")
        return self.away()

    def _trouble(self, error: KafkaError, topic: str) -> BrokerTrouble:
        said = [error, *self._errors]
        if words := next((FINAL[one.code()] for one in said if one.code() in FINAL), ""):
            return BrokerTrouble(self.broker, words.format(user=self.broker.user))
        if error.code() in ABSENT:
            if self._there(topic) is False:
                return BrokerTrouble(self.broker, f"has no topic {topic!r}: it is looked for again")
            return self.away()  # so clients say of a broker that is away or just coming, too
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            return Lost(self.broker, f"messages of the topic {topic!r}")
        if error.code() in REFUSED:
            may = "let it make, read and write topics of that prefix"
            return BrokerTrouble(self.broker, f"forbids {self.broker.user!r} the topic {topic!r}: {may}")
        if error.retriable() or error.code() in SILENT:
            return self.away()
        return BrokerTrouble(self.broker, f"refuses the topic {topic!r}: {error.str() or error.name()}")

    def away(self) -> BrokerTrouble:
        """It does not answer, or says why: let it rest."""
        self._rests = time.monotonic() + REST
        self._admin.poll(0.05)  # complaints come by this
        self._fetcher.poll(0)
        final = next((one for one in self._errors if one.code() in FINAL), None)
        if final is not None:
            return self._trouble(final, "")
        return Away(self.broker, NO_ANSWER)

    def _producer(self) -> Producer:
        if self._producing is None:
            self._producing = Producer(
                self._settings() | {
                    "enable.idempotence": True, "linger.ms": 2, "message.timeout.ms": int(SENDING * 1_000),
                }
            )  # fmt: skip
        return self._producing

    @cached_property
    def _admin(self) -> AdminClient:
        return AdminClient(self._settings())

    @cached_property
    def _fetcher(self) -> Consumer:
        """Is assigned what is just read: an answer that waits for more would hold up the next question."""
        return Consumer(self._reading() | {"fetch.wait.max.ms": 10, "queued.min.messages": 100})

    @cached_property
    def _tail(self) -> Consumer:
        """Follows the ends of topics."""
        return Consumer(self._reading() | {"fetch.wait.max.ms": 100})

    def _reading(self) -> dict[str, Any]:
        return self._settings() | {
            "group.id": "timelines-feeds", "enable.auto.commit": False, "auto.offset.reset": "error",
            "allow.auto.create.topics": False,
        }  # fmt: skip

    def _settings(self) -> dict[str, Any]:
        return self.broker.settings() | {"error_cb": self._errors.append}


_OPEN: dict[tuple[int, Broker], Topics] = {}
"""By process: what another one has opened stays here untouched, for to close it would wait for threads that are not."""
_OPENING = threading.Lock()


def topics_of(broker: Broker) -> Topics:
    """The topics of a broker, for this process."""
    with _OPENING:
        return _OPEN.setdefault((os.getpid(), broker), Topics(broker))
