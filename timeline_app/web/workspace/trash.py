"""The trash: deleted streams, and the events of emptied streams, until their retention in the trash ends.

The events of each generation of a stream lie in a separate landing, which stays in place. One transaction changes its
owner, so a killed process leaves it either in use or in the trash.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.landing.log import Landing
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Missing
from timeline_app.web.core.permissions import Right, compute_rights, require
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent, StreamMeasure
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.nodes.services import decide_alone
from timeline_app.web.plans.services import stop_plan
from timeline_app.web.streams.generations import keep_name, take_generation
from timeline_app.web.streams.selectors import format_plan_names, list_running_plans
from timeline_app.web.streams.services import refuse_while_running
from timeline_app.web.streams.source_services import pause_source
from timeline_app.web.workspace.ended_rights import end_recording

EVENT_FIELDS = (
    "generation",
    "document",
    "events",
    "last_event_at",
    "seen_fields",
    "late",
    "too_late",
    "refused",
)
"""What a stream knows of its events; emptying it resets all but the declaration."""
INITIAL_COUNTS: dict[str, Any] = {
    "events": 0,
    "last_event_at": None,
    "seen_fields": [],
    "late": 0,
    "too_late": 0,
    "refused": 0,
}


@retry_on_deadlock
def delete_stream(*, stream: Stream, user: User, stop_plans: bool = False) -> Stream:
    """Move a stream with all its events to the trash; its name is free at once."""
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.OWN)
        _end_readers(stream, user, "it cannot be deleted", stop_plans=stop_plans)
        keep_name(stream)
        _put_into_trash(stream, user)
        stream.save(update_fields=["trashed_at", "trashed_until", "trashed_by", "held"])
        _close_recorded_samples(stream)
        audit_writing.note(
            user=user, act="stream.delete", thing=stream, before=stream.document, after=_until(stream)
        )
    return stream


@retry_on_deadlock
def empty_stream(*, stream: Stream, user: User, stop_plans: bool = False) -> Stream:
    """Move all events of a stream to the trash; return the new row of the trash."""
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.OWN)
        _end_readers(stream, user, "it cannot be emptied", stop_plans=stop_plans)
        trashed = _move_events_to_trash(stream, user)
        before = {"events": trashed.events}
        audit_writing.note(user=user, act="stream.empty", thing=stream, before=before, after=_until(trashed))
    return trashed


@retry_on_deadlock
def restore_from_trash(*, number: int, user: User, stop_plans: bool = False) -> Stream:
    """Restore a stream, or its events, from the trash.

    Events that an emptied stream has taken since go to the trash instead.
    """
    with transaction.atomic():
        trashed = lock_trashed(number, user)
        stream = Stream.objects.select_for_update(of=("self",)).filter(name=trashed.name).first()
        if stream is None:
            return _restore_stream(trashed, user)
        if trashed.emptied_from_id != stream.pk:
            message = f"There is a stream {trashed.name!r} again, and a name is given once."
            raise Conflict(f"{message} Delete that one first, then restore this one.", code="taken")
        require(user, Right.OWN, stream)
        _end_readers(stream, user, "its events cannot be exchanged", stop_plans=stop_plans)
        return _restore_events(stream, trashed, user)


def lock_trashed(number: int, user: User) -> Stream:
    """Return the locked row of the trash with this number, if the user may restore it."""
    rows = Stream.everything.select_for_update(of=("self",)).select_related("owner", "team")
    trashed = rows.filter(pk=number, trashed_at__isnull=False, purging=False).first()
    if trashed is None or Right.OWN not in compute_rights(user, [trashed])[trashed.pk]:
        raise Missing(f"There is nothing under the number {number} in the trash.", code="not_in_trash")
    return trashed


def _end_readers(stream: Stream, user: User, words: str, *, stop_plans: bool) -> None:
    """End all reading: stop plans with consent, pause sources, end recordings."""
    if stop_plans:
        _stop_plans(list_running_plans(stream), user, words)
    decide_alone()  # a concurrent run is either visible here, or sees the result of this
    refuse_while_running(stream, user, words)
    if StreamSource.objects.filter(stream=stream, paused=False).exists():
        pause_source(stream=stream, user=user, paused=True)
    for part in SamplePart.objects.filter(stream=stream.name, sample__recording__isnull=False):
        end_recording(part.sample, f"recorded {stream.name}, which was emptied or deleted")


def _stop_plans(plans: list[Plan], user: User, words: str) -> None:
    rights = compute_rights(user, plans)
    others = [plan for plan in plans if Right.OPERATE not in rights[plan.pk]]
    if others:
        names = ", ".join(format_plan_names(others[:5], user))
        owners = ", ".join(sorted({plan.owner_name for plan in others}))
        raise Conflict(f"You may not stop {names}, so {words}. Ask {owners}.", code="in_use")
    for plan in plans:
        stop_plan(plan=plan, user=user)


def _put_into_trash(stream: Stream, user: User) -> None:
    now = timezone.now()
    stream.trashed_at, stream.trashed_by, stream.held = now, user, False
    stream.trashed_until = now + timedelta(microseconds=settings.TRASH_RETENTION_MICROS)


def _move_events_to_trash(stream: Stream, user: User) -> Stream:
    """Give the landing and rejected events to a row of the trash; begin another landing."""
    event_fields = {name: getattr(stream, name) for name in EVENT_FIELDS}
    trashed = Stream(
        name=stream.name,
        owner=stream.owner,
        team=stream.team,
        open_to_all=stream.open_to_all,
        display=stream.display,
        emptied_from=stream,
        **event_fields,
    )
    _put_into_trash(trashed, user)
    stream.generation, stream.held = take_generation(stream.name), False
    for name, value in INITIAL_COUNTS.items():
        setattr(stream, name, value)
    stream.save()
    trashed.save()
    _move_rows(stream, trashed)
    return trashed


def _move_rows(source: Stream, target: Stream) -> None:
    """Move rejected events and measures with their events."""
    RejectedEvent.objects.filter(stream=source).update(stream=target)
    StreamMeasure.objects.filter(stream=source).update(stream=target)


def _restore_stream(trashed: Stream, user: User) -> Stream:
    with enforce_quotas(get_holder(trashed), "streams"):
        trashed.trashed_at = trashed.trashed_until = trashed.trashed_by = trashed.emptied_from = None
        trashed.save()
    audit_writing.note(user=user, act="stream.undelete", thing=trashed, after={"events": trashed.events})
    return trashed


def _restore_events(stream: Stream, trashed: Stream, user: User) -> Stream:
    before = {"events": stream.events}
    if holds_anything(stream):
        _move_events_to_trash(stream, user)
    StreamMeasure.objects.filter(stream=stream).delete()
    _move_rows(trashed, stream)
    event_fields = {name: getattr(trashed, name) for name in EVENT_FIELDS}
    trashed.delete()
    for name, value in event_fields.items():
        setattr(stream, name, value)
    stream.save()
    audit_writing.note(
        user=user, act="stream.undelete", thing=stream, before=before, after={"events": stream.events}
    )
    return stream


def holds_anything(stream: Stream) -> bool:
    """Return whether anything landed or was rejected."""
    landed = stream.events or Landing(settings.LANDING, stream.folder).end()
    return bool(landed) or RejectedEvent.objects.filter(stream=stream).exists()


def _close_recorded_samples(stream: Stream) -> None:
    """Close samples that were recorded of a closed stream, which can no longer be asked."""
    if not stream.open_to_all:
        recorded = SamplePart.objects.filter(stream=stream.name, recorded=True)
        Sample.objects.filter(pk__in=recorded.values("sample")).update(open_to_all=False)


def _until(trashed: Stream) -> dict[str, Any]:
    until: datetime | None = trashed.trashed_until
    return {"restorable_until": until.isoformat() if until else None}
