"""The one place that decides permissions.

The role is the upper limit of what a person may do. Within it count the owner, the shares, and whether the
resource is open to all. Resources that a person may not read do not exist for that person.
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
    """What may be done with a resource; every right includes reading."""

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
"""The rights that guardian's permissions stand for, by the first word of their names."""
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
"""What operating means for resources other than plans."""
OWNED_WORDS: dict[type[Model], str] = {
    NodeSink: "change, pause, transfer or remove it",
    Alert: "change, transfer or delete it",
    AlertChannel: "change, pause, try, transfer or delete it",
    Silence: "end or transfer it",
}
"""What only the owner may do with resources that cannot be shared."""


def get_role(user: User) -> Role:
    """Return a person's role."""
    if user.is_superuser:
        return Role.ADMIN
    try:
        return Role(user.member.role)
    except Member.DoesNotExist:
        return Role.VIEWER


def member_of(user: User | AnonymousUser) -> Member:
    """Return the preferences of a person, or the defaults for an anonymous user."""
    member = None if user.is_anonymous else Member.objects.filter(user=user).first()
    return member or Member()


def has_role(user: User, role: Role) -> bool:
    """Return whether somebody has this role or a greater one."""
    return RANK[get_role(user)] >= RANK[role]


def require_role(user: User, role: Role, words: str) -> None:
    """Refuse users with a smaller role."""
    if not has_role(user, role):
        raise NotYours(
            f"{words} takes the role {role.value}; yours is {get_role(user).value}. Ask an administrator.",
            code="role_too_small",
        )


def match_owner(user: User) -> Q:
    """Match what belongs to somebody or to one of that person's teams."""
    return Q(owner=user) | Q(team__in=user.groups.values("pk"))


