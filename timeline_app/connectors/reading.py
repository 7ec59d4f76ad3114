"""What is read of a source, portion by portion, whatever kind it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from timeline_app.events.validate import WrongEvent


class SourceUnavailable(Exception):
    """A source cannot be read now: the words say why, and what to do. It is tried again."""


class NothingYet(SourceUnavailable):
    """There is nothing to read, as nobody has written anything yet: the words say what is missing."""


class Changed(SourceUnavailable):
    """A source is no more as it was when it was opened: it is to be opened anew, at once."""


class Beside(NamedTuple):
    """What came beside the value of a message, in words and as bytes; `field` takes it where an event lacks that."""

    field: str
    origin: str
    value: bytes

    def text(self) -> str:
        """As text; raises `WrongEvent` where it is none."""
        try:
            return self.value.decode()
        except UnicodeDecodeError:
            shown = self.value[:16].hex(" ") + (" …" if len(self.value) > 16 else "")
            words = f"{self.origin} is not text in UTF-8 ({shown}), so that {self.field!r} cannot take it"
            raise WrongEvent(self.field, "not_utf8", words) from None


class Message(NamedTuple):
    """What came as one: its bytes (None: nothing), where it lies, and what its events take where they lack it.

    `place`: where in the part, in the source's own words; else it is a message of this number.
    `unread`: the source could not read it: a code, and why. `decoded`: the source has decoded it, so that it is one
    line of JSON.
    """

    value: bytes | None
    part: str
    number: int
    beside: tuple[Beside, ...] = ()
    place: str = ""
    unread: tuple[str, str] | None = None
    decoded: bool = False

    def describe_place(self) -> str:
        """Where it lies, for people."""
        return f"{self.place or f'message {self.number}'} of {self.part}"

    def at_line(self, line: int) -> Message:
        """The same, for what lies on one of its lines."""
        return self._replace(place=f"line {line} of {self.place or f'message {self.number}'}")

    @property
    def weight(self) -> int:
        """How many bytes its events may have, about."""
        value = self.value or b""
        return len(value) + (
            value.count(b"{") * sum(len(item.value) for item in self.beside) if self.beside else 0
        )


@dataclass(frozen=True, slots=True)
class Portion:
    """Messages, and how far the parts of the source are read with them.

    `watermark`: the source says that all that happened before that moment (microseconds) has come with what was given
    until now, and that it does not know so of anything later; `BEGINNING`: of nothing yet; None: it says no such thing.
    `waits`: it was told not to ask for so many seconds; until then nobody knows whether there is anything.
    `parts`: instead, the parts that are read side by side, as messages name them, and whether all that each has was
    read: the slowest of them says what is final (`slowest.py`).
    `complaint`: what of the source cannot be read now while the rest is, and what to do.
    """

    messages: Sequence[Message]
    positions: Mapping[str, Any]
    watermark: int | None = None
    parts: Mapping[str, bool] | None = None
    waits: float = 0.0
    complaint: str = ""


class Reader(Protocol):
    """A source that is open. Whoever calls uses one thread."""

    @property
    def positions(self) -> Mapping[str, Any]:
        """Where reading goes on, by part; of a part that was never read where it begins; JSON."""

    missed: int
    """So many messages were gone from the source before they could be read."""

    def take(self) -> Portion:
        """What comes within a moment; raises `SourceUnavailable`."""

    def lag(self) -> int:
        """How many messages wait, about."""

    def close(self) -> None:
        """Let go of it."""
