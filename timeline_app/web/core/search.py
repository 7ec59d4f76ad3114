"""Finding things by what they are called, whose they are, how they are, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import CharField, Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from timeline_app.operators import find_by_title
from timeline_app.web.core.permissions import (
    match_owner,
    select_by_owner_name,
    select_readable,
    share_tables,
)
from timeline_app.web.core.search_query import NAME, Word, parse_words, search_refusal
from timeline_app.web.models import Dashboard, Node, Plan, PlanNode, Query, Stream
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertChannel
from timeline_app.web.models.people import Owned
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.terms import DashboardTerm, NodeTerm, PlanTerm, Term
from timeline_app.web.nodes.selectors import match_state

Thing = TypeVar("Thing", bound=Model)
Rule = Callable[[str, User], Q]
Kind = Term.Kind
CALLED: dict[type[Model], str] = {
    Plan: "plans", Node: "nodes", Stream: "streams", Dashboard: "dashboards", Sample: "samples",
    NodeSink: "sinks", Alert: "alerts", AlertChannel: "channels",
}  # fmt: skip
TROUBLED = (Query.Observed.FAILED, Query.Observed.RETRYING)


def apply_search(queryset: QuerySet[Thing], text: str, user: User) -> QuerySet[Thing]:
    """Those for which every word of a search holds; a word that says nothing of such things is refused."""
    words = parse_words(text)
    model = queryset.model
    if strange := [word for word in words if find_rule(model, word) is None]:
        raise search_refusal([refuse_word(model, word) for word in strange])
    return queryset.filter(*(build_word_condition(model, word, user) for word in words))


def build_word_condition(model: type[Model], word: Word, user: User) -> Q:
    """One word, as the database understands it."""
    rule = find_rule(model, word)
    assert rule is not None
    condition = rule(word.value, user)
    return ~condition if word.no else condition


def find_rule(model: type[Model], word: Word) -> Rule | None:
    """How things of a kind are held against a word; None: it says nothing of them."""
    if word.field == "is":
        return IS[word.value.lower()].get(model)
    return RULES[word.field].get(model)


def refuse_word(model: type[Model], word: Word) -> dict[str, Any]:
    """It is a word of other lists."""
    terms = [f"{field}:" for field, rules in RULES.items() if field and model in rules]
    terms += [f"is:{state}" for state, rules in IS.items() if model in rules]
    said = f"{word.field}:{word.value[:40]}"
    cure = f"There are {', '.join(terms)}."
    return word.refused(f"{said!r} says nothing of {CALLED[model]}.", "term_not_here", cure)


def match_owned_by_user(_value: str, user: User) -> Q:
    """What belongs to the one who asks, or to a team of that person."""
    return match_owner(user)


def match_owner_name(value: str, user: User) -> Q:
    """What belongs to a person or a team."""
    return select_by_owner_name(value, user)


def match_team(value: str, _user: User) -> Q:
    """What belongs to a team."""
    return Q(team__name__iexact=value)


def match_name(value: str, _user: User) -> Q:
    """Part of the name."""
    return Q(name__icontains=value)


def match_alert_name(value: str, _user: User) -> Q:
    """Part of the name, of the name of its node, or of its labels."""
    return Q(name__icontains=value) | Q(node_name__icontains=value) | Q(labels__icontains=value)


def match_firing_alerts(_value: str, _user: User) -> Q:
    """Alerts with incidents that are firing."""
    firing = Incident.objects.filter(alert=OuterRef("pk"), state=Incident.State.FIRING).order_by()
    return Q(Exists(firing), enabled=True)


def match_alert_use(value: str, user: User) -> Q:
    """An alert on a node of the plan of this name."""
    return Q(plan__in=select_plans_by_name(value, user).values("pk"))


def match_node_name(value: str, user: User) -> Q:
    """Part of a name that it has in a plan, or of its operator's name or title, or the beginning of its digest."""
    called = select_visible_uses(user).filter(name__icontains=value).values("node")
    is_operator = Q(operator__icontains=value) | Q(operator__in=find_by_title(value))
    return is_operator | Q(digest__startswith=value.lower()) | Q(pk__in=called)


