"""What is read of a source, portion by portion, whatever kind it is; and how its messages become lines of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson

from timeline_app.events.decode import DecodeError
from timeline_app.events.decode.compression import detect_compression, unpack_bytes
from timeline_app.events.decode.json_documents import describe_document, is_first_line_whole
from timeline_app.events.decode.json_lines import split_documents
from timeline_app.plan.events import LineProblem, Misread, WrongEvent

FILLED = 2 * 2**20
"""The events of one message take up to so many bytes of what came beside it, all together."""
LARGEST = 16 * 2**20
"""A compressed message unpacks to so many bytes at most."""
CROWDED = (
    "with its key and headers its events are too large: the rest of them is left out; send fewer a message"
)
NESTED = "nested too deeply for an event; a field holds text, a number, true, false or nothing"


class Trouble(Exception):
    """A source cannot be read now: the words say why, and what to do. It is tried again."""


class NothingYet(Trouble):
    """There is nothing to read, as nobody has written anything yet: the words say what is missing."""


class Changed(Trouble):
    """A source is no more as it was when it was opened: it is to be opened anew, at once."""


class Beside(NamedTuple):
    """What came beside the value of a message, in words and as bytes; `field` takes it where an event lacks that."""

    field: str
    what: str
    value: bytes

    def text(self) -> str:
        """As text; raises `WrongEvent` where it is none."""
        try:
            return self.value.decode()
        except UnicodeDecodeError:
            shown = self.value[:16].hex(" ") + (" …" if len(self.value) > 16 else "")
            words = f"{self.what} is not text in UTF-8 ({shown}), so that {self.field!r} cannot take it"
            raise WrongEvent(self.field, "not_utf8", words) from None


class Message(NamedTuple):
    """What came as one: its bytes (None: nothing), where it lies, and what its events take where they lack it.

    `place`: where in the part, in the source's own words; else it is a message of this number.
    `unread`: the source could not read it: a code, and why.
    """

    value: bytes | None
    part: str
    number: int
    beside: tuple[Beside, ...] = ()
    place: str = ""
    unread: tuple[str, str] | None = None

    def told(self) -> str:
        """Where it lies, for people."""
        return f"{self.place or f'message {self.number}'} of {self.part}"

    @property
    def weight(self) -> int:
        """How many bytes its events may have, about."""
        value = self.value or b""
        return len(value) + (
            value.count(b"{") * sum(len(one.value) for one in self.beside) if self.beside else 0
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
        """What comes within a moment; raises `Trouble`."""

    def lag(self) -> int:
        """How many messages wait, about."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of messages, each one event, with the message of each; and the messages that hold none."""

    lines: list[bytes]
    owners: list[Message]
    wrong: list[Misread]

    def place(self, problem: LineProblem) -> Misread:
        """What is wrong with a line, said of its message."""
        place = problem.line - 1
        return _of(self.owners[place], problem, self.lines[place].decode(errors="replace").strip())


def lines_of(messages: Iterable[Message]) -> Lines:
    """One JSON object is one event, be it on several lines; several are several, and so is an array; or compressed."""
    found = Lines([], [], [])
    for message in messages:
        if message.unread is not None:
            code, words = message.unread
            found.wrong.append(_of(message, LineProblem(1, None, code, words)))
            continue
        try:
            _split(message, found)
        except DecodeError as why:
            found.wrong.append(_of(message, LineProblem(1, None, why.code, f"{why.message} {why.hint}")))
    return found


def _split(message: Message, found: Lines) -> None:
    value = message.value
    if value is not None and (packed := detect_compression(value[:16])) is not None:
        value = unpack_bytes(value, packed, LARGEST)
    if value is None or not (bare := value.strip()):
        words = "the message has no value" if value is None else "the message is empty"
        found.wrong.append(_of(message, LineProblem(1, None, "empty", words)))
    elif b"\n" not in bare and not bare.startswith(b"["):
        _take(message, [value], found)
    else:
        _several(message, bare, found)


def _several(message: Message, bare: bytes, found: Lines) -> None:
    try:
        whole = orjson.loads(bare)
        parts = _elements(message, whole, found) if isinstance(whole, list) else [bare.replace(b"\n", b" ")]
    except orjson.JSONDecodeError:
        parts = split_documents(bare) or [line for line in bare.split(b"\n") if line.strip()]
        if bare.startswith(b"[") and not is_first_line_whole(bare):
            problem = describe_document(bare)
            found.wrong.append(_of(message, problem, bare.decode(errors="replace")))
            return
    _take(message, [part.replace(b"\n", b" ") for part in parts], found)


def _elements(message: Message, whole: list[Any], found: Lines) -> list[bytes]:
    if not whole:
        found.wrong.append(_of(message, LineProblem(1, None, "empty", "the array is empty"), "[]"))
    lines = []
    for one in whole:
        try:
            lines.append(orjson.dumps(one))
        except TypeError:  # JSON is read to a greater depth than it is written
            found.wrong.append(_of(message, LineProblem(1, None, "nested", NESTED)))
    return lines


def _take(message: Message, lines: list[bytes], found: Lines) -> None:
    room = FILLED
    for line in lines:
        try:
            taken = _filled(line, message.beside) if message.beside else line
            room -= max(len(taken) - len(line), 0)
            if room < 0 and len(lines) > 1:
                found.wrong.append(_of(message, LineProblem(1, None, "too_large", CROWDED)))
                return
            found.lines.append(taken)
            found.owners.append(message)
        except WrongEvent as wrong:
            problem = LineProblem(1, wrong.name, wrong.code, str(wrong))
            found.wrong.append(_of(message, problem, line.decode(errors="replace").strip()))


def _filled(line: bytes, beside: tuple[Beside, ...]) -> bytes:
    """With what the event lacks; what is no event stays as it is, for the door to say."""
    try:
        event = orjson.loads(line)
        if not isinstance(event, dict):
            return line
        for one in beside:
            if event.get(one.field) is None:
                event[one.field] = one.text()
        return orjson.dumps(event)
    except (orjson.JSONDecodeError, TypeError):  # TypeError: it is nested too deeply to be written
        return line


def _of(message: Message, problem: LineProblem, text: str = "") -> Misread:
    return Misread(problem, text, message.told(), alone=True)
