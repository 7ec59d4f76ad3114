"""What live pages read: the snapshot of a subscription, and news since the last message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import User
from django.utils.crypto import constant_time_compare

from timeline_app.algebra.fold import Point, Stretch
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.algebra.thin import Buckets, compute_buckets, thin_by_buckets
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.live.messages import PageMessage
from timeline_app.web.live.ranking import Ranked, build_first_ranking, build_next_ranking, describe_progress
from timeline_app.web.live.tail import TooManyPoints, merge_latest_points
from timeline_app.web.live.wire import (
    ChartRevision,
    ChartStart,
    FollowMessage,
    Progress,
    RevisionMessage,
    SnapshotMessage,
    StatusMessage,
)
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.nodes.freshness import NodeProgress, measure_progress
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER, MAX_POINTS_PER_CHART
from timeline_app.web.nodes.selectors import get_node, list_plan_statuses
from timeline_app.web.nodes.timelines import (
    Document,
    KnownKey,
    compute_chart_buckets,
    load_key_log_at,
    load_revisions_since,
)

NO_PROGRESS: Progress = {
    "final_until": None,
    "newest_event": None,
    "as_of": None,
    "stopped_at": None,
    "behind": None,
}
Item = TypeVar("Item", "Subscription | Ranked", "Watch")


@dataclass(eq=False)
class Subscription:
    """One chart of a page: a node's timeline of one key, from `since` on (None: all of it).

    With `points` it is thinned for so many pixels, and finer for as many within `detail`. The `tail` is the end of
    what the page was sent, before thinning.
    """

    id: str
    node: str
    key: str
    since: int | None
    points: int | None = None
    detail: tuple[int, int] | None = None
    by: Buckets | None = None
    known_at: int = -1
    version: int = -1
    """The newest version that was sent."""
    tail: Stretch | None = None
    seq: int = 0
    progress: Progress = field(default_factory=NO_PROGRESS.copy)
    dirty: bool = True


@dataclass(eq=False)
class Watch:
    """The nodes of one plan, as the page knows them."""

    plan: int
    sent: list[Document] | None = None
    dirty: bool = True


def parse_subscription(request: PageMessage) -> Subscription | Ranked:
    """Return the subscription that a page asked for."""
    if request.type == "rank":
        return Ranked(request.id, request.node, request.top, request.order, request.at)
    return Subscription(request.id, request.node, request.key, request.since, request.points, request.detail)


def build_snapshot(subscription: Subscription | Ranked, user: User) -> FollowMessage:
    """Return the present state as the first message."""
    if isinstance(subscription, Ranked):
        return build_first_ranking(subscription, user)
    node = get_node(subscription.node, user)
    return start_subscription(subscription, node, measure_progress([node]))


def start_subscription(
    subscription: Subscription, node: Node, node_progress: NodeProgress
) -> SnapshotMessage:
    """Return the first message of a subscription, to which later revisions apply.

    Beyond the limit of points, it begins with the latest ones and follows only those.
    """
    late = node_progress.behind.get(node.digest)
    # The last known values of a lagging node lie before the page's time range; show them.
    if late is not None and late["until"] is not None and subscription.since is not None:
        subscription.since = min(subscription.since, late["until"])
    subscription.seq, subscription.tail = 0, None
    log = load_key_log_at(node, subscription.key)
    update_progress(subscription, node, node_progress)
    subscription.version = log.version if log else -1
    if subscription.points is not None:
        subscription.by = refine_buckets(compute_buckets([], subscription.points, None, None), subscription)
    points, chart = read_first_points(subscription, log) if log else ([], ChartStart())
    if subscription.points is not None:
        chart["birth"] = log.birth if log else None
        chart.setdefault("left_out", [])
        subscription.by = subscription.by or refine_buckets(
            compute_buckets([], subscription.points, None, None), subscription
        )
    return {
        "type": "snapshot",
        "id": subscription.id,
        "seq": 0,
        "node": node.digest,
        "key": subscription.key,
        "kind": node.kind,
        "points": points,
        "version": subscription.version,
        **chart,
        **subscription.progress,
    }


def read_first_points(subscription: Subscription, with_log: KnownKey) -> tuple[list[Point], ChartStart]:
    """Return the initial points, what is left out of them, and where they begin if earlier ones are cut off."""
    low, log = subscription.since, with_log.log
    if subscription.points is None:
        points, cut_off = log.read_latest(BEGINNING if low is None else low, OPEN, MAX_POINTS_PER_ANSWER)
        chart = ChartStart()
    else:
        by = refine_buckets(compute_chart_buckets(log, low, None, subscription.points), subscription)
        subscription.by = by
        points, left_out, cut_off = log.read_thinned(
            BEGINNING if low is None else low, OPEN, by, MAX_POINTS_PER_CHART
        )
        if cut_off is not None:
            points, cut_off = log.read_latest(cut_off, OPEN, MAX_POINTS_PER_ANSWER)
            cut_off = points[0][0]
            points, left_out = thin_by_buckets(log.kind, points, by)
        chart = ChartStart(left_out=left_out)
    if cut_off is not None:
        subscription.since = chart["start"] = cut_off
        chart["truncated"] = True
    return points, chart


def refine_buckets(by: Buckets, subscription: Subscription) -> Buckets:
    """Return the same buckets, with finer ones in the detailed range."""
    if subscription.detail is None or subscription.points is None:
        return by
    low, high = subscription.detail
    return Buckets(by.width, low, high, max(1, (high - low) // subscription.points))


def build_next_messages(
    subscriptions: Sequence[Subscription | Ranked],
) -> list[tuple[Subscription | Ranked, FollowMessage]]:
    """Return the next message of each subscription that has any."""
    node_ids = {subscription.node for subscription in subscriptions}
    nodes = Node.objects.select_related("query").in_bulk(node_ids, field_name="digest")
    heard = [
        subscription
        for subscription in subscriptions
        if isinstance(subscription, Subscription) and may_have_changed(subscription, nodes)
    ]
    new = load_revisions_since([(nodes[item.node], item.key, item.known_at) for item in heard])
    log = dict(zip(heard, new, strict=True))
    node_progress = measure_progress(nodes.values())
    messages = [
        (subscription, build_next_message(subscription, nodes.get(subscription.node), log, node_progress))
        for subscription in subscriptions
    ]
    return [(item, message) for item, message in messages if message is not None]


def may_have_changed(subscription: Subscription, nodes: Mapping[str, Node]) -> bool:
    """Return whether something may have become known since the last message."""
    node = nodes.get(subscription.node)
    return node is not None and node.as_of is not None and node.as_of > subscription.known_at


def build_next_message(
    subscription: Subscription | Ranked,
    node: Node | None,
    log: Mapping[Subscription, list[Document]],
    node_progress: NodeProgress,
) -> FollowMessage | None:
    """Return a revision, a ranking, or progress; None if nothing changed."""
    if isinstance(subscription, Ranked):
        return build_next_ranking(subscription, node, node_progress)
    if node is None:
        return None
    before = subscription.progress
    update_progress(subscription, node, node_progress)
    try:
        revision = merge_revisions(node, subscription, log.get(subscription, []))
    except TooManyPoints:
        return start_subscription(subscription, node, node_progress)
    if revision is not None or subscription.progress == before:
        return revision
    return {"type": "progress", "id": subscription.id, **subscription.progress}


def update_progress(subscription: Subscription, node: Node, node_progress: NodeProgress) -> None:
    """Store the node's progress in the subscription."""
    subscription.progress = describe_progress(node, node_progress)
    subscription.known_at = subscription.known_at if node.as_of is None else node.as_of


