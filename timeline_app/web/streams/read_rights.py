"""Rights to go on reading closed streams: those of an owner, and of whoever ran a plan for its owner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet

from timeline_app.web.core.permissions import select_readable
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.people import Owned
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.models.terms import NodeTerm, Term

Names = frozenset[str]
PARTS = Prefetch("parts", SamplePart.objects.defer("body"))
HolderKey = tuple[int | None, int | None]
"""The numbers of a person and of a team; one of the two is None."""


def select_closed_streams() -> QuerySet[Stream]:
    """Select streams that are not open to all, including deleted ones: results computed from them stay closed."""
    deleted = ~Q(name__in=Stream.objects.order_by().values("name"))
    return Stream.everything.filter(Q(trashed_at=None) | deleted, open_to_all=False)


def get_holder_key(thing: Owned) -> HolderKey:
    return thing.owner_id, thing.team_id


class HolderRights:
    """The closed streams and the nodes that each person and team may read now; each is queried once."""

    def __init__(self) -> None:
        self._streams: dict[HolderKey, Names] = {}
        self._people: dict[int, User | None] = {}

    def streams(self, holder: HolderKey) -> Names:
        """Return the closed streams that somebody may read; inactive people only read their own."""
        if holder not in self._streams:
            self._streams[holder] = frozenset(
                self._shown(select_closed_streams(), holder).values_list("name", flat=True)
            )
        return self._streams[holder]

    def nodes(self, holder: HolderKey, numbers: Iterable[int]) -> set[int]:
        """Return those of the nodes that somebody may read."""
        queryset, (number, team) = Node.objects.filter(pk__in=set(numbers)), holder
        person = self._person(number)
        if person is not None:
            return (
                set(select_readable(queryset, person).values_list("pk", flat=True))
                if person.is_active
                else set()
            )
        plans = self._shown(Plan.objects.all(), holder)
        readable = queryset.filter(Q(team=team) | Q(readers__in=plans.values("pk")))
        return set(readable.values_list("pk", flat=True))

    def plans(self, holder: HolderKey, numbers: Iterable[int]) -> set[int]:
        """Return those of the plans that somebody may read; inactive people only read their own."""
        plans = self._shown(Plan.objects.filter(pk__in=set(numbers)), holder)
        return set(plans.order_by().values_list("pk", flat=True))

    def of_plan(self, plan: Plan) -> Names:
        """Return the closed streams that a plan may read: those of its owner and of who ran it for the owner."""
        opened = {name for name, runner in plan.opened.items() if name in self.streams((runner, None))}
        return self.streams(get_holder_key(plan)) | opened

    def _shown(self, queryset: QuerySet[Any], holder: HolderKey) -> QuerySet[Any]:
        number, team = holder
        person = self._person(number)
        if number is not None and (person is None or not person.is_active):
            return queryset.filter(owner=number)
        if person is not None:
            return select_readable(queryset, person)
        shared = queryset.model._default_manager.filter(team_permissions__group=team)
        return queryset.filter(Q(team=team) | Q(open_to_all=True) | Q(pk__in=shared.values("pk")))

    def _person(self, number: int | None) -> User | None:
        if number is None:
            return None
        if number not in self._people:
            self._people[number] = User.objects.filter(pk=number).first()
        return self._people[number]


def map_closed_streams() -> dict[int, set[str]]:
    """Return the closed streams that each node reads, directly or through its inputs."""
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value__in=select_closed_streams().values("name"))
    streams_by_node: dict[int, set[str]] = defaultdict(set)
    for node, name in terms.values_list("thing", "value"):
        streams_by_node[node].add(name)
    return dict(streams_by_node)


def map_nodes_by_plan(nodes: Iterable[int]) -> dict[int, set[int]]:
    """Return which of these nodes each plan uses or used."""
    chosen, nodes_by_plan = set(nodes), defaultdict[int, set[int]](set)
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value__in=select_closed_streams().values("name"))
    readers = Node.readers.through._default_manager.filter(node__in=terms.values("thing"))
    for plan, node in readers.values_list("plan", "node"):
        if node in chosen:
            nodes_by_plan[plan].add(node)
    return dict(nodes_by_plan)


def select_lost_recordings(reach: HolderRights, number: int | None = None) -> list[Sample]:
    """Return active recordings whose owner may no longer read a stream: all, or the one of a number."""
    closed = set(select_closed_streams().values_list("name", flat=True))
    going = Sample.objects.filter(recording__isnull=False).prefetch_related(PARTS).order_by("pk")
    if number is not None:
        going = going.filter(pk=number)
    return [
        item
        for item in going
        if ({part.stream for part in item.parts.all()} & closed) - reach.streams(get_holder_key(item))
    ]


def find_first_administrator() -> User | None:
    return User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
