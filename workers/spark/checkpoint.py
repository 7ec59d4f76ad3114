"""Mending a checkpoint whose newest files cannot be read, where that can be done exactly.

Before a batch Spark writes what it reads (`offsets/N`), then the sink writes what it published (the feed's manifest
N), then Spark writes that it is done (`commits/N`). Each can be torn by a broken disk, and Spark then refuses to
go on. What the batch read is known from what it published, and what it published from what it read, so that one of
them is enough.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.compiler import Program
from timeline_app.compiler.step import FeedInput
from timeline_app.storage.chain import Chain
from timeline_app.storage.feed import Feed, marks_of
from timeline_app.storage.landing import Landing
from timeline_app.storage.places import Places
from workers.spark.progress import offset_of

VERSION = "v1"
MOST = 10
Size = Callable[[int], int]


class Unreadable(RuntimeError):
    """The checkpoint cannot be read, and cannot be mended without loss: the query must be built anew."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a query; `known` are the offsets behind some of its batches, `query_id` is Spark's id of it.

    Both are what its reports told.
    """

    places: Places
    name: str
    program: Program
    known: Mapping[int, Sequence[int]]
    query_id: str

    def mend(self) -> list[str]:
        """Make the newest files readable again; what was done, in words. Raises `Unreadable`."""
        done: list[str] = []
        steps = (self._mend_identity, self._mend_offsets, self._mend_manifest, self._mend_commit)
        while len(done) < MOST and (batch := newest(self._folder("offsets"))) is not None:
            words = next((words for step in steps if (words := step(batch))), "")
            if not words:
                break
            done.append(words)
        return done

    def _mend_identity(self, _batch: int) -> str:
        file = self._folder("metadata")
        if _json_in(file, 0):
            return ""
        _write(file, [json.dumps({"id": self.query_id or str(uuid.uuid4())})])
        return "its identity could not be read, and was written anew"

    def _mend_offsets(self, batch: int) -> str:
        file = self._folder("offsets") / str(batch)
        if offsets_in(file) is not None:
            return ""
        feed = Feed(self.places.feed(self.name))
        if not feed.has(batch):
            self._plan_anew(batch)
            return f"what batch {batch} was to read could not be read; it had published nothing, and is planned anew"
        before = self._folder("offsets") / str(batch - 1)
        last = offsets_in(before)
        if last is None:
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read, nor the one before")
        found = self.known.get(batch) or self._read_by(batch, last, feed)
        _write(file, [*before.read_text().splitlines()[:2], *(json.dumps({"next": n}) for n in found)])
        return f"what batch {batch} had read could not be read, and was found again from what it published"

    def _read_by(self, batch: int, start: Sequence[int], feed: Feed) -> list[int]:
        """How far a batch read, by its marks: each counts events, or was one of an input."""
        try:
            marks = marks_of(feed.read(batch))
        except (OSError, ValueError) as problem:
            raise Unreadable(f"neither offsets/{batch} nor what it published can be read") from problem
        sizes = [self._events_of(stream, marks) for stream in self.program.streams]
        sizes += [self._marks_of(item, marks) for item in self.program.feeds]
        return [_after(first, *size) for first, size in zip(start, sizes, strict=True)]

    def _events_of(self, stream: str, marks: pa.Table) -> tuple[int, Size]:
        """How many events of a stream a batch took, and how many a file has."""
        landing = Landing(self.places.landing, stream)
        own = marks.filter(pc.equal(marks["source"], stream))
        taken = pc.sum(own["events"]).as_py() or 0

        def size(number: int) -> int:
            if number >= landing.end():
                raise ValueError(f"the stream {stream} has fewer events than were read")
            return landing.count(number, number + 1).events

        return taken, size

    def _marks_of(self, item: FeedInput, marks: pa.Table) -> tuple[int, Size]:
        """How many marks of an input a batch passed on, and how many a batch of the input has."""
        chain = Chain(self.places, item.digest, item.sources)
        passed = pc.sum(pc.starts_with(marks["source"], f"{item.digest}/")).as_py() or 0
        return passed, lambda number: len(marks_of(chain.read(number)))

    def _mend_manifest(self, planned: int) -> str:
        feed = Feed(self.places.feed(self.name))
        batch = planned if feed.has(planned) else planned - 1
        if not feed.has(batch) or _is_whole(feed, batch):
            return ""
        if batch < planned:
            self._plan_anew(planned)
        _remove(feed.manifest(batch))
        _remove(self._folder("commits") / str(batch))
        return f"what batch {batch} published could not be read; it is computed again"

    def _mend_commit(self, planned: int) -> str:
        batch = newest(self._folder("commits"))
        if batch is None or _json_in(file := self._folder("commits") / str(batch), 1):
            return ""
        if batch == planned:
            _remove(file)
            return f"whether batch {batch} was done could not be read; it is computed again"
        # The next one was planned, so it was; and there is no watermark that it could tell.
        _write(file, [VERSION, json.dumps({"nextBatchWatermarkMs": 0}, separators=(",", ":"))])
        return f"whether batch {batch} was done could not be read; it was, since the next one was planned"

    def _plan_anew(self, batch: int) -> None:
        """Forget a batch that published nothing, and what it may have made of the state: it may read more next time."""
        _remove(self._folder("offsets") / str(batch))
        _remove(self._folder("commits") / str(batch))
        for file in self._folder("state").rglob("*"):
            version = file.name.split(".")[0].split("_")[0]
            if file.suffix in (".changelog", ".zip") and version.isdigit() and int(version) > batch:
                _remove(file)

    def _folder(self, name: str) -> Path:
        return self.places.checkpoint(self.name) / name


def newest(folder: Path) -> int | None:
    """The greatest number among the files of a log of Spark."""
    numbers = [int(file.name) for file in folder.iterdir() if file.name.isdigit()] if folder.is_dir() else []
    return max(numbers, default=None)


def offsets_in(file: Path) -> tuple[int, ...] | None:
    """What a file of the offset log says; nothing where it cannot be read."""
    try:
        version, metadata, *offsets = file.read_text().splitlines()
        json.loads(metadata)
        found = tuple(offset_of(line) for line in offsets)
    except (OSError, ValueError, AttributeError):
        return None
    return found if version == VERSION and found else None


def _after(start: int, much: int, size: Size) -> int:
    """The offset that lies so much behind another one, where each number between has its size."""
    number = start
    try:
        while much > 0:
            much -= size(number)
            number += 1
    except (OSError, ValueError) as problem:
        raise Unreadable(f"what number {number} of its input holds cannot be read any more") from problem
    if much < 0:
        raise Unreadable(f"what was read ends within number {number - 1} of its input")
    return number


def _is_whole(feed: Feed, batch: int) -> bool:
    try:
        return all(pq.read_metadata(file) for file in feed.files(batch))
    except (OSError, ValueError, KeyError, IndexError):
        return False


def _json_in(file: Path, first: int) -> bool:
    """Whether all lines from the first one on are JSON, and there are some."""
    try:
        found: list[Any] = [json.loads(line) for line in file.read_text().splitlines()[first:]]
    except (OSError, ValueError):
        return False
    return bool(found)


def _write(file: Path, lines: Sequence[str]) -> None:
    """Replace a file of Spark's whole, and forget the checksum that it kept of the old one."""
    staged = file.with_name(f".{file.name}.mended")
    staged.write_text("\n".join(lines))
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    staged.replace(file)


def _remove(file: Path) -> None:
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.unlink(missing_ok=True)
