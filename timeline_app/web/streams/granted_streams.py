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
from timeline_app.web.streams.selectors import declaration, declarations, streams_of

Declarations = dict[str, StreamDeclaration]


def visible_streams(plan: Plan | None, user: User | None) -> Declarations:
    """The streams that somebody may look at, and what a plan tells of others."""
    return declarations(user) if plan is None or user is None else visible_streams_by_plan([plan], user)[0]


def visible_streams_by_plan(plans: Iterable[Plan], user: User) -> list[Declarations]:
    """The same for each of many plans; a constant number of queries."""
    chosen, mine = list(plans), declarations(user)
    wanted = [_lent(plan, mine) for plan in chosen]
    numbers = {one["stream"] for found in wanted for one in found.values()}
    there = Stream.objects.in_bulk(numbers) if numbers else {}
    return [
        mine
        | {
            name: declaration(there[one["stream"]]).lending(one["fields"])
            for name, one in found.items()
            if one["stream"] in there
        }
        for found in wanted
    ]


def _lent(plan: Plan, mine: Mapping[str, StreamDeclaration]) -> dict[str, dict[str, Any]]:
    """What of the plan's memory is needed: its draft reads the stream, and the one who asks may not look at it."""
    reads = streams_of(plan.document)
    return {name: one for name, one in plan.lent.items() if name in reads and name not in mine}


def unshared_streams(known: Declarations, document: Any) -> list[str]:
    """The streams that a document reads and whose events are not shared with the one who asks."""
    read = streams_of(document)
    return sorted(name for name, one in known.items() if one.lent is not None and name in read)


def all_declarations(names: Iterable[str]) -> Declarations:
    """Streams as they are declared, whoever asks."""
    return {stream.name: declaration(stream) for stream in Stream.objects.filter(name__in=list(names))}


def streams_of_owner(plan: Plan, names: Iterable[str]) -> set[str]:
    """Those of the streams that the owner of a plan may look at: as a person, or as a team."""
    found = Stream.objects.filter(name__in=list(names))
    if plan.owner is not None:
        found = select_readable(found, plan.owner)
    else:
        shared = Stream.objects.filter(team_permissions__group=plan.team)
        found = found.filter(Q(team=plan.team) | Q(open_to_all=True) | Q(pk__in=shared.values("pk")))
    return set(found.values_list("name", flat=True))
