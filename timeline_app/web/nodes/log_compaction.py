"""Compaction of the revision log: revisions older than the window become a few equivalent rows per key.

These rows tile time without overlaps, so a later pass only rewrites those in which something was revised. A pass is a
series of small transactions. It may be killed between two, and publishers and readers wait only briefly.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import attrgetter

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, Value, When

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.nodes.revision_log import split_pieces

MIN_OLD_REVISIONS = 16
"""A key with fewer old revisions is only compacted after a window without new ones."""
MAX_REVISIONS_PER_TRANSACTION = 2_000
"""Except that all rows of one version come together."""
MAX_KEYS_PER_TRANSACTION = 500


def compact_log(*, now: int | None = None, seconds: float = 500.0) -> int:
    """Compact what is older than the window, for at most `seconds`; return how many revisions were folded."""
    stop = time.monotonic() + seconds
    horizon = (time.time_ns() // 1000 if now is None else now) - settings.LOG_WINDOW
    published = Node.objects.exclude(as_of=None).order_by("pk")
    return sum(
        step for node in published for step in _compact_in_steps(node, min(horizon, node.as_of or 0), stop)
    )


def _compact_in_steps(node: Node, until: int, stop: float) -> Generator[int]:
    """Compact a node's log up to an instant, one transaction per step, and pause as long as each took."""
    waiting = deque(_select_old_keys(node, until).order_by("pk").values_list("pk", flat=True))
    if waiting:
        # Do this before anything is folded, so that readers of folded rows see where the log begins.
        later = Q(known_from=None) | Q(known_from__lt=until)
        Node.objects.filter(later, pk=node.pk).update(known_from=until)
    while waiting and time.monotonic() < stop:
        started = time.monotonic()
        yield _compact_step(node, until, waiting)
        time.sleep(min(time.monotonic() - started, 1.0))


def _select_old_keys(node: Node, until: int) -> QuerySet[NodeKey]:
    """Select the keys that may have something to fold."""
    grown = Q(known_at__lte=until) | Q(unfolded__gte=MIN_OLD_REVISIONS)
    return NodeKey.objects.filter(grown, node=node, unfolded_since__lte=until)


def _compact_step(node: Node, until: int, waiting: deque[int]) -> int:
    """Fold some of the waiting keys in one transaction; return how many revisions."""
    keys_of_step = list(islice(waiting, MAX_KEYS_PER_TRANSACTION))
    with transaction.atomic():
        # Leave keys that the publisher has locked to the next pass: waiting could deadlock.
        keys = {
            key.pk: key
            for key in _select_old_keys(node, until)
            .select_for_update(skip_locked=True)
            .filter(pk__in=keys_of_step)
        }
        old = Revision.objects.filter(node_key__in=keys, folded=False, known_at__lte=until)
        rows, unread = _read_rows(old)
        chains = {pk: list(chain) for pk, chain in groupby(rows, key=attrgetter("node_key_id"))}
        worth = {
            pk: chain
            for pk, chain in chains.items()
            if len(chain) >= MIN_OLD_REVISIONS or pk == unread or keys[pk].known_at <= until
        }
        folded = _fold_keys(Kind(node.kind), worth)
    while waiting and waiting[0] <= keys_of_step[-1] and (unread is None or waiting[0] < unread):
        waiting.popleft()
    if unread is not None and unread not in folded:
        waiting.popleft()
    return sum(folded.values())


def _read_rows(old: QuerySet[Revision]) -> tuple[list[Revision], int | None]:
    """Return some of the rows, by key, and the key with possibly more rows.

    All rows of one version come together: with half of them folded, a tile and the rest would be equally new.
    """
    rows = list(old.order_by("node_key", "known_at", "start")[:MAX_REVISIONS_PER_TRANSACTION])
    if len(rows) < MAX_REVISIONS_PER_TRANSACTION:
        return rows, None
    last = rows[-1]
    rest_of_revision = old.filter(node_key=last.node_key_id, known_at=last.known_at, start__gt=last.start)
    return [*rows, *rest_of_revision.order_by("start")], last.node_key_id


