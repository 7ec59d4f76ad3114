"""Reading persons and teams, and with whom things are shared."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Q

from timeline_app.web.errors import Missing
from timeline_app.web.people_models import Shared
from timeline_app.web.selectors.access import SHARED_WITH, Right, tables

Document = dict[str, Any]


def person_named(name: str) -> User:
    """The person of this name, who can log in."""
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise Missing(f"Nobody here is called {name[:150]!r}.", code="unknown_person")
    return found


def team_named(name: str) -> Group:
    """The team of this name."""
    found = Group.objects.filter(name=name).first()
    if found is None:
        raise Missing(f"There is no team {name[:150]!r}.", code="unknown_team")
    return found


def holder_named(kind: str, name: str) -> User | Group:
    """A person or a team."""
    return team_named(name) if kind == "team" else person_named(name)


def shares(thing: Shared) -> Document:
    """Whether everybody may look, and which persons and teams may do what beside."""
    found: dict[tuple[str, str], set[Right]] = {}
    for table, who in tables(type(thing)):
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


def holders(search: str, limit: int) -> list[Document]:
    """Persons and teams whose names contain this, to share with or to transfer to."""
    people = User.objects.filter(Q(username__icontains=search), is_active=True).order_by("username")[:limit]
    teams = Group.objects.filter(name__icontains=search).order_by("name")[:limit]
    return [
        *({"kind": "person", "name": one.get_username()} for one in people),
        *({"kind": "team", "name": one.name} for one in teams),
    ]
