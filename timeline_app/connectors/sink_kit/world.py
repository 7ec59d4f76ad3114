"""The environment that the author of a sink provides: an empty target, and a view of what arrived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from timeline_app.connectors.sink_contract import IdempotentSink

Row = dict[str, Any]


class SinkHarness(ABC):
    """A target, empty at first, and separate from those of other cases."""

    base: Path = Path("/nonexistent")
    """The directory for sinks that write files."""

    @abstractmethod
    def sink(self) -> IdempotentSink:
        """Return a new sink that delivers there, as a newly started process makes one."""

    @abstractmethod
    def rows(self) -> Iterable[Row]:
        """Return the rows that a reader of the target sees now; those of a batch that arrived twice only once."""

    def leftovers(self) -> int | None:
        """Return how many batches are staged and unpublished; None where that cannot be determined."""
        return None

    def away(self) -> bool:
        """Make the target unreachable; return False where that is impossible."""
        return False

    def back(self) -> None:  # noqa: B027  (only after `away`)
        """Make the target reachable again."""

    def close(self) -> None:  # noqa: B027  (most need not)
        """Release everything."""
