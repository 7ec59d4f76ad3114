"""Who may do what with what: the one place that decides it.

The role is the most that a person may do; within it counts who owns a thing, with whom it is shared, and whether it is
open to all. What somebody may not look at is not there for that person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from timeline_app.web.core.errors import NotYours
from timeline_app.web.models import Dashboard, Node, Plan, PlanNode, Stream
from timeline_app.web.models.people import Member, Owned, Role, Shared
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.models.sinks import NodeSink

Thing = TypeVar("Thing", bound=Model)


class Right(StrEnum):
    """What may be done with a thing; whoever may do anything may look."""

    READ = "read"
    EDIT = "edit"
    OPERATE = "operate"
    OWN = "own"


Rights = frozenset[Right]
NONE: Rights = frozenset()
READ: Rights = frozenset({Right.READ})
ALL: Rights = frozenset(Right)
RANK = {role: rank for rank, role in enumerate(Role)}
SHARED_WITH: dict[str, Right] = {"view": Right.READ, "change": Right.EDIT, "operate": Right.OPERATE}
"""What guardian's permissions stand for, by the first word of their names."""
WORDS: dict[Right, str] = {
    Right.READ: "look at it",
    Right.EDIT: "change it",
    Right.OPERATE: "run or stop it",
    Right.OWN: "share, transfer or delete it",
}
OPERATED: dict[type[Model], str] = {
    Stream: "push events to it, or pause its source",
    Node: "restart or stop it, or say where it is delivered",
}
"""What it means to operate what is not a plan."""
OWNED_WORDS: dict[type[Model], str] = {NodeSink: "change, pause, transfer or remove it"}
"""What only its owner may do with what is not shared."""


def role_of(user: User) -> Role:
    """What this person may do at most."""
    if user.is_superuser:
        return Role.ADMIN
    try:
        return Role(user.member.role)
    except Member.DoesNotExist:
        return Role.VIEWER


def member_of(user: User | AnonymousUser) -> Member:
    """What a person has chosen for the page; the defaults where nobody is known."""
    member = None if user.is_anonymous else Member.objects.filter(user=user).first()
    return member or Member()


def at_least(user: User, role: Role) -> bool:
    """Whether somebody has this role or a greater one."""
    return RANK[role_of(user)] >= RANK[role]


def require_role(user: User, role: Role, words: str) -> None:
    """Refuse those with a smaller role."""
    if not at_least(user, role):
        raise NotYours(
            f"{words} takes the role {role.value}; yours is {role_of(user).value}. Ask an administrator.",
            code="role_too_small",
        )


def owned_by_user(user: User) -> Q:
    """What belongs to somebody, or to a team of that person."""
    return Q(owner=user) | Q(team__in=user.groups.values("pk"))


