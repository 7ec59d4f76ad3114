"""`python -m workers.engine.publisher`: carries what the feeds publish into the revision log, and wakes the pages.

A slice of a batch and the position behind it are written in one transaction, so that it is in the log once, however
often this process is killed or started twice. Feeds take turns, a slice each. What cannot be published is tried again,
and then given up for its node alone.
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
from django.db.models import Exists, OuterRef

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
PAUSE, REST = 0.05, 4.0
"""So many seconds lie between two looks without anything new, and so many times as long as a look takes."""
QUIET, LONGER = 10.0, 0.2
"""After so many seconds without anything new so many lie between two looks."""
KNOWN = 1.0
"""So many seconds it is known which queries there are and how far they are published: a query takes longer to start."""
watchdog = Watchdog("the publisher", 300.0)
behind = PublisherLag()
attempts = Attempts()
readings: dict[str, SlicedBatch] = {}
"""By the name of a feed, or the digest of a node, the batch that is published slice by slice."""
MAX_READINGS = 16
"""Each holds some 20 MiB."""
_resumed_at, _any_resume = -math.inf, False
"""When nodes that resume were last looked for, and whether there were any."""


def list_published_queries() -> list[Query]:
    """Those whose feeds are published.

    A query that stopped is looked at as well: its last batch may come after it, or while nobody published.
    """
    return list(Query.objects.exclude(nodes=None).distinct().only("name", "position", "slice_rows"))


@lru_cache(maxsize=1)
def _get_syncer(data: Place) -> Syncer:
    return Syncer(Places(data))


def get_syncer() -> Syncer:
    """Brings a batch to disk before the log says that it is published: else a power cut would take it back."""
    return _get_syncer(settings.TIMELINE_DATA)


def publish_once(queries: Sequence[Query] | None = None) -> int:
    """Publish at most one slice of every feed, of these `hosts` if they are known; how many were published."""
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
    """Publish a batch whose rows are at hand; whether it was not there yet."""
    return write_slice(query, FeedSlice.whole(batch, rows))


def _select_resuming() -> list[Node]:
    """The nodes that somebody started again after batches were not published for them; looked for now and then."""
    global _resumed_at, _any_resume
    if not _any_resume and time.monotonic() - _resumed_at < KNOWN:
        return []
    used = Exists(PlanNode.objects.filter(node=OuterRef("pk")))
    skipped = Node.objects.filter(used, failure="").exclude(skipped_from=None)
    nodes = list(skipped.select_related("query").order_by("digest"))
    _resumed_at, _any_resume = time.monotonic(), bool(nodes)
    return nodes


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
        # What counts as published is on disk; of what cannot be read nothing more can be synced.
        with suppress(FileNotFoundError, ValueError):
            get_syncer().sync_query(query.name, batch, batch + 1)
        skip_batch(query, batch, words)

    return _try_write(query.name, batch, write, give_up, places)


def _try_skipped(node: Node, query: Query, places: Places) -> bool:
    """Publish the next slice of what was not published for a node that was started again."""
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
    """Where a batch is read on, at the row `start` if that is known. Of too many readings in memory the oldest goes."""
    reading = readings.pop(name, None)
    while len(readings) >= MAX_READINGS:
        del readings[next(iter(readings))]
    if reading is None or reading.batch != batch or start not in (None, reading.start):
        return SlicedBatch(feed, batch, start or 0)
    return reading


def _try_write(
    name: str, batch: int, write: Callable[[], bool], give_up: Callable[[str], None], places: Places
) -> bool:
    """Write, and count what goes wrong: it is tried again later, and given up at last. Others never wait for it."""
    watchdog.ping()
    if not attempts.is_due(name, batch):
        return False
    if (times := load_crash_counts().times(name, batch)) >= MAX_CRASHES_PER_SLICE:
        words = f"batch {batch} of its feed could not be published: the publisher died {times} times while it tried"
        _give_up(name, batch, give_up, f"{words}; it may take more memory than there is")
        return False
    try:
        published = write()
    except Query.DoesNotExist:  # it was deleted since the feeds were looked for
        return False
    except Exception as why:
        load_crash_counts().end()
        if is_of_database(why):  # nobody can be published
            raise
        log.exception("batch %d of %s cannot be published", batch, name)
        if isinstance(why, OSError) and not durable.is_torn(why, places.feed(name)):
            attempts.wait(name, batch)
        else:
            _note_failure(name, batch, why, give_up)
        return False
    if published:
        attempts.forget(name)
        load_crash_counts().forget(name)
        behind.broken.discard(name)
    return published


def _note_failure(name: str, batch: int, why: Exception, give_up: Callable[[str], None]) -> None:
    """Try it again later, or give it up."""
    readings.pop(name, None)
    if not attempts.is_last(name, batch):
        attempts.note(name, batch)
        behind.broken.add(name)
        return
    _give_up(name, batch, give_up, f"{_explain_tries(name, batch)}: {describe_error(why)}")


def _give_up(name: str, batch: int, give_up: Callable[[str], None], words: str) -> None:
    """Pass the batch by, unless the disk does not take what lies before it: a power cut could take that back."""
    try:
        give_up(words)
    except OSError as why:
        log.warning("batch %d of %s cannot be given up, trying again: %s", batch, name, why)
        attempts.wait(name, batch)
        behind.broken.add(name)
        return
    attempts.forget(name)
    load_crash_counts().forget(name)
    behind.broken.discard(name)


def _explain_tries(name: str, batch: int) -> str:
    tries = attempts.times(name, batch) + 1
    return f"batch {batch} of its feed could not be published, tried {tries} times"


@dataclass(slots=True)
class Rounds:
    """One look at all feeds after the other."""

    queries: list[Query] = field(default_factory=list)
    looked: float = -math.inf
    published: int = 0
    since: float = -math.inf
    """When it last published."""
    follower: AlertFollower = field(default_factory=AlertFollower)

    def go(self) -> float:
        """Publish what is there; so many seconds are to pass before the next look."""
        if self.published or time.monotonic() - self.looked > KNOWN:
            self.queries, self.looked = list_published_queries(), time.monotonic()
        before, began = self.published, time.monotonic()
        self.published = publish_once(self.queries)
        following = self.follower.step()
        now = time.monotonic()
        if self.published or following:
            self.since = now
            return 0.0
        if before:
            checkpoint_sqlite()
        return max(PAUSE if now - self.since < QUIET else LONGER, REST * (now - began))


def main() -> None:
    """Publish until told to stop; a database that is away or locked is waited for."""
    stop, rounds = StopSignal(), Rounds()
    watchdog.start()
    while not stop.requested:
        watchdog.ping()
        try:
            rest = rounds.go()
        except DatabaseError as problem:
            log.warning("the database is away or locked, trying again: %s", problem)
            close_old_connections()
            rounds, rest = Rounds(), 1.0
        time.sleep(rest)


if __name__ == "__main__":
    main()
