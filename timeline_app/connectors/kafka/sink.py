"""Kafka: a message per row in a compacted topic; a batch is a transaction, which also stores its number."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, ClassVar, Literal

import orjson
import pyarrow as pa
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from timeline_app.connectors import reading
from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.kafka.brokers import check_brokers, describe_error
from timeline_app.connectors.kafka.connection import ABSENT
from timeline_app.connectors.kafka.options import (
    Ca,
    Certificate,
    Mechanism,
    Password,
    PrivateKey,
    Security,
    Servers,
    User,
    check_topic,
)
from timeline_app.connectors.kafka.source import Kafka as Broker
from timeline_app.connectors.options import Option
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once, TargetUnavailable

ANSWER_TIMEOUT_S = 15.0
MAX_ERRORS_KEPT = 20
SEND_TIMEOUT_S = 120.0
"""For all messages of a batch."""
_FENCED = (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH, KafkaError.PRODUCER_FENCED)


def check_count(value: int) -> str | None:
    """Say what is wrong with a number of partitions or copies."""
    return None if 1 <= value <= 1_000 else "must be from 1 to 1000"


class KafkaTopic(IdempotentSink):
    """A topic of a broker, created if missing. Readers of committed messages see each row once."""

    title: ClassVar = "Kafka topic"
    once: ClassVar = Once.EXACTLY
    place: ClassVar = ("servers", "topic")

    def __init__(  # noqa: PLR0913  (the options)
        self,
        *,
        servers: Servers,
        topic: Annotated[str, Option("The topic", check_topic)],
        keyed_by: Annotated[
            Literal["key", "key and start"],
            Option("Of which messages compaction keeps the newest: of each key, or of each span of it"),
        ] = "key",
        partitions: Annotated[int, Option("Partitions of the topic, where it is made", check_count)] = 1,
        copies: Annotated[int, Option("Copies of each partition, where it is made", check_count)] = 1,
        security: Security = "plaintext",
        mechanism: Mechanism = "PLAIN",
        user: User = "",
        password: Password = "",
        ca: Ca = "",
        certificate: Certificate = "",
        private_key: PrivateKey = "",
    ) -> None:
        """Connect in `open`."""
        self._broker = Broker(
            servers=servers, topics=topic, security=security, mechanism=mechanism, user=user, password=password,
            ca=ca, certificate=certificate, private_key=private_key,
        )  # fmt: skip
        self._topic, self._keyed_by, self._partitions, self._copies = topic, keyed_by, partitions, copies
        self._staged: dict[int, pa.Table] = {}
        self._errors: deque[KafkaError] = deque(maxlen=MAX_ERRORS_KEPT)
        self._producer: Producer | None = None
        self._group: Consumer | None = None
        self._last = -1
        self._lost: list[KafkaError] = []

    def destinations(self) -> Iterable[Destination]:
        """Return the servers."""
        return self._broker.destinations()

    def check(self, delivery: Delivery) -> None:  # noqa: ARG002  (of the contract)
        """Check that the broker answers and reports on the topic; the topic is not created."""
        with self._trouble():
            admin = self._admin()
            if not self._has_topic(admin):
                self._refuse_copies(len(self._list_topics(admin, ANSWER_TIMEOUT_S).brokers))

    def open(self, delivery: Delivery) -> None:
        """Create the topic if missing, and fence off earlier processes of this delivery."""
        with self._trouble():
            admin = self._admin()
            if not self._has_topic(admin):
                self._make(admin)
            self._group = Consumer(self._settings(("client.id", "sasl", "ssl")) | {
                "group.id": f"timelines-{delivery.identity}", "enable.auto.commit": False,
                "isolation.level": "read_committed",
            })  # fmt: skip
            self._producer = Producer(self._settings() | {
                "transactional.id": f"timelines-{delivery.identity}", "transaction.timeout.ms": 60_000,
                "linger.ms": 5, "compression.type": "zstd", "partitioner": "murmur2_random",
            })  # fmt: skip
            self._producer.init_transactions(ANSWER_TIMEOUT_S)
            [committed] = self._group.committed([TopicPartition(self._topic, 0)], timeout=ANSWER_TIMEOUT_S)
            self._last = committed.offset - 1 if committed.offset > 0 else -1

    def last(self) -> int | None:
        """Return the number that the broker stored with the batch's transaction; brokers expire it."""
        return self._last if self._last >= 0 else None

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Keep the rows in memory: an uncommitted transaction would only fill the log."""
        self._staged[batch] = rows

    def publish(self, batch: int) -> None:
        """Send messages and the batch number in one transaction."""
        if batch > self._last and batch in self._staged:
            assert self._producer is not None and self._group is not None, "open comes first"  # noqa: PT018
            with self._trouble():
                self._send(self._producer, self._group, batch)
            self._last = batch
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """Forget the rows, which were only in memory."""
        self._staged.pop(batch, None)

    def close(self) -> None:
        """Close the connections; an open transaction ends by its successor, or by its time-out."""
        if self._group is not None:
            self._group.close()
            self._group = None
        self._producer = None

    def _send(self, producer: Producer, group: Consumer, batch: int) -> None:
        self._lost.clear()
        producer.begin_transaction()
        try:
            for row in self._staged[batch].to_pylist():
                self._produce(producer, row)
            if producer.flush(SEND_TIMEOUT_S) or self._lost:
                raise TargetUnavailable(f"the broker has not taken all messages: {self._describe_failure()}")
            number = TopicPartition(self._topic, 0, batch + 1)
            producer.send_offsets_to_transaction([number], group.consumer_group_metadata(), ANSWER_TIMEOUT_S)
            producer.commit_transaction(ANSWER_TIMEOUT_S)
        except BaseException:
            with suppress(KafkaException):  # the next process that opens the delivery aborts it
                producer.abort_transaction(ANSWER_TIMEOUT_S)
            raise

    def _produce(self, producer: Producer, row: dict[str, Any]) -> None:
        key = row["key"].encode()
        if self._keyed_by != "key":
            key = orjson.dumps([row["key"], row["valid_from"]], option=orjson.OPT_UTC_Z)
        value, until = orjson.dumps(row, option=orjson.OPT_UTC_Z), time.monotonic() + SEND_TIMEOUT_S
        while True:
            try:
                producer.produce(self._topic, value, key, on_delivery=self._delivered)
                producer.poll(0)
                return
            except BufferError:  # the buffer is full: let it send some
                if time.monotonic() > until:
                    raise TargetUnavailable(
                        f"the broker takes no messages: {self._describe_failure()}"
                    ) from None
                producer.poll(0.1)

    def _delivered(self, error: KafkaError | None, _message: object) -> None:
        if error is not None:
            self._lost.append(error)

    def _describe_failure(self) -> str:
        failures = [*self._lost, *self._errors]
        return describe_error(failures[-1]) if failures else "it does not answer"

    def _admin(self) -> AdminClient:
        return AdminClient(self._settings())

    def _settings(self, beginnings: tuple[str, ...] = ("client.id", "sasl", "ssl")) -> dict[str, Any]:
        self._broker.egress = self.egress
        names = ("bootstrap.servers", "security.protocol", *beginnings)
        document = {name: value for name, value in self._broker.settings().items() if name.startswith(names)}
        return document | {"error_cb": self._errors.append, "log_level": 0, "reconnect.backoff.max.ms": 2_000}

    def _list_topics(self, admin: AdminClient, timeout: float) -> Any:
        """Return the broker's topics. Raises `EgressRefused` for brokers that may not be reached."""
        metadata = admin.list_topics(timeout=timeout)
        check_brokers(self.egress, metadata)
        return metadata

    def _has_topic(self, admin: AdminClient) -> bool:
        """Return whether the topic exists and is writable. Raises `TargetUnavailable` without an answer."""
        started = time.monotonic()
        while True:
            try:
                topic_metadata = self._list_topics(admin, 1.0).topics.get(self._topic)
            except KafkaException:
                admin.poll(0.05)  # errors are reported during polls
                down = any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in self._errors)
                sure = any(
                    error.code() in (KafkaError._AUTHENTICATION, KafkaError._SSL) for error in self._errors
                )
                if sure or time.monotonic() - started > (2.0 if down else 8.0):
                    error = next((e for e in self._errors if e.code() != KafkaError._ALL_BROKERS_DOWN), None)
                    raise self._explain(error or KafkaError(KafkaError._ALL_BROKERS_DOWN)) from None
                continue
            return topic_metadata is not None and topic_metadata.error is None

    def _refuse_copies(self, brokers: int) -> None:
        """Refuse more copies than brokers: each holds one at most."""
        if self._copies > brokers:
            brokers_text = "there is 1 broker" if brokers == 1 else f"there are {brokers} brokers"
            raise TargetUnavailable(
                f"copies is {self._copies}, and {brokers_text}: let it be {brokers} at most"
            )

    def _make(self, admin: AdminClient) -> None:
        settings = {"cleanup.policy": "compact"}
        topic = NewTopic(self._topic, self._partitions, self._copies, config=settings)
        try:
            admin.create_topics([topic])[self._topic].result(ANSWER_TIMEOUT_S)
        except KafkaException as why:
            if why.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Raise errors of the broker as `TargetUnavailable`."""
        try:
            yield
        except KafkaException as why:
            raise self._explain(why.args[0]) from why
        except reading.SourceUnavailable as why:
            raise TargetUnavailable(str(why)) from None
        except SystemError as why:  # raised by `flush` once another process has fenced off this one
            raise TargetUnavailable(
                f"the client of the broker has given up: {self._describe_failure()}"
            ) from why

    def _explain(self, error: KafkaError) -> TargetUnavailable:
        if error.code() in _FENCED:
            return TargetUnavailable("another process has taken over this delivery")
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            return TargetUnavailable(f"no broker answers at {self._broker.servers}: {ABSENT}")
        return TargetUnavailable(str(self._broker.trouble(error, self._topic)))
