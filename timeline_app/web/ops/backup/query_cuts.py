"""A snapshot of a running query: its files are numbered by batch and never change, so a prefix of them is one.

A query writes the offsets of a batch, then its state and its feed's manifest, then its commit. The cut ends with the
last manifest. A missing commit of that batch is what a crash would leave, and Spark repeats the batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from timeline_app.feed.files import FILES, FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.ops.backup.archive import Copier, Refused

MAX_TRIES = 10
NUMBERED = re.compile(r"\.?([0-9]+)(\.crc)?")
VERSIONED = re.compile(r"\.?([0-9]+)(_[\w-]+)?\.(changelog|zip|delta|snapshot)(\.crc)?")
"""Files of a state store: of the state before the batch of that number."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The last batch with a manifest, and the last committed one; −1: none."""

    manifest: int
    commit: int


def find_cut(places: Places, query: str) -> Cut:
    """Return the present cut of a query. The manifest is read first, because its commit can only come later."""
    feed, checkpoint = FileFeed(places.feed(query)).last(), require_path(places.checkpoint(query))
    return Cut(feed, min(find_greatest_number(checkpoint / "commits"), feed))


def _get_query_folders(places: Places, query: str) -> tuple[Path, Path]:
    """Return its checkpoint and its feed; remote storage is not backed up."""
    return require_path(places.checkpoint(query)), require_path(places.feed(query))


def find_greatest_number(folder: Path) -> int:
    """Return the greatest number that is the whole name of a file; −1: none."""
    if not folder.is_dir():
        return -1
    return max((int(path.name) for path in folder.iterdir() if path.name.isdecimal()), default=-1)


def copy_query(copier: Copier, places: Places, query: str) -> Cut:
    """Copy a query at one cut; start again if Spark removes an old file meanwhile."""
    checkpoint, folder = _get_query_folders(places, query)
    for _ in range(MAX_TRIES):
        cut = find_cut(places, query)
        try:
            for path in _iterate_checkpoint_files(checkpoint, cut):
                copier.take(path)
            for path in _iterate_feed_files(FileFeed(places.feed(query)), cut):
                copier.take(path)
            return cut
        except FileNotFoundError:
            copier.drop(checkpoint)
            copier.drop(folder)
    raise Refused(f"query {query} moves on faster than it can be copied: write the backup to a faster disk")


def _iterate_checkpoint_files(folder: Path, cut: Cut) -> Iterator[Path]:
    last = {"offsets": cut.manifest, "commits": cut.commit}
    for path in _iterate_files(folder):
        parts = path.relative_to(folder).parts
        number = NUMBERED.fullmatch(path.name)
        version = VERSIONED.fullmatch(path.name) if parts[0] == "state" else None
        if parts[0] in last and number:
            if int(number.group(1)) <= last[parts[0]]:
                yield path
        elif version is None or int(version.group(1)) <= cut.commit + 1:
            yield path


def _iterate_feed_files(feed: FileFeed, cut: Cut) -> Iterator[Path]:
    folder = require_path(feed.path)
    for path in _iterate_files(folder):
        number = NUMBERED.fullmatch(path.name)
        if path.parent.name == FILES and number:
            if int(number.group(1)) > cut.manifest:
                continue
            if path.name.isdecimal():
                yield from (folder / file.name for file in feed.files(int(path.name)))
            yield path
        elif path.parent != folder:
            yield path


def _iterate_files(folder: Path) -> Iterator[Path]:
    """Yield all files in order, except temporary ones."""
    if folder.is_dir():
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and ".tmp" not in path.name)


def sort_downstream_first(reads: Mapping[str, set[str]]) -> list[str]:
    """Return queries so that each comes before those that it reads, which go on and therefore have more."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name not in ordered and name in reads:
            for other in sorted(reads[name] - {name}):
                visit(other)
            ordered.append(name)

    for name in sorted(reads):
        visit(name)
    return ordered[::-1]
