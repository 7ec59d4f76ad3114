"""Alerts follow their plans: the current node of each, and incidents from the timelines that exist already.

An alert that starts on a node takes over its keys in the order of their digests, page by page. The publisher keeps the
incidents of keys up to `taken_until`; for the other keys, later pages read the whole log.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.evaluate.backtest.incident_matching import Matching, Span, match_spans
from timeline_app.web.alerts.flapping import mark_flapping
from timeline_app.web.alerts.spans import spans_of_points
from timeline_app.web.alerts.transitions import State, Transitions
from timeline_app.web.models import Node, NodeKey, PlanNode, Query, Revision
from timeline_app.web.models.alerts import ALL_KEYS, Alert, Incident, IncidentTransition
from timeline_app.web.nodes.log_pages import LogOfKey
from timeline_app.web.nodes.renaming import trace_names

KEYS_PER_PAGE = 1_000
MAX_LOST_REMEMBERED = 10_000
_without_new_name: set[tuple[int, str, int]] = set()
MAX_SPANS_PER_KEY = 500
"""Of an alert that starts, this many of the newest spans of a key become incidents; later spans all do."""


def select_moved() -> QuerySet[Alert]:
    """Select the alerts whose plan runs another node under their name than the one they follow."""
    uses = PlanNode.objects.filter(
        plan=OuterRef("plan"), name=OuterRef("node_name"), node__kind=Kind.BOOL.value
    )
    alerts = Alert.objects.filter(enabled=True).alias(wanted=Subquery(uses.values("node")[:1]))
    return alerts.exclude(wanted=None).exclude(Q(node__isnull=False, node=F("wanted")))


def follow_plans() -> int:
    """Let alerts follow the nodes that their plans run now; return how many changed."""
    if not Alert.objects.filter(
        enabled=True
    ).exists():  # asked each second; the other question takes long to spell
        return 0
    follow_renames()
    return sum(_follow(number) for number in list(select_moved().values_list("pk", flat=True)))


def follow_renames() -> None:
    """Let alerts follow renamed nodes of their plans."""
    named = PlanNode.objects.filter(plan=OuterRef("plan"), name=OuterRef("node_name"))
    lost = Alert.objects.filter(~Exists(named), enabled=True, plan__running=True).select_related("plan")
    for alert in lost.order_by("pk"):
        looked_at = alert.pk, alert.node_name, alert.plan.running_version or 0
        if looked_at in _without_new_name:
            continue
        _remember_as_lost(looked_at)
        bools = set(
            PlanNode.objects.filter(plan=alert.plan_id, node__kind=Kind.BOOL.value).values_list(
                "name", flat=True
            )
        )
        renamed = next((name for name in trace_names(alert.plan, alert.node_name) if name in bools), None)
        if renamed is not None:
            same = Alert.objects.filter(pk=alert.pk, node_name=alert.node_name)
            same.update(node_name=renamed, version=F("version") + 1)


def _remember_as_lost(looked_at: tuple[int, str, int]) -> None:
    """Remember a version without that node, so that it is not searched again."""
    if len(_without_new_name) >= MAX_LOST_REMEMBERED:
        _without_new_name.clear()
    _without_new_name.add(looked_at)


def take_page() -> list[IncidentTransition] | None:
    """Take over one page of keys of one alert; return the transitions, or None if there is nothing to take over."""
    chosen = Alert.objects.filter(enabled=True, node__isnull=False).exclude(taken_until=ALL_KEYS)
    row = chosen.order_by("pk").values_list("pk", "node").first()
    if row is None:
        return None
    with transaction.atomic():
        node = _lock_node(row[1])
        alert = Alert.objects.select_for_update(of=("self",)).filter(pk=row[0], node=row[1]).first()
        if node is None or alert is None or alert.taken_until == ALL_KEYS:
            return []
        return _take(node, alert, alert.taken_until)


def release_node(alert: Alert) -> None:
    """Stop following a node; the caller saves the alert."""
    alert.node, alert.taken_until = None, ""


def _lock_node(number: int) -> Node | None:
    locked = Node.objects.select_for_update(of=("self",), no_key=True)
    return locked.filter(pk=number).first()


@transaction.atomic
def _follow(number: int) -> bool:
    alert = select_moved().filter(pk=number).select_related("node").first()
    if alert is None:
        return False
    uses = PlanNode.objects.filter(plan=alert.plan_id, name=alert.node_name, node__kind=Kind.BOOL.value)
    use = uses.select_related("node__query").first()
    if use is None or not _has_come_as_far(use.node, alert.node):
        return False
    locked = Alert.objects.filter(pk=number, node=alert.node_id, enabled=True)
    return bool(locked.update(node=use.node, taken_until=""))


def _has_come_as_far(node: Node, before: Node | None) -> bool:
    """Return whether a node knows what its predecessor knew: until then the incidents stay."""
    if before is None or before.final_until is None:
        return True
    if node.final_until is not None and node.final_until >= before.final_until:
        return True
    return node.as_of is not None and node.query.observed == Query.Observed.RUNNING and node.query.lag == 0


def _take(node: Node, alert: Alert, until: str) -> list[IncidentTransition]:
    known = max(time.time_ns() // 1000, node.as_of or 0)
    newest = BEGINNING if node.newest is None else node.newest
    transitions = Transitions(alert, node.digest, newest, known, taken=True)
    rows = NodeKey.objects.filter(node=node, digest__gt=bytes.fromhex(until)).order_by("digest")
    keys = list(rows[:KEYS_PER_PAGE])
    for key, before, after in _compare(node, alert, keys):
        transitions.match(key, match_spans(before, after, OPEN))
    is_last = len(keys) < KEYS_PER_PAGE
    if is_last:
        _end_strange(transitions, node)
    written = transitions.write()
    mark_flapping(transitions, written)
    written += transitions.write()
    alert.taken_until = ALL_KEYS if is_last else bytes(keys[-1].digest).hex()
    Alert.objects.filter(pk=alert.pk).update(taken_until=alert.taken_until)
    return written


def _compare(
    node: Node, alert: Alert, keys: Sequence[NodeKey]
) -> Iterable[tuple[str, list[Incident], list[Span]]]:
    """Return the incidents and the true spans of keys that have either."""
    true = _true_keys(keys)
    incidents = _incidents_of(alert, keys)
    for key in keys:
        after, low = _newest_spans(node, key) if key.pk in true else ([], BEGINNING)
        before = [incident for incident in incidents.get(key.key, ()) if incident.end > low]
        if after or before:
            yield key.key, before, after


def _true_keys(keys: Sequence[NodeKey]) -> set[int]:
    """Return the keys whose log has `true` anywhere."""
    living = [key.pk for key in keys if key.birth != OPEN]
    log = Revision.objects.filter(node_key__in=living, pieces__contains="true").order_by()
    return set(log.values_list("node_key", flat=True).distinct())


def _incidents_of(alert: Alert, keys: Sequence[NodeKey]) -> dict[str, list[Incident]]:
    incidents: dict[str, list[Incident]] = defaultdict(list)
    if keys:
        standing = Incident.objects.filter(alert=alert).exclude(state=State.RETRACTED)
        bounds = {"key_digest__gte": keys[0].digest, "key_digest__lte": keys[-1].digest}
        for incident in standing.filter(**bounds).order_by("start", "pk"):
            incidents[incident.key].append(incident)
    return incidents


def _newest_spans(node: Node, key: NodeKey) -> tuple[list[Span], int]:
    """Return the newest spans of a key, and the time before which spans are left out."""
    log = Revision.objects.filter(node_key=key).order_by("-known_at")
    points, low = LogOfKey(Kind(node.kind), log).read_latest(BEGINNING, OPEN, 2 * MAX_SPANS_PER_KEY)
    least = max(BEGINNING if low is None else low, (node.newest or 0) - settings.INCIDENT_RETENTION_MICROS)
    return [span for span in spans_of_points(points) if span[1] > least], least


def _end_strange(transitions: Transitions, node: Node) -> None:
    """Retract the incidents of keys that the node does not have."""
    own = NodeKey.objects.filter(node=node, digest=OuterRef("key_digest"))
    standing = Incident.objects.filter(alert=transitions.alert).exclude(state=State.RETRACTED)
    for incident in standing.filter(~Exists(own)).order_by("pk"):
        transitions.match(incident.key, Matching((), (), [(incident, None)]))
