"""Writing down who did what: in the transaction of the act, so that there is never one without the other."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from timeline_app.web import source
from timeline_app.web.operations import context
from timeline_app.web.people_models import AuditEntry

SYSTEM = "the system"
ONE_SITTING = timedelta(minutes=10)


def note(
    *,
    user: User | None,
    act: str,
    thing: Model,
    before: Any = None,
    after: Any = None,
    reason: str | None = None,
) -> AuditEntry:
    """Write one act down; call it in the transaction of the act, before the thing is deleted."""
    entry = _entry(user, act, thing, before=before, after=after, reason=reason)
    entry.save()
    return entry


def notes(
    *, user: User, act: str, changes: Iterable[tuple[Model, Any, Any]], reason: str | None = None
) -> None:
    """Write down one act that was done to many things: each thing, how it was, and how it is."""
    AuditEntry.objects.bulk_create(
        [
            _entry(user, act, thing, before=before, after=after, reason=reason)
            for thing, before, after in changes
        ]
    )


def _entry(
    user: User | None, act: str, thing: Model, *, before: Any, after: Any, reason: str | None
) -> AuditEntry:
    return AuditEntry(
        actor=user,
        actor_name=user.get_username() if user else SYSTEM,
        source=source.source() if user else AuditEntry.Source.TASK,
        request=context.facts().get("request", "")[:64],
        act=act,
        kind=act.partition(".")[0],
        thing=thing.pk,
        name=str(thing)[:200],
        before=before,
        after=after,
        reason=(source.reason() if reason is None else reason)[:500],
    )


def note_sitting(*, user: User, act: str, thing: Model, before: Any = None, after: Any = None) -> None:
    """The same of what somebody does again and again: written once in ten minutes."""
    since = timezone.now() - ONE_SITTING
    last = AuditEntry.objects.filter(kind=act.partition(".")[0], thing=thing.pk, at__gte=since).first()
    if last is None or last.act != act or last.actor_id != user.pk:
        note(user=user, act=act, thing=thing, before=before, after=after)
