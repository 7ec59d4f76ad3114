"""Pruning of all feeds: who has passed what of each, and from when on the values of its nodes count."""

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
from timeline_app.feed.segments import list_packs
from timeline_app.feed.snapshot_writing import SnapshotNode
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from timeline_app.web.models.terms import NodeTerm, Term
from timeline_app.web.streams.landing_compaction import PARTS, compute_retention_limits
from timeline_app.web.streams.selectors import load_declarations

TROUBLE = (OSError, ValueError, LookupError, pa.ArrowException)
log = logging.getLogger(__name__)


def prune_feeds(*, seconds: float = 240.0) -> int:
    """One round over the feeds of all queries; the trouble of one is its own. How many snapshots were written."""
    until, needs, written = time.monotonic() + seconds, FeedNeeds(Places(settings.TIMELINE_DATA)), 0
    for query in Query.objects.order_by("pk").only("name", "position"):
        if time.monotonic() > until:
            break
        feed = FileFeed(needs.places.feed(query.name))
        try:
            if list_packs(feed.path):
                written += bool(_prune_one_feed(feed, query, needs))
        except TROUBLE as why:
            log.warning("the feed %s could not be pruned: %s", feed.name, why)
    return written


def _prune_one_feed(feed: FileFeed, query: Query, needs: FeedNeeds) -> int:
    users = needs.find_users(query)
    limit = needs.find_limit([item.digest for item in users])
    return prune(feed, [item.to_snapshot() for item in users], needs.count_passed(query, users), limit)


@dataclass(frozen=True, slots=True)
class FeedUser:
    """A node that lies in a feed: behind `shift` batches of its chain, `batches` batches long (None: still growing)."""

    node: Node
    chain: Chain
    place: int
    shift: int
    batches: int | None

    @property
    def digest(self) -> str:
        """Of the node."""
        return self.chain.digest

    @property
    def until(self) -> int | None:
        """The batch from which on the query does not compute it any more."""
        left = self.node.left if self.batches is None else None
        return self.batches if left is None else int(left["batches"])

    def to_snapshot(self) -> SnapshotNode:
        """As who writes a snapshot wants to know it."""
        sources = frozenset(parse_program(self.node.program).sources)
        kind = Kind(self.node.kind)
        return SnapshotNode(self.place, kind, sources, self._read_before, self.shift, self.until)

    def _read_before(self) -> Iterator[pa.Table]:
        return self.chain.tables(self.shift)


@dataclass
class FeedNeeds:
    """What is needed of feeds, as of one round."""

    places: Places

    @cached_property
    def limits(self) -> dict[str, int | None]:
        """By stream, its retention limit and some more: what is sampled holds on from the sample before."""
        declared = load_declarations(None)
        return {
            name: None if limit is None else limit - declared[name].retention // PARTS
            for name, limit in compute_retention_limits(declared).items()
        }

    @cached_property
    def _links(self) -> Mapping[str, list[tuple[str, int, int, int | None]]]:
        """By query, the nodes in its feed: digest, place, batches before it in the chain, batches."""
        links = defaultdict(list)
        for digest in Node.objects.order_by("pk").values_list("digest", flat=True):
            shift = 0
            for link in Chain(self.places, digest).segments():
                links[link.query].append((digest, link.place, shift, link.batches))
                shift += link.batches or 0
        return links

    @cached_property
    def _readers(self) -> Mapping[str, list[int]]:
        """By digest of a node, the least numbers that queries which read it may still ask for.

        One that stopped or failed for good keeps nothing from being removed: it goes on with the snapshot.
        """
        readers = defaultdict(list)
        queries = Query.objects.exclude(
            desired=Query.Desired.STOPPED, observed=Query.Observed.STOPPED
        ).exclude(observed=Query.Observed.FAILED)
        for query in queries.only("program", "offsets"):
            oldest = min(query.offsets, key=int, default=None)
            for place, feed in enumerate(query.program.get("feeds", ())):
                offset = 0 if oldest is None else query.offsets[oldest][place]
                readers[feed["digest"]].append(max(0, offset))
        return readers

    def find_users(self, query: Query) -> list[FeedUser]:
        """The nodes whose readers need something of the feed: a later snapshot of their chain has the others."""
        found = []
        links = self._links.get(query.name, ())
        nodes = Node.objects.filter(digest__in=[link[0] for link in links]).in_bulk(field_name="digest")
        for digest, place, shift, batches in links:
            if digest not in nodes:
                continue
            chain = Chain(self.places, digest, parse_program(nodes[digest].program).sources)
            if any(link.query == query.name for link in chain.needed()):
                found.append(FeedUser(nodes[digest], chain, place, shift, batches))
        return found

    def find_limit(self, digests: list[str]) -> int | None:
        """Return the least limit of the streams below some nodes; None if all of their values count."""
        terms = NodeTerm.objects.filter(thing__digest__in=digests, kind=Term.Kind.STREAM)
        limits = [self.limits.get(name) for name in set(terms.values_list("value", flat=True))]
        known = [limit for limit in limits if limit is not None and limit > BEGINNING]
        return min(known) if known and len(known) == len(limits) else None

    def count_passed(self, query: Query, users: list[FeedUser]) -> int:
        """So many batches of the feed are behind the publisher and behind all who read these nodes."""
        passed = [query.position + 1]
        for user in users:
            if user.node.query_id == query.pk and user.node.skipped_from is not None:
                passed.append(user.node.skipped_from)
            offsets = (offset - user.shift for offset in self._readers.get(user.digest, ()))
            passed += [offset for offset in offsets if user.batches is None or offset < user.batches]
        return max(min(passed), 0)
