"""One process at a time at work in a folder.

On a disk it is a lock of the system, which ends with its process. At an address it is a file that says so for a while:
whoever finds another one of less age leaves it to that, and an older one is removed. Who holds it asks before each
write that counts whether it still does, by its own clock and by the file; it stops long before others may begin.
"""

from __future__ import annotations

import fcntl
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from timeline_app.fs import durable
from timeline_app.fs.paths import Address, Place

LASTS = 900.0
"""So old, in seconds, such a file was left by a process that died …"""
ENOUGH = 300.0
"""… for after so many nobody goes on."""
LOCK, FOLDER = ".compaction", "locks"
Still = Callable[[], bool]


@contextmanager
def is_alone(folder: Place) -> Iterator[Still]:
    """Whether nobody else is at work there; asked for again before each write that others must not overtake."""
    if isinstance(folder, Address):
        with _lock_by_note(folder / FOLDER) as still:
            yield still
    elif not folder.is_dir():
        yield lambda: False
    else:
        with _lock_on_disk(folder) as taken:
            yield lambda: taken


@contextmanager
def _lock_on_disk(folder: Path) -> Iterator[bool]:
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def _lock_by_note(folder: Address) -> Iterator[Still]:
    """Of two that begin at once each sees the other, and one or both leave it to the next round."""
    began, note = time.monotonic(), folder / uuid.uuid4().hex
    durable.replace(note, b"")
    try:
        mine = _is_only(folder, note.name)
        yield lambda: mine and time.monotonic() - began < ENOUGH and note.is_file()
    finally:
        note.unlink(missing_ok=True)


def _is_only(folder: Address, own: str) -> bool:
    """Whether no other note is there; ages are by the clock of the storage."""
    notes = durable.list_files(folder)
    for name, other in notes.items():
        if name != own and notes[own].written - other.written > LASTS:
            (folder / name).unlink(missing_ok=True)
        elif name != own:
            return False
    return own in notes
