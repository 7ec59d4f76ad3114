"""Decodes answers of REST APIs like files and pushes: a bad event does not affect the others."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from timeline_app.connectors.files.whole_files import spell_row
from timeline_app.connectors.raw_events import encode_unreadable
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import Content, Notes, open_events
from timeline_app.events.decode.compression import detect_compression, unpack_bytes
from timeline_app.events.decode.encoding import Utf8Reader
from timeline_app.events.decode.json_lines import may_repeat_names

Declared = Callable[[], StreamDeclaration] | None


class RepeatedNames(dict[str, Any]):
    """An object in which a name occurs twice."""

    name = ""


@dataclass(frozen=True, slots=True)
class DecodedAnswer:
    """The document of an answer; `exact` says that it is JSON without duplicate names."""

    document: Any
    exact: bool

    def spell_event(self, event: Any) -> str:
        """Return an event of the document as JSON, or why it cannot be read."""
        if self.exact:
            return orjson.dumps(event).decode()
        try:
            name = _find_repeated(event)
            text = json.dumps(event)
        except RecursionError:
            return encode_unreadable("nested", "nested too deeply for an event; send fewer levels")
        if name is not None:
            return encode_unreadable(
                "repeated_name", f"{name[:60]!r} stands twice in one object; send each name once"
            )
        return text


def unpack_answer(body: bytes, max_bytes: int) -> bytes:
    """Unpack an answer that may be compressed without being asked to. Raises `DecodeError`."""
    packed = detect_compression(body[:16])
    return body if packed is None else unpack_bytes(body, packed, max_bytes)


def decode_document(body: bytes) -> DecodedAnswer:
    """Decode one document of JSON, in any encoding. Raises `ValueError` for anything else."""
    text = Utf8Reader(io.BytesIO(body), Notes(), western=False).read_all().strip()
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError:
        return DecodedAnswer(_read_loosely(text), exact=False)
    if _may_repeat(text, document):
        return DecodedAnswer(_read_loosely(text), exact=False)
    return DecodedAnswer(document, exact=True)


def decode_rows(body: bytes, declared: Declared, max_bytes: int) -> list[str]:
    """Return the events of an answer in another form, such as a table. Raises `DecodeError` and `BadEvents`."""
    declaration = None if declared is None else declared()
    source = open_events(Content.of_bytes(body), declaration, Notes(), max_bytes=max_bytes, whole=True)
    return [spell_row(event) for chunk in source.chunks() for _, event in chunk.rows()]


def describe_body(body: bytes) -> str:
    """Describe kind and size of an answer that is no JSON, and what to do; never its content."""
    size = f"({len(body):,} bytes)"
    if not body.strip():
        return "it is empty: check url"
    if body.lstrip()[:1] == b"<":
        return f"it is a page for people {size}: check that url is of the API, not of its website"
    kind = "text" if _is_text(body) else "binary"
    return f"it is {kind} {size}: check url, and that the API answers JSON"


def _is_text(body: bytes) -> bool:
    try:
        return body.decode().isprintable() or b"\0" not in body
    except UnicodeDecodeError:
        return False


def _read_loosely(text: bytes) -> Any:
    """Parse JSON leniently: NaN, lone surrogates and duplicate names are refused later, event by event."""
    try:
        return json.loads(text, object_pairs_hook=_mark_repeated)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _mark_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    marked, names = RepeatedNames(read), [name for name, _ in pairs]
    marked.name = next(name for index, name in enumerate(names) if name in names[:index])
    return marked


def _may_repeat(text: bytes, document: Any) -> bool:
    objects = document if isinstance(document, list) else [document]
    return all(isinstance(item, dict) for item in objects) and may_repeat_names(text, objects)


def _find_repeated(value: Any) -> str | None:
    """Return the duplicate name in an object or below it."""
    if isinstance(value, RepeatedNames):
        return value.name
    inner: Iterable[Any] = ()
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
    names: Iterator[str | None] = map(_find_repeated, inner)
    return next((name for name in names if name is not None), None)
