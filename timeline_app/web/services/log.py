"""Writing the revision log: only ever appended to, one version of a node after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator

from timeline_app.algebra.fold import points_of
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.algebra.revisions import Revisions
from timeline_app.web.models import Node, NodeKey, Revision

_AT_ONCE = 5_000


def known_now(node: Node) -> int:
    """The instant, in microseconds, at which the node's next version becomes known.

    It is later than that of every version before, also where the clock stands still or went back, so that each
    version can be asked for. Lock the node's row before.
    """
    now = time.time_ns() // 1000
    return now if node.as_of is None else max(now, node.as_of + 1)


def append(node: Node, version: int, known_at: int, revisions: Revisions) -> None:
    """Append a node's next version, in the caller's transaction. Both numbers must be greater than all before."""
    Revision.objects.bulk_create(_log_rows(node, version, known_at, revisions), batch_size=_AT_ONCE)
    NodeKey.objects.bulk_create(
        _key_rows(node, version, known_at, revisions),
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=["node", "key"],
        update_fields=["birth", "version", "known_at"],
    )


def _log_rows(node: Node, version: int, known_at: int, revisions: Revisions) -> Iterator[Revision]:
    pieces = points_of(revisions)
    for place, key in enumerate(revisions.names):
        start, end = int(revisions.start[place]), int(revisions.end[place])
        yield Revision(
            node=node,
            key=key,
            version=version,
            known_at=known_at,
            birth=int(revisions.birth[place]),
            start=None if start == BEGINNING else start,
            end=None if end == OPEN else end,
            pieces=pieces[revisions.offsets[place] : revisions.offsets[place + 1]],
        )


def _key_rows(node: Node, version: int, known_at: int, revisions: Revisions) -> Iterator[NodeKey]:
    for key, birth in zip(revisions.names, revisions.birth.tolist(), strict=True):
        yield NodeKey(node=node, key=key, birth=birth, version=version, known_at=known_at)
