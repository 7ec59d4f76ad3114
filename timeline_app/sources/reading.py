"""What is read of a source, portion by portion, whatever kind it is; and how its messages become lines of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import orjson

from timeline_app.plan.events import BadEvents, LineProblem, json_documents


class Trouble(Exception):
    """A source cannot be read now: the words say why, and what to do. It is tried again."""


class Changed(Trouble):
    """A source is no more as it was when it was opened: it is to be opened anew, at once."""


class Message(NamedTuple):
    """What came as one: its bytes (None: nothing), and where it lies."""

    value: bytes | None
    part: str
    number: int


@dataclass(frozen=True, slots=True)
class Portion:
    """Messages, and how far the parts of the source are read with them."""

    messages: Sequence[Message]
    positions: Mapping[str, Any]


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
    wrong: list[tuple[LineProblem, str]]

    def place(self, problem: LineProblem) -> tuple[LineProblem, str]:
        """What is wrong with a line, said of its message, and its text."""
        place = problem.line - 1
        return _of(self.owners[place], problem), self.lines[place].decode(errors="replace").strip()


def lines_of(messages: Iterable[Message]) -> Lines:
    """One JSON object is one event, be it on several lines; several lines are several, and so is an array."""
    found = Lines([], [], [])
    for message in messages:
        value = message.value
        if value is None or not (bare := value.strip()):
            words = "the message has no value" if value is None else "the message is empty"
            found.wrong.append((_of(message, LineProblem(1, None, "empty", words)), ""))
        elif b"\n" not in bare and not bare.startswith(b"["):
            found.lines.append(value)
            found.owners.append(message)
        else:
            _several(message, bare, found)
    return found


def _several(message: Message, bare: bytes, found: Lines) -> None:
    try:
        whole = orjson.loads(bare)
        parts = [orjson.dumps(one) for one in whole] if isinstance(whole, list) else [orjson.dumps(whole)]
    except orjson.JSONDecodeError:
        try:
            parts = [part for _, part in json_documents(bare) if isinstance(part, bytes)]
        except BadEvents as bad:
            found.wrong.append((_of(message, bad.problems[0]), bare.decode(errors="replace")))
            return
    if not parts:
        found.wrong.append((_of(message, LineProblem(1, None, "empty", "the array is empty")), bare.decode()))
    found.lines.extend(parts)
    found.owners.extend([message] * len(parts))


def _of(message: Message, problem: LineProblem) -> LineProblem:
    words = f"{problem.message} (message {message.number} of {message.part})"
    return LineProblem(message.number, problem.field, problem.code, words)
