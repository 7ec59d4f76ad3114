"""Search by name, owner, state, and content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import CharField, Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

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
from timeline_app.web.models.channels import AlertChannel, Silence
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
    NodeSink: "sinks", Alert: "alerts", AlertChannel: "channels", Incident: "incidents",
}  # fmt: skip
TROUBLED = (Query.Observed.FAILED, Query.Observed.RETRYING)


def apply_search(queryset: QuerySet[Thing], text: str, user: User) -> QuerySet[Thing]:
    """Filter by every word of a search; refuse words that do not apply to this kind of resource."""
    words = parse_words(text)
    model = queryset.model
    if strange := [word for word in words if find_rule(model, word) is None]:
        raise search_refusal([refuse_word(model, word) for word in strange])
    return queryset.filter(*(build_word_condition(model, word, user) for word in words))


def build_word_condition(model: type[Model], word: Word, user: User) -> Q:
    """Return the database condition of one word."""
    rule = find_rule(model, word)
    assert rule is not None
    condition = rule(word.value, user)
    return ~condition if word.no else condition


def find_rule(model: type[Model], word: Word) -> Rule | None:
    """Return the rule of a word for this kind of resource, or None if it does not apply."""
    if word.field == "is":
        return IS[word.value.lower()].get(model)
    return RULES[word.field].get(model)


def refuse_word(model: type[Model], word: Word) -> dict[str, Any]:
    """Return the problem of a word that only applies to other lists."""
    terms = [f"{field}:" for field, rules in RULES.items() if field and model in rules]
    terms += [f"is:{state}" for state, rules in IS.items() if model in rules]
    term = f"{word.field}:{word.value[:40]}"
    hint = f"There are {', '.join(terms)}."
    return word.build_problem(f"{term!r} says nothing of {CALLED[model]}.", "term_not_here", hint)


def match_owned_by_user(_value: str, user: User) -> Q:
    return match_owner(user)


def match_owner_name(value: str, user: User) -> Q:
    return select_by_owner_name(value, user)


def match_team(value: str, _user: User) -> Q:
    return Q(team__name__iexact=value)


def match_name(value: str, _user: User) -> Q:
    return Q(name__icontains=value)


def match_alert_name(value: str, _user: User) -> Q:
    """Match part of the alert's name, of its node's name, or of its labels."""
    return Q(name__icontains=value) | Q(node_name__icontains=value) | Q(labels__icontains=value)


def match_firing_alerts(_value: str, _user: User) -> Q:
    firing = Incident.objects.filter(alert=OuterRef("pk"), state=Incident.State.FIRING).order_by()
    return Q(Exists(firing), enabled=True)


def match_alert_use(value: str, user: User) -> Q:
    """Match alerts on a node of the plan of this name."""
    return Q(plan__in=select_plans_by_name(value, user).values("pk"))


def match_severity(value: str, _user: User) -> Q:
    """Match alerts of this severity."""
    return Q(severity=value.lower())


def match_silenced_alerts(_value: str, _user: User) -> Q:
    """Match alerts of which all incidents or some are silenced now."""
    now = timezone.now()
    active = Silence.objects.filter(begins_at__lte=now, ends_at__gt=now).order_by()
    closed = [silence.pk for silence in active.exclude(schedule={}) if not silence.is_open(now)]
    active = active.exclude(pk__in=closed)
    numbers = set(active.exclude(alert=None).values_list("alert", flat=True))
    general = list(active.filter(alert=None).values_list("owner", "team", "label", "label_value"))
    owners, teams = ({row[place] for row in general} - {None} for place in (0, 1))
    alerts = Alert.objects.order_by().filter(Q(owner__in=owners) | Q(team__in=teams))
    for number, owner, team, labels in alerts.values_list("pk", "owner", "team", "labels") if general else ():
        if any(
            (owner, team) == (row[0], row[1]) and (not row[2] or labels.get(row[2]) == row[3])
            for row in general
        ):
            numbers.add(number)
    return Q(pk__in=numbers, enabled=True)


def of_alert(rule: Rule) -> Rule:
    """Return the rule that matches incidents of alerts that a rule matches."""

    def match(value: str, user: User) -> Q:
        return Q(alert__in=Alert.objects.order_by().filter(rule(value, user)).values("pk"))

    return match


def match_incident_name(value: str, user: User) -> Q:
    """Match a part of the key, or of the alert's name."""
    return Q(key__icontains=value) | of_alert(match_name)(value, user)


