"""Reading people, teams and shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Count, Model, Prefetch, QuerySet, prefetch_related_objects

from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import SHARED_WITH, Right, get_role, has_role, share_tables
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, Silence
from timeline_app.web.models.people import Owned, Role, Shared
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink

Document = dict[str, Any]
Holder = User | Group
KINDS: tuple[type[Owned], ...] = (
    Plan,
    Node,
    Stream,
    Dashboard,
    Sample,
    NodeSink,
    Alert,
    AlertChannel,
    Silence,
)
COUNTED_WHERE_ANY = (NodeSink, Alert, AlertChannel, Silence)
PERSON = ("name", "role", "active", "must_change", "teams", "owns", "last_login", "joined")


def get_active_person(name: str) -> User:
    """Return the active person of this name."""
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise Missing(f"Nobody here is called {name[:150]!r}.", code="unknown_person")
    return user


def get_team(name: str) -> Group:
    group = Group.objects.filter(name=name).first()
    if group is None:
        raise Missing(f"There is no team {name[:150]!r}.", code="unknown_team")
    return group


def get_holder(kind: str, name: str) -> User | Group:
    return get_team(name) if kind == "team" else get_active_person(name)


def describe_sharing(thing: Shared) -> Document:
    """Return whether everybody may read it, and the rights of people and teams."""
    rights_by_holder: dict[tuple[str, str], set[Right]] = {}
    for table, holder_field in share_tables(type(thing)):
        kind, name = ("person", "user__username") if holder_field == "user" else ("team", "group__name")
        rows = table.filter(content_object=thing.pk).values_list(name, "permission__codename")
        for holder, codename in rows:
            rights_by_holder.setdefault((kind, holder), set()).add(SHARED_WITH[codename.split("_")[0]])
    return {
        "open_to_all": thing.open_to_all,
        "shares": [
            {"kind": kind, "name": name, "rights": [right.value for right in Right if right in rights]}
            for (kind, name), rights in sorted(rights_by_holder.items())
        ],
    }


def list_sharing_holders(thing: Shared) -> list[Holder]:
    """Return the people and teams with whom it is shared."""
    holders: list[Holder] = []
    for table, holder_field in share_tables(type(thing)):
        rows = table.filter(content_object=thing.pk).values(holder_field)
        holders_of_kind = User.objects if holder_field == "user" else Group.objects
        holders += list(holders_of_kind.filter(pk__in=rows).order_by("pk"))
    return holders


def select_people(user: User, search: str = "") -> QuerySet[User]:
    """Select active people by name; for administrators inactive ones as well."""
    queryset = User.objects.filter(username__icontains=search).order_by("username")
    return queryset if has_role(user, Role.ADMIN) else queryset.filter(is_active=True)


def get_person(name: str) -> User:
    """Return the person of this name, active or not."""
    user = User.objects.select_related("member").filter(username=name).first()
    if user is None:
        raise Missing(f"Nobody here is called {name[:150]!r}.", code="unknown_person")
    return user


def describe_people(users: Iterable[User], user: User) -> list[Document]:
    """Return people in their wire type: names for everybody, the rest for administrators and the person."""
    chosen, admin = list(users), has_role(user, Role.ADMIN)
    detailed = [person for person in chosen if admin or person.pk == user.pk]
    prefetch_related_objects(detailed, "groups", "member")
    owned = count_holdings("owner", detailed)
    return [
        _describe_person(person, owned[person.pk])
        if person in detailed
        else dict.fromkeys(PERSON) | {"name": person.get_username()}
        for person in chosen
    ]


def _describe_person(person: User, owned: dict[str, int]) -> Document:
    return {
        "name": person.get_username(),
        "role": get_role(person).value,
        "active": person.is_active,
        "must_change": person.member.must_change if hasattr(person, "member") else False,
        "teams": sorted(group.name for group in person.groups.all()),
        "owns": owned,
        "last_login": person.last_login.isoformat() if person.last_login else None,
        "joined": person.date_joined.isoformat(),
    }


def select_teams(search: str = "") -> QuerySet[Group]:
    """Select teams by name, with their members."""
    members = Prefetch("user_set", User.objects.order_by("username"))
    return Group.objects.filter(name__icontains=search).order_by("name").prefetch_related(members)


def describe_teams(groups: Iterable[Group]) -> list[Document]:
    """Return teams in their wire type."""
    chosen = list(groups)
    owned = count_holdings("team", chosen)
    return [
        {
            "name": item.name,
            "members": [member.get_username() for member in item.user_set.all()],
            "owns": owned[item.pk],
        }
        for item in chosen
    ]


def count_holdings(field: str, holders: Iterable[Model]) -> dict[int, dict[str, int]]:
    """Count the resources of each holder by kind, some kinds only if there are any; one query per kind."""
    numbers = [holder.pk for holder in holders]
    counted = [kind.kind_name() for kind in KINDS if kind not in COUNTED_WHERE_ANY]
    counts = {number: dict.fromkeys(counted, 0) for number in numbers}
    for kind in KINDS if numbers else ():
        rows = kind._default_manager.filter(**{f"{field}__in": numbers}).order_by().values_list(field)
        for number, count in rows.annotate(count=Count("pk")):
            counts[number][kind.kind_name()] = count
    return counts
