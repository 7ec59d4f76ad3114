"""Reading persons and teams, and with whom things are shared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Count, Model, Prefetch, QuerySet, prefetch_related_objects

from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import SHARED_WITH, Right, at_least, role_of, share_tables
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.people import Owned, Role, Shared
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink

Document = dict[str, Any]
Holder = User | Group
KINDS: tuple[type[Owned], ...] = (Plan, Node, Stream, Dashboard, Sample, NodeSink)
PERSON = ("name", "role", "active", "must_change", "teams", "owns", "last_login", "joined")


def get_active_person(name: str) -> User:
    """The person of this name, who can log in."""
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise Missing(f"Nobody here is called {name[:150]!r}.", code="unknown_person")
    return found


def get_team(name: str) -> Group:
    """The team of this name."""
    found = Group.objects.filter(name=name).first()
    if found is None:
        raise Missing(f"There is no team {name[:150]!r}.", code="unknown_team")
    return found


def get_holder(kind: str, name: str) -> User | Group:
    """A person or a team."""
    return get_team(name) if kind == "team" else get_active_person(name)


def sharing_of(thing: Shared) -> Document:
    """Whether everybody may look, and which persons and teams may do what beside."""
    found: dict[tuple[str, str], set[Right]] = {}
    for table, who in share_tables(type(thing)):
        kind, name = ("person", "user__username") if who == "user" else ("team", "group__name")
        rows = table.filter(content_object=thing.pk).values_list(name, "permission__codename")
        for holder, codename in rows:
            found.setdefault((kind, holder), set()).add(SHARED_WITH[codename.split("_")[0]])
    return {
        "open_to_all": thing.open_to_all,
        "shares": [
            {"kind": kind, "name": name, "rights": [one.value for one in Right if one in rights]}
            for (kind, name), rights in sorted(found.items())
        ],
    }


def shared_with(thing: Shared) -> list[Holder]:
    """The persons and teams with whom it is shared."""
    found: list[Holder] = []
    for table, who in share_tables(type(thing)):
        rows = table.filter(content_object=thing.pk).values(who)
        held = User.objects if who == "user" else Group.objects
        found += list(held.filter(pk__in=rows).order_by("pk"))
    return found


def people(user: User, search: str = "") -> QuerySet[User]:
    """Who can log in, by name; for administrators also who cannot any more."""
    found = User.objects.filter(username__icontains=search).order_by("username")
    return found if at_least(user, Role.ADMIN) else found.filter(is_active=True)


def get_person(name: str) -> User:
    """The person of this name, whether the person can log in or not."""
    found = User.objects.select_related("member").filter(username=name).first()
    if found is None:
        raise Missing(f"Nobody here is called {name[:150]!r}.", code="unknown_person")
    return found


def person_documents(found: Iterable[User], user: User) -> list[Document]:
    """Persons as they go over the wire: names for all, the rest for administrators and for oneself."""
    chosen, admin = list(found), at_least(user, Role.ADMIN)
    told = [one for one in chosen if admin or one.pk == user.pk]
    prefetch_related_objects(told, "groups", "member")
    owned = count_holdings("owner", told)
    return [
        _person(one, owned[one.pk]) if one in told else dict.fromkeys(PERSON) | {"name": one.get_username()}
        for one in chosen
    ]


def _person(person: User, owned: dict[str, int]) -> Document:
    return {
        "name": person.get_username(),
        "role": role_of(person).value,
        "active": person.is_active,
        "must_change": person.member.must_change if hasattr(person, "member") else False,
        "teams": sorted(one.name for one in person.groups.all()),
        "owns": owned,
        "last_login": person.last_login.isoformat() if person.last_login else None,
        "joined": person.date_joined.isoformat(),
    }


def teams(search: str = "") -> QuerySet[Group]:
    """All teams, by name, with their members."""
    members = Prefetch("user_set", User.objects.order_by("username"))
    return Group.objects.filter(name__icontains=search).order_by("name").prefetch_related(members)


def team_documents(found: Iterable[Group]) -> list[Document]:
    """Teams as they go over the wire."""
    chosen = list(found)
    owned = count_holdings("team", chosen)
    return [
        {
            "name": one.name,
            "members": [member.get_username() for member in one.user_set.all()],
            "owns": owned[one.pk],
        }
        for one in chosen
    ]


def count_holdings(field: str, holders: Iterable[Model]) -> dict[int, dict[str, int]]:
    """How many things of each kind belong to each, of sinks where there are any; as many queries as there are kinds."""
    numbers = [one.pk for one in holders]
    counted = [kind.kind_name() for kind in KINDS if kind is not NodeSink]
    found = {number: dict.fromkeys(counted, 0) for number in numbers}
    for kind in KINDS if numbers else ():
        rows = kind._default_manager.filter(**{f"{field}__in": numbers}).order_by().values_list(field)
        for number, count in rows.annotate(count=Count("pk")):
            found[number][kind.kind_name()] = count
    return found
