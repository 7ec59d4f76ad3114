"""Lets one process at a time work in a folder.

On a disk it is a system lock, which ends with its process. At an address it is a note with limited validity: a
process that finds a younger note gives way, and removes an outdated one. The holder checks, by its own clock and by
the note, before each critical write; it stops long before others may begin.
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

NOTE_VALID_S = 900.0
"""A note older than this was left by a process that died …"""
MAX_HOLD_S = 300.0
"""… since no process goes on for longer than this."""
LOCK, FOLDER = ".compaction", "locks"
Still = Callable[[], bool]


@contextmanager
def is_alone(folder: Place) -> Iterator[Still]:
    """Yield a function that tells whether nobody else works there; call it before each critical write."""
    if isinstance(folder, Address):
        with _lock_by_note(folder / FOLDER) as is_still_alone:
            yield is_still_alone
    elif not folder.is_dir():
        yield lambda: False
    else:
        with _lock_on_disk(folder) as is_taken:
            yield lambda: is_taken


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
    """Write a note. Of two simultaneous processes each sees the other, and one or both wait for the next round."""
    started, note = time.monotonic(), folder / uuid.uuid4().hex
    durable.replace(note, b"")
    try:
        is_only = _is_only(folder, note.name)
        yield lambda: is_only and time.monotonic() - started < MAX_HOLD_S and note.is_file()
    finally:
        note.unlink(missing_ok=True)


def _is_only(folder: Address, note: str) -> bool:
    """Return whether there is no other valid note; ages are by the clock of the storage."""
    notes = durable.list_files(folder)
    for name, other in notes.items():
        if name != note and notes[note].written - other.written > NOTE_VALID_S:
            (folder / name).unlink(missing_ok=True)
        elif name != note:
            return False
    return note in notes
