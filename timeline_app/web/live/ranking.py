"""A live ranking: the top keys of a node in one message, however many keys there are."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.contrib.auth.models import User

from timeline_app.web.live.wire import Progress, RankingMessage
from timeline_app.web.models import Node
from timeline_app.web.nodes.freshness import NodeProgress, measure_progress
from timeline_app.web.nodes.ranking import Ranking, get_ranking
from timeline_app.web.nodes.selectors import find_stop_time, get_node

MIN_REST_FACTOR = 10
"""Reading takes at most one part in ten of the time."""


@dataclass(eq=False)
class Ranked:
    """One table or stack of a page: the `top` keys of a node, now or at an instant."""

    id: str
    node: str
    top: int
    order: str
    at: int | None
    ranking: Ranking | None = None
    sent: RankingMessage | None = None
    rest_until: float = 0.0
    dirty: bool = True


def build_first_ranking(ranked: Ranked, user: User) -> RankingMessage:
    """Return the ranking as far as it is known at once; the rest follows."""
    node = get_node(ranked.node, user)
    ranked.ranking = get_ranking(node, ranked.at)
    ranked.sent = _read_ranking(ranked, ranked.ranking, node, measure_progress([node]))
    return ranked.sent


def build_next_ranking(ranked: Ranked, node: Node | None, progress: NodeProgress) -> RankingMessage | None:
    """Return the ranking if it has changed since the last message."""
    if node is None or ranked.ranking is None:
        return None
    if time.monotonic() < ranked.rest_until:
        ranked.dirty = True
        return None
    message = _read_ranking(ranked, ranked.ranking, node, progress)
    if message == ranked.sent:
        return None
    ranked.sent = message
    return message


def describe_progress(node: Node, far: NodeProgress) -> Progress:
    return {
        "final_until": node.final_until,
        "newest_event": far.newest.get(node.digest),
        "as_of": node.as_of,
        "stopped_at": find_stop_time(node),
        "behind": far.behind.get(node.digest),
    }


def _read_ranking(
    ranked: Ranked, ranking: Ranking, node: Node, node_progress: NodeProgress
) -> RankingMessage:
    """Read news of the keys, and rest `MIN_REST_FACTOR` times as long as that took."""
    started = time.monotonic()
    progress, behind = describe_progress(node, node_progress), node_progress.behind.get(node.digest)
    with ranking.lock:
        ranked.dirty |= not ranking.read(node, behind["until"] if behind else None)
        best = ranking.best(node, ranked.top, ranked.order)
        message: RankingMessage = {
            "type": "ranking",
            "id": ranked.id,
            "node": node.digest,
            "kind": node.kind,
            "rows": [{"key": key, "points": points} for key, points in best],
            "ranked": len(ranking.tails),
            "total": ranking.total,
            **progress,
        }
    ended = time.monotonic()
    ranked.rest_until = ended + MIN_REST_FACTOR * (ended - started)
    return message
