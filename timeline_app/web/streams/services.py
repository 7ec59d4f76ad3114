"""Streams: declared and changed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from timeline_app.connectors.source_kinds import find_rare_polling
from timeline_app.landing.log import Landing
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.json_documents import as_refusal
from timeline_app.web.core.permissions import Right, require_role
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.models import Stream
from timeline_app.web.models.people import Role
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams.generations import first_generation
from timeline_app.web.streams.redeclaration import FIXED
from timeline_app.web.streams.selectors import list_running_plans, load_declaration, plan_names


def create_stream(*, user: User, name: str, document: dict[str, Any]) -> Stream:
    """A new stream."""
    require_role(user, Role.EDITOR, "To declare a stream")
    declared = parse_declaration(name, document)
    try:
        with transaction.atomic(), enforce_quotas(user, "streams"):
            made = Stream.objects.create(
                name=name,
                generation=first_generation(name),
                document=declared.to_document(),
                owner=user,
            )
            audit_writing.note(user=user, act="stream.create", thing=made, after=made.document)
            return made
    except IntegrityError:
        raise Conflict(
            f"There is a stream {name!r} already. Choose another name, or change that one."
        ) from None


def change_stream(*, stream: Stream, user: User, document: dict[str, Any]) -> Stream:
    """Declare it anew; what running plans depend on stays."""
    declared = parse_declaration(stream.name, document).to_document()
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.EDIT)
        before = load_declaration(stream).to_document()
        moved = [field for field in FIXED if before.get(field) != declared.get(field)]
        if moved:
            words = f"its {' and '.join(moved)} cannot change"
            refuse_while_running(stream, user, words)
            refuse_with_events(stream, words)
        if before["idle_after"] != declared["idle_after"]:
            refuse_idle_between(stream, declared)
        stream.document = declared
        stream.save(update_fields=["document", "updated_at"])
        audit_writing.note(user=user, act="stream.change", thing=stream, before=before, after=declared)
    return stream


def refuse_while_running(stream: Stream, user: User, words: str) -> None:
    """Running plans depend on it: say which."""
    plans = list_running_plans(stream)
    if plans:
        names = ", ".join(plan_names(plans[:5], user))
        raise Conflict(f"While {names} runs on {stream.name}, {words}. Stop it first.", code="in_use")


def refuse_with_events(stream: Stream, words: str) -> None:
    """What has been recorded was read by this declaration, and answers depend on it."""
    # The counter may be behind what landed, by a kill in between.
    if events := stream.events or Landing(settings.LANDING, stream.folder).end():
        taken = f"{stream.name} has taken {events:,} events"
        raise Conflict(
            f"{taken}, so {words}. Empty it first, or declare a new stream under another name.",
            code="has_events",
        )


def refuse_idle_between(stream: Stream, declared: dict[str, Any]) -> None:
    """Between two questions of its source nobody knows whether events wait."""
    source = StreamSource.objects.filter(stream=stream).first()
    idle_after = StreamDeclaration.from_document(stream.name, declared).idle_after
    for name, words in find_rare_polling(source.kind, source.options, idle_after) if source else ():
        raise Invalid.field("idle_after", f"The source's option {name}: {words}.", code="idle_between")


def parse_declaration(name: str, document: dict[str, Any]) -> StreamDeclaration:
    """The declaration, or all that is wrong with it."""
    try:
        return StreamDeclaration.from_document(name, document)
    except Refused as refused:
        raise as_refusal(refused) from None