def select_readable(found: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that this person may look at."""
    if at_least(user, Role.OPERATOR):
        return found
    own = owned_by_user(user)
    if found.model is NodeSink:
        return found.filter(own | Q(node__in=select_readable(Node.objects.order_by(), user).values("pk")))
    if found.model is Node:
        # Asked node by node: of a list in its order, only those of the page are looked at.
        plans = select_readable(Plan.objects.filter(pk=OuterRef("plan")), user).order_by()
        readers = Node.readers.through._default_manager.filter(Exists(plans), node=OuterRef("pk"))
        return found.filter(own | Q(Exists(readers)))
    seen = own | Q(open_to_all=True)
    for table, who in share_tables(found.model):
        mine = table.filter(**{f"{who}__in": [user.pk] if who == "user" else user.groups.values("pk")})
        seen |= Q(pk__in=mine.values("content_object"))
    if found.model is Sample:
        return found.filter(seen).exclude(pk__in=_recorded_of_closed(user).values("sample"))
    return found.filter(seen)


def _recorded_of_closed(user: User) -> QuerySet[SamplePart]:
    """What was recorded of streams that somebody may not look at now, whenever that was."""
    shown = select_readable(Stream.everything.order_by(), user)
    hidden = Stream.everything.order_by().exclude(pk__in=shown.values("pk"))
    return SamplePart.objects.order_by().filter(recorded=True, stream__in=hidden.values("name"))


def select_readable_plans(numbers: Iterable[int] | QuerySet[Any], user: User) -> set[int]:
    """Which of the plans of these numbers somebody may look at."""
    return set(select_readable(Plan.objects.filter(pk__in=numbers), user).values_list("pk", flat=True))


def share_tables(model: type[Model]) -> list[tuple[QuerySet[Any], str]]:
    """Where it is kept with which persons and teams things of this kind are shared."""
    if model not in (Plan, Stream, Dashboard):
        return []
    return [
        (getattr(model, name).rel.related_model._default_manager.all(), who)
        for name, who in (("user_permissions", "user"), ("team_permissions", "group"))
    ]


def rights_of(user: User, things: Iterable[Owned]) -> dict[int, Rights]:
    """What somebody may do with each of these things, which are of one kind; a constant number of queries."""
    found = list(things)
    if not found:
        return {}
    role, teams = role_of(user), set(user.groups.values_list("pk", flat=True))
    shared = _shared(user, teams, found)
    return {
        one.pk: _limited(_rights(one, user, role, teams) | shared.get(one.pk, NONE), role) for one in found
    }


def rights_on(user: User, thing: Owned) -> Rights:
    """What somebody may do with a thing."""
    return rights_of(user, [thing])[thing.pk]


def own(found: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that somebody may give away: one's own and one's teams', and for administrators all."""
    if at_least(user, Role.ADMIN):
        return found
    if not at_least(user, Role.EDITOR):
        return found.none()
    return found.filter(owned_by_user(user))


def select_changeable(found: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that somebody may change: one's own and one's teams', those shared so, and for administrators all."""
    if at_least(user, Role.ADMIN):
        return found
    if not at_least(user, Role.EDITOR):
        return found.none()
    seen = owned_by_user(user)
    for table, who in share_tables(found.model):
        mine = {f"{who}__in": [user.pk] if who == "user" else user.groups.values("pk")}
        shared = table.filter(permission__codename__startswith="change_", **mine)
        seen |= Q(pk__in=shared.values("content_object"))
    return found.filter(seen)


def owned_by(found: QuerySet[Thing], name: str, user: User) -> QuerySet[Thing]:
    """Those that belong to a person or a team of this name, as it is searched for."""
    return found.filter(select_by_owner_name(name, user))


def select_by_owner_name(name: str, user: User) -> Q:
    """What belongs to a person or a team of this name, large or small; `me`: to the user, or a team of the user's."""
    if name.lower() == "me":
        return owned_by_user(user)
    return Q(owner__username__iexact=name) | Q(team__name__iexact=name)


def rights_document(found: Rights) -> list[str]:
    """Rights as they go over the wire."""
    return [one.value for one in Right if one in found]


def require(user: User, right: Right, thing: Owned) -> None:
    """Refuse those who may not do this, and say whom to ask."""
    if thing.owner_id == user.pk and at_least(user, Role.EDITOR):
        return
    if right in rights_on(user, thing):
        return
    kind, others = thing.kind_name(), {Right.OPERATE: OPERATED, Right.OWN: OWNED_WORDS}.get(right, {})
    doing = others.get(thing._meta.model, WORDS[right])
    words = f"This {kind} belongs to {thing.owner_name}, and you may not {doing}."
    if not at_least(user, Role.EDITOR):
        raise NotYours(
            f"{words} Your role, {role_of(user).value}, lets you look only. Ask an administrator for another.",
            code="role_too_small",
        )
    if right == Right.EDIT and thing._meta.model in (Plan, Dashboard):
        raise NotYours(f"{words} Ask {thing.owner_name}, or make a copy of your own.")
    raise NotYours(f"{words} Ask {thing.owner_name}.")


def _rights(thing: Owned, user: User, role: Role, teams: set[int]) -> Rights:
    """By owner and by role, and because it is open to all."""
    if role == Role.ADMIN or thing.owner_id == user.pk or thing.team_id in teams:
        return ALL
    if role == Role.OPERATOR:
        return frozenset({Right.READ, Right.OPERATE})
    return READ if isinstance(thing, Shared) and thing.open_to_all else NONE


def _limited(found: Rights, role: Role) -> Rights:
    """What the role leaves of it."""
    found = found | READ if found else found
    return found & READ if role == Role.VIEWER else found


def _shared(user: User, teams: set[int], things: list[Any]) -> Mapping[int, Rights]:
    """What is shared with somebody, in person or in a team."""
    found: dict[int, Rights] = defaultdict(frozenset)
    if isinstance(things[0], Node):
        return _of_plans(user, things)
    if isinstance(things[0], NodeSink):
        nodes = rights_of(
            user, Node.objects.only("owner", "team").filter(pk__in={one.node_id for one in things})
        )
        return {one.pk: nodes.get(one.node_id, NONE) & READ for one in things}
    numbers = [one.pk for one in things]
    for table, who in share_tables(type(things[0])):
        with_whom = {f"{who}__in": [user.pk] if who == "user" else teams}
        rows = table.filter(content_object__in=numbers, **with_whom)
        for number, codename in rows.values_list("content_object", "permission__codename"):
            found[number] |= {SHARED_WITH[codename.split("_")[0]]}
    return found


def _of_plans(user: User, nodes: list[Node]) -> Mapping[int, Rights]:
    """A node may be looked at by those who may look at a plan that uses it or did; operated likewise, while it does."""
    found: dict[int, Rights] = defaultdict(frozenset)
    by_pk = {one.pk: one for one in nodes}
    seen = Node.readers.through._default_manager.filter(node__in=by_pk).values_list("node", "plan")
    uses = set(PlanNode.objects.filter(node__in=by_pk).values_list("node", "plan"))
    numbers = {plan for _, plan in seen} | {plan for _, plan in uses}
    plans = rights_of(user, Plan.objects.only("owner", "team", "open_to_all").filter(pk__in=numbers))
    for node, plan in seen:
        found[node] |= plans.get(plan, NONE) & READ
    for node, plan in uses:
        found[node] |= plans.get(plan, NONE) & {Right.READ, Right.OPERATE}
    return found
