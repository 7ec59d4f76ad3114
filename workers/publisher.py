"""`python -m workers.publisher`: carries what the feeds publish into the revision log, and wakes the pages.

A batch's revisions and the position behind it are written in one transaction, so that a batch is in the log once,
however often this process is killed or started twice.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

import pyarrow as pa  # noqa: E402
import pyarrow.compute as pc  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, transaction  # noqa: E402
from django.db.models import F  # noqa: E402

from timeline_app.algebra.kinds import Kind  # noqa: E402
from timeline_app.compiler import program_of  # noqa: E402
from timeline_app.storage.addresses import Place  # noqa: E402
from timeline_app.storage.broker import BrokerTrouble, Lost  # noqa: E402
from timeline_app.storage.feed import marks_of, of_node, revisions_of  # noqa: E402
from timeline_app.storage.feeds import feed_of  # noqa: E402
from timeline_app.storage.places import Places  # noqa: E402
from timeline_app.storage.syncing import Syncer  # noqa: E402
from timeline_app.web.models import Node, Query  # noqa: E402
from timeline_app.web.operations.context import about  # noqa: E402
from timeline_app.web.services.log import append, known_now, settle  # noqa: E402
from workers import brokered  # noqa: E402
from workers.announce import nodes_advanced  # noqa: E402
from workers.behind import Behind  # noqa: E402
from workers.pulse import Pulse  # noqa: E402
from workers.stopping import Stop  # noqa: E402

log = logging.getLogger("workers.publisher")
PAUSE, REST = 0.05, 4.0
"""So many seconds lie between two looks without anything new, and so many times as long as a look takes."""
QUIET, LONGER = 10.0, 0.2
"""After so many seconds without anything new so many lie between two looks."""
KNOWN = 1.0
"""So many seconds it is known which queries there are and how far they are published: a query takes longer to start."""
pulse = Pulse("the publisher", 300.0)
behind = Behind()
COUNTERS = ("events", "late", "too_late", "duplicates", "conflicts")


def hosts() -> list[Query]:
    """Those whose feeds are published.

    A query that stopped is looked at as well: its last batch may come after it, or while nobody published.
    """
    return list(Query.objects.exclude(nodes=None).distinct().only("name", "position"))


@lru_cache(maxsize=1)
def _syncer(data: Place) -> Syncer:
    return Syncer(Places(data))


def syncer() -> Syncer:
    """Brings a batch to disk before the log says that it is published: else a power cut would take it back."""
    return _syncer(settings.TIMELINE_DATA)


def publish_once(found: Sequence[Query] | None = None) -> int:
    """Publish at most one batch of every feed, of these `hosts` if they are known; how many were published."""
    places, found = Places(settings.TIMELINE_DATA), hosts() if found is None else found
    published = 0
    for query in found:
        with about(query=query.name):
            published += _publish_next(query, places)
    names = {query.name for query in found}
    behind.tell(names)
    syncer().keep(names)
    return published


def _publish_next(query: Query, places: Places) -> bool:
    """Publish the next batch of one feed, if there is one; its trouble is its own."""
    pulse.beat()
    batch = query.position + 1
    try:
        feed = feed_of(places.feed(query.name))
        if not feed.has(batch):
            return False
        behind.note(feed.written_at(batch))
        rows = feed.read(batch)
        syncer().sync_query(query.name, batch, batch + 1)
        published = publish(query, batch, rows)
        behind.broken.discard(query.name)
        return published
    except (OperationalError, InterfaceError):  # the database is away or locked: nobody can be published
        raise
    except BrokerTrouble as why:  # of the feeds: it is waited for, unless it has lost the batch
        log.warning("batch %d of %s cannot be read: %s", batch, query.name, why)
        if isinstance(why, Lost):
            behind.broken.add(query.name)
        return False
    except Query.DoesNotExist:  # it was deleted since the feeds were looked for
        return False
    except Exception:
        log.exception("batch %d of %s cannot be published", batch, query.name)
        behind.broken.add(query.name)
        return False


def publish(query: Query, batch: int, rows: pa.Table) -> bool:
    """Write a batch and the position behind it in one transaction; whether it was not there yet."""
    program = program_of(query.program)
    with transaction.atomic():
        if not Query.objects.filter(pk=query.pk, position=batch - 1).update(position=batch):
            return False
        advanced = [
            _advance_node(node, of_node(rows, program.nodes.index(node.digest), _sources(node)))
            for node in Node.objects.select_for_update(of=("self",), no_key=True)
            .filter(query=query)
            .order_by("digest")
            if node.left is None or batch < node.left["batches"]
        ]
    nodes_advanced(dict(filter(None, advanced)))
    return True


def _advance_node(node: Node, rows: pa.Table) -> tuple[str, int] | None:
    """Write down what a batch says of a node; its digest and new version, if it says anything."""
    if not len(rows):
        return None
    with about(node=node.digest):
        version, known_at = node.version + 1, known_now(node)
        revisions = revisions_of(rows, Kind(node.kind))
        append(node, version, known_at, revisions)
        _advance(node, version, known_at, marks_of(rows), revisions.size)
    return node.digest, version


def _advance(node: Node, version: int, known_at: int, marks: pa.Table, revised: int) -> None:
    """Move the node on: how far its sources have come, what was counted."""
    horizons = dict(node.horizons)
    for source, until in zip(marks["source"].to_pylist(), marks["t"].to_pylist(), strict=True):
        horizons[source] = max(until, horizons.get(source, until))
    expected = _sources(node)
    complete = expected and all(source in horizons for source in expected)
    counted = {name: F(name) + (pc.sum(marks[name]).as_py() or 0) for name in COUNTERS}
    Node.objects.filter(pk=node.pk).update(
        horizons=horizons,
        final_until=min(horizons[source] for source in expected) if complete else None,
        as_of=known_at,
        version=version,
        revisions=F("revisions") + revised,
        **counted,
    )


def _sources(node: Node) -> tuple[str, ...]:
    """The names of the marks that a node must have seen before anything of it is final."""
    return program_of(node.program).sources


@dataclass(slots=True)
class Rounds:
    """One look at all feeds after the other."""

    found: list[Query] = field(default_factory=list)
    looked: float = -math.inf
    published: int = 0
    since: float = -math.inf
    """When it last published."""

    def go(self) -> float:
        """Publish what is there; so many seconds are to pass before the next look."""
        if self.published or time.monotonic() - self.looked > KNOWN:
            self.found, self.looked = hosts(), time.monotonic()
        before, began = self.published, time.monotonic()
        self.published = publish_once(self.found)
        now = time.monotonic()
        if self.published:
            self.since = now
            return 0.0
        if before:
            settle()
        return max(PAUSE if now - self.since < QUIET else LONGER, REST * (now - began))


def main() -> None:
    """Publish until told to stop; a database that is away or locked is waited for."""
    stop, rounds = Stop(), Rounds()
    try:
        brokered.settle()
    except OSError as why:  # who launches a query tries again
        log.warning("how the broker of the feeds is reached cannot be written down: %s", why)
    pulse.start()
    while not stop.wanted:
        pulse.beat()
        try:
            rest = rounds.go()
        except DatabaseError as problem:
            log.warning("the database is away or locked, trying again: %s", problem)
            close_old_connections()
            rounds, rest = Rounds(), 1.0
        time.sleep(rest)


if __name__ == "__main__":
    main()
