"""Reads a file of any format as one, as events in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import orjson

from timeline_app.connectors.raw_events import encode_unreadable
from timeline_app.connectors.source_contract import Row
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import Content, DecodeError, Notes, open_events
from timeline_app.events.validate import BadEvents, LineProblem


class Opener(Protocol):
    """Opens files."""

    def opened(self, path: Path) -> BinaryIO:
        """Open a file for reading."""

    def length(self, path: Path) -> int:
        """Return its size in bytes."""


def read_whole_file(
    opener: Opener,
    path: Path,
    size: int,
    declared: Callable[[], StreamDeclaration] | None = None,
    *,
    single: bool = False,
) -> Iterator[Row]:
    """Yield the events of a file, each with its line; an unreadable one is reported, and does not affect others.

    `size` is its earlier length; it is reported where the file has shrunk.
    """
    line, content = 0, Content(lambda: opener.opened(path), size)
    try:
        declaration = None if declared is None else declared()
        source = open_events(content, declaration, Notes(), whole=True, single=single)
        for chunk in source.chunks():
            for line, event in chunk.rows():
                yield spell_row(event), path.name, str(line)
    except DecodeError as why:
        yield encode_unreadable(why.code, f"{why.message} {why.hint}"), path.name, str(why.line or line + 1)
    except BadEvents as bad:
        for problem in bad.problems:
            yield encode_unreadable(problem.code, problem.message), path.name, str(problem.line)
    if (now := opener.length(path)) < size:
        yield describe_cut(path.name, now, line)


def describe_cut(name: str, offset: int, counted: int | None = None) -> Row:
    """Describe a file that has shrunk, in place of its rest; `counted` is the place in the source's own units."""
    words = f"{name} was cut short while it was read, at {offset:,} bytes"
    hint = "write what is missing to a new file, and keep whole those that are there"
    return (
        encode_unreadable("cut_short", f"{words}: {hint}"),
        name,
        str(offset if counted is None else counted),
    )


def spell_row(event: object) -> str:
    """Return an event as JSON, or why it cannot be read."""
    if isinstance(event, LineProblem):
        return encode_unreadable(event.code, event.message)
    return spell_event(event)


def spell_event(event: Any) -> str:
    """Return an event as JSON, without missing values."""
    if isinstance(event, dict):
        event = {name: value for name, value in event.items() if value is not None}
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
