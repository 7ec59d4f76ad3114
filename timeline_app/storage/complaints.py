"""What clients of a broker complain of, and what it means for the topics of feeds."""

from __future__ import annotations

from confluent_kafka import KafkaError

FINAL = {
    KafkaError._AUTHENTICATION: "refuses the login of {user!r}: check it in TIMELINE_FEEDS",
    KafkaError.SASL_AUTHENTICATION_FAILED: "refuses the login of {user!r}: check it in TIMELINE_FEEDS",
    KafkaError._SSL: "cannot be spoken to encrypted: check security, ca, certificate and private_key in TIMELINE_FEEDS",
    KafkaError._RESOLVE: "is no host that is known: check TIMELINE_FEEDS",
}
"""What waiting does not cure, and what to do."""
ABSENT = (
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.UNKNOWN_TOPIC_ID,
)
"""There is no such topic, or it is not known yet."""
REFUSED = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
)
"""The login may not do that."""
PASSING = (
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError._DESTROY_BROKER,  # asked by a connection that its client has just given up for another
)
"""Over in a moment."""
SILENT = (
    *PASSING,
    KafkaError._MSG_TIMED_OUT,
    KafkaError._TIMED_OUT,
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
)
"""It does not answer."""