def _fold_keys(kind: Kind, chains: Mapping[int, list[Revision]]) -> dict[int, int]:
    """Fold the oldest revisions of locked keys into their tiles; return how many per key."""
    tiles = _load_tiles(chains)
    replaced_rows: list[Revision] = []
    new_rows: list[Revision] = []
    folded: dict[int, int] = {}
    for pk, chain in chains.items():
        if pk in tiles or _is_complete(chain):
            replaced, new = _overlay_tiles(
                kind, tiles.get(pk) or [Revision(start=BEGINNING, end=OPEN)], chain[::-1]
            )
            replaced_rows += [*chain, *replaced]
            new_rows += new
            folded[pk] = len(chain)
        # Otherwise the beginning of this log is unknown, so leave it as it is.
    Revision.objects.filter(pk__in=[row.pk for row in replaced_rows]).delete()
    Revision.objects.bulk_create(new_rows)
    if folded:
        _record_folded(folded)
    return folded


def _is_complete(chain: Sequence[Revision]) -> bool:
    """Return whether one version covers all time; a large one does so in several rows."""
    versions = (list(rows) for _, rows in groupby(chain, key=attrgetter("known_at")))
    return any(
        min(row.start for row in rows) == BEGINNING and max(row.end for row in rows) == OPEN
        for rows in versions
    )


def _record_folded(folded: Mapping[int, int]) -> None:
    """Record what is left of the keys after folding.

    This uses one statement: a row that is updated twice is checked against its node, which a publisher may have
    locked.
    """
    unfolded = Revision.objects.filter(node_key=OuterRef("pk"), folded=False).order_by("known_at")
    NodeKey.objects.filter(pk__in=folded).update(
        unfolded=F("unfolded") - Case(*(When(pk=pk, then=Value(count)) for pk, count in folded.items())),
        unfolded_since=Subquery(unfolded.values("known_at")[:1]),
    )


def _load_tiles(chains: Mapping[int, list[Revision]]) -> dict[int, list[Revision]]:
    """Return the tiles of each key that its revisions may touch."""
    if not chains:
        return {}
    start = min(row.start for chain in chains.values() for row in chain)
    end = max(row.end for chain in chains.values() for row in chain)
    queryset = Revision.objects.filter(node_key__in=chains, folded=True, start__lt=end, end__gt=start)
    tiles: dict[int, list[Revision]] = {}
    for tile in queryset:
        tiles.setdefault(tile.node_key_id, []).append(tile)
    return tiles


def _overlay_tiles(
    kind: Kind, tiles: Sequence[Revision], newest_first: Sequence[Revision]
) -> tuple[list[Revision], list[Revision]]:
    """Overlay tiles with revisions; return the replaced tiles and the new ones."""
    replaced_tiles: list[Revision] = []
    new_tiles: list[Revision] = []
    for tile in tiles:
        over = [row for row in newest_first if row.start < tile.end and row.end > tile.start]
        if over:
            rows = [*over, tile] if tile.pk else over
            stretches = (Stretch(row.start, row.end, row.pieces) for row in rows)
            new_tiles += _build_tiles(
                over[0], fold(kind, stretches, tile.start, tile.end), tile.start, tile.end
            )
            replaced_tiles.append(tile)
    return [tile for tile in replaced_tiles if tile.pk], new_tiles


def _build_tiles(newest: Revision, points: list[Point], start: int, end: int) -> Iterator[Revision]:
    """Yield points from `start` to `end` as rows, each as new as the newest revision in them."""
    for first, last, pieces in split_pieces(points, start, end) if points else ():
        yield Revision(
            node_key_id=newest.node_key_id,
            version=newest.version,
            known_at=newest.known_at,
            birth=newest.birth,
            start=first,
            end=last,
            pieces=pieces,
            folded=True,
        )