def make_term_rule(model: type[PlanTerm | NodeTerm | DashboardTerm], *kinds: Term.Kind) -> Rule:
    """What a document speaks of."""

    def rule(value: str, _user: User) -> Q:
        spoken = model._default_manager.filter(kind__in=kinds, value=value)
        return Q(pk__in=spoken.values("thing"))

    return rule


def select_plans_by_name(value: str, user: User) -> QuerySet[Plan]:
    """The plans of this name that somebody may look at."""
    return select_readable(Plan.objects.order_by(), user).filter(name__iexact=value)


def select_visible_uses(user: User) -> QuerySet[PlanNode]:
    """Which nodes are used by plans that somebody may look at."""
    return PlanNode.objects.filter(plan__in=select_readable(Plan.objects.order_by(), user).values("pk"))


def plan_uses(value: str, user: User) -> Q:
    """A plan reads the stream, has the node, or shares a node with the plan of this name."""
    node_numbers = PlanNode.objects.filter(plan__in=select_plans_by_name(value, user).values("pk")).values(
        "node"
    )
    sharing = PlanNode.objects.filter(Q(node__in=node_numbers) | Q(node__digest=value.lower())).values("plan")
    return make_term_rule(PlanTerm, Kind.STREAM, Kind.NODE)(value, user) | (
        Q(pk__in=sharing) & ~Q(name__iexact=value)
    )


def match_node_use(value: str, user: User) -> Q:
    """A node reads the stream, lies above the node, or is used by the plan of this name."""
    below = select_visible_uses(user).filter(name=value).values("node__digest")
    above = NodeTerm.objects.filter(kind=Kind.NODE).filter(Q(value__in=below) | Q(value=value.lower()))
    of_plans = PlanNode.objects.filter(plan__in=select_plans_by_name(value, user).values("pk")).values("node")
    reads = make_term_rule(NodeTerm, Kind.STREAM)(value, user)
    return reads | Q(pk__in=above.values("thing")) | Q(pk__in=of_plans)


def match_charts_of_plans(plans: QuerySet[Plan]) -> Q:
    """Dashboards with charts of these plans."""
    numbers = plans.order_by().annotate(number=Cast("pk", CharField())).values("number")
    return Q(pk__in=DashboardTerm.objects.filter(kind=Kind.PLAN, value__in=numbers).values("thing"))


def match_dashboard_stream(value: str, user: User) -> Q:
    """A dashboard has charts of plans that read the stream."""
    reading = PlanTerm.objects.filter(kind=Kind.STREAM, value=value).values("thing")
    return match_charts_of_plans(select_readable(Plan.objects.filter(pk__in=reading), user))


def match_dashboard_use(value: str, user: User) -> Q:
    """A dashboard shows the node, the plan, or a plan that reads the stream of this name."""
    shown = make_term_rule(DashboardTerm, Kind.NODE)(value, user) | match_charts_of_plans(
        select_plans_by_name(value, user)
    )
    return shown | match_dashboard_stream(value, user)


def match_sample_stream(value: str, _user: User) -> Q:
    """A sample with events of the stream."""
    return Q(pk__in=SamplePart.objects.filter(stream=value).values("sample"))


RULES: Mapping[str, Mapping[type[Model], Rule]] = {
    NAME: {
        Plan: match_name,
        Node: match_node_name,
        Stream: match_name,
        Dashboard: match_name,
        Sample: match_name,
        Alert: match_alert_name,
        AlertChannel: match_name,
    },
    "owner": dict.fromkeys(CALLED, match_owner_name),
    "team": dict.fromkeys(CALLED, match_team),
    "is": {},
    "op": {Plan: make_term_rule(PlanTerm, Kind.OPERATOR), Node: lambda value, _: Q(operator=value)},
    "uses": {Plan: plan_uses, Node: match_node_use, Dashboard: match_dashboard_use, Alert: match_alert_use},
    "stream": {
        Plan: make_term_rule(PlanTerm, Kind.STREAM),
        Node: make_term_rule(NodeTerm, Kind.STREAM),
        Stream: lambda value, _: Q(name=value),
        Dashboard: match_dashboard_stream,
        Sample: match_sample_stream,
    },
}


