"""Syncs what Spark writes: Spark syncs none of its files, so a power cut would take back the last ones.

Whatever builds on a batch of a query syncs it first: the publisher before the revision log moves on, a query before
it reads what another one has written. So published batches are durable, and only a tail of unread batches is not.
`workers/spark/checkpoint.py` cuts off a torn tail.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from timeline_app.feed.files import FileFeed
from timeline_app.fs.durable import sync_folder
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place

MAX_CONCURRENT_SYNCS = 8
"""Several at a time, since the disk writes its journal once for all of them."""
Stamp = tuple[int, int, int]
"""Inode, time and size of a file; a replaced file has a different stamp."""


class Syncer:
    """Syncs the files of queries, and remembers what it has synced. For one thread. Addresses need no syncing."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._synced: dict[str, dict[str, Stamp]] = {}
        self._pool = ThreadPoolExecutor(MAX_CONCURRENT_SYNCS, thread_name_prefix="sync")

    def sync_query(self, query: str, start: int, end: int) -> None:
        """Sync the batches from start to end (exclusive) of its feed, and its current checkpoint.

        Raises `OSError` where the disk fails.
        """
        checkpoint, folder = self._places.checkpoint(query), self._places.feed(query)
        if not isinstance(checkpoint, Path) or not isinstance(folder, Path):
            return
        synced, stamps = self._synced.get(query, {}), dict(_iterate_files(str(checkpoint)))
        fresh = [path for path, stamp in stamps.items() if synced.get(path) != stamp]
        fresh += _iterate_batch_files(FileFeed(folder), range(start, end))
        self._sync(fresh, () if synced else (checkpoint, folder))
        self._synced[query] = stamps

    def keep(self, queries: Container[str]) -> None:
        """Forget all queries but these."""
        self._synced = {query: stamps for query, stamps in self._synced.items() if query in queries}

    def _sync(self, files: Sequence[str], fresh_folders: Iterable[Path]) -> None:
        """Sync files, then the folders that name them. Names of fresh folders stand in the folders above."""
        list(self._pool.map(_sync_file, files))
        folders = {Path(os.path.dirname(path)) for path in files}  # noqa: PTH120  (a fifth of the time)
        for folder in (path for path in fresh_folders if path.is_dir()):
            folders.update((folder.parent, folder.parent.parent))
            folders.update(path for path in (folder, *folder.rglob("*")) if path.is_dir())
        list(self._pool.map(sync_folder, sorted(folders)))


def sync_tree(folder: Path) -> None:
    """Sync everything below a folder, except the name of the folder itself."""
    paths = [folder, *folder.rglob("*")]
    with ThreadPoolExecutor(MAX_CONCURRENT_SYNCS) as pool:
        list(pool.map(_sync_file, (str(path) for path in paths if path.is_file() and not path.is_symlink())))
        list(pool.map(sync_folder, (path for path in paths if path.is_dir() and not path.is_symlink())))


def sync_files(paths: Sequence[Path]) -> None:
    """Sync these files and their names."""
    for path in paths:
        _sync_file(str(path))
    for folder in {path.parent for path in paths}:
        sync_folder(folder)


def _sync_file(path: str) -> None:
    """Sync a file, unless Spark has removed it as outdated."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _iterate_files(folder: str) -> Iterator[tuple[str, Stamp]]:
    """Yield all complete files below a folder, as strings, which are many times cheaper than paths."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _iterate_files(entry.path)
                elif ".tmp" not in entry.name:
                    status = entry.stat(follow_symlinks=False)
                    yield entry.path, (status.st_ino, status.st_mtime_ns, status.st_size)
    except FileNotFoundError:
        return


def _iterate_batch_files(feed: FileFeed, batches: range) -> Iterator[str]:
    """Yield the files of batches, without compacted ones: a segment is synced when it is made."""
    for batch in batches:
        try:
            files: list[Place] = [*feed.files(batch), feed.manifest(batch)]
        except FileNotFoundError:
            continue
        for file in files:
            assert isinstance(file, Path)
            sidecar = file.with_name(f".{file.name}.crc")
            yield from (str(file), str(sidecar)) if sidecar.exists() else (str(file),)
