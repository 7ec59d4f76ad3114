"""JSON, one event on each line; several on one line, and separators of records (RFC 7464), do no harm."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson

from timeline_app.events.decode.chunks import Chunk, Row
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.encoding import Utf8Reader
from timeline_app.events.decode.errors import Notes
from timeline_app.events.decode.json_faults import check_names, decode_json, has_loose_colons
from timeline_app.events.decode.rows_chunk import DecodedEvents
from timeline_app.events.validate import MAX_FIELDS, LineProblem

_BYTES = 1 << 22
_SEPARATOR = b"\x1e"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class JsonChunk(DecodedEvents):
    """Some lines, the first of them with that number; blank ones are no events."""

    text: bytes
    first: int
    done: int

    @cached_property
    def lines(self) -> list[bytes]:
        """Return the lines without their ends."""
        text = self.text.replace(_SEPARATOR, b" ") if _SEPARATOR in self.text else self.text
        return text.split(b"\n")

    @cached_property
    def _events(self) -> list[dict[str, Any]]:
        try:
            events, is_checked = self._decode_lines(), False
        except orjson.JSONDecodeError:
            events, is_checked = [event for _, event in self.rows()], True
        sizes = list(map(len, events)) if set(map(type, events)) <= {dict} else [MAX_FIELDS + 1]
        if max(sizes, default=0) > MAX_FIELDS:
            raise ValueError("an event is no object, or has too many fields")
        if not is_checked and self.text.count(b":") != sum(sizes) and may_repeat_names(self.text, events):
            self._refuse_repeated(events)
        return events

    def _decode_lines(self) -> list[Any]:
        """Decode the lines, each one value. Raises `orjson.JSONDecodeError`."""
        try:
            return list(map(orjson.loads, filter(None, self.lines)))
        except orjson.JSONDecodeError:  # perhaps of a line that is blank
            return [orjson.loads(line) for line in self.lines if line and not line.isspace()]

    def _refuse_repeated(self, events: list[dict[str, Any]]) -> None:
        """Raise `ValueError` where an event may have a name twice: as many colons as names are no doubt of it."""
        lines = (line for line in self.lines if line and not line.isspace())
        for line, event in zip(lines, events, strict=True):
            sure = line.count(b'":') == count_names(event) and not has_loose_colons(line)
            if not sure and check_names(line, event, 0) is not event:
                raise ValueError("a name stands twice")

    def rows(self) -> Iterator[Row]:
        """Yield the events by line; invalid JSON as a problem."""
        for line, text in enumerate(self.lines, self.first):
            if text and not text.isspace():
                yield from decode_line(text, line)


def may_repeat_names(text: bytes, events: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a name may be repeated in an object; False where colons after quotes are as many as names.

    Where a blank precedes a colon the count may miss a name.
    """
    if text.count(b":") == sum(map(len, events)):
        return False
    letters = np.frombuffer(text, np.uint8)
    colons = np.flatnonzero(letters == ord(":"))
    before = letters[colons[colons > 0] - 1]
    if (before <= ord(" ")).any():
        return True
    names = int(np.count_nonzero(before == ord('"')))
    return names != sum(map(len, events)) and names != sum(map(count_names, events))


def decode_line(text: bytes, line: int) -> Iterator[Row]:
    """Yield the events of a line; invalid JSON as a problem."""
    event = decode_json(text, line)
    if isinstance(event, LineProblem) and (parts := split_documents(text)):
        yield from ((line, decode_json(part, line)) for part in parts)
    else:
        yield line, event


def split_documents(text: bytes) -> list[bytes]:
    """Return two or more consecutive JSON objects; none where the text is something else."""
    try:
        letters = text.decode()
    except UnicodeDecodeError:
        return []
    parts, offset = list[bytes](), 0
    while start := _skip_blanks(letters, offset) + 1:
        try:
            _, offset = _DECODER.raw_decode(letters, start - 1)
        except (ValueError, RecursionError):
            return parts and [*parts, letters[start - 1 :].encode()]
        if letters[start - 1] != "{":
            return []
        parts.append(letters[start - 1 : offset].encode())
    return parts if len(parts) > 1 else []


def _skip_blanks(text: str, offset: int) -> int:
    """Return the index of the next letter; -1 at the end."""
    stripped = text[offset : offset + 64].lstrip(" \t\r\n,")
    if stripped:
        return min(len(text), offset + 64) - len(stripped)
    return -1 if offset + 64 >= len(text) else _skip_blanks(text, offset + 64)


def count_names(value: object) -> int:
    """Return how many names an object has, including nested ones."""
    if isinstance(value, dict):
        return len(value) + sum(
            count_names(item) for item in value.values() if isinstance(item, (dict, list))
        )
    if isinstance(value, list):
        return sum(count_names(item) for item in value if isinstance(item, (dict, list)))
    return 0


class JsonLines:
    """JSON lines."""

    format, why = "json_lines", "each line is a JSON object"

    def __init__(self, content: Content, notes: Notes) -> None:
        self.content, self.notes, self.total = content, notes, content.size

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (a line is read whole)
        """Chunks of some megabytes."""
        with self.content.open() as file:
            reader, first, unfinished = Utf8Reader(file, self.notes, western=False), 1, b""
            while block := reader.read(_BYTES):
                end = block.rfind(b"\n") + 1
                if end:
                    # A chunk has megabytes: they are copied once.
                    lines = b"".join((unfinished, memoryview(block)[: end - 1]))
                    chunk = JsonChunk(lines, first, reader.done)
                    yield chunk
                    first += len(chunk.lines)
                unfinished = block[end:] if end else unfinished + block
            if unfinished:
                yield JsonChunk(unfinished, first, reader.done)
