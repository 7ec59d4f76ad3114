"""Which incidents are silenced now."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from timeline_app.algebra.fold import Point
from timeline_app.algebra.groups import EVERYONE
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.evaluate.backtest.key_patterns import matches_key
from timeline_app.web.core.permissions import Right, compute_rights
from timeline_app.web.models import Node, NodeKey, PlanNode
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import Silence
from timeline_app.web.nodes.ranking import LAG_LIMIT_US, read_key_tails
from timeline_app.web.streams.read_rights import HolderKey, HolderRights, get_holder_key

MAX_SILENCES_SHOWN = 10
"""The silences of an alert or an incident that are returned: those that end last."""
_Uses = Mapping[tuple[int, str], Node]


class ActiveSilences:
    """The active silences of some alerts; a constant number of queries, and one for each node of `during`.

    `keys` are those that `of_key` accepts.
    """

    def __init__(self, alerts: Iterable[Alert], keys: Iterable[str] = ()) -> None:
        chosen = {alert.pk: alert for alert in alerts}
        now = timezone.now()
        own = {"owner__in": {alert.owner_id for alert in chosen.values()} - {None}}
        teams = {"team__in": {alert.team_id for alert in chosen.values()} - {None}}
        concerned = Q(alert__in=chosen) | Q(Q(**own) | Q(**teams), alert=None)
        rows = Silence.objects.filter(concerned, begins_at__lte=now, ends_at__gt=now)
        self._by_alert: dict[int | None, list[Silence]] = defaultdict(list)
        active = [silence for silence in rows.select_related("owner", "team") if silence.is_open(now)]
        for silence in _select_permitted(active, chosen):
            self._by_alert[silence.alert_id].append(silence)
        self._true_keys = _find_true_keys(chain(*self._by_alert.values()), set(keys))

    def of_alert(self, alert: Alert) -> list[Silence]:
        """Return the silences of all or some of its incidents."""
        return [
            silence
            for silence in self._by_alert[alert.pk] + self._by_alert[None]
            if _concerns(silence, alert)
        ]

    def of_key(self, alert: Alert, key: str) -> list[Silence]:
        """Return the silences of its incidents of a key."""
        return [
            silence
            for silence in self.of_alert(alert)
            if matches_key(silence.key, key) and self._holds_for(silence, key)
        ]

    def _holds_for(self, silence: Silence, key: str) -> bool:
        if silence.during_plan_id is None:
            return True
        true_keys = self._true_keys[silence.pk]
        return key in true_keys or EVERYONE in true_keys

    def select_readable(self, user: User) -> set[int]:
        """Return the numbers of those that somebody may view."""
        silences = list(chain(*self._by_alert.values()))
        return {number for number, rights in compute_rights(user, silences).items() if Right.READ in rights}


def _select_permitted(silences: Iterable[Silence], alerts: Mapping[int, Alert]) -> list[Silence]:
    """Return the silences whose owner owns or may operate their alert; those of no alert are of its owner anyway."""
    foreign: dict[HolderKey, list[Silence]] = defaultdict(list)
    permitted = []
    for silence in silences:
        alert = None if silence.alert_id is None else alerts[silence.alert_id]
        if alert is None or get_holder_key(silence) == get_holder_key(alert):
            permitted.append(silence)
        else:
            foreign[get_holder_key(silence)].append(silence)
    for holder, theirs in foreign.items():
        numbers = _select_operable(holder, theirs, {alerts[silence.alert_id or 0] for silence in theirs})
        permitted += [silence for silence in theirs if silence.alert_id in numbers]
    return permitted


def _select_operable(holder: HolderKey, silences: Sequence[Silence], alerts: set[Alert]) -> set[int]:
    """Return the numbers of the alerts that the owner of these silences may operate."""
    owner = silences[0].owner
    if owner is None:
        plans = HolderRights().plans(holder, {alert.plan_id for alert in alerts})
        return {alert.pk for alert in alerts if alert.plan_id in plans}
    rights = compute_rights(owner, alerts) if owner.is_active else {}
    return {number for number, own in rights.items() if Right.OPERATE in own}


def format_silences(silences: Iterable[Silence], readable: set[int]) -> list[dict[str, Any]]:
    """Return silences as part of an alert or an incident; of those that are not readable without key and reason."""
    newest = sorted(silences, key=lambda silence: silence.ends_at, reverse=True)[:MAX_SILENCES_SHOWN]
    return [
        {
            "id": silence.pk,
            "key": silence.key if silence.pk in readable else "",
            "reason": silence.reason if silence.pk in readable else "",
            "owner": silence.owner_name,
            "ends_at": silence.ends_at.isoformat(),
        }
        for silence in newest
    ]


def _concerns(silence: Silence, alert: Alert) -> bool:
    """Return whether a silence concerns an alert: it names the alert, or the owner and the label match."""
    if silence.alert_id is None and (silence.owner_id, silence.team_id) != (alert.owner_id, alert.team_id):
        return False
    return not silence.label or alert.labels.get(silence.label) == silence.label_value


def _find_true_keys(silences: Iterable[Silence], keys: set[str]) -> dict[int, set[str]]:
    """Return for each silence with a node which of the keys are true there now, `*` among them."""
    conditional = {
        silence: silence.during_plan_id for silence in silences if silence.during_plan_id is not None
    }
    uses = _load_uses(conditional) if keys else {}
    rights, known = HolderRights(), dict[int, set[str]]()
    plans_by_holder: dict[HolderKey, set[int]] = defaultdict(set)
    for silence, plan in conditional.items():
        plans_by_holder[get_holder_key(silence)].add(plan)
    readable = {holder: rights.plans(holder, plans) for holder, plans in plans_by_holder.items()}
    result = {}
    for silence, plan in conditional.items():
        node = uses.get((plan, silence.during_node))
        if node is None or plan not in readable[get_holder_key(silence)]:
            result[silence.pk] = set[str]()
            continue
        if node.pk not in known:
            known[node.pk] = _select_true_keys(node, keys | {EVERYONE})
        result[silence.pk] = known[node.pk]
    return result


def _load_uses(silences: Iterable[Silence]) -> _Uses:
    """Return the bool nodes that run now, by plan and name."""
    plans = {silence.during_plan_id for silence in silences}
    rows = PlanNode.objects.filter(plan__in=plans, node__kind=Kind.BOOL.value).select_related("node")
    return {(use.plan_id, use.name): use.node for use in rows}


def _select_true_keys(node: Node, keys: set[str]) -> set[str]:
    """Return which of the keys are true now; if nothing is known of now, the last known value counts."""
    digests = {NodeKey.digest_of(key) for key in keys}
    rows = NodeKey.objects.filter(node=node, digest__in=digests).exclude(birth=OPEN)
    names = dict(rows.values_list("pk", "key"))
    now = time.time_ns() // 1_000
    tails = read_key_tails(Kind.BOOL, list(names), now - LAG_LIMIT_US, now + 1)
    return {names[pk] for pk, points in tails if _find_last_known(points, now) is True}


def _find_last_known(points: list[Point], now: int) -> Any:
    known = (line[0] for at, *line in points if (BEGINNING if at is None else at) <= now)
    return next((value for value in reversed(list(known)) if value is not None), None)
