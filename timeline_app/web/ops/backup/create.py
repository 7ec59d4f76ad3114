"""Making a backup while the product runs.

The order is: the database, each query before those that it reads, the landings, and the notes of their sources.
Whatever one part refers to is copied later and therefore contained. Meanwhile handovers, repairs and compactions
pause; what runs goes on.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from timeline_app.compiler import parse_program
from timeline_app.connectors.splits.portions import is_kept
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.landing.batches import Batches
from timeline_app.web.core.leases import Hold, lease
from timeline_app.web.models import Dashboard, Node, Plan, Query, Revision, Stream
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.ops.backup import databases, query_cuts
from timeline_app.web.ops.backup.archive import (
    KEY,
    Copier,
    Manifest,
    Refused,
    format_encrypted_things,
    get_data_directory,
    key_digest,
)
from timeline_app.web.streams.source_services import NOTES_FOLDER

LEASE_REQUESTS = {"supervisor": 60.0, "compact": 600.0, "compact_landings": 600.0, "pack_feeds": 1_800.0}
"""Leases, requested as their usual holders do: a longer one would count as from before a jump of the clock."""
LEASE_S, LEASE_RENEWAL_S = 60.0, 10.0
"""Leases are held for this long and renewed often, so a crash blocks nobody for long."""
LEASE_WAIT_S = 120.0
SECRET_FILES = (KEY, "demo-login")
COUNTED_MODELS = {
    "plans": Plan,
    "nodes": Node,
    "queries": Query,
    "streams": Stream,
    "dashboards": Dashboard,
    "users": User,
}


def create_backup(
    target: Path, *, secrets: bool = False, tell: Callable[[str], None] = lambda _: None
) -> Manifest:
    """Write a backup atomically."""
    data, draft = get_data_directory(), target.with_name(f"{target.name}.unfinished")
    if target.exists():
        raise Refused(f"{target} is there already: name a place that is not")
    if target.resolve().is_relative_to(data.resolve() / "landing"):
        raise Refused(f"{target} lies inside of what is backed up: name another place")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True, mode=0o700)
    try:
        with hold_still() as sure:
            manifest = _fill(draft, secrets, sure, tell)
        manifest.write(draft)
        draft.rename(target)
        durable.sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return manifest


@contextmanager
def hold_still() -> Iterator[Callable[[], None]]:
    """Pause handovers, repairs and compactions; yield a function that refuses if the pause was lost."""
    with ExitStack() as stack:
        holds: list[Hold] = []
        over, lost = threading.Event(), threading.Event()

        def keep() -> None:
            while not over.wait(LEASE_RENEWAL_S):
                if not _renew_holds(holds):
                    lost.set()
            connections.close_all()

        def sure() -> None:
            if lost.is_set() or not _renew_holds(holds):
                raise Refused("somebody else went on meanwhile, as this stood still for too long: try again")

        keeper = threading.Thread(target=keep, daemon=True)
        keeper.start()
        stack.callback(keeper.join)
        stack.callback(over.set)
        for name, seconds in LEASE_REQUESTS.items():
            holds.append(stack.enter_context(_acquire_lease(name, seconds)))
        yield sure


def _renew_holds(holds: list[Hold]) -> bool:
    try:
        return not [
            hold for hold in tuple(holds) if not hold.renew()
        ]  # renew each of them, even after a failure
    except DatabaseError:
        return False


@contextmanager
def _acquire_lease(name: str, seconds: float) -> Iterator[Hold]:
    until = time.monotonic() + LEASE_WAIT_S
    while True:
        with lease(name, seconds) as hold:
            brief = replace(hold, seconds=LEASE_S)
            if brief and brief.renew():
                yield brief
                return
        if time.monotonic() > until:
            raise Refused(f"{name} has been at work for {LEASE_WAIT_S:.0f} s: try again later")
        time.sleep(0.5)


def _fill(draft: Path, secrets: bool, sure: Callable[[], None], tell: Callable[[str], None]) -> Manifest:
    data = get_data_directory()
    manifest = Manifest(timezone.now().isoformat(), connection.vendor, str(data.resolve()), secrets)
    copier, places = Copier(data, draft, manifest), Places(data)
    reads = _map_query_inputs()
    tell("the database")
    path = databases.dump(draft)
    manifest.files[path.name] = databases.measure_database(path)
    manifest.migrations, manifest.counts = _list_newest_migrations(), _count_rows()
    manifest.key, manifest.sealed = key_digest(settings.SECRET_KEY), _list_secret_names()
    if not secrets and (encrypted := format_encrypted_things(manifest)):
        tell(f"without --secrets it has no key: under another TIMELINE_SECRET_KEY these stop: {encrypted}")
    positions = dict(
        Query.objects.values_list("name", "position")
    )  # read before the cuts, so no cut is older
    sure()
    for number, query in enumerate(query_cuts.sort_downstream_first(reads), 1):
        tell(f"query {number} of {len(reads)}")
        cut = query_cuts.copy_query(copier, places, query)
        _require_published(cut, query, positions.get(query, -1))
        manifest.queries[query] = {"manifest": cut.manifest, "commit": cut.commit}
        sure()
    for chain in sorted((data / "chains").glob("*.json")):
        copier.take(chain)
    for stream in Stream.everything.order_by("name", "generation").only("name", "generation"):
        tell(f"stream {stream}")
        _take_landing(copier, data / "landing" / stream.folder)
        sure()
    _take_notes(copier, data / NOTES_FOLDER)
    for name in SECRET_FILES if secrets else ():
        if (data / name).exists():
            copier.take(data / name)
            (draft / name).chmod(0o600)
    return manifest


def _require_published(cut: query_cuts.Cut, query: str, position: int) -> None:
    """Refuse a snapshot of a query that is older than what the database holds of it."""
    if cut.manifest < position:
        raise Refused(
            f"query {query} has published up to batch {cut.manifest}, and the database holds it up to {position}: "
            "start the product, wait until the query runs, and try again"
        )


def _map_query_inputs() -> dict[str, set[str]]:
    """Return for each query those that compute its inputs."""
    hosts = dict(Node.objects.values_list("digest", "query__name"))
    programs = Query.objects.values_list("name", "program")
    return {
        name: {hosts[item] for item in parse_program(program).inputs if item in hosts}
        for name, program in programs
    }


def _take_landing(copier: Copier, folder: Path) -> None:
    """Copy all batches up to the newest without a gap before it."""
    if not folder.is_dir():
        return
    end = Batches(folder).end()
    for path in sorted(folder.rglob("*")):
        number = path.stem if path.parent == folder else ""
        later = number.isdecimal() and int(number) >= end
        if path.is_file() and not later and not path.name.startswith("."):
            copier.take(path)


def _take_notes(copier: Copier, folder: Path) -> None:
    """Copy what sources noted before reading; the landings tell the rest."""
    for path in sorted(folder.glob("*/*/*")):
        if is_kept(path.name) and not path.name.startswith("."):
            with suppress(FileNotFoundError):  # replaced meanwhile by a merged file, which sorts later
                copier.take(path)


def _list_newest_migrations() -> dict[str, str]:
    """Return the newest migration of each application."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {app: max(name for other, name in applied if other == app) for app, _ in sorted(applied)}


def _list_secret_names() -> dict[str, list[str]]:
    """Return the names of the sources and sinks with secrets."""
    sources = StreamSource.objects.exclude(secrets="").order_by("stream__name")
    sinks = NodeSink.objects.exclude(secrets="").order_by("pk").values_list("pk", "kind")
    return {
        "the sources of": list(sources.values_list("stream__name", flat=True)),
        "the sinks": [f"{number} ({kind})" for number, kind in sinks],
    }


def _count_rows() -> dict[str, int]:
    counts = {name: model._default_manager.count() for name, model in COUNTED_MODELS.items()}
    newest = Revision.objects.order_by("-pk").values_list("pk", flat=True).first()
    return counts | {"newest_revision": newest or 0}
