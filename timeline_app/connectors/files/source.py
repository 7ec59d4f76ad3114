"""Files of events in a directory: whole files are read once, in parallel; growing files are followed."""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import pyarrow as pa

from timeline_app.connectors.files.unreadable import Unreadable
from timeline_app.connectors.files.whole_files import describe_cut, read_whole_file
from timeline_app.connectors.options import Option
from timeline_app.connectors.raw_events import EVENTS, build_batch, encode_bytes, encode_unreadable
from timeline_app.connectors.reading import NothingYet, SourceUnavailable
from timeline_app.connectors.safe_opening import open_within
from timeline_app.connectors.source_contract import (
    Acknowledge,
    Given,
    Restriction,
    Row,
    SplittableSource,
    split_evenly,
)
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.readers import PlannedReader
from timeline_app.connectors.splits.tracker import Position, Tracker
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import DecodeError
from timeline_app.events.decode.csv_layout import is_table
from timeline_app.events.decode.detection import HEAD_BYTES, is_plain_lines, refuse_unappendable
from timeline_app.events.decode.stated_encoding import decode_bytes

UNFINISHED = (".tmp", ".part", ".staged", ".crdownload")
"""Suffixes of incomplete files; names that begin with a dot or an underscore are incomplete as well."""
ROWS, CHUNK = 10_000, 1 << 20
_EXAMINED_BYTES = 1 << 12
"""The bytes at the beginning of a growing file that show its format."""


def _check_directory(path: str) -> str | None:
    return None if Path(path).is_absolute() else f"is no absolute path: {path!r}"


def _check_pattern(pattern: str) -> str | None:
    outside = Path(pattern).is_absolute() or ".." in Path(pattern).parts
    return f"leads out of the directory: {pattern!r}" if outside else None


Where = Annotated[str, Option("The directory, as the servers see it", check=_check_directory, folder=True)]
Which = Annotated[
    str,
    Option("Which files there: * stands for any part of a name, **/ for any folders", check=_check_pattern),
]
Quiet = Annotated[float, Option("A file is whole once it has not changed for so long", unit="seconds")]


