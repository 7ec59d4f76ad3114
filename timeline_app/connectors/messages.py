"""Decodes messages of brokers into lines of JSON, one event each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, islice
from typing import Any

import orjson

from timeline_app.connectors.reading import Beside, Message
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import DecodeError, Notes, list_lines, open_text
from timeline_app.events.decode.chunks import Row
from timeline_app.events.decode.errors import NO_EVENTS
from timeline_app.events.decode.json_faults import decode_json
from timeline_app.events.decode.json_lines import decode_line
from timeline_app.events.mapping import NO_MAPPING, FieldMapping
from timeline_app.events.validate import BadEvents, LineProblem, Misread, WrongEvent

MAX_FILLED_BYTES = 2 * 2**20
"""The total size of keys and headers that the events of one message may take up."""
MAX_MESSAGE_BYTES = 16 * 2**20
"""The unpacked size of a compressed message."""
MAX_MESSAGE_EVENTS = 200_000
_TOO_LARGE = (
    "with its key and headers its events are too large: the rest of them is left out; send fewer a message"
)
_TOO_MANY = (
    f"it holds more than {MAX_MESSAGE_EVENTS:,} events: the rest of them is left out; send fewer a message"
)
_NESTED = "nested too deeply for an event; a field holds text, a number, true, false or nothing"
_BLANKS = b" \t\r\n\x1e,"
"""Characters around a line of a file."""
_SEVERAL = re.compile(rb"[\[}][\s,\x1e]*\{|\[\s*\[")
"""The beginning of a list of objects or lists, or of a second object: the message may hold several events."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of messages, one event each, with the message of each line; and the messages without events.

    The fields of the events are already mapped by `mapping`.
    """

    lines: list[bytes] = field(default_factory=list)
    owners: list[Message] = field(default_factory=list)
    wrong: list[Misread] = field(default_factory=list)
    mapping: FieldMapping = NO_MAPPING

    def place(self, problem: LineProblem) -> Misread:
        """Return a problem of a line as one of its message."""
        index = problem.line - 1
        return _refuse(self.owners[index], problem, self.lines[index])


def decode_messages(
    messages: Iterable[Message], declaration: StreamDeclaration, mapping: FieldMapping = NO_MAPPING
) -> Lines:
    """Decode the events of messages in any form; refused messages do not affect the others."""
    decoded, declaration = Lines(mapping=mapping), mapping.decoded_as(declaration)
    for message in messages:
        try:
            _decode_message(message, declaration, decoded)
        except WrongEvent as why:
            problem = LineProblem(1, why.name, why.code, str(why))
            decoded.wrong.append(_refuse(message, problem, message.value or b""))
        except DecodeError as why:
            problem = LineProblem(1, None, why.code, _describe_place(why.line, f"{why.message} {why.hint}"))
            decoded.wrong.append(_refuse(message, problem, message.value or b""))
        except BadEvents as bad:
            decoded.wrong.extend(_refuse(message, problem, message.value or b"") for problem in bad.problems)
    return decoded


def _decode_message(message: Message, declaration: StreamDeclaration, decoded: Lines) -> None:
    if message.unread is not None:
        raise WrongEvent(None, *message.unread)
    if message.value is None or not (value := message.value.strip(_BLANKS if message.decoded else None)):
        raise WrongEvent(None, "empty", "the message has no value" if message.value is None else NO_EVENTS)
    if not _is_one_event(message, value, declaration.encoding):
        rows = decode_line(value, 1) if message.decoded else _decode_value(message, declaration)
        _add_rows(message, rows, decoded, None if message.decoded else declaration.encoding)
    elif message.beside or decoded.mapping:
        _add_rows(message, iter([(1, decode_json(value, 1))]), decoded)
    else:
        _add_line(message, value, decoded)


def _is_one_event(message: Message, value: bytes, encoding: str | None) -> bool:
    """Return whether a message is obviously one line of JSON, which is then decoded together with others."""
    if encoding is not None and not message.decoded and not value.isascii():
        return False
    looks_so = message.decoded or (value.startswith(b"{") and b"\n" not in value and b"\0" not in value[:2])
    return looks_so and _SEVERAL.search(value) is None


def _decode_value(message: Message, declaration: StreamDeclaration) -> Iterator[Row]:
    fields = frozenset(item.field for item in message.beside)
    source = open_text(message.value or b"", declaration, Notes(), MAX_MESSAGE_BYTES, fields)
    return (row for chunk in source.chunks() for row in chunk.rows())


def _add_rows(message: Message, rows: Iterator[Row], decoded: Lines, encoding: str | None = None) -> None:
    """Add the events of a message, each with its line where there are several."""
    first, room = list(islice(rows, 2)), MAX_FILLED_BYTES
    if not first:
        raise WrongEvent(None, "empty", NO_EVENTS)
    texts = cache(partial(list_lines, message.value or b"", encoding, MAX_MESSAGE_BYTES))
    for count, (line, event) in enumerate(chain(first, rows)):
        if count == MAX_MESSAGE_EVENTS:
            raise WrongEvent(None, "too_many", _TOO_MANY)
        owner = message if len(first) == 1 else message.at_line(line)
        if isinstance(event, LineProblem):
            decoded.wrong.append(_refuse(owner, event, b"".join(texts()[line - 1 : line])))
        else:
            room -= _add_event(owner, event, decoded)
        if room < 0 and len(first) > 1:
            raise WrongEvent(None, "too_large", _TOO_LARGE)


def _add_event(owner: Message, event: Any, decoded: Lines) -> int:
    """Add an event, or the reason why it is none. Return how many of its bytes came from key and headers."""
    try:
        event, size = _fill_event(event, owner.beside)
        if decoded.mapping and isinstance(event, dict):
            event = decoded.mapping.rename_fields(
                event
            )  # before a cast may refuse it, so that it is quarantined with mapped names
            decoded.mapping.cast_fields(event)
        _add_line(owner, orjson.dumps(event), decoded)
    except WrongEvent as why:
        problem = LineProblem(1, why.name, why.code, str(why))
        decoded.wrong.append(_refuse(owner, problem, orjson.dumps(event)))
    except TypeError:  # JSON can be parsed at a greater depth than serialised
        decoded.wrong.append(_refuse(owner, LineProblem(1, None, "nested", _NESTED), b""))
    else:
        return size
    return 0


def _fill_event(event: Any, beside: tuple[Beside, ...]) -> tuple[Any, int]:
    """Return an event with missing fields filled from key and headers, and their size in bytes."""
    if not isinstance(event, dict):
        return event, 0
    lacking: dict[str, str] = {}
    for item in beside:
        if event.get(item.field) is None and item.field not in lacking:
            lacking[item.field] = item.text()
    return event | lacking, sum(map(len, lacking.values()))


def _add_line(owner: Message, line: bytes, decoded: Lines) -> None:
    decoded.lines.append(line)
    decoded.owners.append(owner)


def _describe_place(line: int | None, words: str) -> str:
    return words if line is None else f"line {line}: {words}"


def _refuse(message: Message, problem: LineProblem, text: bytes) -> Misread:
    return Misread(problem, text.decode(errors="replace").strip(), message.describe_place(), alone=True)
