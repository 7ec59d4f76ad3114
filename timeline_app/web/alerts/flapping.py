"""Decide which keys of an alert flap, with each batch, in the transaction that writes its incidents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.evaluate.backtest.flapping import FlappingRule
from timeline_app.web.alerts.transitions import Kind, State, Transitions
from timeline_app.web.models.alerts import Alert, FlappingKey, Incident, IncidentTransition

MAX_KEYS_SOUGHT = 500
"""With more keys, all starts within the window are read."""
Starts = Sequence[tuple[int, int]]
"""The start times of a key's incidents, ascending, with their numbers."""


def get_rule(alert: Alert) -> FlappingRule:
    """Return the rule for flapping keys of an alert."""
    return FlappingRule(alert.flapping_starts, alert.flapping_window_s)


def mark_flapping(transitions: Transitions, written: Iterable[IncidentTransition]) -> None:
    """Mark the keys that begin to flap or settle after these changes; the caller writes the transitions."""
    alert, time = transitions.alert, transitions.event_time
    changed = {bytes(incident.incident.key_digest) for incident in written if incident.state != State.PENDING}
    flapping = _select_flapping(alert, changed, time)
    rule = get_rule(alert)
    keys = changed | flapping.keys() if rule.max_starts else flapping.keys()
    if not keys or time == BEGINNING:
        return
    starts = _read_starts(alert, keys, time, rule)
    begins = {key: own for key, own in starts.items() if key not in flapping and rule.begins(len(own))}
    settled = [row for key, row in flapping.items() if rule.settles(len(starts[key]))]
    _keep(transitions, rule, starts, [row for row in flapping.values() if row not in settled])
    _begin(transitions, rule, begins)
    FlappingKey.objects.filter(pk__in=[row.pk for row in settled]).delete()
    transitions.mark((row.carrier for row in settled), Kind.SETTLED)


def review_flapping(alert: Alert) -> None:
    """Let the next batch decide again which keys flap, after a change of the settings."""
    FlappingKey.objects.filter(alert=alert).update(settles_at=BEGINNING)
    Alert.objects.filter(pk=alert.pk).update(next_boundary=BEGINNING)


def _select_flapping(alert: Alert, changed: set[bytes], time: int) -> dict[bytes, FlappingKey]:
    """Return the flapping keys that may have changed: by these changes, or because time went on."""
    rows = FlappingKey.objects.filter(alert=alert).select_related("carrier").order_by("pk")
    if len(changed) <= MAX_KEYS_SOUGHT:
        rows = rows.filter(Q(settles_at__lte=time) | Q(key_digest__in=changed))
    return {bytes(row.key_digest): row for row in rows}


def _read_starts(
    alert: Alert, keys: Iterable[bytes], time: int, rule: FlappingRule
) -> Mapping[bytes, list[tuple[int, int]]]:
    keys_to_read, least = set(keys), time - rule.window
    standing = Incident.objects.filter(alert=alert).exclude(state=State.RETRACTED)
    rows = standing.filter(end__gt=least, start__gt=least, start__lte=time)  # the index knows the end
    if len(keys_to_read) <= MAX_KEYS_SOUGHT:
        rows = rows.filter(key_digest__in=keys_to_read)
    starts: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for digest, start, number in rows.order_by("start", "pk").values_list("key_digest", "start", "pk"):
        if (key := bytes(digest)) in keys_to_read:
            starts[key].append((start, number))
    return starts


def _begin(transitions: Transitions, rule: FlappingRule, begins: Mapping[bytes, Starts]) -> None:
    carriers = Incident.objects.in_bulk([own[-1][1] for own in begins.values()])
    rows = [
        FlappingKey(
            alert=transitions.alert,
            key_digest=key,
            carrier=carriers[own[-1][1]],
            starts=len(own),
            settles_at=_find_settling(rule, own),
            known_at=transitions.known_at,
        )
        for key, own in begins.items()
    ]
    FlappingKey.objects.bulk_create(rows)
    transitions.lower_boundary(row.settles_at for row in rows)
    transitions.mark(carriers.values(), Kind.FLAPPING)


def _keep(
    transitions: Transitions, rule: FlappingRule, starts: Mapping[bytes, Starts], rows: Sequence[FlappingKey]
) -> None:
    for row in rows:
        own = starts[bytes(row.key_digest)]
        row.starts, row.settles_at = len(own), _find_settling(rule, own)
    FlappingKey.objects.bulk_update(rows, ["starts", "settles_at"], batch_size=500)
    transitions.lower_boundary(row.settles_at for row in rows)


def _find_settling(rule: FlappingRule, own: Starts) -> int:
    return rule.find_settling([start for start, _ in own])
