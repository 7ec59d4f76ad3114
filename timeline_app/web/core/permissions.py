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
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, Silence
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
    Alert: "acknowledge, assign or comment on its incidents",
}
"""What it means to operate what is not a plan."""
OWNED_WORDS: dict[type[Model], str] = {
    NodeSink: "change, pause, transfer or remove it",
    Alert: "change, transfer or delete it",
    AlertChannel: "change, pause, try, transfer or delete it",
    Silence: "end or transfer it",
}
"""What only its owner may do with what is not shared."""


def get_role(user: User) -> Role:
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


def has_role(user: User, role: Role) -> bool:
    """Whether somebody has this role or a greater one."""
    return RANK[get_role(user)] >= RANK[role]


def require_role(user: User, role: Role, words: str) -> None:
    """Refuse those with a smaller role."""
    if not has_role(user, role):
        raise NotYours(
            f"{words} takes the role {role.value}; yours is {get_role(user).value}. Ask an administrator.",
            code="role_too_small",
        )


def match_owner(user: User) -> Q:
    """What belongs to somebody, or to a team of that person."""
    return Q(owner=user) | Q(team__in=user.groups.values("pk"))


def select_readable(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that this person may look at."""
    if has_role(user, Role.OPERATOR):
        return queryset
    own = match_owner(user)
    if queryset.model is NodeSink:
        return queryset.filter(own | Q(node__in=select_readable(Node.objects.order_by(), user).values("pk")))
    if queryset.model is Alert:
        shown = select_readable(Plan.objects.order_by(), user).values("pk")
        return queryset.filter(own | Q(plan__in=shown))
    if queryset.model is AlertChannel:
        return queryset.filter(own)
    if queryset.model is Silence:
        alerts = select_readable(Alert.objects.order_by(), user).values("pk")
        return queryset.filter(own | Q(alert__in=alerts))
    if queryset.model is Node:
        # Asked node by node: of a list in its order, only those of the page are looked at.
        plans = select_readable(Plan.objects.filter(pk=OuterRef("plan")), user).order_by()
        readers = Node.readers.through._default_manager.filter(Exists(plans), node=OuterRef("pk"))
        return queryset.filter(own | Q(Exists(readers)))
    seen = own | Q(open_to_all=True)
    for table, holder_field in share_tables(queryset.model):
        mine = table.filter(
            **{f"{holder_field}__in": [user.pk] if holder_field == "user" else user.groups.values("pk")}
        )
        seen |= Q(pk__in=mine.values("content_object"))
    if queryset.model is Sample:
        return queryset.filter(seen).exclude(pk__in=_select_closed_recordings(user).values("sample"))
    return queryset.filter(seen)


def _select_closed_recordings(user: User) -> QuerySet[SamplePart]:
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
        (getattr(model, name).rel.related_model._default_manager.all(), holder_field)
        for name, holder_field in (("user_permissions", "user"), ("team_permissions", "group"))
    ]


def compute_rights(user: User, things: Iterable[Owned]) -> dict[int, Rights]:
    """What somebody may do with each of these things, which are of one kind; a constant number of queries."""
    all_things = list(things)
    if not all_things:
        return {}
    role, teams = get_role(user), set(user.groups.values_list("pk", flat=True))
    shared = _load_shared_rights(user, teams, all_things)
    return {
        thing.pk: _limit_by_role(
            _compute_own_rights(thing, user, role, teams) | shared.get(thing.pk, NONE), role
        )
        for thing in all_things
    }


def compute_rights_on(user: User, thing: Owned) -> Rights:
    """What somebody may do with a thing."""
    return compute_rights(user, [thing])[thing.pk]


def own(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that somebody may give away: one's own and one's teams', and for administrators all."""
    if has_role(user, Role.ADMIN):
        return queryset
    if not has_role(user, Role.EDITOR):
        return queryset.none()
    return queryset.filter(match_owner(user))


def select_changeable(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Those that somebody may change: one's own and one's teams', those shared so, and for administrators all."""
    if has_role(user, Role.ADMIN):
        return queryset
    if not has_role(user, Role.EDITOR):
        return queryset.none()
    seen = match_owner(user)
    for table, holder_field in share_tables(queryset.model):
        mine = {f"{holder_field}__in": [user.pk] if holder_field == "user" else user.groups.values("pk")}
        shared = table.filter(permission__codename__startswith="change_", **mine)
        seen |= Q(pk__in=shared.values("content_object"))
    return queryset.filter(seen)


def select_owned(queryset: QuerySet[Thing], name: str, user: User) -> QuerySet[Thing]:
    """Those that belong to a person or a team of this name, as it is searched for."""
    return queryset.filter(select_by_owner_name(name, user))


def select_by_owner_name(name: str, user: User) -> Q:
    """What belongs to a person or a team of this name, large or small; `me`: to the user, or a team of the user's."""
    if name.lower() == "me":
        return match_owner(user)
    return Q(owner__username__iexact=name) | Q(team__name__iexact=name)


def format_rights(rights: Rights) -> list[str]:
    """Rights as they go over the wire."""
    return [right.value for right in Right if right in rights]


def require(user: User, right: Right, thing: Owned) -> None:
    """Refuse those who may not do this, and say whom to ask."""
    if thing.owner_id == user.pk and has_role(user, Role.EDITOR):
        return
    if right in compute_rights_on(user, thing):
        return
    kind, words_by_model = thing.kind_name(), {Right.OPERATE: OPERATED, Right.OWN: OWNED_WORDS}.get(right, {})
    doing = words_by_model.get(thing._meta.model, WORDS[right])
    words = f"This {kind} belongs to {thing.owner_name}, and you may not {doing}."
    if not has_role(user, Role.EDITOR):
        raise NotYours(
            f"{words} Your role, {get_role(user).value}, lets you look only. Ask an administrator for another.",
            code="role_too_small",
        )
    if right == Right.EDIT and thing._meta.model in (Plan, Dashboard):
        raise NotYours(f"{words} Ask {thing.owner_name}, or make a copy of your own.")
    raise NotYours(f"{words} Ask {thing.owner_name}.")


def _compute_own_rights(thing: Owned, user: User, role: Role, teams: set[int]) -> Rights:
    """By owner and by role, and because it is open to all."""
    if role == Role.ADMIN or thing.owner_id == user.pk or thing.team_id in teams:
        return ALL
    if role == Role.OPERATOR:
        return frozenset({Right.READ, Right.OPERATE})
    return READ if isinstance(thing, Shared) and thing.open_to_all else NONE


def _limit_by_role(rights: Rights, role: Role) -> Rights:
    """What the role leaves of it."""
    rights = rights | READ if rights else rights
    return rights & READ if role == Role.VIEWER else rights


def _load_shared_rights(user: User, teams: set[int], things: list[Any]) -> Mapping[int, Rights]:
    """What is shared with somebody, in person or in a team."""
    rights_by_number: dict[int, Rights] = defaultdict(frozenset)
    if isinstance(things[0], Node):
        return _derive_node_rights(user, things)
    if isinstance(things[0], NodeSink):
        nodes = compute_rights(
            user, Node.objects.only("owner", "team").filter(pk__in={thing.node_id for thing in things})
        )
        return {thing.pk: nodes.get(thing.node_id, NONE) & READ for thing in things}
    if isinstance(things[0], Silence):
        return _derive_silence_rights(user, things)
    if isinstance(things[0], Alert):
        return _derive_alert_rights(user, things)
    numbers = [thing.pk for thing in things]
    for table, holder_field in share_tables(type(things[0])):
        with_whom = {f"{holder_field}__in": [user.pk] if holder_field == "user" else teams}
        rows = table.filter(content_object__in=numbers, **with_whom)
        for number, codename in rows.values_list("content_object", "permission__codename"):
            rights_by_number[number] |= {SHARED_WITH[codename.split("_")[0]]}
    return rights_by_number


def _derive_silence_rights(user: User, silences: list[Silence]) -> Mapping[int, Rights]:
    """A silence may be looked at by those who may look at its alert."""
    numbers = {silence.alert_id for silence in silences if silence.alert_id is not None}
    rights = compute_rights(user, Alert.objects.filter(pk__in=numbers))
    return {silence.pk: rights.get(silence.alert_id or 0, NONE) & READ for silence in silences}


def _derive_alert_rights(user: User, alerts: list[Alert]) -> Mapping[int, Rights]:
    """An alert may be looked at, and its incidents taken care of, by those who may do that with its plan."""
    numbers = {alert.plan_id for alert in alerts}
    plans = compute_rights(user, Plan.objects.only("owner", "team", "open_to_all").filter(pk__in=numbers))
    return {alert.pk: plans.get(alert.plan_id, NONE) & {Right.READ, Right.OPERATE} for alert in alerts}


def _derive_node_rights(user: User, nodes: list[Node]) -> Mapping[int, Rights]:
    """A node may be looked at by those who may look at a plan that uses it or did; operated likewise, while it does."""
    rights_by_node: dict[int, Rights] = defaultdict(frozenset)
    by_pk = {owned_node.pk: owned_node for owned_node in nodes}
    seen = Node.readers.through._default_manager.filter(node__in=by_pk).values_list("node", "plan")
    uses = set(PlanNode.objects.filter(node__in=by_pk).values_list("node", "plan"))
    numbers = {plan for _, plan in seen} | {plan for _, plan in uses}
    plans = compute_rights(user, Plan.objects.only("owner", "team", "open_to_all").filter(pk__in=numbers))
    for node, plan in seen:
        rights_by_node[node] |= plans.get(plan, NONE) & READ
    for node, plan in uses:
        rights_by_node[node] |= plans.get(plan, NONE) & {Right.READ, Right.OPERATE}
    return rights_by_node
