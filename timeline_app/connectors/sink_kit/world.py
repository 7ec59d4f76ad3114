"""What a case needs of whoever wrote a sink: something to deliver to, and a look at what arrived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from timeline_app.connectors.sink_contract import IdempotentSink

Row = dict[str, Any]


class SinkHarness(ABC):
    """A target, empty at first, with nothing in it of other worlds."""

    base: Path = Path("/nonexistent")
    """The directory that files are written below, for sinks that write files."""

    @abstractmethod
    def sink(self) -> IdempotentSink:
        """A new sink that delivers there, as a process makes one that was just started."""

    @abstractmethod
    def rows(self) -> Iterable[Row]:
        """What whoever reads the target sees now, by columns; of a batch that arrived twice its rows once."""

    def leftovers(self) -> int | None:
        """How many batches are staged there and not published; None where it cannot be asked."""
        return None

    def away(self) -> bool:
        """Let it not be reached; False where that cannot be done."""
        return False

    def back(self) -> None:  # noqa: B027  (only after `away`)
        """Let it be reached again."""

    def close(self) -> None:  # noqa: B027  (most need not)
        """Give everything back."""
