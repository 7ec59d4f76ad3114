"""The environment that the author of a source provides: a broker, and events to read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from timeline_app.connectors.source_contract import SplittableSource


class SourceHarness(ABC):
    """A broker, empty at first, and separate from those of other cases. Events are integers; each is sent once."""

    @abstractmethod
    def source(self) -> SplittableSource:
        """Return a new source that reads from it, as a newly started process makes one."""

    @abstractmethod
    def send(self, events: Iterable[int]) -> None:
        """Make these events readable, in this order."""

    @abstractmethod
    def number(self, row: Mapping[str, Any]) -> int:
        """Return the event of a row."""

    def unacknowledged(self) -> int | None:
        """Return how many events the broker still keeps for the source; None where that cannot be determined."""
        return None

    def close(self) -> None:  # noqa: B027  most need not
        """Release everything."""