def match_firing_incidents(_value: str, _user: User) -> Q:
    """Match incidents that are firing."""
    return Q(state=Incident.State.FIRING)


def match_node_name(value: str, user: User) -> Q:
    """Match part of a name in a plan or of the operator's name or title, or the start of the digest."""
    called = select_visible_uses(user).filter(name__icontains=value).values("node")
    is_operator = Q(operator__icontains=value) | Q(operator__in=find_by_title(value))
    return is_operator | Q(digest__startswith=value.lower()) | Q(pk__in=called)


def make_term_rule(model: type[PlanTerm | NodeTerm | DashboardTerm], *kinds: Term.Kind) -> Rule:
    """Return a rule that matches terms of these kinds."""

    def rule(value: str, _user: User) -> Q:
        matching_terms = model._default_manager.filter(kind__in=kinds, value=value)
        return Q(pk__in=matching_terms.values("thing"))

    return rule


def select_plans_by_name(value: str, user: User) -> QuerySet[Plan]:
    """Select the plans of this name that somebody may read."""
    return select_readable(Plan.objects.order_by(), user).filter(name__iexact=value)


def select_visible_uses(user: User) -> QuerySet[PlanNode]:
    """Select the uses of nodes in plans that somebody may read."""
    return PlanNode.objects.filter(plan__in=select_readable(Plan.objects.order_by(), user).values("pk"))


def match_plan_use(value: str, user: User) -> Q:
    """Match plans that read the stream, have the node, or share a node with the plan of this name."""
    node_numbers = PlanNode.objects.filter(plan__in=select_plans_by_name(value, user).values("pk")).values(
        "node"
    )
    sharing = PlanNode.objects.filter(Q(node__in=node_numbers) | Q(node__digest=value.lower())).values("plan")
    return make_term_rule(PlanTerm, Kind.STREAM, Kind.NODE)(value, user) | (
        Q(pk__in=sharing) & ~Q(name__iexact=value)
    )


def match_node_use(value: str, user: User) -> Q:
    """Match nodes that read the stream, depend on the node, or are used by the plan of this name."""
    below = select_visible_uses(user).filter(name=value).values("node__digest")
    above = NodeTerm.objects.filter(kind=Kind.NODE).filter(Q(value__in=below) | Q(value=value.lower()))
    of_plans = PlanNode.objects.filter(plan__in=select_plans_by_name(value, user).values("pk")).values("node")
    reads = make_term_rule(NodeTerm, Kind.STREAM)(value, user)
    return reads | Q(pk__in=above.values("thing")) | Q(pk__in=of_plans)


def match_charts_of_plans(plans: QuerySet[Plan]) -> Q:
    """Match dashboards with charts of these plans."""
    numbers = plans.order_by().annotate(number=Cast("pk", CharField())).values("number")
    return Q(pk__in=DashboardTerm.objects.filter(kind=Kind.PLAN, value__in=numbers).values("thing"))


def match_dashboard_stream(value: str, user: User) -> Q:
    """Match dashboards with charts of plans that read the stream."""
    reading = PlanTerm.objects.filter(kind=Kind.STREAM, value=value).values("thing")
    return match_charts_of_plans(select_readable(Plan.objects.filter(pk__in=reading), user))


def match_dashboard_use(value: str, user: User) -> Q:
    """Match dashboards that show the node, the plan, or a plan that reads the stream of this name."""
    rule = make_term_rule(DashboardTerm, Kind.NODE)(value, user) | match_charts_of_plans(
        select_plans_by_name(value, user)
    )
    return rule | match_dashboard_stream(value, user)


