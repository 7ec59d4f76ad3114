"""The kinds of sources that a stream may be fed from, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from timeline_app.sources.kafka import Kafka
from timeline_app.sources.reading import Message, Reader


class Source(Protocol):
    """What a kind makes of its options: something that can be opened, and tried."""

    def open(self, known: Mapping[str, int]) -> Reader:
        """Read on from the positions of its parts that are known; raises `Trouble`."""

    def sample(self) -> list[Message]:
        """Some of its newest messages; raises `Trouble`."""


KINDS: dict[str, type[Any]] = {"kafka": Kafka}
TITLES = {"kafka": "Kafka"}
