"""Field-level access to streams granted through a plan to readers without access to the stream.

On each save a plan remembers which streams its author may read (`stream_grants`). Its readers learn only of these,
and only as far as the draft reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from timeline_app.plan import StreamDeclaration
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.models import Plan, Stream
from timeline_app.web.streams.selectors import collect_stream_names, load_declaration, load_declarations

Declarations = dict[str, StreamDeclaration]


def load_visible_streams(plan: Plan | None, user: User | None) -> Declarations:
    """Return the streams that somebody may read, plus those granted through a plan."""
    return (
        load_declarations(user)
        if plan is None or user is None
        else load_visible_streams_by_plan([plan], user)[0]
    )


def load_visible_streams_by_plan(plans: Iterable[Plan], user: User) -> list[Declarations]:
    """Return the visible streams for each of many plans; a constant number of queries."""
    chosen, own_declarations = list(plans), load_declarations(user)
    granted = [_select_granted(plan, own_declarations) for plan in chosen]
    numbers = {item["stream"] for request in granted for item in request.values()}
    streams_by_number = Stream.objects.in_bulk(numbers) if numbers else {}
    return [
        own_declarations
        | {
            name: load_declaration(streams_by_number[value["stream"]]).lending(value["fields"])
            for name, value in request.items()
            if value["stream"] in streams_by_number
        }
        for request in granted
    ]


def _select_granted(
    plan: Plan, own_declarations: Mapping[str, StreamDeclaration]
) -> dict[str, dict[str, Any]]:
    """Return the grants that are needed: the draft reads the stream, and the user may not."""
    reads = collect_stream_names(plan.document)
    return {
        name: value for name, value in plan.lent.items() if name in reads and name not in own_declarations
    }


def list_unshared_streams(declarations: Declarations, document: Any) -> list[str]:
    """Return the streams that a document reads and whose events the user may not read."""
    read = collect_stream_names(document)
    return sorted(name for name, value in declarations.items() if value.lent is not None and name in read)


def load_all_declarations(names: Iterable[str]) -> Declarations:
    """Return declarations regardless of permissions."""
    return {stream.name: load_declaration(stream) for stream in Stream.objects.filter(name__in=list(names))}


def select_streams_of_owner(plan: Plan, names: Iterable[str]) -> set[str]:
    """Return those of the streams that the owner of a plan may read, as a person or a team."""
    queryset = Stream.objects.filter(name__in=list(names))
    if plan.owner is not None:
        queryset = select_readable(queryset, plan.owner)
    else:
        shared = Stream.objects.filter(team_permissions__group=plan.team)
        queryset = queryset.filter(Q(team=plan.team) | Q(open_to_all=True) | Q(pk__in=shared.values("pk")))
    return set(queryset.values_list("name", flat=True))
