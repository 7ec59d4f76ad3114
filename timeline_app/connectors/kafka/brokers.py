"""Decides which Kafka brokers may be reached: those that options name, and those that these name in turn.

The client (librdkafka) resolves names and connects on its own. So addresses are checked before it starts, and it gets
the checked addresses unless a certificate needs the names. The brokers of each answer are checked before any of them
is asked for messages. docs/security.md says what remains.
"""

from __future__ import annotations

import logging
import socket
from typing import Any

from confluent_kafka import KafkaError

from timeline_app.connectors.egress.policy import EGRESS_HINT, Egress, EgressRefused
from timeline_app.connectors.kafka.options import parse_destination, split_names
from timeline_app.connectors.reading import SourceUnavailable

log = logging.getLogger(__name__)
_KNOWN = (
    "Connection refused",
    "Connection reset",
    "timed out",
    "No route to host",
    "Network is unreachable",
    "Disconnected",
    "certificate verify failed",
)
"""The client's own messages; all others may repeat words of the other side."""


def pin_servers(egress: Egress, servers: str, *, by_name: bool) -> str:
    """Return the bootstrap brokers, each reachable. Raises `EgressRefused` and `SourceUnavailable`.

    With `by_name` a certificate is checked against the names, which therefore stay; else addresses replace them.
    """
    names: list[str] = []
    for server in split_names(servers):
        host, port = parse_destination(server)
        try:
            addresses = egress.addresses(host, port)
        except socket.gaierror:
            continue
        written = [
            f"[{address.address}]" if ":" in address.address else address.address for address in addresses
        ]
        names += [server] if by_name else [f"{item}:{port}" for item in written]
    if not names:
        raise SourceUnavailable(f"no host of that name is known: check servers ({servers})")
    return ",".join(dict.fromkeys(names))


def check_brokers(egress: Egress, metadata: Any) -> None:
    """Raise `EgressRefused` where an answer names a broker that may not be reached; its name is not repeated."""
    brokers = list(metadata.brokers.values())
    refused = 0
    for broker in brokers:
        try:
            egress.addresses(str(broker.host), int(broker.port))
        except EgressRefused as why:
            refused += 1
            log.warning("a broker that another one names is not reached: %s", why)
        except (OSError, ValueError):
            continue
    if refused:
        raise EgressRefused(
            f"the broker names {len(brokers)} brokers, {refused} of which may not be reached: {EGRESS_HINT}"
        )


def describe_error(error: KafkaError) -> str:
    """Return the kind of an error: its text may repeat the broker's words, or an address."""
    known_words = next((words for words in _KNOWN if words.lower() in error.str().lower()), "")
    return known_words or error.name()
