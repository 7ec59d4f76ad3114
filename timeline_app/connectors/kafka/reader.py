"""Reads topics of a Kafka broker by offsets."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka import Message as Raw

from timeline_app.connectors.kafka.connection import OF_TOPIC, PERMANENT_ERRORS, KafkaConnection
from timeline_app.connectors.reading import Changed, Message, Portion

if TYPE_CHECKING:
    from timeline_app.connectors.kafka.source import Kafka

PORTION_WAIT_S = 0.1
"""A portion ends after this time …"""
MAX_MESSAGES_PER_PORTION, MAX_BYTES_PER_PORTION = 20_000, 8 * 2**20
"""… or at these sizes."""
MESSAGES_PER_CALL = 500
CHECK_PARTITIONS_EVERY_S = 5.0


class KafkaReader:
    """The open topics."""

    def __init__(self, options: Kafka, positions: Mapping[str, int]) -> None:
        """Continue from known positions. Raises `SourceUnavailable`."""
        self._options, self._connection = options, KafkaConnection(options)
        self._client = self._connection.client
        self.positions: dict[str, int] = {}
        self.missed = 0
        self._names: dict[tuple[str, int], str] = {}
        self._ended: set[tuple[str, int]] = set()
        self._looked = time.monotonic()
        try:
            self._assign(positions)
        except BaseException:
            self.close()
            raise

    def take(self) -> Portion:
        """Return the messages of a moment."""
        messages: list[Message] = []
        size, until = 0, time.monotonic() + PORTION_WAIT_S
        while (
            len(messages) < MAX_MESSAGES_PER_PORTION
            and size < MAX_BYTES_PER_PORTION
            and (seconds_left := until - time.monotonic()) > 0
        ):
            for raw in self._consume(seconds_left):
                partition = _place(raw)
                if raw.error() is not None:
                    self._complain(raw, partition)
                    continue
                messages.append(message := self._options.message(raw))
                size += message.weight
                self._ended.discard(partition)
                self.positions[self._names[partition]] = message.number + 1
        self._check_partitions()
        return Portion(messages, dict(self.positions), parts=self._parts())

    def _parts(self) -> dict[str, bool] | None:
        """Return whether each partition was read to its end; None where the stream decides what is final."""
        if not self._options.by_partition:
            return None
        return {f"{topic}/{number}": (topic, number) in self._ended for topic, number in self._names}

    def lag(self) -> int:
        """Return how many messages wait, by the broker's latest answers."""
        waiting = 0
        for (topic, number), name in self._names.items():
            if (topic, number) not in self._ended:
                with suppress(KafkaException):
                    _, high = self._client.get_watermark_offsets(TopicPartition(topic, number), cached=True)
                    waiting += max(high - self.positions[name], 0)
        return waiting

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _assign(self, positions: Mapping[str, int]) -> None:
        metadata = self._connection.metadata()
        parts = list(self._connection.partitions(metadata))
        self._connection.has_all(parts)
        for part in parts:
            name = f"{metadata.cluster_id}/{part.topic}/{part.partition}"
            part.offset = self._begin(
                part, positions.get(name), f"{metadata.cluster_id}/{part.topic}/", positions
            )
            self._names[part.topic, part.partition] = name
            self.positions[name] = part.offset
        self._client.assign(parts)

    def _begin(
        self, part: TopicPartition, offset: int | None, prefix: str, positions: Mapping[str, int]
    ) -> int:
        """Return where to continue; a partition that was added later is read from its beginning."""
        low, high = self._connection.bounds(part)
        if offset is None:
            first = not any(name.startswith(prefix) for name in positions)
            return self._first(part, low, high) if first else low
        if offset > high:  # the topic was deleted and created again
            return low
        self.missed += max(low - offset, 0)
        return max(low, offset)

    def _first(self, part: TopicPartition, low: int, high: int) -> int:
        """Return where to begin a topic that was never read."""
        named = self._connection.named(part, high)
        if named is not None:
            self.missed += max(low - named, 0)
            return max(low, named)
        if self._options.since is None:
            return high if self._options.start == "latest" else low
        offset = self._connection.since(part, self._options.since)
        return high if offset is None else offset

    def _consume(self, seconds: float) -> list[Raw]:
        try:
            messages = self._client.consume(MESSAGES_PER_CALL, timeout=seconds)
        except KafkaException as why:
            raise self._options.trouble(why.args[0]) from None
        for error in self._connection.errors:
            if error.code() in PERMANENT_ERRORS or error.code() == KafkaError._ALL_BROKERS_DOWN:
                raise self._options.trouble(error)
        self._connection.errors.clear()
        return messages

    def _complain(self, raw: Raw, partition: tuple[str, int]) -> None:
        error = raw.error()
        assert error is not None
        if error.code() == KafkaError._PARTITION_EOF:
            self._ended.add(partition)
            # Transaction markers take offsets as well.
            name, offset = self._names[partition], raw.offset()
            self.positions[name] = max(self.positions[name], offset or 0)
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise Changed(str(self._options.trouble(error, partition[0])))
        elif error.code() in OF_TOPIC:
            raise self._options.trouble(error, partition[0])

    def _check_partitions(self) -> None:
        """Check at intervals whether partitions were added."""
        if time.monotonic() - self._looked < CHECK_PARTITIONS_EVERY_S:
            return
        self._looked = time.monotonic()
        with suppress(KafkaException):
            metadata = self._connection.list_topics(timeout=2.0)
            parts = {(part.topic, part.partition) for part in self._connection.partitions(metadata)}
            if parts != set(self._names):
                raise Changed("the topics have other partitions than before")


def _place(raw: Raw) -> tuple[str, int]:
    return str(raw.topic()), raw.partition() or 0
