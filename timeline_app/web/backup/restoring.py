"""Putting a backup back: verified first, over nothing unless that is said, and never under a product that runs."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from timeline_app.web.backup import databases
from timeline_app.web.backup.archive import Manifest, Refused, copy, damages, data_directory
from timeline_app.web.models import Lease, Query
from timeline_app.web.operation_models import Heartbeat
from timeline_app.web.operations.probes import migrations_there

KEPT = ("landing", "feeds", "chains", "checkpoints", "sources")
SILENT = timedelta(seconds=30)


def check(folder: Path) -> Manifest:
    """A backup is whole, and this version can read it."""
    manifest = Manifest.read(folder)
    if wrong := list(damages(folder, manifest)):
        more = f", and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise Refused(f"the backup is damaged: {'; '.join(wrong[:5])}{more}")
    newest = dict(sorted(migrations_there()))
    newer = [f"{app}.{name}" for app, name in manifest.migrations.items() if name > newest.get(app, "")]
    if newer:
        raise Refused(
            f"the backup is of a newer version ({newer[0]} is unknown here): install that version first"
        )
    return manifest


def restore(folder: Path, *, force: bool = False, tell: Callable[[str], None] = lambda _: None) -> Manifest:
    """Put it back into `TIMELINE_DATA` and the database of the settings."""
    data = data_directory().resolve()
    tell("looking at the backup")
    manifest = check(folder)
    if manifest.database != connection.vendor:
        raise Refused(f"the backup is of {manifest.database}, and DATABASE_URL names {connection.vendor}")
    refuse_running()
    aside = _make_room(force)
    tell("files")
    for name in manifest.files:
        if name not in databases.FILES.values():
            _place(folder / name, data / name, manifest, data)
    tell("the database")
    databases.load(folder)
    call_command("migrate", interactive=False, verbosity=0)
    _settle()
    if aside:
        tell(f"what was there lies in {aside}")
    return manifest


def refuse_running() -> None:
    """Nobody may write into the place meanwhile."""
    lock = data_directory() / "stack" / "lock"
    if lock.exists():
        with lock.open("r+") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused(
                    "the product runs on this data directory: stop it first (`make stop`, with its `--data`)"
                ) from None
    if databases.is_empty():
        return
    try:
        fresh = (
            Heartbeat.objects.filter(at__gt=timezone.now() - SILENT).values_list("name", flat=True).first()
        )
    except DatabaseError:  # of an older version, or none of ours
        return
    if fresh:
        raise Refused(
            f"the {fresh} worked on this database just now: stop the product, and wait half a minute"
        )


def _make_room(force: bool) -> Path | None:
    """Refuse a place that is taken; by force what is there is put aside. The database's own goes when it is loaded."""
    data = data_directory()
    taken = [name for name in KEPT if (data / name).is_dir() and any((data / name).iterdir())]
    if not taken and databases.is_empty():
        return None
    if not force:
        what = ", ".join([*taken, *([] if databases.is_empty() else ["a database"])])
        raise Refused(f"{data} is not empty ({what}): restore into an empty place, or say --force")
    aside = data / f"before-restore-{timezone.now():%Y%m%dT%H%M%S%f}"
    aside.mkdir(mode=0o700)
    if not databases.is_empty():
        databases.dump(aside)
    for name in taken:
        (data / name).rename(aside / name)
    return aside


def _place(source: Path, target: Path, manifest: Manifest, data: Path) -> None:
    """Copy a file to its place; manifests of feeds name files by their whole path, which is another one now."""
    if source.parent.name == "_spark_metadata" and source.name.isdecimal():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_moved(source.read_text(), manifest.data, data))
        return
    if source.parent.name == "_spark_metadata":
        return  # the sum of a file that was rewritten
    copy(source, target)
    if "/" not in str(target.relative_to(data)):
        target.chmod(0o600)


def _moved(text: str, before: str, data: Path) -> str:
    version, *lines = text.split("\n")
    return "\n".join([version, *(_moved_line(line, before, data) for line in lines)])


def _moved_line(line: str, before: str, data: Path) -> str:
    named = json.loads(line)
    path = Path(unquote(urlsplit(named["path"]).path))
    named["path"] = f"file://{quote(str(data / path.relative_to(before)))}"
    return json.dumps(named, separators=(",", ":"))


def _settle() -> None:
    """Nobody holds anything, and no query runs: those that are wanted are started from their checkpoints."""
    Lease.objects.all().delete()
    Heartbeat.objects.all().delete()
    Query.objects.update(
        spark_run_id="", spark_query_id="", claimed_until=None, retry_at=None, looked_at=None, restarts=0
    )
