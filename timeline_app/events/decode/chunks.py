"""What every format of file gives: its events in chunks, by column to be quick, by row to be exact about faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol

from timeline_app.events.decode.arrow_values import Raw

Row = tuple[int, dict[str, Any] | object]
"""(line, event as in JSON); a `LineProblem` of `events.validate` replaces an unreadable event."""


class Chunk(Protocol):
    """Some of the events of a file, in their order."""

    @property
    def done(self) -> int:
        """The approximate number of bytes of the file read so far."""

    def __len__(self) -> int:
        """Return the number of events. Raises `ValueError` where one is unreadable or has too many fields."""

    def names(self) -> Collection[str]:
        """Return the names of the fields that any of its events may have."""

    def column(self, name: str) -> Raw:
        """Return the values of one field."""

    def rows(self) -> Iterator[Row]:
        """Yield the events one by one, with all their problems."""

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places in the chunk."""


class Source(Protocol):
    """Events; they can be read more than once."""

    @property
    def format(self) -> str:
        """Its name."""

    @property
    def why(self) -> str:
        """How the format was detected."""

    @property
    def total(self) -> int | None:
        """The number of bytes, where known."""

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Yield chunks with at least the named fields (None: whole events), always in the same order."""
