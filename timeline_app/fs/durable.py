"""Files that are there whole and for good, or not at all, whenever the process or the machine dies.

On a disk a file is written aside, brought to disk (fsync), and then given its name: by a hard link, which fails where
the name is there, or by a rename. An address has the same from its storage: of HDFS a rename, of S3 a PUT.
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

ABANDONED = 3_600.0
"""So old (seconds) a file that is not whole was left by a process that died."""


class Unsettled(OSError):
    """A file has its name, and whether it keeps it when the power is cut is not known: the disk did not say."""


@contextmanager
def wrap_read_errors(path: Place) -> Iterator[None]:
    """Reading of a file; raises `OSError` where what it says makes no sense, as for any other trouble of a disk."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as why:  # errors of JSON and of Arrow are ValueErrors
        raise OSError(errno.EIO, f"broken: {why}", str(path)) from why


def is_torn(why: Exception, path: Place) -> bool:
    """Whether a file could not be read because it is gone or makes no sense; other trouble may pass.

    Arrow says of content that makes no sense `OSError`, without a number. An address tells EIO of whatever its servers
    cannot do just now; on a disk that is a file of which a part is lost.
    """
    if isinstance(why, ConnectionError | TimeoutError | BlockingIOError | PermissionError):
        return False
    torn = (None, errno.ENOENT, errno.EIO) if isinstance(path, Path) else (None, errno.ENOENT)
    return not isinstance(why, OSError) or why.errno in torn


def sync_names(folder: Place) -> None:
    """What others have written there under new names is there for good when this returns."""
    if isinstance(folder, Path):
        sync_folder(folder)


@contextmanager
def open_staged_file(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """A file under a name that nobody reads; gone at the end unless it was renamed. On disk once `settle` says so."""
    path = folder / f".{uuid.uuid4().hex}{STAGED}"
    try:
        with path.open("wb") as sink:
            yield path, sink
    finally:
        path.unlink(missing_ok=True)


def sync_file(sink: IO[bytes]) -> None:
    """What was written is on disk when this returns."""
    sink.flush()
    os.fsync(sink.fileno())


def sync_folder(path: Path) -> None:
    """The names in a directory are on disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(path: Place) -> None:
    """Make a directory, if it is not there yet; its name is on disk when this returns."""
    if isinstance(path, Path) and not path.is_dir():
        path.mkdir(exist_ok=True)
        sync_folder(path.parent)


def make_folders(path: Place) -> None:
    """Make a directory and those above it that are not there yet; all their names are on disk when this returns."""
    if not isinstance(path, Path):
        return
    missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing or [path]:  # who made it may not have come so far
        sync_folder(folder.parent)


class Draft(Protocol):
    """A file that has no name yet."""

    sink: IO[bytes]

    def create(self) -> bool:
        """Give it its name for good, unless there is such a file; whether it has it. Of several that try one does."""

    def replace(self) -> None:
        """Give it its name for good, in the place of what had it."""


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
    """A file that gets its name when it is whole; gone at the end where it was not given that."""
    if isinstance(path, Address):
        with tempfile.TemporaryFile() as sink:
            yield _Elsewhere(path, sink)
    else:
        with open_staged_file(path.parent) as (draft, sink):
            yield _OnDisk(path, draft, sink)


def replace(path: Place, content: bytes) -> None:
    """Write a small file anew."""
    with open_draft_file(path) as draft:
        draft.sink.write(content)
        draft.replace()


def stat_file(path: Place) -> Seen | None:
    """A file as it is now; None where there is none."""
    if isinstance(path, Address):
        return path.store.look(path.path)
    try:
        return _build_seen(path.stat())
    except FileNotFoundError:
        return None


def list_files(folder: Place) -> dict[str, Seen]:
    """The files in a folder, by name; none where there is no such folder."""
    if isinstance(folder, Address):
        return {name: file for name, file in folder.store.children(folder.path) if file is not None}
    files = {}
    for entry in _list_entries(folder):
        with suppress(FileNotFoundError):  # renamed or removed meanwhile: the others are there all the same
            if entry.is_file():
                files[entry.name] = _build_seen(entry.stat())
    return files


def list_names(folder: Place) -> list[str]:
    """The names of the files in a folder; none where there is no such folder."""
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
    """The time by the clock that tells when files there were written: an address has one of its own."""
    if isinstance(folder, Path):
        return time.time()
    note = folder / f".{uuid.uuid4().hex}{STAGED}"
    try:
        replace(note, b"")
        seen = stat_file(note)
    finally:
        note.unlink(missing_ok=True)
    return time.time() if seen is None else seen.written


def measure_age(path: Place) -> float:
    """Seconds since it was written; of one that is gone none."""
    seen = stat_file(path)
    return 0.0 if seen is None else read_clock(path.parent) - seen.written


def measure_folder(folder: Place) -> int:
    """The bytes of all files in a folder and below it; 0 where there is none."""
    if isinstance(folder, Address):
        return sum(
            measure_folder(folder / name) if found is None else found.size
            for name, found in folder.store.children(folder.path)
        )
    found = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it was removed meanwhile
                found += (Path(root) / name).stat().st_size
    return found


def remove_all(folder: Place) -> None:
    """Remove a folder with all that is in it, as far as that can be done."""
    if isinstance(folder, Address):
        with suppress(OSError):
            folder.store.remove_all(folder.path)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(folder: Place) -> None:
    """Remove what dead processes left of files that they did not finish."""
    for path in folder.glob(f".*{STAGED}"):
        if measure_age(path) > ABANDONED:
            path.unlink(missing_ok=True)
