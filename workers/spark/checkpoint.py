"""Repairs a checkpoint whose newest files cannot be read, where an exact repair is possible.

Before a batch, Spark writes its offsets (`offsets/N`). Then the sink writes what it published (the feed's manifest
N), and Spark marks the batch as done (`commits/N`). A broken disk can tear each file, and Spark then refuses to go
on. Offsets follow from published rows and published rows from offsets, so one of the two suffices.
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
from timeline_app.feed.feed_rows import ALL_NODES, select_progress_rows
from timeline_app.feed.files import FILES, FileFeed
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.landing.log import Landing
from workers.spark.progress import parse_offset
from workers.spark.torn_files import find_torn_files, remove_snapshots

VERSION = "v1"
MAX_REPAIRS = 10
MAX_RENAME_DELAY_S = 10.0
"""The time between the last write to a file, which its mtime records, and the rename that names it."""


class Unreadable(RuntimeError):
    """The checkpoint cannot be repaired without loss: the query must be rebuilt."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a query. `known` holds the offsets after some batches, `query_id` is Spark's id of the query.

    Both come from Spark's reports. Everything up to batch `published` is on disk (`feed/syncing.py`).
    """

    places: Places
    name: str
    program: Program
    known: Mapping[int, Sequence[int]]
    query_id: str
    published: int = -1

    def mend(self) -> list[str]:
        """Make the newest files readable, and return descriptions of the repairs. Raises `Unreadable`."""
        repairs: list[str] = []
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
            if len(repairs) == MAX_REPAIRS:
                raise Unreadable(
                    "too much of its checkpoint, or of what it published, is gone or cannot be read"
                )
            repairs.append(words)
        self._must_reach_what_is_published()
        if repairs:
            self._sync_names()
        return repairs

    def _must_reach_what_is_published(self) -> None:
        """Refuse a checkpoint that ends before the last published batch: what is read next would count as published."""
        last = find_newest(self._folder("offsets"))
        if self.published > (-1 if last is None else last):
            raise Unreadable(f"batch {self.published} was published, and its checkpoint ends before that")

    def _sync_names(self) -> None:
        """Sync the names, so that a power cut brings no removed file back into a new batch."""
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
        """Redo everything from the first unpublished batch that a power cut tore.

        Nobody has read any of it: a reader syncs a batch, and all earlier ones, before it reads.
        """
        state = self._folder("state")
        if not isinstance(state, Path):
            return ""
        torn = find_torn_files(state, self._synced_until())
        snapshots = remove_snapshots(torn)
        last_commit = find_newest(self._folder("commits"))
        if last == 0 and last_commit is None and torn:
            self._do_again(0)
            return "what the first batch made of the state was not all on disk; it is computed again"
        for batch in range(max(self.published, 0), last + 1):
            has_state = batch < last or (last_commit is not None and last_commit >= batch)
            if (batch < last and not self._is_whole(batch)) or (
                has_state and not self._has_state(batch + 1, torn)
            ):
                self._do_again(batch)
                return f"batch {batch}, and what came after it, was not all on disk; it is computed again"
        return "a snapshot of its state was not all on disk, and was removed" if snapshots else ""

    def _synced_until(self) -> float:
        """Return the time (seconds since 1970) before which all writes are on disk."""
        offsets_file = durable.stat_file(self._folder("offsets") / str(self.published))
        return 0.0 if offsets_file is None else offsets_file.written - MAX_RENAME_DELAY_S

    def _is_whole(self, batch: int) -> bool:
        """Return whether what a batch read and published can be read; published batches always can."""
        if batch <= self.published:
            return True
        feed = FileFeed(self.places.feed(self.name))
        is_complete = read_offsets(self._folder("offsets") / str(batch)) is not None and feed.has(batch)
        return is_complete and feed.is_whole(batch)

    def _has_state(self, version: int, torn: Container[Path]) -> bool:
        """Return whether the state before batch `version` is complete in every partition."""
        state = self._folder("state")
        assert isinstance(state, Path)
        version_folders = [path for path in state.glob("[0-9]*/[0-9]*") if path.is_dir()]
        files = [
            {path for path in folder.iterdir() if _parse_version(path) == version}
            for folder in version_folders
        ]
        schemas = [path for path in state.rglob("_*/*") if path in torn]
        return (
            not schemas
            and bool(files)
            and all(state_files and not any(file in torn for file in state_files) for state_files in files)
        )

    def _do_again(self, batch: int) -> None:
        """Forget the results of a batch and of all later ones. It reads the same offsets again, where known."""
        feed, offsets = FileFeed(self.places.feed(self.name)), self._folder("offsets")
        for number in range(feed.last(), max(batch, self.published + 1) - 1, -1):
            feed.remove_manifest(number)
        first_removed = batch if read_offsets(offsets / str(batch)) is None else batch + 1
        for folder, first in ((offsets, first_removed), (self._folder("commits"), batch)):
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
        """Return the offsets after a batch, from the numbers of events in its progress rows.

        Inputs that are nodes have none.
        """
        if self.program.feeds:
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read")
        try:
            marks = select_progress_rows(feed.read(batch))
        except (OSError, ValueError) as problem:
            if not durable.is_torn(problem, self.places.feed(self.name)):
                raise
            raise Unreadable(f"neither offsets/{batch} nor what it published can be read") from problem
        if pc.any(
            pc.not_equal(marks["node"], ALL_NODES)
        ).as_py():  # progress rows of nodes that were handed over leave events out
            raise Unreadable(f"offsets/{batch} of its checkpoint cannot be read")
        offsets = []
        for stream, first in zip(self.program.streams, start, strict=True):
            read_events = pc.sum(marks.filter(pc.equal(marks["source"], stream))["events"]).as_py() or 0
            offsets.append(
                _find_offset_after(
                    Landing(self.places.landing, self.program.declarations[stream].folder), first, read_events
                )
            )
        return offsets

    def _mend_manifest(self, planned: int) -> str:
        feed = FileFeed(self.places.feed(self.name))
        batch = planned if feed.has(planned) else planned - 1
        is_there = feed.has(batch)
        if batch < 0 or (is_there and feed.is_whole(batch)):
            return ""
        if batch < planned:
            self._plan_anew(planned)
        if is_there:
            feed.remove_manifest(batch)
        _remove(self._folder("commits") / str(batch))
        return f"what batch {batch} published could not be read; it is computed again"

    def _mend_commit(self, planned: int) -> str:
        batch = find_newest(self._folder("commits"))
        if batch is None or _is_json(file := self._folder("commits") / str(batch), 1):
            return ""
        if batch == planned:
            _remove(file)
            return f"whether batch {batch} was done could not be read; it is computed again"
        # The next batch was planned, so this one was done; and there is no watermark to record.
        _write(file, [VERSION, json.dumps({"nextBatchWatermarkMs": 0}, separators=(",", ":"))])
        return f"whether batch {batch} was done could not be read; it was, since the next one was planned"

    def _plan_anew(self, batch: int) -> None:
        """Forget a batch that published nothing, with its changes of the state. The next attempt may read more."""
        _remove(self._folder("offsets") / str(batch))
        _remove(self._folder("commits") / str(batch))
        self._forget_state(batch)

    def _forget_state(self, batch: int) -> None:
        """Forget the state of a batch and of those after it; before the first batch Spark expects none at all."""
        for file in self._folder("state").rglob("*"):
            if (version := _parse_version(file)) is not None and version > batch:
                _remove(file)
        if batch == 0:
            for folder in (path for path in self._folder("state").glob("*") if path.is_dir()):
                durable.remove_all(folder)

    def _folder(self, name: str) -> Place:
        return self.places.checkpoint(self.name) / name


def find_newest(folder: Place) -> int | None:
    """Return the greatest number among the files of one of Spark's logs."""
    return max((int(name) for name in durable.list_names(folder) if name.isdigit()), default=None)


