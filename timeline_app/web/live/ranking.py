"""A live ranking: the few keys of a node that have the most, in one message however many keys there are."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from timeline_app.web.models import Node
from timeline_app.web.nodes.freshness import Come, measure_progress
from timeline_app.web.nodes.ranking import Ranking, get_ranking
from timeline_app.web.nodes.selectors import find_stop_time, get_node

Message = dict[str, Any]
SHARE = 10
"""Looking takes at most one part in so many of the time."""


@dataclass(eq=False)
class Ranked:
    """One table or stack of a page: the `top` keys of a node, now or at an instant."""

    id: str
    node: str
    top: int
    order: str
    at: int | None
    ranking: Ranking | None = None
    sent: Message | None = None
    rest_until: float = 0.0
    dirty: bool = True


def build_first_ranking(ranked: Ranked, user: User) -> Message:
    """The ranking as far as it is known at once; the rest follows."""
    node = get_node(ranked.node, user)
    ranked.ranking = get_ranking(node, ranked.at)
    return build_next_ranking(ranked, node, measure_progress([node])) or {}


def build_next_ranking(ranked: Ranked, node: Node | None, far: Come) -> Message | None:
    """The ranking as it is now, where the page knows another one."""
    began = time.monotonic()
    if node is None or ranked.ranking is None:
        return None
    if began < ranked.rest_until:
        ranked.dirty = True
        return None
    late = far.behind.get(node.digest)
    standing = {"newest_event": far.newest.get(node.digest), "behind": late}
    with ranked.ranking.lock:
        ranked.dirty |= not ranked.ranking.read(node, (late or {}).get("until"))
        message = format_ranking(ranked, ranked.ranking, node) | standing
    ended = time.monotonic()
    ranked.rest_until = ended + SHARE * (ended - began)
    if message == ranked.sent:
        return None
    ranked.sent = message
    return message


def format_ranking(ranked: Ranked, ranking: Ranking, node: Node) -> Message:
    """The message."""
    rows = [{"key": key, "points": points} for key, points in ranking.best(node, ranked.top, ranked.order)]
    return {
        "type": "ranking",
        "id": ranked.id,
        "node": node.digest,
        "kind": node.kind,
        "rows": rows,
        "ranked": len(ranking.tails),
        "total": ranking.total,
        "final_until": node.final_until,
        "as_of": node.as_of,
        "stopped_at": find_stop_time(node),
    }
