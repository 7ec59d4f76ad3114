"""Repairs a checkpoint whose newest files cannot be read, where that can be done exactly.

Before a batch Spark writes what it reads (`offsets/N`), then the sink writes what it published (the feed's manifest
N), then Spark writes that it is done (`commits/N`). Each can be torn by a broken disk, and Spark then refuses to
go on. What the batch read is known from what it published, and what it published from what it read, so that one of
them is enough.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from timeline_app.compiler import Program
from timeline_app.feed.feed_rows import EVERY, select_progress_rows
from timeline_app.feed.files import FILES, FileFeed
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.landing.log import Landing
from workers.spark.progress import parse_offset
from workers.spark.torn_files import find_torn_files, remove_snapshots

VERSION = "v1"
MOST = 10
MAX_RENAME_DELAY_S = 10.0
"""Between the last write to a file, which its time says, and the rename that gives it its name."""


class Unreadable(RuntimeError):
    """The checkpoint cannot be read, and cannot be mended without loss: the query must be built anew."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a query; `known` are the offsets behind some of its batches, `query_id` is Spark's id of it.

    Both are what its reports told. Up to the batch `published` all is on disk (`storage/syncing.py`).
    """

    places: Places
    name: str
    program: Program
    known: Mapping[int, Sequence[int]]
    query_id: str
    published: int = -1

    def mend(self) -> list[str]:
        """Make the newest files readable again; what was done, in words. Raises `Unreadable`."""
        done: list[str] = []
        steps = (
            self._mend_identity,
            self._mend_tail,
            self._mend_offsets,
            self._mend_manifest,
            self._mend_commit,
        )
        while (batch := find_newest(self._folder("offsets"))) is not None:
            words = next((words for step in steps if (words := step(batch))), "")
            if not words:
                break
            if len(done) == MOST:
                raise Unreadable(
                    "too much of its checkpoint, or of what it published, is gone or cannot be read"
                )
            done.append(words)
        self._must_reach_what_is_published()
        if done:
            self._sync_names()
        return done

    def _must_reach_what_is_published(self) -> None:
        """A disk may have lost what it said was on it: what is read next would count as published already."""
        last = find_newest(self._folder("offsets"))
        if self.published > (-1 if last is None else last):
            raise Unreadable(f"batch {self.published} was published, and its checkpoint ends before that")

    def _sync_names(self) -> None:
        """What was removed stays so, whenever the power is cut: nothing old is taken for a part of a new batch."""
        feed, state = self.places.feed(self.name), self._folder("state")
        below = [path for path in state.rglob("*") if path.is_dir()] if isinstance(state, Path) else []
        for folder in (self._folder("offsets"), self._folder("commits"), feed / FILES, state, *below):
            if folder.is_dir():
                durable.sync_names(folder)

    def _mend_identity(self, _batch: int) -> str:
        file = self._folder("metadata")
        if _is_json(file, 0):
            return ""
        _write(file, [json.dumps({"id": self.query_id or str(uuid.uuid4())})])
        return "its identity could not be read, and was written anew"

    def _mend_tail(self, last: int) -> str:
        """Of what is not published yet a power cut may take any part: from the first such batch on all is done again.

        Nobody has read any of it: whoever reads a batch syncs it before, and all that came before it.
        """
        state = self._folder("state")
        if not isinstance(state, Path):
            return ""
        torn = find_torn_files(state, self._synced_until())
        snapshots = remove_snapshots(torn)
        done = find_newest(self._folder("commits"))
        if last == 0 and done is None and torn:
            self._do_again(0)
            return "what the first batch made of the state was not all on disk; it is computed again"
        for batch in range(max(self.published, 0), last + 1):
            has_state = batch < last or (done is not None and done >= batch)
            if (batch < last and not self._is_whole(batch)) or (
                has_state and not self._has_state(batch + 1, torn)
            ):
                self._do_again(batch)
                return f"batch {batch}, and what came after it, was not all on disk; it is computed again"
        return "a snapshot of its state was not all on disk, and was removed" if snapshots else ""

    def _synced_until(self) -> float:
        """What was written before that instant (seconds since 1970) is on disk."""
        seen = durable.stat_file(self._folder("offsets") / str(self.published))
        return 0.0 if seen is None else seen.written - MAX_RENAME_DELAY_S

    def _is_whole(self, batch: int) -> bool:
        """Whether what a batch read and what it said can be read; what is published can."""
        if batch <= self.published:
            return True
        feed = FileFeed(self.places.feed(self.name))
        whole = read_offsets(self._folder("offsets") / str(batch)) is not None and feed.has(batch)
        return whole and feed.is_whole(batch)

    def _has_state(self, version: int, torn: Container[Path]) -> bool:
        """Whether the state before the batch of that number is there, in every part of it."""
        state = self._folder("state")
        assert isinstance(state, Path)
        parts = [path for path in state.glob("[0-9]*/[0-9]*") if path.is_dir()]
        files = [{path for path in part.iterdir() if _parse_version(path) == version} for part in parts]
        schemas = [path for path in state.rglob("_*/*") if path in torn]
        return (
            not schemas
            and bool(files)
            and all(state_files and not any(file in torn for file in state_files) for state_files in files)
        )

    def _do_again(self, batch: int) -> None:
        """Forget what a batch made, and all that came after it; it reads the same again where that is known."""
        feed, offsets = FileFeed(self.places.feed(self.name)), self._folder("offsets")
        for number in range(feed.last(), max(batch, self.published + 1) - 1, -1):
            feed.forget(number)
        again = batch if read_offsets(offsets / str(batch)) is None else batch + 1
        for folder, first in ((offsets, again), (self._folder("commits"), batch)):
            for number in [int(name) for name in durable.list_names(folder) if name.isdigit()]:
                if number >= first:
                    _remove(folder / str(number))
        self._forget_state(batch)

    def _mend_offsets(self, batch: int) -> str:
        file = self._folder("offsets") / str(batch)
        if read_offsets(file) is not None:
            return ""
        feed = FileFeed(self.places.feed(self.name))
        if not feed.has(batch):
            self._plan_anew(batch)
            return f"what batch {batch} was to read could not be read; it had published nothing, and is planned anew"
        before = self._folder("offsets") / str(batch - 1)
        last = read_offsets(before)
        if last is None:
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read, nor the one before")
        offsets = self.known.get(batch) or self._read_by(batch, last, feed)
        _write(file, [*before.read_text().splitlines()[:2], *(json.dumps({"next": n}) for n in offsets)])
        return f"what batch {batch} had read could not be read, and was found again from what it published"

    def _read_by(self, batch: int, start: Sequence[int], feed: FileFeed) -> list[int]:
        """How far a batch read: its marks say how many events of each stream it took; of nodes they say too little."""
        if self.program.feeds:
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read")
        try:
            marks = select_progress_rows(feed.read(batch))
        except (OSError, ValueError) as problem:
            if not durable.is_torn(problem, self.places.feed(self.name)):
                raise
            raise Unreadable(f"neither offsets/{batch} nor what it published can be read") from problem
        if pc.any(
            pc.not_equal(marks["node"], EVERY)
        ).as_py():  # those of nodes that moved here leave events out
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read")
        offsets = []
        for stream, first in zip(self.program.streams, start, strict=True):
            taken = pc.sum(marks.filter(pc.equal(marks["source"], stream))["events"]).as_py() or 0
            offsets.append(
                _find_offset_after(
                    Landing(self.places.landing, self.program.declarations[stream].folder), first, taken
                )
            )
        return offsets

    def _mend_manifest(self, planned: int) -> str:
        feed = FileFeed(self.places.feed(self.name))
        batch = planned if feed.has(planned) else planned - 1
        there = feed.has(batch)
        if batch < 0 or (there and feed.is_whole(batch)):
            return ""
        if batch < planned:
            self._plan_anew(planned)
        if there:
            feed.forget(batch)
        _remove(self._folder("commits") / str(batch))
        return f"what batch {batch} published could not be read; it is computed again"

    def _mend_commit(self, planned: int) -> str:
        batch = find_newest(self._folder("commits"))
        if batch is None or _is_json(file := self._folder("commits") / str(batch), 1):
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
        self._forget_state(batch)

    def _forget_state(self, batch: int) -> None:
        """Forget what a batch, and those after it, made of the state; Spark wants none of it before the first."""
        for file in self._folder("state").rglob("*"):
            if (version := _parse_version(file)) is not None and version > batch:
                _remove(file)
        if batch == 0:
            for folder in (path for path in self._folder("state").glob("*") if path.is_dir()):
                durable.remove_all(folder)

    def _folder(self, name: str) -> Place:
        return self.places.checkpoint(self.name) / name


def find_newest(folder: Place) -> int | None:
    """The greatest number among the files of a log of Spark."""
    return max((int(name) for name in durable.list_names(folder) if name.isdigit()), default=None)


def _parse_version(file: Place) -> int | None:
    """Before which batch the state was as a file of it says; None of all other files."""
    version = file.name.split(".")[0].split("_")[0]
    return int(version) if file.suffix in (".changelog", ".zip") and version.isdigit() else None


def read_offsets(file: Place) -> tuple[int, ...] | None:
    """What a file of the offset log says; nothing where it is torn or gone."""
    try:
        version, metadata, *offsets = file.read_text().splitlines()
        json.loads(metadata)
        numbers = tuple(parse_offset(line) for line in offsets)
    except (OSError, ValueError, AttributeError) as problem:
        if durable.is_torn(problem, file):
            return None
        raise
    return numbers if version == VERSION and numbers else None


def _find_offset_after(landing: Landing, start: int, events: int) -> int:
    """The offset that lies so many events behind another one."""
    number, end = start, landing.end()
    while events > 0 and number < end:
        events -= landing.count(number, number + 1).events
        number += 1
    if events:
        raise Unreadable(f"what was read of {landing.path.name} does not end with a batch of it")
    return number


def _is_json(file: Place, first: int) -> bool:
    """Whether all lines from the first one on are JSON, and there are some."""
    try:
        values: list[Any] = [json.loads(line) for line in file.read_text().splitlines()[first:]]
    except (OSError, ValueError) as problem:
        if durable.is_torn(problem, file):
            return False
        raise
    return bool(values)


def _write(file: Place, lines: Sequence[str]) -> None:
    """Replace a file of Spark's whole, and forget the checksum that it kept of the old one."""
    with durable.open_draft_file(file) as draft:
        draft.sink.write("\n".join(lines).encode())
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        draft.replace()


def _remove(file: Place) -> None:
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.unlink(missing_ok=True)
