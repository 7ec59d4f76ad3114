"""A cache of recently written values, by stamps that the state holds, which saves reading them through Spark.

Spark pickles a value byte by byte, which takes longer than evaluating it. Any of its Python processes may get the
next batch of a bucket, so they share a folder beside Spark's temporary files, which ends with Spark. Missing values,
also on another machine, are read from Spark.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

MAX_CACHE_BYTES, MAX_DISK_SHARE, DISK_RESERVE_BYTES = 4 << 30, 8, 1 << 30
"""The size of the cache: at most 4 GiB, and 1/8 of the free bytes beyond the reserve. The oldest values go first."""
_CHECKS_PER_SIZE = 64
"""The size is checked when 1/64 of the bytes may be new, and once by each process at first."""
_allowance = 0
"""The bytes that this process may write before it checks again."""


def get_cache_folder() -> Path | None:
    """Return the folder of the cache; None outside of Spark."""
    folders = os.environ.get("SPARK_LOCAL_DIRS")
    return Path(folders.split(",")[0]) / "recent" if folders else None


def cache_page(blob: bytes, *instead: str | None) -> str | None:
    """Cache a value `instead` of stale ones. Return its stamp, or None where there is no room."""
    home = get_cache_folder()
    if home is None:
        return None
    stamp = f"{secrets.token_urlsafe(9)}-{len(blob)}"  # short: a state rewrites all of its stamps each time
    try:
        home.mkdir(exist_ok=True)
        for stale in filter(None, instead):
            (home / stale).unlink(missing_ok=True)
        if not _make_room(home, len(blob)):
            return None
        (home / stamp).write_bytes(blob)
    except OSError:  # the disk is full, or Spark is ending
        with suppress(OSError):
            (home / stamp).unlink()
        _check_again()
        return None
    return stamp


def get_cached_page(stamp: str | None) -> bytes | None:
    """Return the value of a stamp, if the cache still has it whole."""
    home = get_cache_folder()
    if stamp is None or home is None:
        return None
    try:
        blob = (home / stamp).read_bytes()
    except OSError:
        return None
    return blob if stamp.endswith(f"-{len(blob)}") else None


def _make_room(home: Path, size: int) -> bool:
    """Make room for `size` bytes by removing the oldest values. Return whether they fit."""
    global _allowance  # noqa: PLW0603 (of this process)
    _allowance -= size
    if _allowance >= 0:
        return True
    files = sorted(_list_files(home), reverse=True)
    bytes_used = sum(length for _, length, _ in files)
    room = min(
        MAX_CACHE_BYTES,
        max(shutil.disk_usage(home).free + bytes_used - DISK_RESERVE_BYTES, 0) // MAX_DISK_SHARE,
    )
    free = room - size
    for _, length, path in files:
        free -= length
        if free < 0:
            with suppress(OSError):
                path.unlink()
    _allowance = room // _CHECKS_PER_SIZE
    return size <= room


def _check_again() -> None:
    global _allowance  # noqa: PLW0603 (of this process)
    _allowance = 0


def _list_files(home: Path) -> list[tuple[float, int, Path]]:
    """Return modification time, size and path of each value."""
    files = []
    for item in os.scandir(home):
        with suppress(OSError):
            about = item.stat()
            files.append((about.st_mtime, about.st_size, Path(item.path)))
    return files
