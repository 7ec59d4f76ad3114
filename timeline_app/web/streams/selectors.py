"""Reading streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.events.declaration import landing_folder
from timeline_app.landing.log import Landing
from timeline_app.plan import StreamDeclaration
from timeline_app.plan.reads import list_streams
from timeline_app.problems.spelling import close_names
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import select_readable, select_readable_plans
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.terms import PlanTerm, Term


def load_declaration(stream: Stream) -> StreamDeclaration:
    """Return a stream's declaration, including the fields seen so far."""
    declared = StreamDeclaration.from_document(stream.name, stream.document)
    return replace(declared, seen=frozenset(stream.seen_fields), generation=stream.generation)


def landing_by_name(name: str) -> Landing:
    """Return the landing of the stream of this name."""
    (generation,) = Stream.objects.filter(name=name).values_list("generation", flat=True) or (0,)
    return Landing(settings.LANDING, landing_folder(name, generation))


def select_streams(user: User) -> QuerySet[Stream]:
    """Select the streams that somebody may read."""
    return select_readable(Stream.objects.select_related("owner", "team"), user)


def load_declarations(user: User | None) -> dict[str, StreamDeclaration]:
    """Return the streams that somebody may read (None: all), by name."""
    queryset = Stream.objects.all() if user is None else select_readable(Stream.objects.all(), user)
    return {stream.name: load_declaration(stream) for stream in queryset}


def get_stream(name: str, user: User) -> Stream:
    """Return the stream of this name, or raise a refusal with suggestions.

    The owner, who pushes events all the time, saves the query for permissions.
    """
    stream = Stream.objects.select_related("owner", "team").filter(name=name).first()
    if stream is None or (
        stream.owner_id != user.pk and not select_streams(user).filter(pk=stream.pk).exists()
    ):
        raise Missing(f"There is no stream {name!r}. {suggest_streams(name, user)}", code="unknown_stream")
    return stream


def suggest_streams(name: str, user: User) -> str:
    """Return a hint with similar names."""
    names = list(select_streams(user).values_list("name", flat=True))
    suggestions = close_names(name, names) or names[:3]
    return (
        f"Did you mean {' or '.join(suggestions)}?"
        if suggestions
        else "Declare it first: POST /api/streams/."
    )


def collect_stream_names(document: Any) -> set[str]:
    """Return the names of the streams that a plan document reads."""
    nodes = document.get("nodes") if isinstance(document, dict) else None
    return (
        {name for node in nodes.values() for name in list_streams(node)} if isinstance(nodes, dict) else set()
    )


def select_naming_plans(stream: Stream) -> QuerySet[Plan]:
    """Select the plans whose draft or running document names this stream."""
    terms = PlanTerm.objects.filter(kind=Term.Kind.STREAM, value=stream.name)
    return Plan.objects.filter(pk__in=terms.values("thing"))


def list_running_plans(stream: Stream) -> list[Plan]:
    """Return the running plans that read this stream."""
    running = select_naming_plans(stream).filter(running=True).select_related("owner", "team")
    return [plan for plan in running if stream.name in collect_stream_names(plan.running_document)]


def format_plan_names(plans: Sequence[Plan], user: User) -> list[str]:
    """Return the names of plans; for those that somebody may not read, only their owners."""
    readable_plans = select_readable_plans([plan.pk for plan in plans], user)
    hidden = "a plan of {} that is not shared with you"
    return [
        f"“{plan.name}” of {plan.owner_name}" if plan.pk in readable_plans else hidden.format(plan.owner_name)
        for plan in plans
    ]
