"""Replacing the present data by restored data, so that a crash or a power cut leaves one or the other.

First everything is prepared beside the present data and synced to disk. Then a note says what goes where, and only
then anything is moved, by renames. The next start (`manage.py migrate`, which each start runs first) finds the note
and completes it. A PostgreSQL database is loaded in one transaction, which leaves a mark. If it lacks the note's
mark, nothing was moved, and what was prepared is removed.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from django.db import connection, connections

from timeline_app.fs import durable
from timeline_app.web.ops.backup import databases

NOTE_FILE = "restore.json"
PREPARED_FOLDER = "restoring"
"""Folder of the data directory for prepared files (in `new`) and a copy of the old database (in `kept`)."""
SQLITE_SUFFIXES = ("-wal", "-shm", "")
"""Suffixes of SQLite's files; the database itself is the last."""


@dataclass(frozen=True, slots=True)
class Swap:
    """One restore: its mark in the database, and the folder that keeps the old data ("": there was none)."""

    mark: str
    old_name: str

    def write(self, data: Path) -> None:
        """Write the note; from now on the restore will be completed."""
        durable.replace(data / NOTE_FILE, json.dumps(asdict(self)).encode())

    @classmethod
    def read(cls, data: Path) -> Swap | None:
        """Return the unfinished restore, if any."""
        try:
            return cls(**json.loads((data / NOTE_FILE).read_text()))
        except FileNotFoundError:
            return None


def move_in(data: Path, swap: Swap) -> bool:
    """Move prepared files to their places, as far as that is left; return False if the restore was abandoned."""
    if connection.vendor == "postgresql" and databases.read_restore_mark() != swap.mark:
        remove_prepared(data)
        return False
    old_folder = _build_rejected_event(data, swap.old_name)
    for fresh in sorted((data / PREPARED_FOLDER / "new").iterdir()):
        _rename_durably(data / fresh.name, old_folder / fresh.name)
        _rename_durably(fresh, data / fresh.name)
    if connection.vendor == "sqlite":
        _move_database_in()
    return True


def remove_prepared(data: Path) -> None:
    """Remove the note and what was prepared, after the restore or instead of it."""
    (data / NOTE_FILE).unlink(missing_ok=True)
    durable.sync_folder(data)
    shutil.rmtree(data / PREPARED_FOLDER, ignore_errors=True)
    if connection.vendor == "sqlite":
        own_file = databases.get_sqlite_file()
        for end in SQLITE_SUFFIXES:
            for stage in (databases.PREPARED, databases.REPLACED):
                own_file.with_name(f"{own_file.name}{stage}{end}").unlink(missing_ok=True)


def _move_database_in() -> None:
    """Replace the SQLite file with its side files, which must not be read with the new one."""
    own_file = databases.get_sqlite_file()
    fresh = own_file.with_name(own_file.name + databases.PREPARED)
    connections.close_all()
    if fresh.exists():
        for end in SQLITE_SUFFIXES:
            _rename_durably(
                own_file.with_name(own_file.name + end),
                own_file.with_name(f"{own_file.name}{databases.REPLACED}{end}"),
            )
        _rename_durably(fresh, own_file)


def _build_rejected_event(data: Path, old_name: str) -> Path:
    """Return the folder for the old data: a permanent one if it is to be kept."""
    prepared = data / PREPARED_FOLDER / "kept"
    if not old_name:
        return prepared
    _rename_durably(prepared, data / old_name)
    return data / old_name


def _rename_durably(source: Path, target: Path) -> None:
    """Rename and sync to disk; a missing source was renamed before."""
    if source.exists():
        source.rename(target)
        durable.sync_folder(target.parent)
        durable.sync_folder(source.parent)
