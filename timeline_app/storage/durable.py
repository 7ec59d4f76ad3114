"""Files that are there whole and for good, or not at all, whenever the process or the machine dies."""

from __future__ import annotations

import errno
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

STAGED = ".staged"
"""The ending of files that are not whole yet."""
ABANDONED = 3_600.0
"""So old (seconds) a file that is not whole was left by a process that died."""


@contextmanager
def legible(path: Path) -> Iterator[None]:
    """Reading of a file; raises `OSError` where what it says makes no sense, as for any other trouble of a disk."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as why:  # errors of JSON and of Arrow are ValueErrors
        raise OSError(errno.EIO, f"broken: {why}", str(path)) from why


@contextmanager
def staged(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """A file under a name that nobody reads; gone at the end unless it was renamed. On disk once `settle` says so."""
    path = folder / f".{uuid.uuid4().hex}{STAGED}"
    try:
        with path.open("wb") as sink:
            yield path, sink
    finally:
        path.unlink(missing_ok=True)


def settle(sink: IO[bytes]) -> None:
    """What was written is on disk when this returns."""
    sink.flush()
    os.fsync(sink.fileno())


def settle_folder(path: Path) -> None:
    """The names in a directory are on disk when this returns."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def folder(path: Path) -> None:
    """Make a directory, if it is not there yet; its name is on disk when this returns."""
    if not path.is_dir():
        path.mkdir(exist_ok=True)
        settle_folder(path.parent)


def replace(path: Path, content: bytes) -> None:
    """Write a small file anew."""
    with staged(path.parent) as (draft, sink):
        sink.write(content)
        settle(sink)
        draft.replace(path)
    settle_folder(path.parent)


def age(path: Path) -> float:
    """Seconds since it was written; of one that is gone none."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def remove_abandoned(folder: Path) -> None:
    """Remove what dead processes left of files that they did not finish."""
    for path in folder.glob(f".*{STAGED}"):
        if age(path) > ABANDONED:
            path.unlink(missing_ok=True)
