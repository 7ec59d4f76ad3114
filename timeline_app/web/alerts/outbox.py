"""The outbox: messages about incidents, composed once and sent until they arrive.

The log of an alert is written with the revisions that change its incidents. A route reads that log and notes which
incidents are due. In one transaction it composes a message about those with news.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND
from timeline_app.connectors.notifiers.contract import AlertMessage, IncidentNews, Notifier
from timeline_app.evaluate.backtest.telling import FLAPPING, GROUP_WINDOW_S, choose_change
from timeline_app.operators.parameters import spell_duration
from timeline_app.web.alerts.silences import ActiveSilences
from timeline_app.web.alerts.templates import render_template
from timeline_app.web.models.alerts import Alert, FlappingKey, Incident, IncidentTransition
from timeline_app.web.models.channels import AlertNotification, AlertRoute, RoutedIncident

State, Kind = Incident.State, IncidentTransition.Kind
GROUP_WINDOW = timedelta(seconds=GROUP_WINDOW_S)
MAX_TRANSITIONS_PER_STEP = 2_000
MAX_DUE_PER_STEP = 5_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Due = tuple[RoutedIncident, str, str]
"""An incident with the state that receivers should know, and the change from what they know."""


@transaction.atomic
def make_message(number: int, kind: type[Notifier]) -> bool:
    """Read the log of a route's alert, and compose the next message if any; return whether anything was done."""
    locked = AlertRoute.objects.select_for_update(of=("self",)).filter(pk=number)
    route = locked.select_related("alert__plan", "alert__node").first()
    if route is None:
        return False
    read = _read_log(route)
    if route.made_at is not None and timezone.now() < route.made_at + GROUP_WINDOW:
        return read
    due = list(_iterate_due(route))
    named = due if kind.summarises else due[: kind.max_news]
    _note_told(named, route.alert)
    if named:
        news = [_build_news(route.alert, row, change) for row, _, change in named[: kind.max_news]]
        _store_message(route, news, len(named))
        if len(due) > len(named):
            AlertRoute.objects.filter(pk=route.pk).update(made_at=None)
    return read or bool(named)


def message_of(notification: AlertNotification) -> AlertMessage:
    """Return the message to send, the same each time."""
    body = notification.body
    news = [IncidentNews(**change) for change in body["news"]]
    identity = f"{notification.route.identity}-{notification.number}"
    return AlertMessage(identity, body["alert"], body["subject"], news, body["left_out"])


def _read_log(route: AlertRoute) -> bool:
    """Note which incidents are due; return whether the log had anything new."""
    log = IncidentTransition.objects.filter(alert=route.alert_id, number__gt=route.read_until)
    columns = "number", "incident", "kind", "taken", "incident__key_digest"
    rows = list(log.order_by("number").values_list(*columns)[:MAX_TRANSITIONS_PER_STEP])
    if not rows:
        return False
    numbers = {incident for _, incident, *_ in rows}
    known = RoutedIncident.objects.filter(route=route, incident__in=numbers)
    known_incidents = set(known.values_list("incident", flat=True))
    known.update(due=True)
    if settled := {bytes(digest) for _, _, kind, _, digest in rows if kind == Kind.SETTLED}:
        damped = RoutedIncident.objects.filter(route=route, damped=True, incident__key_digest__in=settled)
        damped.update(due=True)
    new = numbers - known_incidents
    old = new - {incident for _, incident, _, taken, _ in rows if not taken}
    RoutedIncident.objects.bulk_create(_build_rows_of_old(route, old))
    RoutedIncident.objects.bulk_create(
        [RoutedIncident(route=route, incident_id=number) for number in sorted(new - old)]
    )
    AlertRoute.objects.filter(pk=route.pk).update(read_until=rows[-1][0])
    return True


def _build_rows_of_old(route: AlertRoute, old: set[int]) -> list[RoutedIncident]:
    """Return rows for incidents from before the start of the alert; only firing ones are due."""
    incidents = Incident.objects.filter(pk__in=old).order_by("pk")
    return [
        RoutedIncident(
            route=route, incident=incident, state="" if incident.state == State.FIRING else incident.state,
            start=incident.start, end=incident.end, due=incident.state == State.FIRING,
        )
        for incident in incidents
    ]  # fmt: skip


def _iterate_due(route: AlertRoute) -> Iterator[Due]:
    """Yield the due incidents with news; mark the others as done, and those of flapping keys as damped."""
    due = list(_select_due(route)[:MAX_DUE_PER_STEP])
    silences = ActiveSilences([route.alert], (row.incident.key for row in due))
    settled, damped = list[int](), list[int]()
    for row in due:
        state, carrier = _state_to_tell(route.alert, row), getattr(row, "carrier", None)
        if state is None:
            continue
        if carrier is not None and carrier != row.incident_id:
            (settled if state == State.PENDING else damped).append(row.pk)
            continue
        state = state if carrier is None else FLAPPING
        silenced, over = bool(silences.of_key(route.alert, row.incident.key)), _is_over(row, state)
        if silenced and not over:
            continue
        change = "" if over and (silenced or row.damped) else _change_to_tell(row, state)
        if change:
            yield row, state, change
        elif not _waits_for_final(route.alert, state):
            settled.append(row.pk)
    RoutedIncident.objects.filter(pk__in=settled).update(due=False, damped=False)
    RoutedIncident.objects.filter(pk__in=damped).update(due=False, damped=True)


