"""`python -m workers.engine.publisher` writes published feed batches to the revision log, and notifies the pages.

Each slice and its position are written in one transaction, so a slice is written exactly once, even if this process
is killed or started twice. Feeds take turns, one slice each. A batch that keeps failing is given up for its node
alone.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

import pyarrow as pa
from django.conf import settings
from django.db import DatabaseError, close_old_connections, transaction
from django.db.models import Exists, OuterRef, QuerySet

from timeline_app.feed.files import FileFeed
from timeline_app.feed.syncing import Syncer
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.nodes.failures import fail_node
from timeline_app.web.nodes.revision_log import checkpoint_sqlite
from workers.engine.alert_writer import AlertFollower
from workers.engine.attempts import Attempts
from workers.engine.publisher_crashes import MAX_CRASHES_PER_SLICE, load_crash_counts
from workers.engine.publisher_lag import PublisherLag
from workers.engine.revision_writer import (
    describe_error,
    is_of_database,
    join_feed,
    skip_batch,
    write_skipped,
    write_slice,
)
from workers.engine.slices import FeedSlice, SlicedBatch
from workers.signals import StopSignal
from workers.watchdog import Watchdog

log = logging.getLogger("workers.engine.publisher")
POLL_INTERVAL_S, POLL_REST_FACTOR = 0.05, 4.0
"""The pause between rounds without news, and the least pause as a multiple of a round's duration."""
QUIET_AFTER_S, QUIET_POLL_INTERVAL_S = 10.0, 0.2
"""After this long without news, rounds pause longer."""
QUERIES_CACHED_S = 1.0
"""The list of queries and their positions is cached for this long; a query takes longer to start."""
watchdog = Watchdog("the publisher", 300.0)
behind = PublisherLag()
attempts = Attempts()
readings: dict[str, SlicedBatch] = {}
"""The batch that is being published slice by slice, by name of a feed or digest of a node."""
MAX_READINGS = 16
"""Each holds about 20 MiB."""
_resumed_at, _any_resume = -math.inf, False
"""When resuming nodes were last looked for, and whether there were any."""


def list_published_queries() -> list[Query]:
    """Return the queries whose feeds are published.

    Stopped queries are included: the last batch may have been written after the stop, or while no publisher ran.
    """
    return list(Query.objects.exclude(nodes=None).distinct().only("name", "position", "slice_rows"))


@lru_cache(maxsize=1)
def _get_syncer(data: Place) -> Syncer:
    return Syncer(Places(data))


def get_syncer() -> Syncer:
    """Return the syncer, which flushes each batch before the log records it: a power cut must not undo it."""
    return _get_syncer(settings.TIMELINE_DATA)


def publish_once(queries: Sequence[Query] | None = None) -> int:
    """Publish at most one slice of each feed, of `queries` where they are known. Return how many were published."""
    places, queries = Places(settings.TIMELINE_DATA), list_published_queries() if queries is None else queries
    published = 0
    for query in queries:
        with log_facts(query=query.name):
            published += _try_next(query, places)
    for node in _select_resuming():
        with log_facts(query=node.query.name, node=node.digest):
            published += _try_skipped(node, node.query, places)
    names = {query.name for query in queries}
    behind.report(names)
    get_syncer().keep(names)
    return published


def publish(query: Query, batch: int, rows: pa.Table) -> bool:
    """Publish a batch whose rows are at hand. Return False where it was published before."""
    return write_slice(query, FeedSlice.whole(batch, rows))


def _select_resuming() -> list[Node]:
    """Return the nodes that somebody restarted after they had skipped batches. Without any, look only now and then."""
    global _resumed_at, _any_resume
    if not _any_resume and time.monotonic() - _resumed_at < QUERIES_CACHED_S:
        return []
    skipped = Node.objects.filter(skipped_from__isnull=False)
    nodes = list(_select_used(skipped)) if skipped.exists() else []
    _resumed_at, _any_resume = time.monotonic(), bool(nodes)
    return nodes


def _select_used(skipped: QuerySet[Node]) -> QuerySet[Node]:
    """Those of them that a plan uses and that have not failed."""
    used = Exists(PlanNode.objects.filter(node=OuterRef("pk")))
    return skipped.filter(used, failure="").select_related("query").order_by("digest")


def _try_next(query: Query, places: Places) -> bool:
    """Publish the next slice of a feed, if there is one."""
    batch = query.position + 1

    def write() -> bool:
        feed = FileFeed(places.feed(query.name))
        if not feed.has(batch):
            readings.pop(query.name, None)
            return False
        reading = _get_reading(query.name, feed, batch, query.slice_rows)
        load_crash_counts().begin(query.name, batch)
        piece = reading.take()
        if piece.start == 0:
            get_syncer().sync_query(query.name, batch, batch + 1)
        giving_up = _explain_tries(query.name, batch) if attempts.is_last(query.name, batch) else ""
        published = write_slice(query, piece, giving_up)
        if published and not piece.last:
            readings[query.name] = reading
        if published and piece.last:
            behind.note(query.name, feed.written_at(batch))
        return published

    def give_up(words: str) -> None:
        # What counts as published is on disk; what cannot be read cannot be synced.
        with suppress(FileNotFoundError, ValueError):
            get_syncer().sync_query(query.name, batch, batch + 1)
        skip_batch(query, batch, words)

    return _try_write(query.name, batch, write, give_up, places)


