"""The interface for reading a source of any kind, portion by portion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from timeline_app.events.validate import WrongEvent


class SourceUnavailable(Exception):
    """A source cannot be read now: the message says why, and what to do. Callers retry."""


class NothingYet(SourceUnavailable):
    """There is nothing to read yet: the message says what is missing."""


class Changed(SourceUnavailable):
    """A source has changed since it was opened, and must be reopened at once."""


class Beside(NamedTuple):
    """A key or header of a message: its description and bytes; `field` takes it where an event lacks that field."""

    field: str
    origin: str
    value: bytes

    def text(self) -> str:
        """Return it as text. Raises `WrongEvent` where it is none."""
        try:
            return self.value.decode()
        except UnicodeDecodeError:
            text = self.value[:16].hex(" ") + (" …" if len(self.value) > 16 else "")
            words = f"{self.origin} is not text in UTF-8 ({text}), so that {self.field!r} cannot take it"
            raise WrongEvent(self.field, "not_utf8", words) from None


class Message(NamedTuple):
    """One message: its bytes (None: nothing), its place, and the fields that its events take where they lack them.

    `place` locates it within the part in the source's own words; else `number` does. `unread` is a code and a reason
    where the source could not read it. A `decoded` message is one line of JSON.
    """

    value: bytes | None
    part: str
    number: int
    beside: tuple[Beside, ...] = ()
    place: str = ""
    unread: tuple[str, str] | None = None
    decoded: bool = False

    def describe_place(self) -> str:
        """Describe its place for people."""
        return f"{self.place or f'message {self.number}'} of {self.part}"

    def at_line(self, line: int) -> Message:
        """Return the message located at one of its lines."""
        return self._replace(place=f"line {line} of {self.place or f'message {self.number}'}")

    @property
    def weight(self) -> int:
        """The approximate size of its events in bytes."""
        value = self.value or b""
        return len(value) + (
            value.count(b"{") * sum(len(item.value) for item in self.beside) if self.beside else 0
        )


@dataclass(frozen=True, slots=True)
class Portion:
    """Messages, and the positions of the source's parts after them.

    `watermark` (microseconds) says that all events before it have come, and that later ones are not known to have;
    `BEGINNING`: no event yet; None: the source has no watermark. `waits` is how many seconds the source must not be
    asked. `parts` replaces the watermark for parts read side by side: whether each was read to its end. The slowest
    decides what is final (`slowest_watermark.py`). `complaint` says what cannot be read now while the rest is, and
    what to do.
    """

    messages: Sequence[Message]
    positions: Mapping[str, Any]
    watermark: int | None = None
    parts: Mapping[str, bool] | None = None
    waits: float = 0.0
    complaint: str = ""


class Reader(Protocol):
    """An open source. Its caller uses one thread."""

    @property
    def positions(self) -> Mapping[str, Any]:
        """Where reading continues, by part (JSON); where a part was never read, its beginning."""

    missed: int
    """How many messages were lost from the source before they could be read."""

    def take(self) -> Portion:
        """Return what comes within a moment. Raises `SourceUnavailable`."""

    def lag(self) -> int:
        """Return approximately how many messages wait."""

    def close(self) -> None:
        """Close the source."""