def _select_due(route: AlertRoute) -> QuerySet[RoutedIncident]:
    """Return the due incidents, the newest first; with the carrier of the key if it flaps, and its starts."""
    flapping = FlappingKey.objects.filter(alert=route.alert_id, key_digest=OuterRef("incident__key_digest"))
    due = RoutedIncident.objects.filter(route=route, due=True).select_related("incident")
    return due.order_by("-incident").annotate(
        carrier=Subquery(flapping.values("carrier")[:1]), starts=Subquery(flapping.values("starts")[:1])
    )


def _state_to_tell(alert: Alert, row: RoutedIncident) -> str | None:
    """Return the state of an incident under the policy; None: it is too early."""
    incident = row.incident
    if alert.policy == Alert.Policy.EARLY or incident.state == State.RETRACTED:
        return incident.state
    final = BEGINNING if alert.node is None or alert.node.final_until is None else alert.node.final_until
    if incident.state == State.PENDING or incident.start >= final:
        return None
    return State.RESOLVED if incident.end <= final else State.FIRING


def _waits_for_final(alert: Alert, state: str) -> bool:
    """Return whether the next news need no change of the incident: time makes its end final."""
    return alert.policy == Alert.Policy.FINAL and state == State.FIRING


def _is_over(row: RoutedIncident, state: str) -> bool:
    """Return whether an unreported incident has ended while it was silenced."""
    return row.state == "" and state in (State.RESOLVED, State.RETRACTED)


def _change_to_tell(row: RoutedIncident, state: str) -> str:
    """Return what a message reports about an incident; "": nothing."""
    incident = row.incident
    now = state, incident.start, incident.end
    return choose_change((row.state, row.start, row.end), now, incident.known_at)


def _note_told(due: Sequence[Due], alert: Alert) -> None:
    for row, state, _ in due:
        row.state, row.damped = state, False
        row.start, row.end = row.incident.start, row.incident.end
        row.due = _waits_for_final(alert, state)
    RoutedIncident.objects.bulk_update(
        [row for row, _, _ in due], ["state", "start", "end", "due", "damped"], batch_size=500
    )


def _build_news(alert: Alert, row: RoutedIncident, change: str) -> IncidentNews:
    incident = row.incident
    start, end = (None if time in (BEGINNING, OPEN) else time for time in (incident.start, incident.end))
    state = incident.state if row.state == FLAPPING else row.state
    values = {
        "alert": alert.name, "key": incident.key, "plan": alert.plan.name, "severity": alert.severity,
        "state": state, "since": "ever" if start is None else _format_moment(start),
        "labels": ", ".join(f"{name}={text}" for name, text in alert.labels.items()),
    }  # fmt: skip
    text = render_template(alert.template, values)
    if change == FLAPPING:
        text = _describe_flapping(alert, incident, getattr(row, "starts", 0))
    return IncidentNews(incident.pk, incident.key, state, change, start, end, text)


def _describe_flapping(alert: Alert, incident: Incident, starts: int) -> str:
    within = spell_duration(alert.flapping_window_s * SECOND)
    often = f"{alert.name}: {incident.key} started {starts:,} times in {within}."
    return f"{often} The next message follows when it has settled."


def _store_message(route: AlertRoute, news: Sequence[IncidentNews], many: int) -> None:
    """Store a message as it is to be sent."""
    alert = route.alert
    document = {
        "id": alert.pk, "name": alert.name, "severity": alert.severity, "labels": alert.labels,
        "runbook": alert.runbook, "plan": alert.plan_id, "plan_name": alert.plan.name, "node": alert.node_name,
    }  # fmt: skip
    body = {
        "alert": document, "subject": _format_subject(alert, news, many), "news": [asdict(change) for change in news],
        "left_out": many - len(news),
    }  # fmt: skip
    AlertNotification.objects.create(route=route, number=route.messages + 1, body=body)
    AlertRoute.objects.filter(pk=route.pk).update(messages=route.messages + 1, made_at=timezone.now())


def _format_subject(alert: Alert, news: Sequence[IncidentNews], many: int) -> str:
    """Return the subject of a mail: the severity, the alert, and what changed."""
    name = " ".join(f"[{alert.severity}] {alert.name}".split())
    if many == 1:
        return f"{name}: {' '.join(news[0].key.split())[:100]} {news[0].change}"
    changes = {change.change for change in news}
    return f"{name}: {many:,} incidents{f' {changes.pop()}' if len(changes) == 1 else ' changed'}"


def _format_moment(micros: int) -> str:
    return (EPOCH + timedelta(microseconds=micros)).strftime("%Y-%m-%d %H:%M:%S UTC")
