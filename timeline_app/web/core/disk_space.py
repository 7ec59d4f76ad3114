"""How much room is left on the disk, and what is refused so that the rest goes on.

The less there is, the more is refused. Nothing is remembered: when there is room again, all goes on.
"""

from __future__ import annotations

import shutil

from django.conf import settings

from timeline_app.web.core.errors import ApiError, NotWritten

WARNING_RESERVES, RUN_RESERVES = 4, 2
"""Below as many times the reserve `/readyz` warns, and no new nodes are started. Events are refused below one."""


def measure_free_bytes() -> int:
    """Return the free bytes on the disk of this machine; remote storage reports its own shortage."""
    return shutil.disk_usage(settings.TIMELINE_LOCAL).free


def describe_missing_disk_space(reserves: int = 1) -> str | None:
    """Return how little is left if it is less than so many reserves."""
    free = measure_free_bytes()
    return f"only {free // 2**20:,} MiB are left" if free < reserves * settings.DISK_RESERVE_BYTES else None


def describe_refusals() -> str:
    """Return what is refused at the moment for lack of space; empty while everything is accepted."""
    if describe_missing_disk_space() is not None:
        return "no events and no new nodes are accepted"
    return "no new nodes are started" if describe_missing_disk_space(RUN_RESERVES) is not None else ""


def refuse_when_full() -> None:
    """Keep a reserve on the disk, which queries, the database and compaction need."""
    if (shortage := describe_missing_disk_space()) is not None:
        raise NotWritten.disk(shortage)


def refuse_new_nodes() -> None:
    """Start nothing new on a disk that will soon be full: what runs already needs the rest."""
    if (shortage := describe_missing_disk_space(RUN_RESERVES)) is not None:
        needed = RUN_RESERVES * settings.DISK_RESERVE_BYTES // 2**20
        message = f"Nothing was started: {shortage} on the server's disk, and new nodes need {needed:,} MiB."
        raise ApiError(f"{message} Make room, and run it again.", code="disk_full", status=507)
