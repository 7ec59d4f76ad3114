"""Kafka topics, read by offsets that are stored with the events; no consumer group is joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from confluent_kafka import KafkaError
from confluent_kafka import Message as Raw

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.kafka.brokers import describe_error, pin_servers
from timeline_app.connectors.kafka.connection import (
    ABSENT,
    OF_TOPIC,
    PERMANENT_ERRORS,
    KafkaConnection,
    describe_client_error,
)
from timeline_app.connectors.kafka.options import (
    Ca,
    Certificate,
    Mechanism,
    Password,
    PrivateKey,
    Security,
    Servers,
    User,
    check_topics,
    parse_destination,
    split_names,
)
from timeline_app.connectors.kafka.parsing import (
    check_field,
    check_fields,
    check_moment,
    check_offsets,
    parse_fields,
    parse_moment,
    parse_offsets,
)
from timeline_app.connectors.kafka.reader import MAX_BYTES_PER_PORTION, KafkaReader
from timeline_app.connectors.options import Option
from timeline_app.connectors.reading import Beside, Message, SourceUnavailable

SAMPLE_MESSAGES = 20


class Kafka:
    """Topics of a Kafka broker, whose messages hold one or several JSON objects."""

    title: ClassVar = "Kafka"
    egress: Egress = Egress()
    where: ClassVar = ("servers",)
    """The options that decide where secrets go: when one changes, the secrets must be entered again."""

    def __init__(  # noqa: PLR0913  (the options)
        self,
        *,
        servers: Servers,
        topics: Annotated[str, Option("The topics, several by commas", check_topics)],
        start: Annotated[
            Literal["earliest", "latest"], Option("Where reading begins, the first time")
        ] = "earliest",
        since: Annotated[
            str,
            Option(
                "Or a time, such as 2026-11-22T08:00Z: it begins with what was written then", check_moment
            ),
        ] = "",
        offsets: Annotated[
            str,
            Option("Or offsets, such as plays/0=1500, of topic/partition, several by commas", check_offsets),
        ] = "",
        final_by: Annotated[
            Literal["newest event", "slowest partition"],
            Option("What is final goes by; a partition without events counts until the stream's idle_after"),
        ] = "newest event",
        key_field: Annotated[
            str, Option("The field that takes a message's key, where its event lacks it", check_field)
        ] = "",
        header_fields: Annotated[
            str,
            Option("Those that take its headers: region, or field=header, several by commas", check_fields),
        ] = "",
        security: Security = "plaintext",
        mechanism: Mechanism = "PLAIN",
        user: User = "",
        password: Password = "",
        ca: Ca = "",
        certificate: Certificate = "",
        private_key: PrivateKey = "",
    ) -> None:
        """Connect in `open`."""
        self.servers, self.topics, self.start = ",".join(split_names(servers)), split_names(topics), start
        self.since, self.offsets = parse_moment(since), parse_offsets(offsets)
        self.by_partition = final_by == "slowest partition"
        self._key_field, self._headers = key_field.strip(), parse_fields(header_fields)
        self._credentials = {"user": user, "mechanism": mechanism}
        self._settings: dict[str, Any] = {"bootstrap.servers": self.servers, "security.protocol": security}
        if security.startswith("sasl"):
            self._settings |= {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}
        if security.endswith("ssl"):
            certificates = {"ssl.ca.pem": ca, "ssl.certificate.pem": certificate, "ssl.key.pem": private_key}
            self._settings |= {name: value for name, value in certificates.items() if value}

    def destinations(self) -> Iterable[Destination]:
        """Return the servers."""
        return [parse_destination(server) for server in split_names(self.servers)]

    def open(self, positions: Mapping[str, int]) -> KafkaReader:
        """Continue from known positions. Raises `SourceUnavailable`."""
        return KafkaReader(self, positions)

    def sample(self) -> list[Message]:
        """Return some of the newest messages, to test the connection. Raises `SourceUnavailable`."""
        consumer = KafkaConnection(self)
        try:
            parts = list(consumer.partitions(consumer.metadata()))
            consumer.has_all(parts)
            for part in parts:
                low, high = consumer.bounds(part)
                consumer.named(part, high)
                part.offset = max(low, high - SAMPLE_MESSAGES)
            consumer.client.assign(parts)
            raw_messages = consumer.client.consume(SAMPLE_MESSAGES * len(parts), timeout=1.5)
            return [self.message(raw) for raw in raw_messages if raw.error() is None][-SAMPLE_MESSAGES:]
        finally:
            consumer.client.close()

    def settings(self) -> dict[str, Any]:
        """Return the settings of the client, with reachable brokers. Raises `EgressRefused`."""
        by_name = str(self._settings["security.protocol"]).endswith("ssl")
        servers = pin_servers(self.egress, self.servers, by_name=by_name)
        return {
            **self._settings, "bootstrap.servers": servers,
            "group.id": "timelines", "client.id": "timelines", "enable.auto.commit": False,
            "auto.offset.reset": "error", "allow.auto.create.topics": False, "enable.partition.eof": True,
            "queued.max.messages.kbytes": 2 * MAX_BYTES_PER_PORTION // 1024, "fetch.wait.max.ms": 100,
            "reconnect.backoff.max.ms": 2_000, "log_level": 0,
        }  # fmt: skip

    def message(self, raw: Raw) -> Message:
        """Convert a message, with the key and the headers that fields take."""
        origin = f"{raw.topic()}/{raw.partition()}"
        return Message(raw.value(), origin, raw.offset() or 0, tuple(self._beside(raw)))

    def _beside(self, raw: Raw) -> Iterable[Beside]:
        if self._key_field and (key := raw.key()) is not None:
            yield Beside(self._key_field, "the key", key)
        if self._headers:
            headers = raw.headers() or []
            pairs = headers.items() if isinstance(headers, dict) else headers
            present = {name: value for name, value in pairs if value is not None}
            for field, name in self._headers:
                if name in present:  # the last of several headers with one name
                    yield Beside(field, f"the header {name!r}", _to_bytes(present[name]))

    def trouble(self, error: KafkaError, topic: str = "") -> SourceUnavailable:
        """Return an error as `SourceUnavailable`."""
        if words := describe_client_error(error):
            return SourceUnavailable(f"{words} ({self.servers})")
        words = (
            PERMANENT_ERRORS.get(error.code())
            or OF_TOPIC.get(error.code())
            or f"the broker cannot be used: {ABSENT}"
        )
        message = words.format(topic=topic, **self._credentials)
        return SourceUnavailable(f"{message} ({self.servers}: {describe_error(error)})")


def _to_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
