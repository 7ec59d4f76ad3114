"""Streams: declared, changed, deleted, and fed."""

from __future__ import annotations

import logging
from dataclasses import asdict
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Greatest

from timeline_app.plan import BadEvents, EventBatch, Refused, StreamDeclaration, read_batch
from timeline_app.storage.landing import Landing
from timeline_app.web.errors import ApiError, Conflict, Missing, NotYours, as_problem, problem
from timeline_app.web.models import Stream
from timeline_app.web.selectors.streams import declaration, running_plans_of

FIXED_WHILE_RUNNING = ("key", "time", "unit", "id")
SEEN_LIMIT = 1000
LONGEST_NAME = 200
"""No plan can name a longer field."""
log = logging.getLogger(__name__)


def stream_create(*, user: User, name: str, document: dict[str, Any]) -> Stream:
    """A new stream."""
    declared = declared_or_refused(name, document)
    try:
        with transaction.atomic():
            return Stream.objects.create(name=name, document=declared.to_document(), owner=user)
    except IntegrityError:
        raise Conflict(
            f"There is a stream {name!r} already. Choose another name, or change that one."
        ) from None


def stream_change(*, stream: Stream, user: User, document: dict[str, Any]) -> Stream:
    """Declare it anew; what running plans depend on stays."""
    declared = declared_or_refused(stream.name, document).to_document()
    with transaction.atomic():
        stream = mine(stream, user)
        before = declaration(stream).to_document()
        moved = [field for field in FIXED_WHILE_RUNNING if before.get(field) != declared.get(field)]
        if moved:
            words = f"its {' and '.join(moved)} cannot change"
            refuse_while_running(stream, words)
            refuse_with_events(stream, words)
        stream.document = declared
        stream.save(update_fields=["document", "updated_at"])
    return stream


def stream_delete(*, stream: Stream, user: User) -> None:
    """Forget a stream that never had an event: recorded ones would come back under the next of its name."""
    with transaction.atomic():
        stream = mine(stream, user)
        refuse_while_running(stream, "it cannot be deleted")
        refuse_with_events(stream, "it cannot be deleted")
        stream.delete()


def stream_take(*, stream: Stream, body: bytes) -> tuple[int, int]:
    """Take all events of a request or none; how many, and the number of their batch on disk."""
    try:
        batch = read_batch(body, declaration(stream))
    except BadEvents as bad:
        problems = [as_problem(asdict(one)) for one in bad.problems]
        first = bad.problems[0]
        words = f"Nothing was taken. Line {first.line}: {first.message}"
        raise ApiError(words, code="bad_events", problems=problems) from None
    sequence = landing(stream.name).append(batch)
    try:
        count(stream, batch)
    except DatabaseError as why:
        # They are on disk: an error now would make the client send them again.
        log.warning("could not count %s events of %s: %s", batch.size, stream.name, why)
    return batch.size, sequence


@cache
def landing(stream: str) -> Landing:
    """Where the stream's events are kept; one object a process, which remembers how far it has come."""
    return Landing(settings.LANDING, stream)


def count(stream: Stream, batch: EventBatch) -> None:
    """One cheap UPDATE; names of fields are written only when there are new ones."""
    latest = Value(max(batch.times))
    Stream.objects.filter(pk=stream.pk).update(
        events=F("events") + batch.size, last_event_at=Greatest(Coalesce(F("last_event_at"), latest), latest)
    )
    names = {name for name in batch.field_names if "\0" not in name and len(name) <= LONGEST_NAME}
    if names <= set(stream.seen_fields) or len(stream.seen_fields) >= SEEN_LIMIT:
        return
    with transaction.atomic():
        fresh = Stream.objects.select_for_update().filter(pk=stream.pk).first()
        if fresh is None:
            return
        fresh.seen_fields = sorted({*fresh.seen_fields, *names})[:SEEN_LIMIT]
        fresh.save(update_fields=["seen_fields"])


def mine(stream: Stream, user: User) -> Stream:
    """The stream, locked, if this user may change it."""
    locked = Stream.objects.select_for_update().filter(pk=stream.pk).first()
    if locked is None:
        raise Missing("This stream was deleted in the meantime.")
    if locked.owner_id != user.pk and not user.is_staff:
        raise NotYours(f"This stream belongs to {locked.owner.get_username()}.")
    return locked


def refuse_while_running(stream: Stream, words: str) -> None:
    """Running plans depend on it: say which."""
    plans = running_plans_of(stream)
    if plans:
        names = ", ".join(f"“{plan.name}” of {plan.owner.get_username()}" for plan in plans[:5])
        raise Conflict(f"While {names} runs on {stream.name}, {words}. Stop it first.", code="in_use")


def refuse_with_events(stream: Stream, words: str) -> None:
    """What has been recorded was read by this declaration, and answers depend on it."""
    if stream.events:
        taken = f"{stream.name} has taken {stream.events:,} events"
        raise Conflict(f"{taken}, so {words}. Declare a new stream under another name.", code="has_events")


def declared_or_refused(name: str, document: dict[str, Any]) -> StreamDeclaration:
    """The declaration, or all that is wrong with it."""
    try:
        return StreamDeclaration.from_document(name, document)
    except Refused as refused:
        problems = [
            problem(one.message, code=one.code, cure=one.cure, field=one.port) for one in refused.problems
        ]
        raise ApiError(
            f"The declaration cannot be used: {refused}.", code="invalid", problems=problems
        ) from None