def _parse_version(file: Place) -> int | None:
    """Return the batch before which a state file is valid; None for other files."""
    version = file.name.split(".")[0].split("_")[0]
    return int(version) if file.suffix in (".changelog", ".zip") and version.isdigit() else None


def read_offsets(file: Place) -> tuple[int, ...] | None:
    """Return the offsets in a file of the offset log; None where it is torn or gone."""
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
    """Return the offset that lies `events` events after `start`."""
    number, end = start, landing.end()
    while events > 0 and number < end:
        events -= landing.count(number, number + 1).events
        number += 1
    if events:
        raise Unreadable(f"what was read of {landing.path.name} does not end with a batch of it")
    return number


def _is_json(file: Place, first: int) -> bool:
    """Return whether there are lines from `first` on and all are JSON."""
    try:
        values: list[Any] = [json.loads(line) for line in file.read_text().splitlines()[first:]]
    except (OSError, ValueError) as problem:
        if durable.is_torn(problem, file):
            return False
        raise
    return bool(values)


def _write(file: Place, lines: Sequence[str]) -> None:
    """Replace one of Spark's files whole, and drop the checksum of the old one."""
    with durable.open_draft_file(file) as draft:
        draft.sink.write("\n".join(lines).encode())
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
        draft.replace()


def _remove(file: Place) -> None:
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.unlink(missing_ok=True)
