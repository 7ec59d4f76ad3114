"""Putting what was restored in the place of what is there, so that a kill or a power cut leaves one or the other.

Everything is prepared beside what is there first, and is on disk. Then a note says what is to be put where, and only
then anything is moved, by renames. Whoever starts on that place afterwards (`manage.py migrate`, which each start runs
first) finds the note and ends what it says. A database of PostgreSQL is loaded in one transaction, which leaves a mark
behind: where the note has none, nothing was moved yet, and what was prepared goes.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import connection, connections

from timeline_app.fs import durable
from timeline_app.web.ops.backup import databases

NOTE = "restore.json"
PREPARED = "restoring"
"""What is prepared lies in this folder of the data directory: files in `new`, a copy of the old database in `kept`."""
ENDS = ("-wal", "-shm", "")
"""Of the names of SQLite's files; the database itself is the last."""


@dataclass(frozen=True, slots=True)
class Swap:
    """One restore: its mark in the database, and the folder that keeps what was there (empty: nothing was)."""

    mark: str
    old_name: str

    def write(self, data: Path) -> None:
        """From now on the restore is ended, whatever happens."""
        durable.replace(data / NOTE, json.dumps(asdict(self)).encode())

    @classmethod
    def read(cls, data: Path) -> Swap | None:
        """The restore that was begun there and has not ended."""
        try:
            return cls(**json.loads((data / NOTE).read_text()))
        except FileNotFoundError:
            return None


def move_in(data: Path, swap: Swap) -> bool:
    """Move what is prepared to its places, as far as that is still to be done; False where it was given up instead."""
    if connection.vendor == "postgresql" and databases.mark() != swap.mark:
        forget(data)
        return False
    kept = _make_aside(data, swap.old_name)
    for fresh in sorted((data / PREPARED / "new").iterdir()):
        _rename_durably(data / fresh.name, kept / fresh.name)
        _rename_durably(fresh, data / fresh.name)
    if connection.vendor == "sqlite":
        _move_database_in()
    return True


def forget(data: Path) -> None:
    """The restore has ended, or was given up before anything was moved."""
    (data / NOTE).unlink(missing_ok=True)
    durable.sync_folder(data)
    shutil.rmtree(data / PREPARED, ignore_errors=True)
    if connection.vendor == "sqlite":
        ours = databases.get_sqlite_file()
        for end in ENDS:
            for stage in (databases.PREPARED, databases.REPLACED):
                ours.with_name(f"{ours.name}{stage}{end}").unlink(missing_ok=True)


def _move_database_in() -> None:
    """What SQLite keeps beside the old file goes with it: the new one must not be read with it."""
    ours = databases.get_sqlite_file()
    fresh = ours.with_name(ours.name + databases.PREPARED)
    connections.close_all()
    if fresh.exists():
        for end in ENDS:
            _rename_durably(
                ours.with_name(ours.name + end), ours.with_name(f"{ours.name}{databases.REPLACED}{end}")
            )
        _rename_durably(fresh, ours)


def _make_aside(data: Path, old_name: str) -> Path:
    """The folder for what was there: one of its own where it is to be kept, else it goes in the end."""
    prepared = data / PREPARED / "kept"
    if not old_name:
        return prepared
    _rename_durably(prepared, data / old_name)
    return data / old_name


def _rename_durably(source: Path, target: Path) -> None:
    """For good; what was renamed before is no longer there."""
    if source.exists():
        source.rename(target)
        durable.sync_folder(target.parent)
        durable.sync_folder(source.parent)
