"""What a live page reads: the snapshot of a subscription, and what is new since the last message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from timeline_app.web.live_messages import Request
from timeline_app.web.live_ranking import Ranked, first_ranking, next_ranking
from timeline_app.web.models import Node, Plan
from timeline_app.web.selectors.nodes import node_of, plan_statuses
from timeline_app.web.selectors.timelines import peek, revisions_since

Message = dict[str, Any]


@dataclass(eq=False)
class Subscription:
    """One chart of a page: a node's timeline of one key, from `since` on (null: all of it)."""

    id: str
    node: str
    key: str
    since: int | None
    known_at: int = -1
    seq: int = 0
    standing: tuple[int | None, int | None] = (None, None)
    dirty: bool = True

    def message(self, kind: str, /, **content: Any) -> Message:
        """A message for this subscription, with how far the node has come."""
        final_until, as_of = self.standing
        return {"type": kind, "id": self.id, **content, "final_until": final_until, "as_of": as_of}


@dataclass(eq=False)
class Watch:
    """The nodes of one plan, as the page knows them."""

    plan: int
    sent: list[Message] | None = None
    dirty: bool = True


def subscription_of(request: Request) -> Subscription | Ranked:
    """What a page asked to be told of."""
    if request.type == "rank":
        return Ranked(request.id, request.node, request.top, request.order, request.at)
    return Subscription(request.id, request.node, request.key, request.since)


def snapshot(subscription: Subscription | Ranked) -> Message:
    """All of it, as it is now."""
    if isinstance(subscription, Ranked):
        return first_ranking(subscription)
    node = node_of(subscription.node)
    found = peek(node, subscription.key, start=subscription.since)
    # The node was read before its log: what comes in between is sent again, which changes nothing.
    move_on(subscription, node)
    return subscription.message(
        "snapshot",
        seq=0,
        node=node.digest,
        key=subscription.key,
        kind=node.kind,
        points=rows(found["points"]) if found else [],
        version=found["version"] if found else -1,
    )


def news(subscriptions: Sequence[Subscription | Ranked]) -> list[tuple[Subscription | Ranked, Message]]:
    """For each subscription that has any, its next message."""
    nodes = Node.objects.in_bulk({one.node for one in subscriptions}, field_name="digest")
    found = [(one, next_message(one, nodes)) for one in subscriptions]
    return [(one, message) for one, message in found if message is not None]


def next_message(subscription: Subscription | Ranked, nodes: Mapping[str, Node]) -> Message | None:
    """A revision or a ranking, or that time went on, or nothing."""
    node = nodes.get(subscription.node)
    if isinstance(subscription, Ranked):
        return next_ranking(subscription, node)
    if node is None:
        return None
    before, known = subscription.standing, subscription.known_at
    move_on(subscription, node)
    if subscription.known_at > known:
        content = merged(node, subscription, known)
        if content is not None:
            subscription.seq += 1
            return subscription.message("revision", seq=subscription.seq, **content)
    return subscription.message("progress") if subscription.standing != before else None


def move_on(subscription: Subscription, node: Node) -> None:
    """Remember how far the node has come."""
    subscription.standing = (node.final_until, node.as_of)
    subscription.known_at = subscription.known_at if node.as_of is None else node.as_of


def merged(node: Node, subscription: Subscription, known_at: int) -> Message | None:
    """All that became known since the last message as one: from the first change to the last, what is true now."""
    since = subscription.since
    found = [
        one
        for one in revisions_since(node, subscription.key, known_at)
        if since is None or one["end"] is None or one["end"] > since
    ]
    if not found:
        return None
    start = None if any(one["start"] is None for one in found) else min(one["start"] for one in found)
    end = None if any(one["end"] is None for one in found) else max(one["end"] for one in found)
    if since is not None:
        start = since if start is None else max(start, since)
    if len(found) == 1 and start == found[0]["start"]:
        pieces = found[0]["pieces"]
    else:
        now = peek(node, subscription.key, start=start, end=end)
        pieces = rows(now["points"]) if now else []
    newest = max(found, key=lambda one: int(one["version"]))
    return {
        "version": newest["version"],
        "known_at": newest["known_at"],
        "start": start,
        "end": end,
        "pieces": pieces,
    }


def rows(points: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Points as rows: `[t, value]`, for numbers and a slope; for ratios both lines, one after the other."""
    return [_row(point) for point in points]


def _row(point: Mapping[str, Any]) -> list[Any]:
    if "num" not in point:
        return [point[name] for name in ("t", "value", "slope") if name in point]
    lines = [point[name] or {"value": None, "slope": 0.0} for name in ("num", "den")]
    return [point["t"], *(line[part] for line in lines for part in ("value", "slope"))]


def statuses(watches: Sequence[Watch]) -> list[tuple[Watch, Message]]:
    """For each watched plan whose nodes look different from what the page knows, how they look now."""
    found = [(watch, plan_statuses(watch.plan)) for watch in watches]
    changed = [(watch, nodes) for watch, nodes in found if nodes != watch.sent]
    for watch, nodes in changed:
        watch.sent = nodes
    return [(watch, {"type": "status", "plan": watch.plan, "nodes": nodes}) for watch, nodes in changed]


def plan_exists(plan: int) -> bool:
    """Whether there is such a plan."""
    return Plan.objects.filter(pk=plan).exists()


def welcome(user: User, session: Any) -> bool:
    """Whether who opened the socket is still logged in and active."""
    logged_in = session is None or session.exists(session.session_key)
    return logged_in and User.objects.filter(pk=user.pk, is_active=True).exists()