def merge_revisions(
    node: Node, subscription: Subscription, log: Sequence[Document]
) -> RevisionMessage | None:
    """Return everything since the last message as one revision from the first change to the last."""
    since = subscription.since
    # The node was read before its log; revisions in between were sent already.
    fresh = [item for item in log if item["version"] > subscription.version]
    visible = [item for item in fresh if since is None or item["end"] is None or item["end"] > since]
    if not visible:
        return None
    start = None if any(item["start"] is None for item in visible) else min(item["start"] for item in visible)
    end = None if any(item["end"] is None for item in visible) else max(item["end"] for item in visible)
    if since is not None:
        start = since if start is None else max(start, since)
    changed = [start, end]
    start, end = extend_to_whole_buckets(subscription, start, end)
    pieces, subscription.tail = merge_latest_points(
        node, subscription.key, visible, subscription.tail, start, end
    )
    chart = ChartRevision()
    if subscription.by is not None:
        pieces, chart["left_out"] = thin_by_buckets(Kind(node.kind), pieces, subscription.by)
        chart["changed"] = changed
    newest = visible[-1]
    subscription.version, subscription.seq = newest["version"], subscription.seq + 1
    return {
        "type": "revision",
        "id": subscription.id,
        "seq": subscription.seq,
        "version": newest["version"],
        "known_at": newest["known_at"],
        "start": start,
        "end": end,
        "pieces": pieces,
        **chart,
        **subscription.progress,
    }


