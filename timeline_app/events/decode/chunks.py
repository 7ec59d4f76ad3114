"""What every format of file gives: its events in chunks, by column to be quick, by row to be exact about faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol

from timeline_app.events.decode.arrow_values import Raw

Row = tuple[int, dict[str, Any] | object]
"""(line, event as JSON has it); a `LineProblem` of `events.validate` stands for an event that cannot be read."""


class Chunk(Protocol):
    """Some of the events of a file, in their order."""

    @property
    def done(self) -> int:
        """How many bytes of the file have been read with it, about."""

    def __len__(self) -> int:
        """How many events; raises `ValueError` where one cannot be read as an object of few enough fields."""

    def names(self) -> Collection[str]:
        """The names of the fields that any of its events may have."""

    def column(self, name: str) -> Raw:
        """The values of one field."""

    def rows(self) -> Iterator[Row]:
        """Its events one by one, with everything that is wrong with them."""

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places in the chunk."""


class Source(Protocol):
    """Events; they can be read more than once."""

    @property
    def format(self) -> str:
        """Its name."""

    @property
    def why(self) -> str:
        """How it was known."""

    @property
    def total(self) -> int | None:
        """How many bytes it has, where that is known."""

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Its chunks with at least the fields of those names (None: whole events); the order is always the same."""
