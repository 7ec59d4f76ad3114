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
    """How the stream is declared, and which fields its events have had."""
    declared = StreamDeclaration.from_document(stream.name, stream.document)
    return replace(declared, seen=frozenset(stream.seen_fields), generation=stream.generation)


def landing_by_name(name: str) -> Landing:
    """Where the events of a stream of this name are kept."""
    (generation,) = Stream.objects.filter(name=name).values_list("generation", flat=True) or (0,)
    return Landing(settings.LANDING, landing_folder(name, generation))


def select_streams(user: User) -> QuerySet[Stream]:
    """All streams that somebody may look at."""
    return select_readable(Stream.objects.select_related("owner", "team"), user)


def load_declarations(user: User | None) -> dict[str, StreamDeclaration]:
    """Every declared stream that somebody may look at (None: every one), by name."""
    queryset = Stream.objects.all() if user is None else select_readable(Stream.objects.all(), user)
    return {stream.name: load_declaration(stream) for stream in queryset}


def get_stream(name: str, user: User) -> Stream:
    """The stream of this name, or a refusal that says which there are.

    Its owner, who pushes events to it all the time, is known without the question of what else may be looked at.
    """
    stream = Stream.objects.select_related("owner", "team").filter(name=name).first()
    if stream is None or (
        stream.owner_id != user.pk and not select_streams(user).filter(pk=stream.pk).exists()
    ):
        raise Missing(f"There is no stream {name!r}. {suggest_streams(name, user)}", code="unknown_stream")
    return stream


def suggest_streams(name: str, user: User) -> str:
    """Which streams could have been meant."""
    names = list(select_streams(user).values_list("name", flat=True))
    suggestions = close_names(name, names) or names[:3]
    return (
        f"Did you mean {' or '.join(suggestions)}?"
        if suggestions
        else "Declare it first: POST /api/streams/."
    )


def collect_stream_names(document: Any) -> set[str]:
    """The names of the streams that a plan document reads."""
    nodes = document.get("nodes") if isinstance(document, dict) else None
    return (
        {name for node in nodes.values() for name in list_streams(node)} if isinstance(nodes, dict) else set()
    )


def select_naming_plans(stream: Stream) -> QuerySet[Plan]:
    """The plans whose draft, or what runs of it, names this stream."""
    terms = PlanTerm.objects.filter(kind=Term.Kind.STREAM, value=stream.name)
    return Plan.objects.filter(pk__in=terms.values("thing"))


def list_running_plans(stream: Stream) -> list[Plan]:
    """The running plans that read this stream."""
    running = select_naming_plans(stream).filter(running=True).select_related("owner", "team")
    return [plan for plan in running if stream.name in collect_stream_names(plan.running_document)]


def plan_names(plans: Sequence[Plan], user: User) -> list[str]:
    """Plans by name; of those that somebody may not look at only whose they are."""
    shown = select_readable_plans([plan.pk for plan in plans], user)
    hidden = "a plan of {} that is not shared with you"
    return [
        f"“{plan.name}” of {plan.owner_name}" if plan.pk in shown else hidden.format(plan.owner_name)
        for plan in plans
    ]