class Files(SplittableSource):
    """The common base of file sources. A file is read once, whatever happens to it later."""

    schema, reader, unit, decoded = EVENTS, PlannedReader, "bytes", True
    most, least = 64 << 20, 1 << 20
    declared: Callable[[], StreamDeclaration] | None = None
    """Returns the current declaration of the stream, which types the cells of a table; else they are text."""

    def __init__(self, path: Where, pattern: Which = "*", quiet: Quiet = 1.0) -> None:
        """Nothing is read yet."""
        self.path, self.pattern, self.quiet = Path(path), pattern, quiet
        self.within: Sequence[Path] = ()
        self.ends: dict[str, tuple[int, int]] = {}
        self.unreadable = Unreadable()
        self._held_up: list[str] = []

    def restrictions(self) -> Iterable[Restriction]:
        """Return the complete files."""
        for key, _, end in self.readable():
            yield Restriction(key, 0, end, closed=True)

    def held_up(self) -> Collection[str]:
        """Return the files that are being written, or that cannot be read."""
        return self._held_up

    def complaint(self) -> str:
        """Describe the files that cannot be read, and why."""
        return self.unreadable.words()

    def readable(self) -> Iterator[tuple[str, str, int]]:
        """Yield key, name and end of the complete, readable files; a bad one does not affect the others."""
        before, names, held_up = time.time() - self.quiet, set[str](), list[str]()
        for name, status in self.listed():
            names.add(name)
            end = self._end_or_why(name, status) if status.st_mtime <= before else None
            if end is None:
                held_up.append(self.key_of(name, status))
            else:
                yield self.key_of(name, status), name, end
        self._held_up = held_up
        self.unreadable.keep(names)

    def key_of(self, name: str, status: os.stat_result) -> str:
        """Return what identifies a file: its name."""
        del status
        return name

    def _end_or_why(self, name: str, status: os.stat_result) -> int | None:
        """Return the end of a file; None for an unreadable one, whose reason is noted."""
        if self.unreadable.is_known(name, status):
            return None
        try:
            return self._end(name, status)
        except FileNotFoundError:
            return None
        except MemoryError:
            raise
        except (OSError, ValueError, pa.ArrowException) as why:
            self.unreadable.note(name, status, why)
            return None

    def listed(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the files of the pattern. Raises `SourceUnavailable` where the directory cannot be read."""
        try:
            with os.scandir(self.path):
                pass  # a glob is silent about a missing directory
        except OSError as why:
            raise SourceUnavailable(_explain_unreadable(self.path, why)) from None
        for path in sorted(self.path.glob(self.pattern)):
            if _is_unfinished(path.name):
                continue
            try:
                if path.is_file() and self._is_inside(path):
                    yield str(path.relative_to(self.path)), path.stat()
            except FileNotFoundError:
                continue

    def opened(self, path: Path) -> BinaryIO:
        """Open a file of the directory. Raises `OSError`, also where it has become a link out of it."""
        return open_within(path, self.within)

    def length(self, path: Path) -> int:
        """Return the size of a file in bytes. Raises where it may not be opened."""
        with self.opened(path) as file:
            return file.seek(0, os.SEEK_END)

    def _is_readable(self, path: Path) -> bool:
        return not _is_unfinished(path.name) and path.is_file() and self._is_inside(path)

    def _is_inside(self, path: Path) -> bool:
        """Return whether a file may be read: a link may lead anywhere."""
        real = path.resolve()
        return not self.within or any(real.is_relative_to(folder) for folder in self.within)

    def sample(self, most: int) -> Iterator[Row | pa.RecordBatch]:
        """Yield rows of the first files. Raises `SourceUnavailable` where there is none."""
        listed = dict(self.listed())
        if not listed:
            readable = sorted(path.name for path in self.path.iterdir() if self._is_readable(path))[:3]
            text = (
                f"there are {', '.join(readable)}"
                if readable
                else "it is empty, or has none that would be read"
            )
            raise NothingYet(f"no file of {self.path} matches {self.pattern!r}: {text}")
        is_restricted = any(self.restrictions())
        if not is_restricted and self.complaint():
            raise SourceUnavailable(self.complaint())
        if self.quiet and not is_restricted:
            name = min(listed, key=lambda item: listed[item].st_mtime)
            age = max(time.time() - listed[name].st_mtime, 0.0)
            words = f"{name} changed {age:.1f} s ago, and counts as whole after {self.quiet:g} s (quiet)"
            raise NothingYet(f"{words}: try again then, or let whoever writes it finish")
        yield from super().sample(most)

    def _end(self, name: str, status: os.stat_result) -> int:
        """Return the end of a file, computed once for each state of it."""
        changed, end = self.ends.get(name, (-1, 0))
        if changed != status.st_mtime_ns:
            end = self.end_of(self.path / name)
            self.ends[name] = status.st_mtime_ns, end
        return end

    @abstractmethod
    def end_of(self, path: Path) -> int:
        """Return the position at the end of a file."""


class JsonLinesFiles(Files):
    """JSON lines; positions are bytes, at the ends of lines."""

    title, counts = "Files of JSON lines", "byte"

    def end_of(self, path: Path) -> int:
        """Return the length in bytes."""
        return self.length(path)

    def file(self, key: str) -> Path:
        """Return the path of a file."""
        return self.path / key

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        """Return the ends of the lines at the edges of even parts."""
        edges = set()
        if not self._is_plain(key):
            return []
        with self.opened(self.file(key)) as file:
            for edge in split_evenly(start, end, parts):
                file.seek(edge)
                file.readline()
                edges.add(file.tell())
        return sorted(edge for edge in edges if start < edge < end)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield whole lines, some at a time."""
        del watermark, ack
        path, offset = self.file(key), int(tracker.start)
        if not self._is_plain(key):
            if tracker.try_claim(tracker.end, tracker.end):
                yield from read_whole_file(self, path, int(tracker.end), self.declared)
            return
        encoding = None if self.declared is None else self.declared().encoding
        with self.opened(path) as file:
            file.seek(offset)
            while offset < tracker.end:
                content = file.read(min(CHUNK, tracker.end - offset))
                content += b"" if content.endswith(b"\n") else file.readline()
                lines, end = _split_lines(content, offset), offset + len(content)
                if end == offset:
                    if tracker.try_claim(tracker.end, tracker.end - offset):
                        yield describe_cut(path.name, offset)
                    return
                if not tracker.try_claim(end, end - offset):
                    return
                for first in range(0, len(lines), ROWS):
                    yield build_batch(*_build_columns(lines[first : first + ROWS], path.name, encoding))
                offset = end

    def _is_plain(self, key: str) -> bool:
        """Return whether a file is JSON lines in UTF-8, which are read line by line; others are read as one."""
        if self.declared is not None and self.declared().encoding is not None:
            return False
        with self.opened(self.file(key)) as file:
            return is_plain_lines(file.read(HEAD_BYTES))


class GrowingFiles(JsonLinesFiles):
    """JSON lines that others append to, such as logs; inodes identify them, so that they may be renamed."""

    title, poll = "Growing files of JSON lines", 0.2

    def __init__(self, path: Where, pattern: Which = "*") -> None:
        """The pattern must still match a file that is renamed when a new one begins."""
        super().__init__(path, pattern, 0.0)
        self.names: dict[str, str] = {}

    def restrictions(self) -> Iterable[Restriction]:
        """Return each file up to the end of its last whole line."""
        restrictions = []
        for key, name, end in self.readable():
            self.names[key] = name
            restrictions.append(Restriction(key, 0, end))
        return restrictions

    def key_of(self, name: str, status: os.stat_result) -> str:
        """Return the inode, which survives a rename."""
        del name
        return f"inode-{status.st_ino}"

    def end_of(self, path: Path) -> int:
        """Return the end of the last line. Raises `DecodeError` for anything but JSON lines."""
        with self.opened(path) as file:
            self._refuse_others(file.read(_EXAMINED_BYTES))
            offset = file.seek(0, os.SEEK_END)
            while offset:
                begin = max(0, offset - CHUNK)
                file.seek(begin)
                newline = file.read(offset - begin).rfind(b"\n")
                if newline >= 0:
                    return begin + newline + 1
                offset = begin
        return 0

    def _is_plain(self, key: str) -> bool:
        """Return True: growing files are read line by line."""
        del key
        return True

    def _refuse_others(self, head: bytes) -> None:
        refuse_unappendable(head)
        if self.declared is not None and is_table(head, self.declared()):
            hint = "Write JSON lines, or whole files for a source of CSV files."
            raise DecodeError("table", "This is a table, and tables are not read while they grow.", hint)

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Return whether it has grown. Raises where it has shrunk."""
        if end < start:
            words = f"{self.names[key]} was {start:,} bytes long and is {end:,}"
            raise OSError(f"{words}: it was written anew. Begin a new file instead, under a new name")
        return bool(end > start)

    def file(self, key: str) -> Path:
        """Return the path under the current name."""
        if key not in self.names:
            self.names |= {self.key_of(name, status): name for name, status in self.listed()}
        if key not in self.names:
            raise FileNotFoundError(
                f"a file of {self.path} is gone ({key}), and has not been read to its end"
            )
        return self.path / self.names[key]


def _is_unfinished(name: str) -> bool:
    return name.startswith((".", "_")) or name.endswith(UNFINISHED)


def _explain_unreadable(path: Path, why: OSError) -> str:
    if isinstance(why, FileNotFoundError):
        return f"there is no directory {path}: make it, or correct the path"
    if isinstance(why, NotADirectoryError):
        return f"{path} is a file: name the directory that it lies in, and the file as the pattern"
    if isinstance(why, PermissionError):
        return f"the server may not read {path}: give its user the right to"
    return f"{path} cannot be read: {why}"


def _split_lines(text: bytes, offset: int) -> list[tuple[int, bytes]]:
    """Return the non-blank lines, each with its offset."""
    lines = []
    for line in text.split(b"\n"):
        if line.strip():
            lines.append((offset, line))
        offset += len(line) + 1
    return lines


def _build_columns(
    lines: list[tuple[int, bytes]], name: str, encoding: str | None
) -> tuple[list[str], str, list[int]]:
    return [_encode_line(line.strip(), encoding) for _, line in lines], name, [place for place, _ in lines]


def _encode_line(line: bytes, encoding: str | None) -> str:
    """Return a line as text, or why it is none."""
    try:
        return encode_bytes(decode_bytes(line, encoding))
    except DecodeError as why:
        return encode_unreadable(why.code, f"{why.message} {why.hint}")