def match_sample_stream(value: str, _user: User) -> Q:
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
        Incident: match_incident_name,
    },
    "owner": {**dict.fromkeys(CALLED, match_owner_name), Incident: of_alert(match_owner_name)},
    "team": {**dict.fromkeys(CALLED, match_team), Incident: of_alert(match_team)},
    "severity": {Alert: match_severity, Incident: of_alert(match_severity)},
    "is": {},
    "op": {Plan: make_term_rule(PlanTerm, Kind.OPERATOR), Node: lambda value, _: Q(operator=value)},
    "uses": {
        Plan: match_plan_use,
        Node: match_node_use,
        Dashboard: match_dashboard_use,
        Alert: match_alert_use,
        Incident: of_alert(match_alert_use),
    },
    "stream": {
        Plan: make_term_rule(PlanTerm, Kind.STREAM),
        Node: make_term_rule(NodeTerm, Kind.STREAM),
        Stream: lambda value, _: Q(name=value),
        Dashboard: match_dashboard_stream,
        Sample: match_sample_stream,
    },
}


def match_active_nodes(_value: str, _user: User) -> Q:
    """Match nodes that a plan uses and that should run."""
    used = Exists(PlanNode.objects.filter(node=OuterRef("pk")))
    return Q(used, query__desired=Query.Desired.RUNNING)


def match_failing_nodes(value: str, user: User) -> Q:
    """Match active nodes whose query failed, is tried again, or was given up."""
    return match_active_nodes(value, user) & reduce(or_, map(match_state, TROUBLED))


def read_by(nodes: Rule) -> Rule:
    """Return a rule for streams that such nodes read."""

    def rule(value: str, user: User) -> Q:
        at_work = Node.objects.order_by().filter(nodes(value, user)).values("pk")
        read = NodeTerm.objects.filter(kind=Kind.STREAM, thing__in=at_work)
        return Q(name__in=read.values("value"))

    return rule


def match_failing_plans(value: str, user: User) -> Q:
    """Match plans that use a failing node."""
    nodes = Node.objects.order_by().filter(match_failing_nodes(value, user)).values("pk")
    return Q(running=True, pk__in=PlanNode.objects.filter(node__in=nodes).values("plan"))


def select_others(rule: Rule) -> Rule:
    """Return the negated rule."""
    return lambda value, user: ~rule(value, user)


def make_sharing_rule(model: type[Owned]) -> Rule:
    """Return a rule for resources shared with the user by name, and own ones shared with anybody."""

    def rule(value: str, user: User) -> Q:
        anybody, me = Q(), Q()
        for table, holder_field in share_tables(model):
            to = [user.pk] if holder_field == "user" else user.groups.values("pk")
            anybody |= Q(pk__in=table.values("content_object"))
            me |= Q(pk__in=table.filter(**{f"{holder_field}__in": to}).values("content_object"))
        return me | (match_owned_by_user(value, user) & anybody)

    return rule


def match_nodes_of_many_plans(_value: str, _user: User) -> Q:
    another = PlanNode.objects.filter(node=OuterRef("node"), plan__gt=OuterRef("plan"))
    return Q(Exists(PlanNode.objects.filter(Exists(another), node=OuterRef("pk"))))


def match_open(_value: str, _user: User) -> Q:
    """Match resources that everybody may read."""
    return Q(open_to_all=True)


def match_running_plans(_value: str, _user: User) -> Q:
    return Q(running=True)


def match_unused_nodes(_value: str, _user: User) -> Q:
    return ~Q(Exists(PlanNode.objects.filter(node=OuterRef("pk"))))


IS: Mapping[str, Mapping[type[Model], Rule]] = {
    "running": {Plan: match_running_plans, Node: match_active_nodes, Stream: read_by(match_active_nodes)},
    "stopped": {
        Plan: select_others(match_running_plans),
        Node: select_others(match_active_nodes),
        Stream: select_others(read_by(match_active_nodes)),
    },
    "unused": {Node: match_unused_nodes},
    "failing": {Plan: match_failing_plans, Node: match_failing_nodes, Stream: read_by(match_failing_nodes)},
    "firing": {Alert: match_firing_alerts, Incident: match_firing_incidents},
    "silenced": {Alert: match_silenced_alerts, Incident: of_alert(match_silenced_alerts)},
    "mine": {**dict.fromkeys(CALLED, match_owned_by_user), Incident: of_alert(match_owned_by_user)},
    "shared": {
        Plan: make_sharing_rule(Plan), Stream: make_sharing_rule(Stream), Dashboard: make_sharing_rule(Dashboard),
        Node: match_nodes_of_many_plans,
    },
    "open": dict.fromkeys((Plan, Stream, Dashboard, Sample), match_open),
}  # fmt: skip
