"""Which incidents are silenced now."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q
from django.utils import timezone

from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import Silence


def silenced_keys(alert: Alert) -> Callable[[str], bool]:
    """Says of a key whether its incidents of an alert are silenced now."""
    now = timezone.now()
    active = Silence.objects.filter(Q(alert=alert) | Q(alert=None), begins_at__lte=now, ends_at__gt=now)
    meant = [one for one in active if _is_meant(one, alert)]
    patterns = [one.key for one in meant]
    return lambda key: any(matches_key(pattern, key) for pattern in patterns)


def _is_meant(silence: Silence, alert: Alert) -> bool:
    """Whether it speaks of an alert: one of its own, or of its owner's, with the label."""
    if silence.alert_id is None and (silence.owner_id, silence.team_id) != (alert.owner_id, alert.team_id):
        return False
    return not silence.label or alert.labels.get(silence.label) == silence.label_value


def matches_key(pattern: str, key: str) -> bool:
    """Whether a key fits a pattern with * for any text, in linear time; an empty one fits all keys."""
    first, *middle = pattern.split("*")
    if not middle:
        return pattern in ("", key)
    last = middle.pop()
    place, end = len(first), len(key) - len(last)
    if not key.startswith(first) or not key.endswith(last) or end < place:
        return False
    for part in middle:
        found_at = key.find(part, place, end)
        if found_at < 0:
            return False
        place = found_at + len(part)
    return True
