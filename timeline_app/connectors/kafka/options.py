"""Options for reaching and logging in to Kafka brokers, shared by source and sink, with their checks."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.options import MAX_CERTIFICATE_CHARS, MAX_NAME_CHARS, Option

_SERVER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})")
_TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")


def split_names(text: str) -> list[str]:
    """Split a text at its commas.

    >>> split_names("plays, seeks,")
    ['plays', 'seeks']
    """
    return [item.strip() for item in text.split(",") if item.strip()]


def parse_destination(server: str) -> Destination:
    """Return host and port of a broker's address.

    >>> parse_destination("broker:9092"), parse_destination("[::1]:9092")
    (('broker', 9092), ('::1', 9092))
    """
    host, _, port = server.rpartition(":")
    return host.strip("[]"), int(port)


def check_servers(text: str) -> str | None:
    """Say what is wrong with addresses of brokers, and what to do."""
    for server in split_names(text) or [""]:
        match_ = _SERVER.fullmatch(server)
        if not match_ or not 0 < int(match_[2]) < 65_536:
            return f"{server!r} is no address of a broker; write host:port, several by commas"
    return None


def check_topic(text: str) -> str | None:
    """Say what is wrong with the name of a topic, and what to do."""
    if _TOPIC.fullmatch(text) and text not in (".", ".."):
        return None
    return f"{text!r} cannot be a topic; use letters, digits, '.', '_' and '-'"


def check_topics(text: str) -> str | None:
    """Say what is wrong with several names of topics, and what to do."""
    topics = split_names(text)
    problem = next(filter(None, map(check_topic, topics or [""])), None)
    if problem:
        return f"{problem}, several by commas"
    twice = next((topic for topic in topics if topics.count(topic) > 1), None)
    return twice and f"{twice!r} stands there twice; name each topic once"


Servers = Annotated[str, Option("The brokers, host:port, several by commas", check_servers)]
Security = Annotated[
    Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"],
    Option("How the broker is spoken to; sasl is with a login, ssl is encrypted", guards=True),
]
Mechanism = Annotated[
    Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], Option("How the login is proved (sasl)", guards=True)
]
User = Annotated[str, Option("The name of the login (sasl)", most=MAX_NAME_CHARS)]
Password = Annotated[str, Option("Its password (sasl)", secret=True)]
Ca = Annotated[
    str,
    Option(
        "The certificates that sign the broker's, PEM; empty: those of the system (ssl)",
        guards=True,
        most=MAX_CERTIFICATE_CHARS,
    ),
]
Certificate = Annotated[str, Option("The client's certificate, PEM (ssl)", most=MAX_CERTIFICATE_CHARS)]
PrivateKey = Annotated[str, Option("Its private key, PEM (ssl)", secret=True, most=MAX_CERTIFICATE_CHARS)]
