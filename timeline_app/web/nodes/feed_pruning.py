"""Pruning of all feeds: what every reader has passed, and from when on values still count."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from django.conf import settings

from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.compiler import parse_program
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain
from timeline_app.feed.pruning import prune
from timeline_app.feed.segments import list_segments
from timeline_app.feed.snapshot_writing import SnapshotNode
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from timeline_app.web.models.terms import NodeTerm, Term
from timeline_app.web.streams.landing_compaction import SEGMENTS_PER_RETENTION, compute_retention_limits
from timeline_app.web.streams.selectors import load_declarations

FEED_ERRORS = (OSError, ValueError, LookupError, pa.ArrowException)
log = logging.getLogger(__name__)


def prune_feeds(*, seconds: float = 240.0) -> int:
    """Prune the feeds of all queries while time lasts; return how many snapshots were written.

    A failure affects only its own feed.
    """
    until, needs, written = time.monotonic() + seconds, FeedNeeds(Places(settings.TIMELINE_DATA)), 0
    for query in Query.objects.order_by("pk").only("name", "position"):
        if time.monotonic() > until:
            break
        feed = FileFeed(needs.places.feed(query.name))
        try:
            if list_segments(feed.path):
                written += bool(_prune_one_feed(feed, query, needs))
        except FEED_ERRORS as why:
            log.warning("the feed %s could not be pruned: %s", feed.name, why)
    return written


def _prune_one_feed(feed: FileFeed, query: Query, needs: FeedNeeds) -> int:
    users = needs.find_users(query)
    limit = needs.find_limit([item.digest for item in users])
    return prune(feed, [item.to_snapshot() for item in users], needs.count_passed(query, users), limit)


@dataclass(frozen=True, slots=True)
class FeedUser:
    """A node in a feed, behind `shift` batches of its chain, `batches` batches long (None: still growing)."""

    node: Node
    chain: Chain
    place: int
    shift: int
    batches: int | None

    @property
    def digest(self) -> str:
        return self.chain.digest

    @property
    def until(self) -> int | None:
        """Return the batch from which on the query no longer computes it."""
        position_left = self.node.left if self.batches is None else None
        return self.batches if position_left is None else int(position_left["batches"])

    def to_snapshot(self) -> SnapshotNode:
        """Return what the writer of a snapshot needs to know."""
        sources = frozenset(parse_program(self.node.program).sources)
        kind = Kind(self.node.kind)
        return SnapshotNode(self.place, kind, sources, self._read_before, self.shift, self.until)

    def _read_before(self) -> Iterator[pa.Table]:
        return self.chain.tables(self.shift)


@dataclass
class FeedNeeds:
    """What is needed of feeds, as of one pass."""

    places: Places

    @cached_property
    def limits(self) -> dict[str, int | None]:
        """Return retention limits by stream, with a margin: a sampled value holds on from the sample before."""
        declared = load_declarations(None)
        return {
            name: None if limit is None else limit - declared[name].retention // SEGMENTS_PER_RETENTION
            for name, limit in compute_retention_limits(declared).items()
        }

    @cached_property
    def _links(self) -> Mapping[str, list[tuple[str, int, int, int | None]]]:
        """Return by query the nodes in its feed: digest, place, batches before it in the chain, batches."""
        links = defaultdict(list)
        for digest in Node.objects.order_by("pk").values_list("digest", flat=True):
            shift = 0
            for link in Chain(self.places, digest).segments():
                links[link.query].append((digest, link.place, shift, link.batches))
                shift += link.batches or 0
        return links

    @cached_property
    def _readers(self) -> Mapping[str, list[int]]:
        """Return by digest the positions from which queries may still read the node.

        A query that stopped or failed for good blocks no pruning: it continues from the snapshot.
        """
        readers = defaultdict(list)
        queries = Query.objects.exclude(
            desired=Query.Desired.STOPPED, observed=Query.Observed.STOPPED
        ).exclude(observed=Query.Observed.FAILED)
        for query in queries.only("program", "offsets"):
            oldest = min(query.offsets, key=int, default=None)
            for index, feed in enumerate(query.program.get("feeds", ())):
                offset = 0 if oldest is None else query.offsets[oldest][index]
                readers[feed["digest"]].append(max(0, offset))
        return readers

    def find_users(self, query: Query) -> list[FeedUser]:
        """Return the nodes whose readers need the feed; for others a later snapshot of their chain suffices."""
        users = []
        links = self._links.get(query.name, ())
        nodes = Node.objects.filter(digest__in=[link[0] for link in links]).in_bulk(field_name="digest")
        for digest, index, shift, batches in links:
            if digest not in nodes:
                continue
            chain = Chain(self.places, digest, parse_program(nodes[digest].program).sources)
            if any(link.query == query.name for link in chain.needed()):
                users.append(FeedUser(nodes[digest], chain, index, shift, batches))
        return users

    def find_limit(self, digests: list[str]) -> int | None:
        """Return the least limit of the streams below some nodes; None if all of their values count."""
        terms = NodeTerm.objects.filter(thing__digest__in=digests, kind=Term.Kind.STREAM)
        limits = [self.limits.get(name) for name in set(terms.values_list("value", flat=True))]
        known_limits = [limit for limit in limits if limit is not None and limit > BEGINNING]
        return min(known_limits) if known_limits and len(known_limits) == len(limits) else None

    def count_passed(self, query: Query, users: list[FeedUser]) -> int:
        """Return how many batches of the feed the publisher and all readers of these nodes have passed."""
        passed = [query.position + 1]
        for user in users:
            if user.node.query_id == query.pk and user.node.skipped_from is not None:
                passed.append(user.node.skipped_from)
            offsets = (offset - user.shift for offset in self._readers.get(user.digest, ()))
            passed += [offset for offset in offsets if user.batches is None or offset < user.batches]
        return max(min(passed), 0)
