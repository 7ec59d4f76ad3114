"""Writing changes of incidents with their log, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Min, Q

from timeline_app.algebra.kinds import OPEN
from timeline_app.evaluate.backtest.incident_matching import Matching, Span
from timeline_app.web.models import NodeKey
from timeline_app.web.models.alerts import Alert, FlappingKey, Incident, IncidentTransition

State = Incident.State
Kind = IncidentTransition.Kind
_ROWS_PER_STATEMENT = 1_000
_UPDATE = """
UPDATE web_incident SET digest = %s, start = %s, "end" = %s, state = %s, fired = %s, changed_at = %s WHERE id = %s"""


def compute_state(span: Span, event_time: int) -> State:
    """Return the state of an incident while its node has seen events up to a time."""
    if span[0] > event_time:
        return State.PENDING
    return State.FIRING if span[1] > event_time else State.RESOLVED


@dataclass(slots=True)
class Transitions:
    """Changes of the incidents of one alert; call `write` while the alert is locked."""

    alert: Alert
    digest: str
    event_time: int
    known_at: int
    taken: bool = False
    made: list[tuple[Incident, IncidentTransition]] = field(default_factory=list)
    changed: list[Incident] = field(default_factory=list)

    def match(self, key: str, matching: Matching[Incident]) -> None:
        """Apply the new spans of a key's incidents."""
        for span in matching.new:
            self._begin(key, span)
        for incident, span in matching.kept:
            self._move(incident, span)
        for incident, heir in matching.gone:
            self._retract(incident, heir)

    def pass_time(self) -> None:
        """Update incidents whose boundaries time has passed."""
        for incident in _select_passed(self.alert, self.event_time):
            self._move(incident, (incident.start, incident.end))

    def lower_boundary(self, times: Iterable[int]) -> None:
        """Let the alert be visited again once event time has passed the earliest of these times."""
        earliest = min(times, default=OPEN)
        if earliest < self.alert.next_boundary:
            self._set_boundary(earliest)

    def find_next_boundary(self) -> None:
        """Find, after everything is written, when event time next changes an incident or a flapping key."""
        own = Incident.objects.filter(alert=self.alert).order_by()
        times = (
            own.filter(state=State.PENDING).aggregate(time=Min("start"))["time"],
            own.filter(state=State.FIRING).aggregate(time=Min("end"))["time"],
            FlappingKey.objects.filter(alert=self.alert).aggregate(time=Min("settles_at"))["time"],
        )
        self._set_boundary(min((time for time in times if time is not None), default=OPEN))

    def _set_boundary(self, time: int) -> None:
        self.alert.next_boundary = time
        Alert.objects.filter(pk=self.alert.pk).update(next_boundary=time)

    def mark(self, incidents: Iterable[Incident], kind: Kind) -> None:
        """Enter that the keys of incidents begin to flap, or have settled."""
        for incident in incidents:
            self._enter(incident, State(incident.state), kind)
            self.changed.append(incident)

    def write(self) -> list[IncidentTransition]:
        """Write everything; return the new transitions."""
        new = [incident for incident, _ in self.made if incident._state.adding]
        self.lower_boundary(map(_get_boundary, [*new, *self.changed]))
        Incident.objects.bulk_create(new, batch_size=_ROWS_PER_STATEMENT)
        self._update(self.changed)
        log = [transition for _, transition in self.made]
        for number, (incident, transition) in enumerate(self.made, self.alert.transitions + 1):
            transition.number, transition.incident = number, incident
        IncidentTransition.objects.bulk_create(log, batch_size=_ROWS_PER_STATEMENT)
        if log:
            self.alert.transitions += len(log)
            Alert.objects.filter(pk=self.alert.pk).update(transitions=self.alert.transitions)
        self.made, self.changed = [], []
        return log

    def _update(self, incidents: Iterable[Incident]) -> None:
        rows = [
            (
                incident.digest,
                incident.start,
                incident.end,
                incident.state,
                incident.fired,
                incident.changed_at,
                incident.pk,
            )
            for incident in incidents
        ]
        if rows:
            with connection.cursor() as cursor:
                cursor.executemany(_UPDATE, rows)

    def _begin(self, key: str, span: Span) -> None:
        incident = Incident(
            alert=self.alert, digest=self.digest, key=key, key_digest=NodeKey.digest_of(key),
            start=span[0], end=span[1], known_at=self.known_at, changed_at=self.known_at,
        )  # fmt: skip
        self._enter(incident, compute_state(span, self.event_time), Kind.BEGUN)

    def _move(self, incident: Incident, span: Span) -> None:
        state = compute_state(span, self.event_time)
        if (incident.start, incident.end) == span and incident.state == state:
            self._adopt(incident)
            return
        kind = _classify_change(State(incident.state), state)
        incident.start, incident.end = span
        self._enter(incident, state, kind)
        self.changed.append(incident)

    def _adopt(self, incident: Incident) -> None:
        """Adopt an incident of another node with the same span, which is no news."""
        if incident.digest != self.digest:
            incident.digest = self.digest
            self.changed.append(incident)

    def _retract(self, incident: Incident, heir: Incident | None) -> None:
        self._enter(incident, State.RETRACTED, Kind.RETRACTED, heir)
        self.changed.append(incident)

    def _enter(self, incident: Incident, state: State, kind: Kind, heir: Incident | None = None) -> None:
        incident.state, incident.changed_at, incident.digest = state, self.known_at, self.digest
        incident.fired |= state in (State.FIRING, State.RESOLVED)
        transition = IncidentTransition(
            alert=self.alert, kind=kind, state=state, start=incident.start, end=incident.end,
            event_time=self.event_time, known_at=self.known_at, taken=self.taken, joined=heir,
        )  # fmt: skip
        self.made.append((incident, transition))


def _get_boundary(incident: Incident) -> int:
    """Return the event time at which an incident changes its state by itself."""
    if incident.state == State.PENDING:
        return incident.start
    return incident.end if incident.state == State.FIRING else OPEN


def _select_passed(alert: Alert, event_time: int) -> list[Incident]:
    """Return the incidents whose next boundary time has passed."""
    begun = Q(state=State.PENDING, start__lte=event_time)
    ended = Q(state=State.FIRING, end__lte=event_time)
    own = Incident.objects.filter(alert=alert).order_by("pk")
    return [*own.filter(begun), *own.filter(ended)]


def _classify_change(before: State, after: State) -> Kind:
    if before == after:
        return Kind.AMENDED
    if before == State.RESOLVED:
        return Kind.REOPENED
    if after == State.FIRING:
        return Kind.FIRING
    return Kind.RESOLVED if after == State.RESOLVED else Kind.AMENDED
