"""One probe for each part that the product depends on; each raises `NotReady` with a word and a hint."""

from __future__ import annotations

import socket
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count
from django.utils import timezone
from redis import Redis

from timeline_app.private_files import list_open
from timeline_app.web.core.disk_space import (
    RUN_RESERVES,
    WARNING_RESERVES,
    describe_missing_disk_space,
    measure_free_bytes,
)
from timeline_app.web.core.process_heartbeats import PUBLISHER, SUPERVISOR
from timeline_app.web.models import Node, Query
from timeline_app.web.models.operations import Heartbeat

MAX_SILENCE_S = 60.0
MAX_LAG_S = 60.0
MAX_NODES_NAMED = 5
MAX_FOLDERS_NAMED = 5
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"


class NotReady(Exception):
    """A part does not work."""

    def __init__(self, word: str, detail: str, hint: str) -> None:
        super().__init__(detail)
        self.word, self.detail, self.hint = word, detail, hint


class Degraded(NotReady):
    """A part is ready, but does not work well in every respect."""


def probe_database() -> str:
    """Check that the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return f"{connection.vendor} answers"


@cache
def load_known_migrations() -> frozenset[tuple[str, str]]:
    """Return all migrations of this version of the product."""
    return frozenset(MigrationLoader(None).disk_migrations)


def list_unknown_migrations() -> list[str]:
    """Return migrations of the database that this version lacks: another version created its tables."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(name for app, name in set(applied) - load_known_migrations() if app == "web")


def probe_migrations() -> str:
    """Check that exactly the known migrations are applied."""
    missing = sorted(load_known_migrations() - set(MigrationRecorder(connection).applied_migrations()))
    if missing:
        names = ", ".join(".".join(item) for item in missing[:5])
        raise NotReady("not applied", f"{len(missing)} to apply: {names}", "Run `manage.py migrate`.")
    if unknown := list_unknown_migrations():
        hint = "Start the version that made them, or restore a backup of before: docs/upgrading.md."
        raise NotReady("of another version", f"unknown here: {', '.join(unknown[:5])}", hint)
    return f"all {len(load_known_migrations())} are applied"


def probe_redis() -> str:
    """Check that Redis answers a PING."""
    with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as client:
        client.ping()
    return "answers"


def probe_spark() -> str:
    """Check that the server answers a greeting; with TLS, only that it listens."""
    where = urlsplit(settings.SPARK_REMOTE)
    address = (where.hostname or "127.0.0.1", where.port or 15002)
    with socket.create_connection(address, timeout=1) as line:
        if "use_ssl=true" in where.path.lower():
            return "listens"
        line.sendall(HTTP2_PREFACE)
        if not line.recv(1):
            raise OSError("it closed the connection")
    return "answers"


def probe_supervisor() -> str:
    """Check that the supervisor worked recently."""
    _, words = _check_last_heartbeat(
        SUPERVISOR, "Look whether the worker and beat run, and at the worker's log."
    )
    return f"looked {words}"


def probe_publisher() -> str:
    """Check that the publisher worked recently and does not lag; trouble of some feeds only degrades."""
    facts, words = _check_last_heartbeat(PUBLISHER, "Look whether the publisher runs, and at its log.")
    lag = float(facts.get("lag", 0.0))
    hint = "Give it time, or a faster database; what is computed is not lost."
    if float(facts.get("least", lag)) > MAX_LAG_S:
        raise NotReady("behind", f"{lag:.0f} s behind the feeds", hint)
    if broken := int(facts.get("broken", 0)):
        named = ", ".join(map(str, facts.get("feeds", ())))
        raise Degraded(
            "cannot publish",
            f"{broken} feeds cannot be published, and are tried again: {named}",
            "The publisher's log says why; what fails again and again is given up for its nodes alone.",
        )
    if lag > MAX_LAG_S:
        raise Degraded("behind", f"{lag:.0f} s behind some of the feeds", hint)
    return f"looked {words}, {lag:.1f} s behind the feeds"


def probe_queries() -> str:
    """Check that desired queries run. One that does not is its owner's problem, so it only degrades."""
    queries = Query.objects.filter(desired=Query.Desired.RUNNING)
    counts = dict(queries.values_list("observed").annotate(Count("pk")))
    states = (Query.Observed.FAILED, Query.Observed.RETRYING)
    troubled = [f"{counts[state]} {state.value}" for state in states if counts.get(state)]
    total = f"of {sum(counts.values())} queries that are wanted"
    given_up, named = _find_given_up_nodes()
    if given_up:
        troubled.append(f"{given_up} nodes given up")
    if troubled:
        hint = "Look at Nodes, which say why; one that has failed starts again when its plan is applied."
        word = ", ".join(troubled)
        raise Degraded(word, f"{total} {word}{named and f': {named}'}", hint)
    return f"{total} none is in trouble"


def probe_folders() -> str:
    """Check that other accounts of this machine cannot open the files, which hold sessions and secrets."""
    places = {settings.TIMELINE_LOCAL, settings.TIMELINE_DATA}
    paths = sorted(path for folder in places if isinstance(folder, Path) for path in list_open(folder))
    if not paths:
        return "closed to other accounts"
    named = ", ".join(map(str, paths[:MAX_FOLDERS_NAMED]))
    hint = "Take the permissions of others away, or use another folder: docs/security.md says why it was left open."
    raise Degraded("open to other accounts", f"other accounts of this machine can open {named}", hint)


def probe_disk() -> str:
    """Leaves room for what runs; below that less and less is accepted."""
    shortage = describe_missing_disk_space(WARNING_RESERVES)
    free, reserve = measure_free_bytes() // 2**20, settings.DISK_RESERVE_BYTES // 2**20
    if shortage is None:
        return f"{free:,} MiB are free"
    limits = f"below {RUN_RESERVES * reserve:,} MiB no new nodes are started, below {reserve:,} MiB no events are taken"
    raise Degraded(
        "nearly full", f"{shortage}; {limits}", "Make room: Storage shows what takes it, and until when."
    )


def _find_given_up_nodes() -> tuple[int, str]:
    """Return how many nodes of desired queries were given up, and the first of them."""
    nodes = Node.objects.filter(query__desired=Query.Desired.RUNNING).exclude(failure="")
    count = nodes.count()
    named = [str(node) for node in nodes.only("operator", "digest")[:MAX_NODES_NAMED]] if count else []
    return count, ", ".join(named)


def _check_last_heartbeat(name: str, hint: str) -> tuple[dict[str, Any], str]:
    heartbeat = Heartbeat.objects.filter(pk=name).first()
    if heartbeat is None:
        raise NotReady("not heard of yet", "it has never run on this database", hint)
    seconds = (timezone.now() - heartbeat.at).total_seconds()
    if abs(seconds) > MAX_SILENCE_S:  # far in the future: the clock was set back
        raise NotReady("silent", f"last heard of {seconds:.0f} s ago", hint)
    return heartbeat.facts, f"{max(seconds, 0.0):.0f} s ago"
