"""A client of a Kafka broker: its first questions before reading, and its errors in words."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from timeline_app.connectors.kafka.brokers import check_brokers, describe_error
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.problems.spelling import close_names

if TYPE_CHECKING:
    from timeline_app.connectors.kafka.source import Kafka

ANSWER_TIMEOUT_S = 8.0
"""For the first answer of a broker."""
NO_HOST_TIMEOUT_S = 2.0
"""Once no address of the broker has an answering host."""
PERMANENT_ERRORS = {
    KafkaError._AUTHENTICATION: "the broker refuses the login of {user!r}: check user, password, mechanism, security",
    KafkaError._SSL: "the encrypted connection fails: check security, ca, certificate and private_key",
    KafkaError._RESOLVE: "no host of that name is known: check servers",
    KafkaError.UNSUPPORTED_SASL_MECHANISM: "the broker does not know the mechanism {mechanism}: choose another one",
    KafkaError.SASL_AUTHENTICATION_FAILED: "the broker refuses the login of {user!r}: check user and password",
}
"""Errors that do not pass with time."""
_STRANGER = "what listens there does not speak as Kafka does: check the port in servers, and security"
CLIENT_MESSAGES = {
    "sasl.username": "user and password are needed where security is with a login: fill them in, or choose another",
    "ssl.ca.pem": "ca is no certificate in PEM: copy it whole, with its lines BEGIN and END",
    "ssl.certificate.pem": "certificate is none in PEM: copy it whole, with its lines BEGIN and END",
    "ssl.key.pem": "private_key is none in PEM: copy it whole, with its lines BEGIN and END",
    "Invalid response size": _STRANGER,
    "receive.message.max.bytes": _STRANGER,
}
"""Messages of the client about options and unknown protocols, by a part of their text."""
ABSENT = "check servers and security, and whether it runs"
OF_TOPIC = {
    KafkaError.UNKNOWN_TOPIC_OR_PART: "there is no topic {topic!r}",
    KafkaError._UNKNOWN_TOPIC: "there is no topic {topic!r}",
    KafkaError._UNKNOWN_PARTITION: "a partition of {topic!r} is gone",
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "{user!r} may not read the topic {topic!r}: let it, on the broker",
    KafkaError._AUTO_OFFSET_RESET: "the broker has dropped messages of {topic!r} that were not read yet",
}


class KafkaConnection:
    """A client, and the errors that it reported."""

    def __init__(self, options: Kafka) -> None:
        """Connect lazily. Raises `SourceUnavailable` where the options do not fit together."""
        self.options = options
        self.errors: list[KafkaError] = []
        try:
            self.client = Consumer(options.settings() | {"error_cb": self.errors.append})
        except KafkaException as why:
            raise options.trouble(why.args[0]) from None

    def metadata(self) -> Any:
        """Return the topics. Raises `SourceUnavailable` with the reason where no broker answers."""
        started = time.monotonic()
        while True:
            with suppress(KafkaException):
                return self.list_topics(timeout=1.0)
            self.client.poll(0.05)  # errors are reported during polls
            waited = time.monotonic() - started
            for error in self.errors:
                if error.code() in PERMANENT_ERRORS:
                    raise self.options.trouble(error)
            down = any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in self.errors)
            if waited > (NO_HOST_TIMEOUT_S if down else ANSWER_TIMEOUT_S):
                raise self._nobody(waited)

    def list_topics(self, timeout: float) -> Any:
        """Return topics and brokers. Raises `EgressRefused` and `KafkaException`."""
        topics = self.client.list_topics(timeout=timeout)
        check_brokers(self.options.egress, topics)
        return topics

    def partitions(self, metadata: Any) -> Iterable[TopicPartition]:
        """Yield all partitions of the wanted topics. Raises `SourceUnavailable` for a missing topic."""
        for topic in self.options.topics:
            topic_metadata = metadata.topics.get(topic)
            if topic_metadata is None or topic_metadata.error is not None:
                error = (topic_metadata and topic_metadata.error) or KafkaError(
                    KafkaError.UNKNOWN_TOPIC_OR_PART
                )
                suggestions = close_names(topic, metadata.topics, cutoff=0.4)
                hint = f". Did you mean {' or '.join(suggestions)}?" if suggestions else ""
                raise SourceUnavailable(f"{self.options.trouble(error, topic)}{hint}")
            yield from (TopicPartition(topic, number) for number in sorted(topic_metadata.partitions))

    def bounds(self, part: TopicPartition) -> tuple[int, int]:
        """Return the first offset that the broker has, and the one after the last. Raises `SourceUnavailable`."""
        try:
            return self.client.get_watermark_offsets(part, timeout=ANSWER_TIMEOUT_S)
        except KafkaException as why:
            raise self.options.trouble(why.args[0], part.topic) from None

    def has_all(self, parts: Iterable[TopicPartition]) -> None:
        """Raise `SourceUnavailable` where offsets are given for partitions that are not read."""
        partitions = {(part.topic, part.partition) for part in parts}
        for topic, number in sorted(self.options.offsets.keys() - partitions):
            partitions_of_topic = [part_name for name, part_name in partitions if name == topic]
            why = f"it has 0 to {max(partitions_of_topic)}" if partitions_of_topic else "it is none of topics"
            raise SourceUnavailable(
                f"offsets names the partition {number} of {topic!r}, which is not read: {why}"
            )

    def named(self, part: TopicPartition, high: int) -> int | None:
        """Return the given offset of a partition, if any. Raises `SourceUnavailable` where it does not exist yet."""
        number = self.options.offsets.get((part.topic, part.partition))
        if number is not None and number > high:
            words = f"offsets has {number} for {part.topic}/{part.partition}, which ends at {high} by now"
            raise SourceUnavailable(f"{words}: correct it, or leave it out and let start be latest")
        return number

    def since(self, part: TopicPartition, moment: int) -> int | None:
        """Return the offset of the first message written at that millisecond or later; None where there is none yet."""
        try:
            [found_offset] = self.client.offsets_for_times(
                [TopicPartition(part.topic, part.partition, moment)], ANSWER_TIMEOUT_S
            )
        except KafkaException as why:
            raise self.options.trouble(why.args[0], part.topic) from None
        if found_offset.error is not None:
            raise self.options.trouble(found_offset.error, part.topic)
        return found_offset.offset if found_offset.offset >= 0 else None

    def _nobody(self, waited: float) -> SourceUnavailable:
        error = next((e for e in self.errors if e.code() != KafkaError._ALL_BROKERS_DOWN), None)
        if error and (words := describe_client_error(error)):
            return SourceUnavailable(f"{words} ({self.options.servers})")
        why = f" ({describe_error(error)})" if error else ""
        return SourceUnavailable(
            f"no broker answers at {self.options.servers} within {waited:.0f} s: {ABSENT}{why}"
        )


def describe_client_error(error: KafkaError) -> str:
    """Describe an error of the client about options or protocols; empty for other errors."""
    return next((words for part, words in CLIENT_MESSAGES.items() if part in error.str()), "")
