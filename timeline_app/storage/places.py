"""Where things lie below a data directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """Where streams land, feeds are published and checkpoints are kept."""

    data: Path

    @property
    def landing(self) -> Path:
        """The directory of all landings."""
        return self.data / "landing"

    def feed(self, query: str) -> Path:
        """The feed of a query."""
        return self.data / "feeds" / query

    def chain(self, digest: str) -> Path:
        """The file that says in which feeds a node lies."""
        return self.data / "chains" / f"{digest}.json"

    def checkpoint(self, query: str) -> Path:
        """The checkpoint of a query; no two queries ever share one."""
        return self.data / "checkpoints" / query
