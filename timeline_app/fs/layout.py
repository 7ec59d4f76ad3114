"""The layout of a data directory or address."""

from __future__ import annotations

from dataclasses import dataclass

from timeline_app.fs.paths import Place


@dataclass(frozen=True, slots=True)
class Places:
    """Where streams land, feeds are published and checkpoints are kept."""

    data: Place

    @property
    def landing(self) -> Place:
        """The directory of all landings."""
        return self.data / "landing"

    def feed(self, query: str) -> Place:
        """Return the feed of a query."""
        return self.data / "feeds" / query

    @property
    def chains(self) -> Place:
        """The directory of all chains."""
        return self.data / "chains"

    def chain(self, digest: str) -> Place:
        """Return the file that says in which feeds a node lies."""
        return self.chains / f"{digest}.json"

    def checkpoint(self, query: str) -> Place:
        """Return the checkpoint of a query; no two queries ever share one."""
        return self.data / "checkpoints" / query
