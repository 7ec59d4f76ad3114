"""What was written into states lately, by stamps that the states hold: who finds one need not ask Spark.

Spark spells a value out byte by byte into a pickle, which takes longer than evaluating. Any of its Python processes may
get the next batch of a bucket, so they share a folder beside Spark's own temporary files, which goes with Spark. What
is not there any more, or on another machine, is asked of Spark.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

MAX_CACHE_BYTES, MAX_DISK_SHARE, DISK_RESERVE_BYTES = 4 << 30, 8, 1 << 30
"""So many bytes are kept, about, and no more than one in so many of those that are free beyond a reserve (as much as
events leave, unless told otherwise); the oldest go first, when others are written."""
_CHECK_STEPS = 64
"""It is looked at how many there are when one in so many of them may be new, and by each process first of all."""
_allowance = 0
"""So many bytes this process may write before it looks."""


def cache_folder() -> Path | None:
    """Where they lie; None outside of Spark."""
    found = os.environ.get("SPARK_LOCAL_DIRS")
    return Path(found.split(",")[0]) / "recent" if found else None


def cache_page(blob: bytes, *instead: str | None) -> str | None:
    """Keep a value at hand `instead` of some that are out of date; the stamp by which it is found, if there is room."""
    home = cache_folder()
    if home is None:
        return None
    stamp = f"{secrets.token_urlsafe(9)}-{len(blob)}"  # as short as may be: a state writes all of its own each time
    try:
        home.mkdir(exist_ok=True)
        for stale in filter(None, instead):
            (home / stale).unlink(missing_ok=True)
        if not _make_room(home, len(blob)):
            return None
        (home / stamp).write_bytes(blob)
    except OSError:  # no room, or Spark is ending
        with suppress(OSError):
            (home / stamp).unlink()
        _check_again()
        return None
    return stamp


def cached_page(stamp: str | None) -> bytes | None:
    """The value of a stamp, if it is still at hand, and whole."""
    home = cache_folder()
    if stamp is None or home is None:
        return None
    try:
        blob = (home / stamp).read_bytes()
    except OSError:
        return None
    return blob if stamp.endswith(f"-{len(blob)}") else None


def _make_room(home: Path, size: int) -> bool:
    """Whether there is room for so many bytes more; now and then, the oldest go for that."""
    global _allowance  # noqa: PLW0603 (of this process)
    _allowance -= size
    if _allowance >= 0:
        return True
    files = sorted(_list_files(home), reverse=True)
    there = sum(length for _, length, _ in files)
    room = min(
        MAX_CACHE_BYTES, max(shutil.disk_usage(home).free + there - DISK_RESERVE_BYTES, 0) // MAX_DISK_SHARE
    )
    left = room - size
    for _, length, path in files:
        left -= length
        if left < 0:
            with suppress(OSError):
                path.unlink()
    _allowance = room // _CHECK_STEPS
    return size <= room


def _check_again() -> None:
    global _allowance  # noqa: PLW0603 (of this process)
    _allowance = 0


def _list_files(home: Path) -> list[tuple[float, int, Path]]:
    """When each was written, its size, and where it lies."""
    found = []
    for item in os.scandir(home):
        with suppress(OSError):
            about = item.stat()
            found.append((about.st_mtime, about.st_size, Path(item.path)))
    return found
