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

    def feed(self, digest: str) -> Path:
        """The feed of a node."""
        return self.data / "feeds" / digest

    def checkpoint(self, digest: str) -> Path:
        """The checkpoint of a node's query; no two queries ever share one."""
        return self.data / "checkpoints" / digest