def extend_to_whole_buckets(
    subscription: Subscription, start: int | None, end: int | None
) -> tuple[int | None, int | None]:
    """Extend a span so that omitted points lie entirely inside or outside of it."""
    by = subscription.by
    if by is None:
        return start, end
    if start is not None and start != subscription.since:
        start = by.begin(start)
        start = start if subscription.since is None else max(start, subscription.since)
    return start, end if end is None else by.end(end)


def collect_changed_statuses(watches: Sequence[Watch]) -> list[tuple[Watch, StatusMessage]]:
    """Return the new status of each watched plan whose nodes look different from what was sent."""
    statuses = [(watch, list_plan_statuses(watch.plan)) for watch in watches]
    changed = [(watch, nodes) for watch, nodes in statuses if nodes != watch.sent]
    for watch, nodes in changed:
        watch.sent = nodes
    return [(watch, {"type": "status", "plan": watch.plan, "nodes": nodes}) for watch, nodes in changed]


def clear_marks(items: Sequence[Item]) -> list[Item]:
    """Return the marked items, and unmark them."""
    chosen = [candidate for candidate in items if candidate.dirty]
    for candidate in chosen:
        candidate.dirty = False
    return chosen


def is_plan_readable(plan: int, user: User) -> bool:
    """Return whether this user may read the plan."""
    return select_readable(Plan.objects.filter(pk=plan), user).exists()


def find_hidden(user: User, nodes: Set[str], plans: Set[int]) -> tuple[Set[str], Set[int]]:
    """Return the nodes and plans that this user may no longer read; deleted plans are reported elsewhere."""
    nodes_known, known_plans = Node.objects.filter(digest__in=nodes), Plan.objects.filter(pk__in=plans)
    readable = select_readable(nodes_known, user).values_list("digest", flat=True)
    drawn = select_readable(known_plans, user).values_list("pk", flat=True)
    return nodes - set(readable), set(known_plans.values_list("pk", flat=True)) - set(drawn)


def check_login(user: User, session: Any, token: ApiToken | None = None) -> User | None:
    """Return the current user of a socket if the login or token is still valid, else None."""
    now = User.objects.filter(pk=user.pk, is_active=True).first()
    if now is None:
        return None
    if token is not None:
        current_token = ApiToken.objects.filter(pk=token.pk).first()
        return now if current_token is not None and not current_token.expired else None
    return now if session is None or is_session_valid(session, now) else None


def is_session_valid(session: Any, user: User) -> bool:
    """Return whether a session still exists and began with the user's current password."""
    if not session.exists(session.session_key):
        return False
    return constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
