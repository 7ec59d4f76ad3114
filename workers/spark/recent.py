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

MOST, SHARE = 4 << 30, 8
"""So many bytes are kept, about, and no more than one in so many of those that are free; the oldest go first."""
_LOOK = 64
"""It is looked at how many there are when one in so many of them may be new."""
_new = 0


def folder() -> Path | None:
    """Where they lie; None outside of Spark."""
    found = os.environ.get("SPARK_LOCAL_DIRS")
    return Path(found.split(",")[0]) / "recent" if found else None


def keep(blob: bytes, *instead: str | None) -> str | None:
    """Keep a value at hand `instead` of some that are out of date; the stamp by which it is found, if there is room."""
    home = folder()
    if home is None:
        return None
    stamp = f"{secrets.token_urlsafe(9)}-{len(blob)}"  # as short as may be: a state writes all of its own each time
    try:
        home.mkdir(exist_ok=True)
        for stale in filter(None, instead):
            (home / stale).unlink(missing_ok=True)
        (home / stamp).write_bytes(blob)
        _trim(home, len(blob))
    except OSError:  # no room, or Spark is ending
        with suppress(OSError):
            (home / stamp).unlink()
        return None
    return stamp


def known(stamp: str | None) -> bytes | None:
    """The value of a stamp, if it is still at hand, and whole."""
    home = folder()
    if stamp is None or home is None:
        return None
    try:
        blob = (home / stamp).read_bytes()
    except OSError:
        return None
    return blob if stamp.endswith(f"-{len(blob)}") else None


def _trim(home: Path, size: int) -> None:
    """Now and then, let the oldest go."""
    global _new  # noqa: PLW0603 (of this process)
    _new += size
    if _new < MOST // _LOOK:
        return
    _new = 0
    files = _files(home)
    room = min(MOST, (shutil.disk_usage(home).free + sum(length for _, length, _ in files)) // SHARE)
    for _, length, path in sorted(files, reverse=True):
        room -= length
        if room < 0:
            with suppress(OSError):
                path.unlink()


def _files(home: Path) -> list[tuple[float, int, Path]]:
    """When each was written, its size, and where it lies."""
    found = []
    for item in os.scandir(home):
        with suppress(OSError):
            about = item.stat()
            found.append((about.st_mtime, about.st_size, Path(item.path)))
    return found
