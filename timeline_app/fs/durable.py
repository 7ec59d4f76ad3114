"""Files that exist whole and durably, or not at all, whenever the process or the machine dies.

On a disk a file is written under a temporary name, synced, and then given its name: by a hard link, which fails where
the name exists, or by a rename. Addresses use their storage: a rename in HDFS, a PUT in S3.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from timeline_app.fs.paths import STAGED, Address, Place, Seen

ABANDONED_AFTER_S = 3_600.0
"""An incomplete file this old was left by a process that died."""


class Unsettled(OSError):
    """A file has its name, but the disk did not confirm that the name survives a power cut."""


@contextmanager
def wrap_read_errors(path: Place) -> Iterator[None]:
    """Raise `OSError` where the content of a file makes no sense, as for other disk errors."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as why:  # errors of JSON and of Arrow are ValueErrors
        raise OSError(errno.EIO, f"broken: {why}", str(path)) from why


def is_torn(why: Exception, path: Place) -> bool:
    """Return whether a file could not be read because it is gone or makes no sense; other errors may pass.

    For broken content Arrow raises `OSError` without a number. Addresses report EIO for whatever their servers cannot
    do just now; on a disk, EIO is a file that is partly lost.
    """
    if isinstance(why, ConnectionError | TimeoutError | BlockingIOError | PermissionError):
        return False
    torn = (None, errno.ENOENT, errno.EIO) if isinstance(path, Path) else (None, errno.ENOENT)
    return not isinstance(why, OSError) or why.errno in torn


def sync_names(folder: Place) -> None:
    """Make the names that others have written in a folder durable."""
    if isinstance(folder, Path):
        sync_folder(folder)


@contextmanager
def open_staged_file(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Yield a file under a name that nobody reads; removed at the end unless renamed. `sync_file` makes it durable."""
    path = folder / f".{uuid.uuid4().hex}{STAGED}"
    try:
        with path.open("wb") as sink:
            yield path, sink
    finally:
        path.unlink(missing_ok=True)


def sync_file(sink: IO[bytes]) -> None:
    """Sync a file's content."""
    sink.flush()
    os.fsync(sink.fileno())


def sync_folder(path: Path) -> None:
    """Sync the names in a directory."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: Place) -> None:
    """Make a directory unless it exists, and sync its name."""
    if isinstance(path, Path) and not path.is_dir():
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def make_folders(path: Place) -> None:
    """Make a directory and its missing parents, and sync all their names."""
    if not isinstance(path, Path):
        return
    missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing or [path]:  # whoever made it may not have synced the name yet
        sync_folder(folder.parent)


class Draft(Protocol):
    """A file that has no name yet."""

    sink: IO[bytes]

    def create(self) -> bool:
        """Name it durably unless the name exists. Return whether it got the name; of several writers, one does."""

    def replace(self) -> None:
        """Name it durably, replacing an existing file."""


class _OnDisk:
    def __init__(self, path: Path, draft: Path, sink: IO[bytes]) -> None:
        self._path, self._draft, self.sink = path, draft, sink

    def create(self) -> bool:
        sync_file(self.sink)
        try:
            os.link(self._draft, self._path)
        except FileExistsError:
            return False
        try:
            sync_folder(self._path.parent)
        except OSError as why:  # others may have read it by now: it stays
            raise Unsettled(why.errno, why.strerror, str(self._path)) from why
        return True

    def replace(self) -> None:
        sync_file(self.sink)
        self._draft.replace(self._path)
        sync_folder(self._path.parent)


class _Elsewhere:
    def __init__(self, path: Address, sink: IO[bytes]) -> None:
        self._path, self.sink = path, sink

    def create(self) -> bool:
        return self._path.store.create(self._path.path, self.sink)

    def replace(self) -> None:
        self._path.store.replace(self._path.path, self.sink)


@contextmanager
def open_draft_file(path: Place) -> Iterator[Draft]:
    """Yield a file that gets its name when it is whole; without a name it is removed at the end."""
    if isinstance(path, Address):
        with tempfile.TemporaryFile() as sink:
            yield _Elsewhere(path, sink)
    else:
        with open_staged_file(path.parent) as (draft, sink):
            yield _OnDisk(path, draft, sink)


def replace(path: Place, content: bytes) -> None:
    """Replace a small file."""
    with open_draft_file(path) as draft:
        draft.sink.write(content)
        draft.replace()


def stat_file(path: Place) -> Seen | None:
    """Return the state of a file; None where there is none."""
    if isinstance(path, Address):
        return path.store.stat(path.path)
    try:
        return _build_seen(path.stat())
    except FileNotFoundError:
        return None


def list_files(folder: Place) -> dict[str, Seen]:
    """Return the files in a folder by name; none where there is no such folder."""
    if isinstance(folder, Address):
        return {name: file for name, file in folder.store.children(folder.path) if file is not None}
    files = {}
    for entry in _list_entries(folder):
        with suppress(FileNotFoundError):  # renamed or removed meanwhile: the others are there all the same
            if entry.is_file():
                files[entry.name] = _build_seen(entry.stat())
    return files


def list_names(folder: Place) -> list[str]:
    """Return the names of the files in a folder; none where there is no such folder."""
    if isinstance(folder, Address):
        return list(list_files(folder))
    return [entry.name for entry in _list_entries(folder) if entry.is_file()]


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _build_seen(status: os.stat_result) -> Seen:
    return Seen((status.st_ino, status.st_mtime_ns), status.st_size, status.st_mtime)


def read_clock(folder: Place) -> float:
    """Return the time of the clock that stamps files in a folder: an address has its own."""
    if isinstance(folder, Path):
        return time.time()
    note = folder / f".{uuid.uuid4().hex}{STAGED}"
    try:
        replace(note, b"")
        stat = stat_file(note)
    finally:
        note.unlink(missing_ok=True)
    return time.time() if stat is None else stat.written


def measure_age(path: Place) -> float:
    """Return the seconds since a file was written; 0 where it is gone."""
    stat = stat_file(path)
    return 0.0 if stat is None else read_clock(path.parent) - stat.written


def measure_folder(folder: Place) -> int:
    """Return the bytes of all files in and below a folder; 0 where there is none."""
    if isinstance(folder, Address):
        return sum(
            measure_folder(folder / name) if size is None else size.size
            for name, size in folder.store.children(folder.path)
        )
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                size += (Path(root) / name).stat().st_size
    return size


def remove_all(folder: Place) -> None:
    """Remove a folder with its content, as far as possible."""
    if isinstance(folder, Address):
        with suppress(OSError):
            folder.store.remove_all(folder.path)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(folder: Place) -> None:
    """Remove unfinished files of dead processes."""
    for path in folder.glob(f".*{STAGED}"):
        if measure_age(path) > ABANDONED_AFTER_S:
            path.unlink(missing_ok=True)
