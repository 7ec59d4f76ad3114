"""Write incidents from revisions, in the transaction that writes the revisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.evaluate.backtest.incident_matching import Span, apply_spans, match_spans
from timeline_app.web.alerts.flapping import mark_flapping
from timeline_app.web.alerts.spans import spans_of_revisions
from timeline_app.web.alerts.transitions import State, Transitions
from timeline_app.web.models import Node, NodeKey
from timeline_app.web.models.alerts import ALL_KEYS, Alert, Incident, IncidentTransition

MAX_KEYS_SOUGHT = 500
"""With more keys, all incidents that end late enough are read."""


def lock_alerts(node: Node) -> list[Alert]:
    """Return the alerts that follow a node, locked; the caller has locked the node before."""
    if node.kind != Kind.BOOL.value:
        return []
    alerts = Alert.objects.select_for_update(of=("self",), no_key=True)
    return list(alerts.filter(node=node).order_by("pk"))


def select_followed(nodes: Sequence[Node]) -> set[int]:
    """Return those of these nodes that alerts follow. The caller has locked the nodes, so that no more can follow."""
    return set(Alert.objects.filter(node__in=nodes).values_list("node", flat=True))


def write_incidents(
    node: Node, alerts: Sequence[Alert], revisions: Revisions, event_time: int | None, known_at: int
) -> list[IncidentTransition]:
    """Write what revisions of a node, and the passing of time, change of the incidents of its alerts."""
    time = BEGINNING if event_time is None else event_time
    inside = spans_of_revisions(revisions)
    return [
        transition
        for alert in alerts
        for transition in _write(Transitions(alert, node.digest, time, known_at), revisions, inside)
    ]


def _write(
    transitions: Transitions, revisions: Revisions, inside: Mapping[int, list[Span]]
) -> list[IncidentTransition]:
    touched = _select_touched(transitions.alert, revisions)
    for place in _places_taken(transitions.alert, revisions, {*inside, *touched}):
        revised = int(revisions.start[place]), int(revisions.end[place])
        before = touched.get(place, [])
        after = apply_spans(before, revised, inside.get(place, ()))
        matching = match_spans(before, after, transitions.event_time)
        transitions.match(str(revisions.names[place]), matching)
    written = transitions.write()
    has_passed = transitions.event_time >= transitions.alert.next_boundary
    if has_passed:
        transitions.pass_time()
        written += transitions.write()
    if has_passed or written:
        mark_flapping(transitions, written)
        written += transitions.write()
    if has_passed:
        transitions.find_next_boundary()
    return written


def _places_taken(alert: Alert, revisions: Revisions, places: set[int]) -> list[int]:
    """Return the places of keys whose incidents already come from the node."""
    until = alert.taken_until
    if until == ALL_KEYS:
        return sorted(places)
    return [place for place in sorted(places) if _digest_text(str(revisions.names[place])) <= until]


def _digest_text(key: str) -> str:
    """Return the digest of a key in hexadecimal digits, which sort like its bytes."""
    return NodeKey.digest_of(key).hex()


def _select_touched(alert: Alert, revisions: Revisions) -> dict[int, list[Incident]]:
    """Return the incidents that overlap or touch what is revised, by the place of the revision."""
    if not revisions.size:
        return {}
    standing = Incident.objects.filter(alert=alert).exclude(state=State.RETRACTED).order_by("start", "pk")
    names = revisions.names.tolist()
    if len(names) <= MAX_KEYS_SOUGHT:
        standing = standing.filter(key_digest__in=[NodeKey.digest_of(name) for name in names])
    places = {name: place for place, name in enumerate(names)}
    touched: dict[int, list[Incident]] = defaultdict(list)
    for incident in standing.filter(end__gte=int(revisions.start.min())):
        place = places.get(incident.key)
        if place is None:
            continue
        if incident.start <= revisions.end[place] and revisions.start[place] <= incident.end:
            touched[place].append(incident)
    return touched