def match_active_nodes(_value: str, _user: User) -> Q:
    """Nodes that somebody uses, and that are wanted."""
    used = Exists(PlanNode.objects.filter(node=OuterRef("pk")))
    return Q(used, query__desired=Query.Desired.RUNNING)


def match_failing_nodes(value: str, user: User) -> Q:
    """Those of them that were given up, or whose query failed, or is tried again."""
    return match_active_nodes(value, user) & reduce(or_, map(match_state, TROUBLED))


def read_by(nodes: Rule) -> Rule:
    """Streams that such nodes read."""

    def rule(value: str, user: User) -> Q:
        at_work = Node.objects.order_by().filter(nodes(value, user)).values("pk")
        read = NodeTerm.objects.filter(kind=Kind.STREAM, thing__in=at_work)
        return Q(name__in=read.values("value"))

    return rule


def plan_failing(value: str, user: User) -> Q:
    """Plans that use a node which fails."""
    nodes = Node.objects.order_by().filter(match_failing_nodes(value, user)).values("pk")
    return Q(running=True, pk__in=PlanNode.objects.filter(node__in=nodes).values("plan"))


def select_others(rule: Rule) -> Rule:
    """All but those."""
    return lambda value, user: ~rule(value, user)


def make_sharing_rule(model: type[Owned]) -> Rule:
    """Things of somebody else's that are shared with the user by name, and own ones that are shared with anybody."""

    def rule(value: str, user: User) -> Q:
        anybody, me = Q(), Q()
        for table, holder_field in share_tables(model):
            to = [user.pk] if holder_field == "user" else user.groups.values("pk")
            anybody |= Q(pk__in=table.values("content_object"))
            me |= Q(pk__in=table.filter(**{f"{holder_field}__in": to}).values("content_object"))
        return me | (match_owned_by_user(value, user) & anybody)

    return rule


def match_nodes_of_many_plans(_value: str, _user: User) -> Q:
    """Nodes that more than one plan uses."""
    another = PlanNode.objects.filter(node=OuterRef("node"), plan__gt=OuterRef("plan"))
    return Q(Exists(PlanNode.objects.filter(Exists(another), node=OuterRef("pk"))))


def is_open(_value: str, _user: User) -> Q:
    """Everybody may look."""
    return Q(open_to_all=True)


def match_running_plans(_value: str, _user: User) -> Q:
    """Plans that run."""
    return Q(running=True)


def match_unused_nodes(_value: str, _user: User) -> Q:
    """Nodes that no plan uses."""
    return ~Q(Exists(PlanNode.objects.filter(node=OuterRef("pk"))))


IS: Mapping[str, Mapping[type[Model], Rule]] = {
    "running": {Plan: match_running_plans, Node: match_active_nodes, Stream: read_by(match_active_nodes)},
    "stopped": {
        Plan: select_others(match_running_plans),
        Node: select_others(match_active_nodes),
        Stream: select_others(read_by(match_active_nodes)),
    },
    "unused": {Node: match_unused_nodes},
    "failing": {Plan: plan_failing, Node: match_failing_nodes, Stream: read_by(match_failing_nodes)},
    "firing": {Alert: match_firing_alerts},
    "mine": dict.fromkeys(CALLED, match_owned_by_user),
    "shared": {
        Plan: make_sharing_rule(Plan), Stream: make_sharing_rule(Stream), Dashboard: make_sharing_rule(Dashboard),
        Node: match_nodes_of_many_plans,
    },
    "open": dict.fromkeys((Plan, Stream, Dashboard, Sample), is_open),
}  # fmt: skip
