"""Compacting the revision log: what is older than the window becomes a few rows a key, which say the same.

The rows that a key's old revisions become tile time and never overlap, so that a later pass only rewrites those in
which something was revised. A pass is a row of small transactions: it may be killed between two, and publishers and
readers never notice more than a short wait.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.web.models import Node, NodeKey, Revision

TILE = 500
"""Points in a row, at most."""
WORTH_IT = 16
"""So many revisions of a key must be old; fewer only where nothing new has come for as long as the window."""
AT_ONCE = 2_000
"""Revisions in a transaction, about."""


def compact(*, now: int | None = None, seconds: float = 500.0) -> int:
    """Compact what is older than the window, at most for so long; how many revisions were folded into others."""
    stop = time.monotonic() + seconds
    horizon = (time.time_ns() // 1000 if now is None else now) - settings.LOG_WINDOW
    published = Node.objects.exclude(as_of=None).order_by("pk")
    return sum(step for node in published for step in _steps(node, min(horizon, node.as_of or 0), stop))


def _steps(node: Node, until: int, stop: float) -> Generator[int]:
    """Compact a node's log up to an instant, one transaction a step, and leave as much time to others."""
    waiting = deque(_old(node, until).values_list("pk", flat=True))
    if waiting:
        # Before anything is folded: who reads something folded finds that the log begins here.
        later = Q(known_from=None) | Q(known_from__lt=until)
        Node.objects.filter(later, pk=node.pk).update(known_from=until)
    while waiting and time.monotonic() < stop:
        began = time.monotonic()
        yield _step(node, until, waiting)
        time.sleep(min(time.monotonic() - began, 1.0))


def _old(node: Node, until: int) -> QuerySet[NodeKey]:
    """The keys that may have something to fold."""
    grown = Q(known_at__lte=until) | Q(unfolded__gte=WORTH_IT)
    return NodeKey.objects.filter(grown, node=node, unfolded_since__lte=until)


def _step(node: Node, until: int, waiting: deque[int]) -> int:
    """Fold some of the waiting keys in one transaction; one that is not done waits again."""
    folded = 0
    with transaction.atomic():
        while waiting and folded < AT_ONCE:
            # A key that the publisher holds is left to the next pass: waiting for each other could be a circle.
            key = _old(node, until).select_for_update(skip_locked=True).filter(pk=waiting[0]).first()
            found = 0 if key is None else _fold_key(key, Kind(node.kind), until)
            folded += found
            if found < AT_ONCE:
                waiting.popleft()
    return folded


def _fold_key(key: NodeKey, kind: Kind, until: int) -> int:
    """Fold the oldest revisions of a key, which is locked, into its tiles; how many."""
    log = Revision.objects.filter(node_key=key)
    old = list(log.filter(folded=False, known_at__lte=until).order_by("known_at")[:AT_ONCE])
    if len(old) < WORTH_IT and key.known_at > until:
        return 0
    start, end = min(row.start for row in old), max(row.end for row in old)
    tiles = list(log.filter(folded=True, start__lt=end, end__gt=start))
    whole = any((row.start, row.end) == (BEGINNING, OPEN) for row in old)
    if not tiles and not whole:  # nothing says what this log begins with
        return 0
    gone, made = _laid(kind, tiles or [Revision(start=BEGINNING, end=OPEN)], old[::-1])
    log.filter(pk__in=[row.pk for row in (*gone, *old)]).delete()
    Revision.objects.bulk_create(made)
    since = log.filter(known_at__gt=old[-1].known_at).order_by("known_at").values_list("known_at", flat=True)
    NodeKey.objects.filter(pk=key.pk).update(unfolded=F("unfolded") - len(old), unfolded_since=since.first())
    return len(old)


def _laid(
    kind: Kind, tiles: Sequence[Revision], newest_first: Sequence[Revision]
) -> tuple[list[Revision], list[Revision]]:
    """Lay revisions over tiles: which tiles go, and what comes instead."""
    gone: list[Revision] = []
    made: list[Revision] = []
    for tile in tiles:
        over = [row for row in newest_first if row.start < tile.end and row.end > tile.start]
        if over:
            known = [*over, tile] if tile.pk else over
            stretches = (Stretch(row.start, row.end, row.pieces) for row in known)
            made += _tiles(over[0], fold(kind, stretches, tile.start, tile.end), tile.start, tile.end)
            gone.append(tile)
    return [tile for tile in gone if tile.pk], made


def _tiles(newest: Revision, points: list[Point], start: int, end: int) -> Iterator[Revision]:
    """Points from `start` to `end` as rows, each as new as the newest revision in them."""
    firsts = range(0, len(points), TILE)
    bounds = [start, *(int(points[first][0]) for first in firsts[1:]), end]
    for place, first in enumerate(firsts):
        yield Revision(
            node_key_id=newest.node_key_id,
            version=newest.version,
            known_at=newest.known_at,
            birth=newest.birth,
            start=bounds[place],
            end=bounds[place + 1],
            pieces=points[first : first + TILE],
            folded=True,
        )
