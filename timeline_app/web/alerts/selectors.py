"""Reading alerts and their incidents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, Exists, Min, OuterRef, Q, QuerySet, Value, When

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.web.alerts.silences import ActiveSilences, format_silences
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import NONE, Rights, compute_rights, format_rights, select_readable
from timeline_app.web.models import NodeKey, Plan
from timeline_app.web.models.alerts import (
    ALL_KEYS,
    SETTINGS,
    Alert,
    FlappingKey,
    Incident,
    IncidentNote,
    IncidentTransition,
)

Document = dict[str, Any]
State = Incident.State
STATES = ("firing", "pending", "quiet", "waiting", "disabled")
"""States of an alert."""
WORDS = {
    "firing": "{firing} firing",
    "pending": "{pending} pending",
    "quiet": "nothing is firing",
    "disabled": "disabled",
    "waiting": "waits for its plan to run the node {node}",
    "starting": "reads what is known of the node {node}",
}
MAX_HISTORY = 500
"""The newest changes of an incident that are returned with it."""


def alerts_of(user: User) -> QuerySet[Alert]:
    """Select the alerts that somebody may read."""
    return select_readable(
        Alert.objects.select_related("owner", "team", "plan", "node").prefetch_related("routes"), user
    )


def get_alert(number: int, user: User) -> Alert:
    """Return the alert of this number, if this user may read it."""
    alert = alerts_of(user).filter(pk=number).first()
    if alert is None:
        words = "There is no alert of this number that you may look at; it may have been deleted."
        raise Missing(words, code="unknown_alert")
    return alert


def filter_by_state(alerts: QuerySet[Alert], state: str) -> QuerySet[Alert]:
    """Filter by a state of `STATES`."""
    firing, pending = (Exists(_incidents_in(state)) for state in (State.FIRING, State.PENDING))
    followed = Q(node__isnull=False, taken_until=ALL_KEYS)
    conditions = {
        "disabled": Q(enabled=False),
        "firing": Q(enabled=True) & Q(firing),
        "waiting": Q(enabled=True) & ~Q(firing) & ~followed,
        "pending": Q(enabled=True) & followed & ~Q(firing) & Q(pending),
        "quiet": Q(enabled=True) & followed & ~Q(firing) & ~Q(pending),
    }
    return alerts.filter(conditions[state])


def rank_by_state(alerts: QuerySet[Alert]) -> QuerySet[Alert]:
    """Add a `rank`: firing alerts first, disabled ones last."""
    firing = When(Q(Exists(_incidents_in(State.FIRING)), enabled=True), then=Value(0))
    return alerts.annotate(rank=Case(firing, When(enabled=True, then=Value(1)), default=Value(2)))


def alert_documents(alerts: Iterable[Alert], user: User) -> list[Document]:
    """Return alerts in their wire type; a constant number of queries."""
    chosen = list(alerts)
    rights, counts, since = compute_rights(user, chosen), _count_incidents(chosen), _firing_since(chosen)
    flapping = _count_flapping(chosen)
    silences = ActiveSilences(chosen)
    readable = silences.select_readable(user)
    return [
        _alert_document(alert, rights.get(alert.pk, NONE), counts[alert.pk])
        | {"firing_since": _bound(since.get(alert.pk, BEGINNING)), "flapping": flapping.get(alert.pk, 0)}
        | {"silences": format_silences(silences.of_alert(alert), readable)}
        for alert in chosen
    ]


def incidents_of(user: User) -> QuerySet[Incident]:
    """Select the incidents that somebody may read: those of alerts and plans that the person may read."""
    plans = select_readable(Plan.objects.order_by(), user).values("pk")
    alerts = select_readable(Alert.objects.order_by(), user).filter(plan__in=plans).values("pk")
    related = "alert", "acknowledged_by", "assignee"
    return Incident.objects.filter(alert__in=alerts).select_related(*related)


def filter_by_key(incidents: QuerySet[Incident], key: str) -> QuerySet[Incident]:
    """Filter by key."""
    return incidents.filter(key_digest=NodeKey.digest_of(key), key=key)


def seen_incidents_of(user: User) -> QuerySet[Incident]:
    """Select the incidents that lists show: without those retracted before they fired."""
    return incidents_of(user).exclude(state=State.RETRACTED, fired=False)


def count_firing(user: User) -> dict[str, int]:
    """Return how many incidents are firing that somebody may read, and how many of them are unacknowledged."""
    firing = (
        incidents_of(user).filter(state=State.FIRING, alert__enabled=True).order_by().select_related(None)
    )
    return firing.aggregate(
        firing=Count("pk"), unacknowledged=Count("pk", filter=Q(acknowledged_at__isnull=True))
    )


def get_incident(number: int, user: User) -> Incident:
    """Return the incident of this number, if this user may read it."""
    incident = incidents_of(user).filter(pk=number).first()
    if incident is None:
        words = "There is no incident of this number that you may look at."
        raise Missing(words, code="unknown_incident")
    return incident


def incident_documents(incidents: Sequence[Incident], user: User) -> list[Document]:
    """Return incidents in their wire type."""
    alerts, keys = ([getattr(incident, name) for incident in incidents] for name in ("alert", "key"))
    silences = ActiveSilences(alerts, keys)
    readable = silences.select_readable(user)
    flapping = _select_flapping(incidents)
    return [
        _incident_document(incident, silences, readable)
        | {"flapping": (incident.alert_id, bytes(incident.key_digest)) in flapping}
        for incident in incidents
    ]


def _select_flapping(incidents: Sequence[Incident]) -> set[tuple[int, bytes]]:
    """Return which keys of these incidents flap, with their alerts."""
    alerts, keys = (
        {getattr(incident, name) for incident in incidents} for name in ("alert_id", "key_digest")
    )
    rows = FlappingKey.objects.filter(alert__in=alerts, key_digest__in=keys)
    return {(alert, bytes(digest)) for alert, digest in rows.values_list("alert", "key_digest")}


def _incident_document(incident: Incident, silences: ActiveSilences, readable: set[int]) -> Document:
    return {
        "id": incident.pk,
        "alert": _alert_summary(incident.alert),
        "digest": incident.digest,
        "key": incident.key,
        "state": incident.state,
        "start": _bound(incident.start),
        "end": _bound(incident.end),
        "fired": incident.fired,
        "known_at": incident.known_at,
        "changed_at": incident.changed_at,
        "acknowledged_by": incident.acknowledged_by and incident.acknowledged_by.get_username(),
        "acknowledged_at": incident.acknowledged_at and incident.acknowledged_at.isoformat(),
        "assignee": incident.assignee and incident.assignee.get_username(),
        "silences": format_silences(silences.of_key(incident.alert, incident.key), readable),
    }


def _alert_summary(alert: Alert) -> Document:
    named = {"id": alert.pk, "name": alert.name, "severity": alert.severity}
    return named | {"plan": alert.plan_id, "node": alert.node_name}


def incident_with_history(incident: Incident, user: User) -> Document:
    """Return an incident with its newest changes, oldest first, and its comments."""
    newest = incident.history.order_by("-number")[:MAX_HISTORY]
    return incident_documents([incident], user)[0] | {
        "history": [_transition_document(entry) for entry in reversed(newest)],
        "notes": [_note_document(entry) for entry in incident.notes.order_by("pk")],
    }


def _incidents_in(state: State) -> QuerySet[Incident]:
    return Incident.objects.filter(alert=OuterRef("pk"), state=state).order_by()


def _count_incidents(alerts: Sequence[Alert]) -> Mapping[int, Mapping[str, int]]:
    counts: dict[int, dict[str, int]] = defaultdict(lambda: {"firing": 0, "pending": 0})
    incidents = Incident.objects.filter(alert__in=alerts, state__in=(State.FIRING, State.PENDING))
    rows = incidents.order_by().values_list("alert", "state").annotate(Count("pk"))
    for alert, state, count in rows:
        counts[alert][state] = count
    return counts


def _firing_since(alerts: Sequence[Alert]) -> Mapping[int, int]:
    """Return the earliest start of the firing incidents of each alert."""
    firing = Incident.objects.filter(alert__in=alerts, state=State.FIRING).order_by()
    return dict(firing.values_list("alert").annotate(Min("start")))


def _count_flapping(alerts: Sequence[Alert]) -> Mapping[int, int]:
    """Return how many keys of each alert flap."""
    rows = FlappingKey.objects.filter(alert__in=alerts).order_by()
    return dict(rows.values_list("alert").annotate(Count("pk")))


def _alert_document(alert: Alert, rights: Rights, counts: Mapping[str, int]) -> Document:
    state = _alert_state(alert, counts)
    words = WORDS["starting" if state == "waiting" and alert.node_id else state]
    settings = (*SETTINGS, "version")
    return {
        "id": alert.pk,
        "plan": alert.plan_id,
        "plan_name": alert.plan.name,
        "node": alert.node_name,
        "digest": alert.node.digest if alert.node else None,
        **{name: getattr(alert, name) for name in settings},
        "channels": sorted(route.channel_id for route in alert.routes.all()),
        **alert.owner_told(),
        "rights": format_rights(rights),
        "state": state,
        "words": words.format(node=alert.node_name, **counts),
        **counts,
        "created_at": alert.created_at.isoformat(),
        "updated_at": alert.updated_at.isoformat(),
    }


def _alert_state(alert: Alert, counts: Mapping[str, int]) -> str:
    if not alert.enabled:
        return "disabled"
    if counts["firing"]:
        return "firing"
    if alert.node_id is None or alert.taken_until != ALL_KEYS:
        return "waiting"
    return "pending" if counts["pending"] else "quiet"


def _transition_document(transition: IncidentTransition) -> Document:
    times = {
        "start": _bound(transition.start),
        "end": _bound(transition.end),
        "event_time": _bound(transition.event_time),
    }
    named = {name: getattr(transition, name) for name in ("number", "kind", "state", "known_at")}
    return named | times | {"joined": transition.joined_id}


def _note_document(note: IncidentNote) -> Document:
    return {"kind": note.kind, "author": note.author_name, "text": note.text, "at": note.at.isoformat()}


def _bound(time: int) -> int | None:
    return None if time in (BEGINNING, OPEN) else time
