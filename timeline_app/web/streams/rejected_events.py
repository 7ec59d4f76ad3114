"""Retrying and clearing rejected lines."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import orjson
from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.events.future_times import CODE, describe_ahead, select_ahead
from timeline_app.events.validate import EventBatch, WrongEvent
from timeline_app.web.core import audit_writing
from timeline_app.web.core.permissions import Right, require
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.streams.ingest import Ticket, take_events
from timeline_app.web.streams.selectors import load_declaration


@dataclass(frozen=True, slots=True)
class Tried:
    """How many lines were taken, and those still refused, with their current reasons."""

    taken: int
    refused: list[RejectedEvent]


def retry_rejected(*, stream: Stream, user: User, texts: Mapping[int, str | None]) -> Tried:
    """Push refused lines again, unchanged or edited; accepted lines leave the quarantine."""
    require(user, Right.OPERATE, stream)
    batch = EventBatch(load_declaration(stream))
    right: dict[int, bytes] = {}
    still_rejected: list[RejectedEvent] = []
    for rejected in RejectedEvent.objects.filter(
        stream=stream, kind=RejectedEvent.Kind.REFUSED, pk__in=list(texts)
    ).order_by("pk"):
        edited_text = texts[rejected.pk]
        if edited_text is not None:
            rejected.text, rejected.whole = edited_text, True
        line = _format_line(rejected, batch)
        if line is None:
            still_rejected.append(rejected)
        else:
            right[rejected.pk] = line
    if right:
        # Hash the numbers: a truncated list would be the key of another selection with the same beginning.
        lines = blake2b(" ".join(map(str, right)).encode(), digest_size=16).hexdigest()
        ticket = Ticket(key=f"rejected {stream.pk} {lines}", user=user.pk)
        take_events(stream=stream, body=b"\n".join(right.values()), ticket=ticket)
        RejectedEvent.objects.filter(pk__in=list(right)).delete()
    RejectedEvent.objects.bulk_update(still_rejected, ["text", "whole", "field", "code", "message"])
    return Tried(len(right), still_rejected)


def _format_line(rejected: RejectedEvent, batch: EventBatch) -> bytes | None:
    """Return the event on one line if it is valid; else store the reason."""
    if not rejected.whole:
        rejected.code, rejected.message = (
            "cut",
            "only its beginning is kept; send it again from where it came",
        )
        return None
    try:
        event = orjson.loads(rejected.text)
        batch.add(event)
        _refuse_ahead(batch)
    except orjson.JSONDecodeError as why:
        rejected.field, rejected.code, rejected.message = (
            "",
            "not_json",
            f"not JSON: {why.msg} at column {why.colno}",
        )
    except WrongEvent as why:
        rejected.field, rejected.code, rejected.message = (why.name or "")[:200], why.code, str(why)[:500]
    else:
        return orjson.dumps(event)
    return None


def _refuse_ahead(batch: EventBatch) -> None:
    """Raise `WrongEvent` if the last event lies too far ahead now."""
    arrived = time.time_ns() // 1_000
    if len(select_ahead(np.array(batch.times[-1:]), batch.declaration, arrived)):
        message = describe_ahead(batch.times[-1], batch.declaration, arrived)
        raise WrongEvent(batch.declaration.time, CODE, message)


def clear_rejected(*, stream: Stream, user: User, kind: str | None) -> int:
    """Delete rejected lines; return how many."""
    with transaction.atomic():
        queryset = RejectedEvent.objects.filter(stream=lock_permitted(stream, user, Right.EDIT))
        deleted = (queryset if kind is None else queryset.filter(kind=kind)).delete()[0]
        audit_writing.note(
            user=user,
            act="stream.clear_rejected_events",
            thing=stream,
            before={"lines": deleted, "kind": kind},
        )
    return deleted
