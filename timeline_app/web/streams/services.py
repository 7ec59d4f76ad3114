"""Declaring and changing streams."""

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
from timeline_app.web.streams.selectors import format_plan_names, list_running_plans, load_declaration


def create_stream(*, user: User, name: str, document: dict[str, Any]) -> Stream:
    require_role(user, Role.EDITOR, "To declare a stream")
    declared = parse_declaration(name, document)
    try:
        with transaction.atomic(), enforce_quotas(user, "streams"):
            stream = Stream.objects.create(
                name=name,
                generation=first_generation(name),
                document=declared.to_document(),
                owner=user,
            )
            audit_writing.note(user=user, act="stream.create", thing=stream, after=stream.document)
            return stream
    except IntegrityError:
        raise Conflict(
            f"There is a stream {name!r} already. Choose another name, or change that one."
        ) from None


def change_stream(*, stream: Stream, user: User, document: dict[str, Any]) -> Stream:
    """Change a declaration, except for what running plans depend on."""
    declared = parse_declaration(stream.name, document).to_document()
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.EDIT)
        before = load_declaration(stream).to_document()
        moved = [field for field in FIXED if before.get(field) != declared.get(field)]
        if moved:
            message = f"its {' and '.join(moved)} cannot change"
            refuse_while_running(stream, user, message)
            refuse_with_events(stream, message)
        if before["idle_after"] != declared["idle_after"]:
            refuse_idle_between(stream, declared)
        stream.document = declared
        stream.save(update_fields=["document", "updated_at"])
        audit_writing.note(user=user, act="stream.change", thing=stream, before=before, after=declared)
    return stream


def refuse_while_running(stream: Stream, user: User, message: str) -> None:
    """Refuse while plans run on the stream; name them."""
    plans = list_running_plans(stream)
    if plans:
        names = ", ".join(format_plan_names(plans[:5], user))
        raise Conflict(f"While {names} runs on {stream.name}, {message}. Stop it first.", code="in_use")


def refuse_with_events(stream: Stream, message: str) -> None:
    """Refuse once there are events, which were read by this declaration and on which results depend."""
    # After a crash the counter may lag behind what landed.
    if events := stream.events or Landing(settings.LANDING, stream.folder).end():
        message_start = f"{stream.name} has taken {events:,} events"
        raise Conflict(
            f"{message_start}, so {message}. Empty it first, or declare a new stream under another name.",
            code="has_events",
        )


def refuse_idle_between(stream: Stream, declared: dict[str, Any]) -> None:
    """Refuse an idle time shorter than the source's polling: in between, nobody knows whether events wait."""
    source = StreamSource.objects.filter(stream=stream).first()
    idle_after = StreamDeclaration.from_document(stream.name, declared).idle_after
    for name, words in find_rare_polling(source.kind, source.options, idle_after) if source else ():
        raise Invalid.field("idle_after", f"The source's option {name}: {words}.", code="idle_between")


def parse_declaration(name: str, document: dict[str, Any]) -> StreamDeclaration:
    """Return the declaration; raise a refusal with all problems."""
    try:
        return StreamDeclaration.from_document(name, document)
    except Refused as refused:
        raise as_refusal(refused) from None
