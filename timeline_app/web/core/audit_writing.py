"""Writing audit entries in the transaction of the act, so that neither exists without the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import timedelta
from itertools import accumulate, takewhile
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from timeline_app.web.core import audit_context, log_context
from timeline_app.web.models.people import AuditEntry

SYSTEM = "the system"
MAX_AUDITED_BYTES = 64 * 2**10
"""Per entry, for the values before and after each. The audit never deletes anything."""
MAX_SHORT_FIELDS = 50
MAX_SHORT_FIELD_BYTES = 1_000
SITTING_DURATION = timedelta(minutes=10)


def note(
    *,
    user: User | None,
    act: str,
    thing: Model,
    before: Any = None,
    after: Any = None,
    reason: str | None = None,
) -> AuditEntry:
    """Write one audit entry. Call it in the transaction of the act, before the object is deleted."""
    entry = _build_entry(user, act, thing, before=before, after=after, reason=reason)
    entry.save()
    return entry


def note_many(
    *, user: User, act: str, changes: Iterable[tuple[Model, Any, Any]], reason: str | None = None
) -> None:
    """Write one entry for each object of an act, with its values before and after."""
    AuditEntry.objects.bulk_create(
        [
            _build_entry(user, act, thing, before=before, after=after, reason=reason)
            for thing, before, after in changes
        ]
    )


def _build_entry(
    user: User | None, act: str, thing: Model, *, before: Any, after: Any, reason: str | None
) -> AuditEntry:
    return AuditEntry(
        actor=user,
        actor_name=user.get_username() if user else SYSTEM,
        source=audit_context.get_current_source() if user else AuditEntry.Source.TASK,
        request=log_context.collect_facts().get("request", "")[:64],
        act=act,
        kind=act.partition(".")[0],
        thing=thing.pk,
        name=str(thing)[:200],
        before=shorten_value(before),
        after=shorten_value(after),
        reason=(audit_context.get_current_reason() if reason is None else reason)[:500],
    )


def shorten_value(value: Any) -> Any:
    """Return a value as the audit keeps it for ever.

    A long document is reduced to its short fields, its size and its SHA-256. A long list is reduced to its
    first items and one last item with the size, the SHA-256 and the number of items.
    """
    text = json.dumps(value)
    if len(text) <= MAX_AUDITED_BYTES:
        return value
    mark = {"shortened": {"bytes": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}}
    if isinstance(value, list):
        mark["shortened"]["items"] = len(value)
        return [*_take_first_items(value), mark]
    fields = list(value.items())[:MAX_SHORT_FIELDS] if isinstance(value, dict) else []
    short_fields = {
        name: content for name, content in fields if len(json.dumps({name: content})) <= MAX_SHORT_FIELD_BYTES
    }
    return short_fields | mark


def _take_first_items(items: list[Any]) -> list[Any]:
    """Return as many items as fit."""
    sizes = accumulate(len(json.dumps(item)) + 2 for item in items)
    return items[: sum(1 for _ in takewhile(lambda size: size <= MAX_AUDITED_BYTES - 2, sizes))]


def note_sitting(*, user: User, act: str, thing: Model, before: Any = None, after: Any = None) -> None:
    """Write an entry for a repeated act at most once in ten minutes."""
    since = timezone.now() - SITTING_DURATION
    last = AuditEntry.objects.filter(kind=act.partition(".")[0], thing=thing.pk, at__gte=since).first()
    if last is None or last.act != act or last.actor_id != user.pk:
        note(user=user, act=act, thing=thing, before=before, after=after)
