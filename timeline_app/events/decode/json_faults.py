"""Explains what is wrong with text that is not JSON, and how to correct it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import orjson

from timeline_app.events.decode.detection import is_comment
from timeline_app.events.validate import LineProblem

_MAX_SEARCHED_CHARS = 1 << 20
"""The faulty field is not searched for in longer texts."""
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}


class _Constant(NamedTuple):
    """NaN or an infinity, which JSON does not have."""

    name: str


class _Repeated(ValueError):
    """A name occurs twice in one object."""


def decode_json(text: bytes, line: int) -> object:
    """Return the value of a text, or a `LineProblem`."""
    try:
        event = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return _describe_fault(text, error, line)
    return event if _has_each_name_once(text, event) else check_names(text, event, line)


def check_names(text: bytes, event: object, line: int) -> object:
    """Return the event, or a `LineProblem` where a name occurs twice in one of its objects."""
    try:
        json.loads(text, object_pairs_hook=_refuse_repeated)
    except _Repeated as why:
        words = f"{str(why)[:60]!r} stands twice in one object; send each name once"
        return LineProblem(line, str(why)[:200], "repeated_name", words)
    except (ValueError, RecursionError):
        pass
    return event


def _has_each_name_once(text: bytes, event: object) -> bool:
    """Return whether counting alone proves that names are unique."""
    return not isinstance(event, dict) or (text.count(b'":') == len(event) and not has_loose_colons(text))


def has_loose_colons(text: bytes) -> bool:
    """Return whether a blank precedes a colon, so that counting colons after quotes may miss a name."""
    return any(blank in text for blank in (b" :", b"\t:", b"\r:", b"\n:"))


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Repeated(next(name for index, name in enumerate(names) if name in names[:index]))
    return read


def _describe_fault(text: bytes, error: orjson.JSONDecodeError, line: int) -> LineProblem:
    if is_comment(text):
        words = f"{_show(text)} is a comment, and JSON has none; leave the line out"
        return LineProblem(line, None, "comment", words)
    try:
        text.decode()
    except UnicodeDecodeError as why:
        column = len(text[: why.start].decode(errors="ignore")) + 1
        words = f"the byte 0x{text[why.start]:02X} at column {column} is not UTF-8; write JSON in UTF-8"
        return LineProblem(line, None, "not_utf8", words)
    if (dialect := _describe_dialect(text.decode(), error.pos)) is not None:
        return LineProblem(line, None, "not_json", f"{dialect} (column {error.colno})")
    special = _find_special(text)
    if special is not None:
        return LineProblem(line, special[0], "not_json", special[1])
    if error.pos >= len(text.decode().rstrip()) or "unexpected end" in error.msg:
        words = f"the event is cut off at column {error.colno}: send it whole, each event on one line"
        return LineProblem(line, None, "cut_short", words)
    return LineProblem(line, None, "not_json", f"not JSON: {error.msg} at column {error.colno}")


def _describe_dialect(text: str, offset: int) -> str | None:
    """Describe JavaScript, Python or annotated JSON at a place."""
    if text.startswith(("//", "/*", "#"), offset):
        return (
            f"{_show(text[offset:].splitlines()[0].encode())} is a comment, and JSON has none; leave it out"
        )
    if text.startswith("'", offset):
        return "a text stands in single quotes; JSON has double quotes"
    word = next((word for word in _WORDS if text.startswith(word, offset)), None)
    return None if word is None else f"{word} is Python, no JSON; write {_WORDS[word]}"


def _find_special(text: bytes) -> tuple[str | None, str] | None:
    """Return the field whose value is no JSON although Python writes it so, and a description."""
    if len(text) > _MAX_SEARCHED_CHARS:
        return None
    try:
        read = json.loads(text, parse_constant=_Constant)
    except (ValueError, RecursionError):
        return None
    return _describe_special(read, None)


def _describe_special(value: Any, name: str | None) -> tuple[str | None, str] | None:
    """Describe the first value, depth first, that JSON does not have."""
    stack = [(name, value)]
    while stack:
        name, value = stack.pop()
        where = "a value" if name is None else repr(name[:60])
        if isinstance(value, _Constant):
            return name, f"{where} is {value.name}, which JSON does not have; write null"
        if isinstance(value, str) and not value.isascii() and _has_half(value):
            return name, f"{where} holds half of a character (a lone surrogate); write the whole character"
        if isinstance(value, dict):
            stack += reversed(list(value.items()))
        elif isinstance(value, list):
            stack += [(name, item) for item in reversed(value)]
    return None


def _has_half(value: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in value)


def _show(text: bytes) -> str:
    excerpt = text.strip().decode(errors="replace")
    return repr(excerpt[:40] + ("…" if len(excerpt) > 40 else ""))
