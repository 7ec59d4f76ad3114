"""Events that have been decoded one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from timeline_app.events.decode.arrow_values import Raw
from timeline_app.events.decode.chunks import Row
from timeline_app.events.validate import MAX_FIELDS


class DecodedEvents(ABC):
    """A chunk whose events are in memory as objects."""

    @property
    @abstractmethod
    def _events(self) -> list[dict[str, Any]]:
        """Return the events. Raises `ValueError` for an invalid one."""

    def __len__(self) -> int:
        """Return the number of events. Raises `ValueError` for an invalid one."""
        return len(self._events)

    def names(self) -> set[str]:
        """Return the names of all fields that any of the events has."""
        return set[str]().union(*self._events)

    def column(self, name: str) -> Raw:
        """Return the values of one field."""
        return [event.get(name) for event in self._events]

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        return [self._events[index] for index in places]


@dataclass(frozen=True)
class EventChunk(DecodedEvents):
    """Some events or problems, each with its line."""

    read: list[Row]
    done: int

    @cached_property
    def _events(self) -> list[dict[str, Any]]:
        events: list[Any] = [event for _, event in self.read]
        if set(map(type, events)) - {dict} or max(map(len, events), default=0) > MAX_FIELDS:
            raise ValueError("an event is no object, or has too many fields")
        return events

    def rows(self) -> Iterator[Row]:
        """Yield the events by line."""
        return iter(self.read)
