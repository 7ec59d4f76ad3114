"""The Kafka broker whose topics may be the feeds of an installation: how it is reached, and what is wrong with it.

The file `feeds-broker` of the data directory says how. Whoever sees that directory reads and writes topics, a
task of Spark too, and no secret goes through Spark.
"""

from __future__ import annotations

import errno
import json
import os
import uuid
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from timeline_app.storage import durable
from timeline_app.storage.addresses import Place

WORDS = "the broker of the feeds"
"""With this begins what is said of trouble with it."""
LOST = "has lost"
"""And so goes on what is said of `Lost`."""
_FILE = "feeds-broker"


class BrokerTrouble(OSError):
    """The broker of the feeds does not answer, or refuses: says why, and what to do."""

    number = errno.ECONNABORTED
    """By which it is known that nothing is torn."""

    def __init__(self, broker: Broker, why: str) -> None:
        """`why` follows its addresses."""
        super().__init__(f"{WORDS} ({broker.servers}) {why}")
        self.errno = self.number


class Unknown(BrokerTrouble):
    """Nothing says which broker has a feed."""

    def __init__(self, feed: str) -> None:
        """It is that feed."""
        OSError.__init__(
            self, f"{WORDS} is not known, and {feed} is a topic: set TIMELINE_FEEDS, and start the product"
        )


class Away(BrokerTrouble):
    """It does not answer; what is asked of its other topics meanwhile will wait as long."""


class Lost(BrokerTrouble):
    """It answers, and what was written is not there any more: no waiting brings it back."""

    number = errno.ENOENT

    def __init__(self, broker: Broker, what: str) -> None:
        """It has lost `what`."""
        super().__init__(broker, f"{LOST} {what}")


@dataclass(frozen=True, slots=True)
class Broker:
    """How it is reached and logged in to; certificates and keys as PEM. Topics are named with the `prefix`."""

    servers: str
    prefix: str
    security: str = "plaintext"
    mechanism: str = "PLAIN"
    user: str = ""
    password: str = ""
    ca: str = ""
    certificate: str = ""
    private_key: str = ""
    copies: int = -1
    """Of each partition of a topic that is made; −1: as the broker has it."""

    def settings(self) -> dict[str, Any]:
        """Those of its clients."""
        found: dict[str, Any] = {
            "bootstrap.servers": self.servers, "security.protocol": self.security, "client.id": "timelines-feeds",
            "log_level": 0, "reconnect.backoff.max.ms": 2_000,
        }  # fmt: skip
        if self.security.startswith("sasl"):
            login = {"sasl.mechanism": self.mechanism, "sasl.username": self.user}
            found |= {**login, "sasl.password": self.password}
        if self.security.endswith("ssl"):
            given = {"ssl.ca.pem": self.ca, "ssl.certificate.pem": self.certificate}
            given["ssl.key.pem"] = self.private_key
            found |= {name: value for name, value in given.items() if value}
        return found

    def __repr__(self) -> str:
        """Without what is secret."""
        return f"Broker({self.servers}/{self.prefix})"


def keep(data: Place, broker: Broker) -> None:
    """Write down how the broker of the feeds of a data directory is reached.

    On a disk for its owner only, or for whom the file that was there was for.
    """
    text = json.dumps(asdict(broker))
    path = data / _FILE
    if path.is_file() and path.read_text() == text:
        return
    if not isinstance(path, Path):
        durable.replace(path, text.encode())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{_FILE}.{uuid.uuid4().hex}")
    draft.touch(mode=0o600)
    if path.is_file():
        with suppress(PermissionError):
            os.chown(draft, -1, path.stat().st_gid)
            draft.chmod(path.stat().st_mode & 0o777)
    with draft.open("wb") as sink:
        sink.write(text.encode())
        durable.settle(sink)
    draft.replace(path)
    durable.settle_folder(path.parent)


def kept(data: Place) -> Broker | None:
    """What was written down; none where no feed of this directory was ever to be a topic."""
    path = data / _FILE
    found = durable.seen(path)
    return None if found is None else _read(path, found.stamp)


@lru_cache(maxsize=16)
def _read(path: Place, _stamp: Hashable) -> Broker:
    return Broker(**json.loads(path.read_text()))
