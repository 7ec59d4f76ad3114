"""JSON lines, of a file or of standard input."""

from __future__ import annotations

import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import orjson

from timeline_app.local.chunks import Chunk, Row
from timeline_app.local.values import Raw
from timeline_app.plan.events import MAX_FIELDS, LineProblem

_BYTES = 1 << 22


@dataclass(frozen=True)
class JsonChunk:
    """Some lines, the first of them with that number; blank ones are no events."""

    lines: list[bytes]
    first: int
    done: int

    @cached_property
    def _read(self) -> list[dict[str, Any]]:
        found = [orjson.loads(line) for line in self.lines if not line.isspace()]
        if set(map(type, found)) - {dict} or max(map(len, found), default=0) > MAX_FIELDS:
            raise ValueError("an event is no object, or has too many fields")
        return found

    def __len__(self) -> int:
        """How many events; raises `ValueError` where a line is none."""
        return len(self._read)

    def names(self) -> set[str]:
        """The names of all fields that any of the events has."""
        return set[str]().union(*self._read)

    def column(self, name: str) -> Raw:
        """The values of one field."""
        return [event.get(name) for event in self._read]

    def rows(self) -> Iterator[Row]:
        """The events by line; one that is no JSON as a problem."""
        for place, line in enumerate(self.lines, self.first):
            if line.isspace():
                continue
            try:
                yield place, orjson.loads(line)
            except orjson.JSONDecodeError as wrong:
                message = f"not JSON: {wrong.msg} at column {wrong.colno}"
                yield place, LineProblem(place, None, "not_json", message)

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places among those of the chunk."""
        lines = [line for line in self.lines if not line.isspace()]
        return [orjson.loads(lines[place]) for place in places]


class JsonLines:
    """A file of JSON lines."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError` where it cannot be read."""
        self.path, self.total = path, path.stat().st_size or None

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (a line is read whole)
        """Chunks of some megabytes."""
        with self.path.open("rb") as lines:
            yield from _chunks(lines)


class Pipe:
    """JSON lines from standard input or a pipe, kept in a file of no name while they may have to be read again."""

    def __init__(self, path: Path | None, *, keep: bool) -> None:
        """Without a path standard input; where `keep`, it can be read more than once."""
        self.path, self.total = path, None
        self._kept: IO[bytes] | None = tempfile.TemporaryFile() if keep else None  # noqa: SIM115 (it is given back)
        self._read = False

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (a line is read whole)
        """Chunks of some megabytes."""
        if self._read:
            assert self._kept is not None
            self._kept.seek(0)
            yield from _chunks(self._kept)
            return
        self._read = True
        with nullcontext(sys.stdin.buffer) if self.path is None else self.path.open("rb") as lines:
            for chunk in _chunks(lines):
                if self._kept is not None:
                    self._kept.writelines(chunk.lines)
                yield chunk


def _chunks(lines: IO[bytes]) -> Iterator[JsonChunk]:
    first, done = 1, 0
    while some := lines.readlines(_BYTES):
        if first == 1:
            some[0] = some[0].removeprefix(BOM_UTF8) or b"\n"
        done += sum(map(len, some))
        yield JsonChunk(some, first, done)
        first += len(some)
