"""Which streams a plan's readers are told of though they may not look at them: what the plan says, and no more.

A plan remembers with each save which streams the one who saved might look at (`stream_grants`).
Only of these, only as far as the draft reads them, does anybody else learn by the plan.
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
    """The streams that somebody may look at, and what a plan tells of others."""
    return (
        load_declarations(user)
        if plan is None or user is None
        else load_visible_streams_by_plan([plan], user)[0]
    )


def load_visible_streams_by_plan(plans: Iterable[Plan], user: User) -> list[Declarations]:
    """The same for each of many plans; a constant number of queries."""
    chosen, mine = list(plans), load_declarations(user)
    wanted = [_select_granted(plan, mine) for plan in chosen]
    numbers = {item["stream"] for request in wanted for item in request.values()}
    there = Stream.objects.in_bulk(numbers) if numbers else {}
    return [
        mine
        | {
            name: load_declaration(there[value["stream"]]).lending(value["fields"])
            for name, value in request.items()
            if value["stream"] in there
        }
        for request in wanted
    ]


def _select_granted(plan: Plan, mine: Mapping[str, StreamDeclaration]) -> dict[str, dict[str, Any]]:
    """What of the plan's memory is needed: its draft reads the stream, and the one who asks may not look at it."""
    reads = collect_stream_names(plan.document)
    return {name: value for name, value in plan.lent.items() if name in reads and name not in mine}


def list_unshared_streams(known: Declarations, document: Any) -> list[str]:
    """The streams that a document reads and whose events are not shared with the one who asks."""
    read = collect_stream_names(document)
    return sorted(name for name, value in known.items() if value.lent is not None and name in read)


def load_all_declarations(names: Iterable[str]) -> Declarations:
    """Streams as they are declared, whoever asks."""
    return {stream.name: load_declaration(stream) for stream in Stream.objects.filter(name__in=list(names))}


def select_streams_of_owner(plan: Plan, names: Iterable[str]) -> set[str]:
    """Those of the streams that the owner of a plan may look at: as a person, or as a team."""
    queryset = Stream.objects.filter(name__in=list(names))
    if plan.owner is not None:
        queryset = select_readable(queryset, plan.owner)
    else:
        shared = Stream.objects.filter(team_permissions__group=plan.team)
        queryset = queryset.filter(Q(team=plan.team) | Q(open_to_all=True) | Q(pk__in=shared.values("pk")))
    return set(queryset.values_list("name", flat=True))
