"""Peeking into a node: the timeline of one key from the revision log, now or as it was known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from timeline_app.algebra.fold import Point, Stretch, fold, spelled
from timeline_app.algebra.kinds import OPEN, Kind
from timeline_app.web.models import Node, NodeKey, Revision

Document = dict[str, Any]
_CHUNK = 200


@dataclass(frozen=True, slots=True)
class Folded:
    """A stretch of one key's timeline: the newest version in it, the key's birth, the points."""

    version: int
    birth: int
    points: list[Point]


def peek(
    node: Node, key: str, *, start: int | None = None, end: int | None = None, known_at: int | None = None
) -> Document | None:
    """The timeline of a key from `start` to `end` as a document, or None where nothing is known of the key.

    Reads the log backwards, only as far as it takes to know the whole stretch. All times are microseconds.
    """
    found = folded(node, key, start=start, end=end, known_at=known_at)
    if found is None:
        return None
    kind = Kind(node.kind)
    return {
        "node": node.digest,
        "key": key,
        "kind": kind.printed,
        "final_until": node.final_until,
        "as_of": node.as_of,
        "version": found.version,
        "points": [spelled(kind, point) for point in found.points],
    }


def folded(
    node: Node, key: str, *, start: int | None = None, end: int | None = None, known_at: int | None = None
) -> Folded | None:
    """What `peek` tells, before it is spelled."""
    log = Revision.objects.filter(node=node, key=key).order_by("-version")
    if known_at is not None:
        log = log.filter(known_at__lte=known_at)
    newest = log.values_list("version", "birth").first()
    if newest is None or newest[1] == OPEN:
        return None
    points = fold(Kind(node.kind), _stretches(log.filter(version__lte=newest[0])), start, end)
    return Folded(*newest, points)


def revisions_since(node: Node, key: str, version: int) -> list[Document]:
    """The revisions of a key that are newer than a version, oldest first."""
    names = ("version", "known_at", "start", "end", "pieces")
    return list(
        Revision.objects.filter(node=node, key=key, version__gt=version).order_by("version").values(*names)
    )


def keys(node: Node, search: str = "", limit: int = 50) -> list[Document]:
    """Keys of a node that contain `search`, most recently revised first."""
    found = NodeKey.objects.filter(node=node).exclude(birth=OPEN)
    if search:
        found = found.filter(key__icontains=search)
    return [{"key": key, "known_at": known_at} for key, known_at in _newest(found)[:limit]]


def _newest(found: QuerySet[NodeKey]) -> QuerySet[NodeKey, tuple[str, int]]:
    return found.order_by("-version", "key").values_list("key", "known_at")


def _stretches(log: Any) -> Iterator[Stretch]:
    """The revisions of a query set in chunks that grow: most peeks need only the first."""
    chunk = _CHUNK
    before: int | None = None
    while True:
        page = log if before is None else log.filter(version__lt=before)
        rows = list(page.values_list("start", "end", "pieces", "version")[:chunk])
        yield from (Stretch(start, end, pieces) for start, end, pieces, _ in rows)
        if len(rows) < chunk:
            return
        before, chunk = rows[-1][3], chunk * 4
