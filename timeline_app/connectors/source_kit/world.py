"""What a case needs of whoever wrote a source: something to read from, and events to be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from timeline_app.connectors.source_contract import SplittableSource


class SourceHarness(ABC):
    """A broker, empty at first, with nothing in it of other worlds. Events are whole numbers; each is sent once."""

    @abstractmethod
    def source(self) -> SplittableSource:
        """A new source that reads from it, as a process makes one that was just started."""

    @abstractmethod
    def send(self, events: Iterable[int]) -> None:
        """Let these be there to read, in this order."""

    @abstractmethod
    def number(self, row: Mapping[str, Any]) -> int:
        """Which event a row is."""

    def unacknowledged(self) -> int | None:
        """How many of the events the broker still keeps for the source; None where it cannot be asked."""
        return None

    def close(self) -> None:  # noqa: B027  most need not
        """Give everything back."""
