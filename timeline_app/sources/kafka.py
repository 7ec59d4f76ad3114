"""Kafka: topics of a broker, read by offsets that whoever takes the events keeps; no consumer group is joined."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Literal

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka import Message as Raw

from timeline_app.sources.kafka_login import (
    Ca,
    Certificate,
    Mechanism,
    Password,
    PrivateKey,
    Security,
    Servers,
    User,
    names,
    no_topics,
)
from timeline_app.sources.kafka_words import fields_of, moment_of, no_field, no_fields, no_moment
from timeline_app.sources.options import Option
from timeline_app.sources.reading import Beside, Changed, Message, Portion, Trouble

PATIENCE = 8.0
"""So many seconds are waited for the first answer of a broker."""
REFUSED = 2.0
"""So many, once nobody was found at any of its addresses."""
WAIT = 0.1
"""A portion is what comes within so many seconds …"""
MOST, LARGEST = 20_000, 8 * 2**20
"""… or so many messages, or bytes."""
AT_ONCE = 500
LOOK = 5.0
"""So many seconds lie between two looks at which partitions there are."""
SAMPLE = 20
_SURE = {
    KafkaError._AUTHENTICATION: "the broker refuses the login of {user!r}: check user, password and mechanism",
    KafkaError._SSL: "the encrypted connection fails: check security, ca, certificate and private_key",
    KafkaError._RESOLVE: "no host of that name is known: check servers",
    KafkaError.UNSUPPORTED_SASL_MECHANISM: "the broker does not know the mechanism {mechanism}",
    KafkaError.SASL_AUTHENTICATION_FAILED: "the broker refuses the login of {user!r}: check user and password",
}
"""What does not get better by waiting a moment, in words."""
_OF_TOPIC = {
    KafkaError.UNKNOWN_TOPIC_OR_PART: "there is no topic {topic!r}",
    KafkaError._UNKNOWN_TOPIC: "there is no topic {topic!r}",
    KafkaError._UNKNOWN_PARTITION: "a partition of {topic!r} is gone",
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "{user!r} may not read the topic {topic!r}: let it, on the broker",
    KafkaError._AUTO_OFFSET_RESET: "the broker has dropped messages of {topic!r} that were not read yet",
}


class Kafka:
    """Topics of a Kafka broker, whose messages are JSON objects, one or several a message."""

    title: ClassVar = "Kafka"
    where: ClassVar = ("servers",)
    """The options that say who gets the secrets: where one of these changes, they are to be given again."""

    def __init__(  # noqa: PLR0913  (the options)
        self,
        *,
        servers: Servers,
        topics: Annotated[str, Option("the topics, several by commas", no_topics)],
        start: Annotated[
            Literal["earliest", "latest"], Option("where reading begins, the first time")
        ] = "earliest",
        since: Annotated[
            str,
            Option("or a time, such as 2026-11-22T08:00Z: it begins with what was written then", no_moment),
        ] = "",
        key_field: Annotated[
            str, Option("the field that takes a message's key, where its event lacks it", no_field)
        ] = "",
        header_fields: Annotated[
            str, Option("those that take its headers: region, or field=header, several by commas", no_fields)
        ] = "",
        security: Security = "plaintext",
        mechanism: Mechanism = "PLAIN",
        user: User = "",
        password: Password = "",
        ca: Ca = "",
        certificate: Certificate = "",
        private_key: PrivateKey = "",
    ) -> None:
        """Nothing is opened yet."""
        self.servers, self.topics, self.start = ",".join(names(servers)), names(topics), start
        self.since = moment_of(since)
        self._key_field, self._headers = key_field.strip(), fields_of(header_fields)
        self._told = {"user": user, "mechanism": mechanism}
        self._settings: dict[str, Any] = {"bootstrap.servers": self.servers, "security.protocol": security}
        if security.startswith("sasl"):
            self._settings |= {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}
        if security.endswith("ssl"):
            given = {"ssl.ca.pem": ca, "ssl.certificate.pem": certificate, "ssl.key.pem": private_key}
            self._settings |= {name: value for name, value in given.items() if value}

    def open(self, known: Mapping[str, int]) -> KafkaReader:
        """Read on from known positions; raises `Trouble`."""
        return KafkaReader(self, known)

    def sample(self) -> list[Message]:
        """Some of the newest messages, as a test of the connection; raises `Trouble`."""
        consumer = _Connection(self)
        try:
            parts = list(consumer.partitions(consumer.metadata()))
            for part in parts:
                low, high = consumer.bounds(part)
                part.offset = max(low, high - SAMPLE)
            consumer.client.assign(parts)
            found = consumer.client.consume(SAMPLE * len(parts), timeout=1.5)
            return [self.message(raw) for raw in found if raw.error() is None][-SAMPLE:]
        finally:
            consumer.client.close()

    def settings(self) -> dict[str, Any]:
        """Those of the client."""
        return {
            **self._settings, "group.id": "timelines", "client.id": "timelines", "enable.auto.commit": False,
            "auto.offset.reset": "error", "allow.auto.create.topics": False, "enable.partition.eof": True,
            "queued.max.messages.kbytes": 2 * LARGEST // 1024, "fetch.wait.max.ms": 100,
            "reconnect.backoff.max.ms": 2_000, "log_level": 0,
        }  # fmt: skip

    def message(self, raw: Raw) -> Message:
        """What came, with the key and the headers that fields take."""
        place = f"{raw.topic()}/{raw.partition()}"
        return Message(raw.value(), place, raw.offset() or 0, tuple(self._beside(raw)))

    def _beside(self, raw: Raw) -> Iterable[Beside]:
        if self._key_field and (key := raw.key()) is not None:
            yield Beside(self._key_field, "the key", key)
        if self._headers:
            told = raw.headers() or []
            pairs = told.items() if isinstance(told, dict) else told
            there = {name: value for name, value in pairs if value is not None}
            for field, name in self._headers:
                if name in there:  # the last of several of one name
                    yield Beside(field, f"the header {name!r}", _bytes(there[name]))

    def trouble(self, error: KafkaError, topic: str = "") -> Trouble:
        """An error in words."""
        words = _SURE.get(error.code()) or _OF_TOPIC.get(error.code()) or "the broker cannot be used"
        said = words.format(topic=topic, **self._told)
        return Trouble(f"{said} ({self.servers}: {_short(error.str() or error.name())})")


class _Connection:
    """A client, and what it complained of."""

    def __init__(self, options: Kafka) -> None:
        """Raises `Trouble` where the options cannot be used together."""
        self.options = options
        self.errors: list[KafkaError] = []
        try:
            self.client = Consumer(options.settings() | {"error_cb": self.errors.append})
        except KafkaException as why:
            raise options.trouble(why.args[0]) from None

    def metadata(self) -> Any:
        """Which topics there are; raises `Trouble` where no broker says so, with the reason."""
        began = time.monotonic()
        while True:
            with suppress(KafkaException):
                return self.client.list_topics(timeout=1.0)
            self.client.poll(0.05)  # complaints come by this
            waited = time.monotonic() - began
            for error in self.errors:
                if error.code() in _SURE:
                    raise self.options.trouble(error)
            down = any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in self.errors)
            if waited > (REFUSED if down else PATIENCE):
                raise self._nobody(waited)

    def partitions(self, found: Any) -> Iterable[TopicPartition]:
        """All partitions of the wanted topics; raises `Trouble` where there is no such topic."""
        for topic in self.options.topics:
            one = found.topics.get(topic)
            if one is None or one.error is not None:
                error = (one and one.error) or KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
                near = difflib.get_close_matches(topic, found.topics, n=3, cutoff=0.4)
                hint = f". Did you mean {' or '.join(near)}?" if near else ""
                raise Trouble(f"{self.options.trouble(error, topic)}{hint}")
            yield from (TopicPartition(topic, number) for number in sorted(one.partitions))

    def bounds(self, part: TopicPartition) -> tuple[int, int]:
        """The first offset that the broker has, and the one after the last; raises `Trouble`."""
        try:
            return self.client.get_watermark_offsets(part, timeout=PATIENCE)
        except KafkaException as why:
            raise self.options.trouble(why.args[0], part.topic) from None

    def since(self, part: TopicPartition, moment: int) -> int | None:
        """The offset of the first message that was written at that millisecond or later; None: there is none yet."""
        try:
            [found] = self.client.offsets_for_times(
                [TopicPartition(part.topic, part.partition, moment)], PATIENCE
            )
        except KafkaException as why:
            raise self.options.trouble(why.args[0], part.topic) from None
        if found.error is not None:
            raise self.options.trouble(found.error, part.topic)
        return found.offset if found.offset >= 0 else None

    def _nobody(self, waited: float) -> Trouble:
        said = next((e for e in self.errors if e.code() != KafkaError._ALL_BROKERS_DOWN), None)
        why = f": {_short(said.str())}" if said else ""
        return Trouble(f"no broker answers at {self.options.servers} within {waited:.0f} s{why}")


class KafkaReader:
    """The open topics."""

    def __init__(self, options: Kafka, known: Mapping[str, int]) -> None:
        """Go on from known positions; raises `Trouble`."""
        self._options, self._connection = options, _Connection(options)
        self._client = self._connection.client
        self.positions: dict[str, int] = {}
        self.missed = 0
        self._names: dict[tuple[str, int], str] = {}
        self._ended: set[tuple[str, int]] = set()
        self._looked = time.monotonic()
        try:
            self._assign(known)
        except BaseException:
            self.close()
            raise

    def take(self) -> Portion:
        """What comes within a moment."""
        found: list[Message] = []
        size, until = 0, time.monotonic() + WAIT
        while len(found) < MOST and size < LARGEST and (left := until - time.monotonic()) > 0:
            for raw in self._consume(left):
                place = _place(raw)
                if raw.error() is not None:
                    self._complain(raw, place)
                    continue
                found.append(message := self._options.message(raw))
                size += message.weight
                self._ended.discard(place)
                self.positions[self._names[place]] = message.number + 1
        self._look()
        return Portion(found, dict(self.positions))

    def lag(self) -> int:
        """How many messages wait, as the broker said with what it last sent."""
        waiting = 0
        for (topic, number), name in self._names.items():
            if (topic, number) not in self._ended:
                with suppress(KafkaException):
                    _, high = self._client.get_watermark_offsets(TopicPartition(topic, number), cached=True)
                    waiting += max(high - self.positions[name], 0)
        return waiting

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _assign(self, known: Mapping[str, int]) -> None:
        found = self._connection.metadata()
        parts = list(self._connection.partitions(found))
        for part in parts:
            name = f"{found.cluster_id}/{part.topic}/{part.partition}"
            part.offset = self._begin(part, known.get(name), f"{found.cluster_id}/{part.topic}/", known)
            self._names[part.topic, part.partition] = name
            self.positions[name] = part.offset
        self._client.assign(parts)

    def _begin(self, part: TopicPartition, offset: int | None, prefix: str, known: Mapping[str, int]) -> int:
        """Where to go on; a partition that came later is read from its beginning."""
        low, high = self._connection.bounds(part)
        if offset is None:
            first = not any(name.startswith(prefix) for name in known)
            return self._first(part, low, high) if first else low
        if offset > high:  # the topic was deleted and made anew
            return low
        self.missed += max(low - offset, 0)
        return max(low, offset)

    def _first(self, part: TopicPartition, low: int, high: int) -> int:
        """Where a topic is begun that was never read."""
        if self._options.since is None:
            return high if self._options.start == "latest" else low
        found = self._connection.since(part, self._options.since)
        return high if found is None else found

    def _consume(self, seconds: float) -> list[Raw]:
        try:
            found = self._client.consume(AT_ONCE, timeout=seconds)
        except KafkaException as why:
            raise self._options.trouble(why.args[0]) from None
        for error in self._connection.errors:
            if error.code() in _SURE or error.code() == KafkaError._ALL_BROKERS_DOWN:
                raise self._options.trouble(error)
        self._connection.errors.clear()
        return found

    def _complain(self, raw: Raw, place: tuple[str, int]) -> None:
        error = raw.error()
        assert error is not None
        if error.code() == KafkaError._PARTITION_EOF:
            self._ended.add(place)
            # Marks of transactions take offsets as well.
            name, offset = self._names[place], raw.offset()
            self.positions[name] = max(self.positions[name], offset or 0)
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise Changed(str(self._options.trouble(error, place[0])))
        elif error.code() in _OF_TOPIC:
            raise self._options.trouble(error, place[0])

    def _look(self) -> None:
        """Whether there are other partitions than before, now and then."""
        if time.monotonic() - self._looked < LOOK:
            return
        self._looked = time.monotonic()
        with suppress(KafkaException):
            found = self._client.list_topics(timeout=2.0)
            parts = {(part.topic, part.partition) for part in self._connection.partitions(found)}
            if parts != set(self._names):
                raise Changed("the topics have other partitions than before")


def _place(raw: Raw) -> tuple[str, int]:
    return str(raw.topic()), raw.partition() or 0


def _bytes(told: str | bytes) -> bytes:
    return told.encode() if isinstance(told, str) else told


def _short(words: str) -> str:
    """What the client said, without the thread and the seconds."""
    told = re.sub(r"^\[thrd:[^\]]*\]: |\(after \d+ms[^)]*\)", "", words).strip()
    return told if len(told) <= 200 else f"{told[:199]}…"