def _try_skipped(node: Node, query: Query, places: Places) -> bool:
    """Publish the next slice of a batch that a restarted node had skipped."""
    batch, name = node.skipped_from or 0, node.digest
    if batch > query.position or (node.left is not None and batch >= node.left["batches"]):
        join_feed(node)
        return False

    def write() -> bool:
        feed = FileFeed(places.feed(query.name))
        reading = _get_reading(name, feed, batch)
        load_crash_counts().begin(f"{name} again", batch)
        piece = reading.take()
        reading.known_at = write_skipped(node, piece, reading.known_at)
        if reading.known_at and not piece.last:
            readings[name] = reading
        return reading.known_at is not None

    def give_up(words: str) -> None:
        with transaction.atomic():
            fail_node(node, words, skipped_from=batch)

    return _try_write(f"{name} again", batch, write, give_up, places)


def _get_reading(name: str, feed: FileFeed, batch: int, start: int | None = None) -> SlicedBatch:
    """Return the reader of a batch, at row `start` where that is known. The oldest of too many readers is dropped."""
    reading = readings.pop(name, None)
    while len(readings) >= MAX_READINGS:
        del readings[next(iter(readings))]
    if reading is None or reading.batch != batch or start not in (None, reading.start):
        return SlicedBatch(feed, batch, start or 0)
    return reading


def _try_write(
    name: str, batch: int, write: Callable[[], bool], give_up: Callable[[str], None], places: Places
) -> bool:
    """Write a slice; count failures, retry later, and give up at last. Other feeds never wait for it."""
    watchdog.ping()
    if not attempts.is_due(name, batch):
        return False
    if (times := load_crash_counts().times(name, batch)) >= MAX_CRASHES_PER_SLICE:
        words = f"batch {batch} of its feed could not be published: the publisher died {times} times while it tried"
        _give_up(name, batch, give_up, f"{words}; it may take more memory than there is")
        return False
    try:
        published = write()
    except Query.DoesNotExist:  # it was deleted since the list was read
        return False
    except Exception as why:
        load_crash_counts().end()
        if is_of_database(why):  # then no feed can be published
            raise
        log.exception("batch %d of %s cannot be published", batch, name)
        if isinstance(why, OSError) and not durable.is_torn(why, places.feed(name)):
            attempts.wait(name, batch)
        else:
            _note_failure(name, batch, why, give_up)
        return False
    if published:
        attempts.remove(name)
        load_crash_counts().remove(name)
        behind.broken.discard(name)
    return published


def _note_failure(name: str, batch: int, why: Exception, give_up: Callable[[str], None]) -> None:
    """Retry later, or give up."""
    readings.pop(name, None)
    if not attempts.is_last(name, batch):
        attempts.note(name, batch)
        behind.broken.add(name)
        return
    _give_up(name, batch, give_up, f"{_explain_tries(name, batch)}: {describe_error(why)}")


def _give_up(name: str, batch: int, give_up: Callable[[str], None], words: str) -> None:
    """Skip the batch, unless earlier batches cannot be synced: a power cut could take those back."""
    try:
        give_up(words)
    except OSError as why:
        log.warning("batch %d of %s cannot be given up, trying again: %s", batch, name, why)
        attempts.wait(name, batch)
        behind.broken.add(name)
        return
    attempts.remove(name)
    load_crash_counts().remove(name)
    behind.broken.discard(name)


def _explain_tries(name: str, batch: int) -> str:
    tries = attempts.times(name, batch) + 1
    return f"batch {batch} of its feed could not be published, tried {tries} times"


@dataclass(slots=True)
class Rounds:
    """Rounds over all feeds."""

    queries: list[Query] = field(default_factory=list)
    looked: float = -math.inf
    published: int = 0
    since: float = -math.inf
    """When a round last published something."""
    follower: AlertFollower = field(default_factory=AlertFollower)

    def run_round(self) -> float:
        """Run one round, and return the seconds to pause before the next."""
        if self.published or time.monotonic() - self.looked > QUERIES_CACHED_S:
            self.queries, self.looked = list_published_queries(), time.monotonic()
        before, started = self.published, time.monotonic()
        self.published = publish_once(self.queries)
        following = self.follower.step()
        now = time.monotonic()
        if self.published or following:
            self.since = now
            return 0.0
        if before:
            checkpoint_sqlite()
        return max(
            POLL_INTERVAL_S if now - self.since < QUIET_AFTER_S else QUIET_POLL_INTERVAL_S,
            POLL_REST_FACTOR * (now - started),
        )


def main() -> None:
    """Publish until told to stop; wait for a database that is away or locked."""
    stop, rounds = StopSignal(), Rounds()
    watchdog.start()
    while not stop.requested:
        watchdog.ping()
        try:
            pause = rounds.run_round()
        except DatabaseError as problem:
            log.warning("the database is away or locked, trying again: %s", problem)
            close_old_connections()
            rounds, pause = Rounds(), 1.0
        time.sleep(pause)


if __name__ == "__main__":
    main()
