"""JSON that is no lines: an array, an object that wraps a list, objects over several lines."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.decode.chunks import Chunk, Row
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.detection import HEAD_BYTES, is_comment, may_wrap
from timeline_app.events.decode.encoding import Utf8Reader
from timeline_app.events.decode.errors import DecodeError, Notes, TooLarge
from timeline_app.events.decode.json_faults import decode_json
from timeline_app.events.decode.json_lines import JsonLines, split_documents
from timeline_app.events.decode.rows_chunk import EventChunk
from timeline_app.events.paths import read_field
from timeline_app.events.validate import BadEvents, LineProblem

MAX_DOCUMENT_BYTES = 1 << 29
"""A document is read whole."""
_EVENTS_PER_CHUNK = 1 << 16
_MAX_LIST_DEPTH = 3
"""A list of events lies at most so deep in what wraps it."""
_ENVELOPE = {"schema", "payload"}
"""The fields in which Kafka Connect and Debezium wrap a message and its schema."""


@dataclass(frozen=True, slots=True)
class EventNames:
    """The fields that identify an event: its time and key, some of which are given beside it."""

    time: tuple[str, ...]
    key: tuple[str, ...]
    given: frozenset[str]

    @classmethod
    def from_declaration(cls, declaration: StreamDeclaration, field_names: Collection[str]) -> EventNames:
        """Return the names of a stream."""
        return cls(declaration.time_fields, tuple(split_key(declaration.key)), frozenset(field_names))

    def are_in(self, whole: dict[str, Any], inner: dict[str, Any]) -> bool:
        """Return whether an object is an event, and not the wrapper of a list that begins with `inner`."""
        missing = [name for name in (*self.time, *self.key) if name not in self.given]
        filled = dict.fromkeys(self.given, "") | whole
        return _has(whole, *self.time) or (
            _has(filled, *self.key) and not _has(inner, *(missing or (*self.time, *self.key)))
        )


class JsonDocuments:
    """The events of documents in memory."""

    def __init__(self, events: list[Row], size: int, why: str, form: str) -> None:
        self._events, self.total, self.why, self.format = events, size, why, form

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (events are there whole)
        """Yield chunks of some thousand events."""
        events_left = iter(self._events)
        while block := list(islice(events_left, _EVENTS_PER_CHUNK)):
            yield EventChunk(block, self.total)


def open_json(
    content: Content,
    declaration: StreamDeclaration | None,
    notes: Notes,
    max_bytes: int = MAX_DOCUMENT_BYTES,
    field_names: Collection[str] = (),
) -> JsonLines | JsonDocuments:
    """Open JSON lines or documents; their events may lack the fields `field_names`, which come beside them.

    Raises `DecodeError`, `BadEvents`.
    """
    names = None if declaration is None else EventNames.from_declaration(declaration, field_names)
    _refuse_comment(content)
    with content.open() as file:
        reader = Utf8Reader(file, notes, western=False)
        head = reader.read(1 << 20)
        if not _is_start_of_document(head.lstrip(b"\x1e \t\r\n")):
            if not (document := _read_wrapped(head, reader, names)):
                return JsonLines(content, notes)
            return document
        text = _read_rest(head, reader, max_bytes).replace(b"\x1e", b" ")
    return _read_documents(text, names) or JsonLines(content, notes)


def _refuse_comment(content: Content) -> None:
    """Raise `DecodeError` where a comment precedes a document; comments before lines are reported as lines."""
    head = (
        Utf8Reader(io.BytesIO(content.read_head(HEAD_BYTES)), Notes(), western=False)
        .read(HEAD_BYTES)
        .lstrip()
    )
    if not is_comment(head):
        return
    comment, _, after_comment = head.partition(b"*/" if head.startswith(b"/*") else b"\n")
    first = after_comment.lstrip().split(b"\n", 1)[0]
    if first.startswith(b"[") or first.rstrip() == b"{" or head.startswith(b"/*"):
        words = f"{comment[:40].decode(errors='replace').strip()!r} is a comment, and JSON has none."
        raise DecodeError("comment", words, "Leave it out.", 1)


def _is_start_of_document(head: bytes) -> bool:
    """Return whether the first line is no complete JSON but may begin a document, or is an array."""
    first = head.split(b"\n", 1)[0]
    if first.startswith(b"["):
        return True
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return first.startswith(b"{") and b"\n" in head.rstrip()
    return False


def _read_wrapped(head: bytes, reader: Utf8Reader, names: EventNames | None) -> JsonDocuments | None:
    """Return the list within the single object on the only line, if there is one."""
    line = head.strip(b"\x1e \t\r\n")
    if not line.startswith(b"{") or b"\n" in line or not may_wrap(line):
        return None
    return None if reader.read(1) else _read_documents(line, names)


def _read_rest(head: bytes, reader: Utf8Reader, max_bytes: int) -> bytes:
    parts, size = [head], len(head)
    while chunk := reader.read(1 << 22):
        parts.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            words = f"This JSON document has more than {max_bytes / 2**20:,.0f} MiB."
            hint = "Write JSON lines, one event on each line (jq -c '.[]' does it)."
            raise TooLarge("too_much", words, hint)
    return b"".join(parts)


def _read_documents(text: bytes, names: EventNames | None) -> JsonDocuments | None:
    """Return the events; None where the text consists of lines."""
    read = decode_json(text, 1)
    if isinstance(read, list):
        return JsonDocuments(
            list(enumerate(read, 1)), len(text), "it is one array in square brackets", "json_array"
        )
    if isinstance(read, dict):
        return _unwrap(read, len(text), names)
    if parts := split_documents(text):
        rows = list(_number_parts(text, parts))
        return JsonDocuments(rows, len(text), "its objects stand one after the other", "json_lines")
    if text.lstrip().startswith(b"[") and not is_first_line_whole(text):
        raise BadEvents([describe_document(text)])
    return None


def is_first_line_whole(text: bytes) -> bool:
    """Return whether the first line is complete JSON, so that the others may be as well."""
    try:
        orjson.loads(text.lstrip().split(b"\n", 1)[0])
    except orjson.JSONDecodeError:
        return False
    return True


def describe_document(text: bytes) -> LineProblem:
    """Describe what is wrong with an array: the line where it breaks off."""
    problem = decode_json(text, 1)
    assert isinstance(problem, LineProblem)
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        message = problem.message
        if problem.code == "cut_short":
            message = f"the array is cut off at column {error.colno} of this line: send it whole"
        return LineProblem(error.lineno, problem.field, problem.code, message)
    return problem


def _number_parts(text: bytes, parts: Iterable[bytes]) -> Iterator[Row]:
    """Yield each object with the line at which it begins."""
    offset, line = 0, 1
    for part in parts:
        begin = text.index(part, offset)
        line += text.count(b"\n", offset, begin)
        yield line, decode_json(part, line)
        offset = begin
    return


def _unwrap(document: dict[str, Any], size: int, names: EventNames | None) -> JsonDocuments:
    """Return the list of events that an object wraps; the object itself where it is an event."""
    if document.keys() == _ENVELOPE and isinstance(document["payload"], dict):
        return JsonDocuments(
            [(1, document["payload"])], size, "it is the payload of an envelope with its schema", "json_lines"
        )
    _refuse_objects_by_name(document, names)
    _refuse_rows_as_lists(document, names)
    lists = dict(_find_lists(document, "", _MAX_LIST_DEPTH))
    if not lists or _is_event(document, lists, names):
        return JsonDocuments([(1, document)], size, "it is one JSON object", "json_lines")
    if len(lists) > 1:
        words = f"The object wraps {len(lists)} lists of objects ({', '.join(list(lists)[:5])})."
        raise DecodeError("several_lists", words, "Send the list that holds the events.", 1)
    [(name, events)] = lists.items()
    return JsonDocuments(
        list(enumerate(events, 1)), size, f"its list {name!r} holds the events", "json_array"
    )


def _is_event(document: dict[str, Any], lists: dict[str, Any], names: EventNames | None) -> bool:
    if names is not None:
        return names.are_in(document, next(iter(lists.values()))[0])
    scalars = sum(not isinstance(value, (dict, list)) for value in document.values())
    return scalars > 2 and max(map(len, lists.values())) < 2


def _has(event: dict[str, Any], *names: str) -> bool:
    return all(read_field(event, name) is not None for name in names)


def _refuse_objects_by_name(document: dict[str, Any], names: EventNames | None) -> None:
    """Raise `DecodeError` for events under names, as Firebase and pandas write them."""
    events = list(document.values())
    if len(events) < 2 or not all(isinstance(event, dict) for event in events):
        return
    numbered = len(events) > 2 or all(map(str.isdecimal, document))
    alike = numbered and all(event.keys() == events[0].keys() for event in events)
    if alike if names is None else all(_has(event, *names.time) for event in events):
        first = next(iter(document))
        words = f"The object holds {len(document):,} events under names ({first[:40]!r}, …)."
        raise DecodeError("events_by_name", words, "Send them as a list (jq '[.[]]' makes one).", 1)


def _refuse_rows_as_lists(document: dict[str, Any], names: EventNames | None) -> None:
    """Raise `DecodeError` for rows beside the names of their columns, as pandas and query engines write tables."""
    if names is not None and _has(document, *names.time):
        return
    lists = {name: value for name, value in document.items() if isinstance(value, list) and value}
    for rows, table in lists.items():
        width = len(table[0]) if isinstance(table[0], list) else 0
        columns = [name for name, value in lists.items() if name != rows and len(value) == width]
        if width > 1 and columns and all(isinstance(row, list) and len(row) == width for row in table):
            words = f"The object holds rows as lists ({rows!r}) beside the names of their columns ({columns[0]!r})."
            hint = "Write each row as an object (pandas: to_json(orient='records'))."
            raise DecodeError("rows_as_lists", words, hint, 1)


def _find_lists(value: dict[str, Any], path: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    for name, item in value.items():
        if isinstance(item, list) and item and all(isinstance(event, dict) for event in item):
            yield path + name, item
        elif isinstance(item, dict) and depth > 1:
            yield from _find_lists(item, f"{path}{name}.", depth - 1)
