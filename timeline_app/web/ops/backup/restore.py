"""Restoring a backup: verified first, over existing data only with consent, and never under a running product.

It is prepared beside the present data, and moved to its place when it is complete (`replacement.py`).
"""

from __future__ import annotations

import fcntl
import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from timeline_app.feed.syncing import sync_tree
from timeline_app.fs import durable
from timeline_app.web.models import Lease, Query
from timeline_app.web.models.operations import Heartbeat
from timeline_app.web.ops.backup import databases, replacement
from timeline_app.web.ops.backup.archive import (
    KEY,
    Manifest,
    Refused,
    copy,
    find_damages,
    format_encrypted_things,
    get_data_directory,
    key_digest,
)
from timeline_app.web.ops.probes import load_known_migrations

DATA_FOLDERS = ("landing", "feeds", "chains", "checkpoints", "sources")
ACTIVE_HEARTBEAT_AGE = timedelta(seconds=30)


def check_backup(folder: Path) -> Manifest:
    """Check that a backup is complete and that this version can read it; return its manifest."""
    manifest = Manifest.read(folder)
    if damages := list(find_damages(folder, manifest)):
        more = f", and {len(damages) - 5} more" if len(damages) > 5 else ""
        raise Refused(f"the backup is damaged: {'; '.join(damages[:5])}{more}")
    unknown = sorted(set(manifest.migrations.items()) - load_known_migrations())
    if unknown:
        name = ".".join(unknown[0])
        raise Refused(
            f"the backup is of another version ({name} is unknown here): install that version first"
        )
    return manifest


def restore(
    folder: Path,
    *,
    force: bool = False,
    without_secrets: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Manifest:
    """Restore into `TIMELINE_DATA` and the database of the settings; after a crash, the next start completes it."""
    data = get_data_directory().resolve()
    tell("looking at the backup")
    manifest = check_backup(folder)
    if manifest.database != connection.vendor:
        raise Refused(f"the backup is of {manifest.database}, and DATABASE_URL names {connection.vendor}")
    refuse_running()
    if words := describe_key_mismatch(folder, manifest):
        if format_encrypted_things(manifest) and not without_secrets:
            raise Refused(f"{words}; or restore it all the same with --without-secrets")
        tell(words)
    complete_restore()
    old_name = _choose_old_data_folder(force)
    replacement.remove_prepared(data)
    _prepare(folder, manifest, data, old_name, tell)
    tell("putting it in its place")
    swap = replacement.Swap(uuid.uuid4().hex, old_name)
    swap.write(data)
    try:
        databases.load(folder, swap.mark)
    except Refused:
        replacement.remove_prepared(data)
        raise
    complete_restore()
    if old_name:
        tell(f"what was there lies in {data / old_name}")
    return manifest


def complete_restore() -> None:
    """Complete a restore that was begun here, if there is one: move its files into place, and migrate."""
    if not isinstance(settings.TIMELINE_DATA, Path):
        return
    data = settings.TIMELINE_DATA.resolve()
    swap = replacement.Swap.read(data)
    if swap is None or not replacement.move_in(data, swap):
        return
    call_command("migrate", interactive=False, verbosity=0, skip_restore=True)
    _reset_desired_states()
    databases.finish_restore()
    replacement.remove_prepared(data)


def describe_key_mismatch(folder: Path, manifest: Manifest) -> str:
    """Return what of a backup does not work under the present key; "" if the key is the same."""
    own_key = settings.SECRET_KEY
    if not settings.ENV["TIMELINE_SECRET_KEY"] and KEY in manifest.files:
        own_key = (folder / KEY).read_text().strip()
    if manifest.key in ("", key_digest(own_key)):
        return ""
    stops = (
        f"these stop until their secrets are given again: {encrypted}; "
        if (encrypted := format_encrypted_things(manifest))
        else ""
    )
    hint = "set the TIMELINE_SECRET_KEY of then, or take a backup that was made with --secrets"
    return f"this place has another key than the backup was made under: {stops}all sessions end. {hint}"


def _prepare(
    folder: Path, manifest: Manifest, data: Path, old_name: str, tell: Callable[[str], None]
) -> None:
    """Copy everything beside the present data, and sync it to disk."""
    new, kept_folder = data / replacement.PREPARED_FOLDER / "new", data / replacement.PREPARED_FOLDER / "kept"
    for path in (new, kept_folder, *(new / name for name in DATA_FOLDERS)):
        path.mkdir(parents=True, mode=0o700)
    if old_name and not databases.is_empty():
        tell("a copy of the database that is there")
        databases.dump(kept_folder)
    tell("files")
    for name in manifest.files:
        if name not in databases.FILES.values():
            _place(folder / name, new / name, manifest, data)
    for path in new.iterdir():
        if path.is_file():  # the key, the demo's login
            path.chmod(0o600)
    tell("the database")
    databases.prepare(folder)
    sync_tree(data / replacement.PREPARED_FOLDER)
    durable.sync_folder(data)


def refuse_running() -> None:
    """Refuse while the product may write to the data directory or the database."""
    lock = get_data_directory() / "stack" / "lock"
    if lock.exists():
        with lock.open("r+") as lock_file:
            try:
                fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Refused(
                    "the product runs on this data directory: stop it first (`make stop`, with its `--data`)"
                ) from None
    if databases.is_empty():
        return
    try:
        fresh = (
            Heartbeat.objects.filter(at__gt=timezone.now() - ACTIVE_HEARTBEAT_AGE)
            .values_list("name", flat=True)
            .first()
        )
    except DatabaseError:  # the tables of an older version, or of another product
        return
    if fresh:
        raise Refused(
            f"the {fresh} worked on this database just now: stop the product, and wait half a minute"
        )


def _choose_old_data_folder(force: bool) -> str:
    """Return the name of the folder for the old data, or "" if there is none; refuse without `force`."""
    data = get_data_directory()
    names_in_use = [name for name in DATA_FOLDERS if (data / name).is_dir() and any((data / name).iterdir())]
    if not names_in_use and databases.is_empty():
        return ""
    if not force:
        contents = ", ".join([*names_in_use, *([] if databases.is_empty() else ["a database"])])
        raise Refused(f"{data} is not empty ({contents}): restore into an empty place, or say --force")
    return f"before-restore-{timezone.now():%Y%m%dT%H%M%S%f}"


def _place(source: Path, target: Path, manifest: Manifest, data: Path) -> None:
    """Copy a file to where it is prepared; rewrite the absolute paths in manifests of feeds."""
    if source.parent.name == "_spark_metadata" and source.name.isdecimal():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_rewrite_manifest(source.read_text(), manifest.data, data))
        return
    if source.parent.name == "_spark_metadata":
        return  # the checksum of a file that is rewritten
    copy(source, target)


def _rewrite_manifest(text: str, before: str, data: Path) -> str:
    version, *lines = text.split("\n")
    return "\n".join([version, *(_rewrite_manifest_line(line, before, data) for line in lines)])


def _rewrite_manifest_line(line: str, before: str, data: Path) -> str:
    named = json.loads(line)
    path = Path(unquote(urlsplit(named["path"]).path))
    named["path"] = f"file://{quote(str(data / path.relative_to(before)))}"
    return json.dumps(named, separators=(",", ":"))


def _reset_desired_states() -> None:
    """Clear leases and query state, so that wanted queries start from their checkpoints."""
    Lease.objects.all().delete()
    Heartbeat.objects.all().delete()
    Query.objects.update(
        spark_run_id="", spark_query_id="", claimed_until=None, retry_at=None, looked_at=None, restarts=0
    )