def select_readable(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Select the rows that this person may read."""
    if has_role(user, Role.OPERATOR):
        return queryset
    owned = match_owner(user)
    if queryset.model is NodeSink:
        return queryset.filter(
            owned | Q(node__in=select_readable(Node.objects.order_by(), user).values("pk"))
        )
    if queryset.model is Alert:
        readable_plans = select_readable(Plan.objects.order_by(), user).values("pk")
        return queryset.filter(owned | Q(plan__in=readable_plans))
    if queryset.model is AlertChannel:
        return queryset.filter(owned)
    if queryset.model is Silence:
        alerts = select_readable(Alert.objects.order_by(), user).values("pk")
        return queryset.filter(owned | Q(alert__in=alerts))
    if queryset.model is Node:
        # Check node by node: for an ordered list, only the rows of the page are checked.
        plans = select_readable(Plan.objects.filter(pk=OuterRef("plan")), user).order_by()
        readers = Node.readers.through._default_manager.filter(Exists(plans), node=OuterRef("pk"))
        return queryset.filter(owned | Q(Exists(readers)))
    readable = owned | Q(open_to_all=True)
    for table, holder_field in share_tables(queryset.model):
        shares = table.filter(
            **{f"{holder_field}__in": [user.pk] if holder_field == "user" else user.groups.values("pk")}
        )
        readable |= Q(pk__in=shares.values("content_object"))
    if queryset.model is Sample:
        return queryset.filter(readable).exclude(pk__in=_select_closed_recordings(user).values("sample"))
    return queryset.filter(readable)


def _select_closed_recordings(user: User) -> QuerySet[SamplePart]:
    """Select recordings of streams that somebody may not read now, whenever they were made."""
    streams = select_readable(Stream.everything.order_by(), user)
    hidden = Stream.everything.order_by().exclude(pk__in=streams.values("pk"))
    return SamplePart.objects.order_by().filter(recorded=True, stream__in=hidden.values("name"))


def select_readable_plans(numbers: Iterable[int] | QuerySet[Any], user: User) -> set[int]:
    """Return which of these plans somebody may read."""
    return set(select_readable(Plan.objects.filter(pk__in=numbers), user).values_list("pk", flat=True))


def share_tables(model: type[Model]) -> list[tuple[QuerySet[Any], str]]:
    """Return the tables that hold with which persons and teams resources of this kind are shared."""
    if model not in (Plan, Stream, Dashboard):
        return []
    return [
        (getattr(model, name).rel.related_model._default_manager.all(), holder_field)
        for name, holder_field in (("user_permissions", "user"), ("team_permissions", "group"))
    ]


def compute_rights(user: User, things: Iterable[Owned]) -> dict[int, Rights]:
    """Return a user's rights on resources of one kind, with a constant number of queries."""
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
    """Return a user's rights on one resource."""
    return compute_rights(user, [thing])[thing.pk]


def select_own(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Select what somebody may give away: own and team-owned resources; all of them for administrators."""
    if has_role(user, Role.ADMIN):
        return queryset
    if not has_role(user, Role.EDITOR):
        return queryset.none()
    return queryset.filter(match_owner(user))


def select_changeable(queryset: QuerySet[Thing], user: User) -> QuerySet[Thing]:
    """Select what somebody may change: owned, shared for editing, and all of them for administrators."""
    if has_role(user, Role.ADMIN):
        return queryset
    if not has_role(user, Role.EDITOR):
        return queryset.none()
    changeable = match_owner(user)
    for table, holder_field in share_tables(queryset.model):
        holders = {f"{holder_field}__in": [user.pk] if holder_field == "user" else user.groups.values("pk")}
        shared = table.filter(permission__codename__startswith="change_", **holders)
        changeable |= Q(pk__in=shared.values("content_object"))
    return queryset.filter(changeable)


def select_owned(queryset: QuerySet[Thing], name: str, user: User) -> QuerySet[Thing]:
    """Select what belongs to a person or a team of this name."""
    return queryset.filter(select_by_owner_name(name, user))


def select_by_owner_name(name: str, user: User) -> Q:
    """Match owners by name, ignoring case; `me` stands for the user and the user's teams."""
    if name.lower() == "me":
        return match_owner(user)
    return Q(owner__username__iexact=name) | Q(team__name__iexact=name)


def format_rights(rights: Rights) -> list[str]:
    """Return rights as they go over the wire."""
    return [right.value for right in Right if right in rights]


def require(user: User, right: Right, thing: Owned) -> None:
    """Refuse users without this right, and say whom to ask."""
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
    """Return the rights from ownership, from the role, and from being open to all."""
    if role == Role.ADMIN or thing.owner_id == user.pk or thing.team_id in teams:
        return ALL
    if role == Role.OPERATOR:
        return frozenset({Right.READ, Right.OPERATE})
    return READ if isinstance(thing, Shared) and thing.open_to_all else NONE


def _limit_by_role(rights: Rights, role: Role) -> Rights:
    """Return the rights that the role permits."""
    rights = rights | READ if rights else rights
    return rights & READ if role == Role.VIEWER else rights


def _load_shared_rights(user: User, teams: set[int], things: list[Any]) -> Mapping[int, Rights]:
    """Return the rights that are shared with somebody, in person or in a team."""
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
    """Let readers of an alert read its silences, and its owner end them."""
    numbers = {silence.alert_id for silence in silences if silence.alert_id is not None}
    rights = compute_rights(user, Alert.objects.filter(pk__in=numbers))
    passed_on = READ | {Right.OWN}
    return {silence.pk: rights.get(silence.alert_id or 0, NONE) & passed_on for silence in silences}


def _derive_alert_rights(user: User, alerts: list[Alert]) -> Mapping[int, Rights]:
    """Let readers and operators of a plan do the same with its alerts and their incidents."""
    numbers = {alert.plan_id for alert in alerts}
    plans = compute_rights(user, Plan.objects.only("owner", "team", "open_to_all").filter(pk__in=numbers))
    return {alert.pk: plans.get(alert.plan_id, NONE) & {Right.READ, Right.OPERATE} for alert in alerts}


def _derive_node_rights(user: User, nodes: list[Node]) -> Mapping[int, Rights]:
    """Let readers of a plan read the nodes that it uses or used, and operators operate those it uses now."""
    rights_by_node: dict[int, Rights] = defaultdict(frozenset)
    by_pk = {owned_node.pk: owned_node for owned_node in nodes}
    readers = Node.readers.through._default_manager.filter(node__in=by_pk).values_list("node", "plan")
    uses = set(PlanNode.objects.filter(node__in=by_pk).values_list("node", "plan"))
    numbers = {plan for _, plan in readers} | {plan for _, plan in uses}
    plans = compute_rights(user, Plan.objects.only("owner", "team", "open_to_all").filter(pk__in=numbers))
    for node, plan in readers:
        rights_by_node[node] |= plans.get(plan, NONE) & READ
    for node, plan in uses:
        rights_by_node[node] |= plans.get(plan, NONE) & {Right.READ, Right.OPERATE}
    return rights_by_node
