"""Preview of running or stopping a plan; nothing is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.compiler import Compiled, Program
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from timeline_app.plan.reads import collect_read_fields
from timeline_app.web.core.permissions import select_readable_plans
from timeline_app.web.core.sandboxed_work import compile_slot
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.nodes.hosting import Choice, Fate, choose_queries, is_moving_running_nodes
from timeline_app.web.nodes.selectors import PRIVATE, describe_observed_state, to_micros
from timeline_app.web.plans.checks import compile_or_refuse
from timeline_app.web.streams.granted_streams import select_streams_of_owner
from timeline_app.web.streams.selectors import select_streams

Document = dict[str, Any]
Owner = tuple[str, str]
"""`person` or `team`, and the name."""
_RESTARTED = (Fate.NEW, Fate.MOVED)


def describe_consequences(
    plan: Plan, placement: str, user: User, document: Document | None = None
) -> Document:
    """Return which nodes would be new, joined, moved or stopped, and the events replayed for it.

    The plan runs as it is saved, or with the given document. It may be unsaved. Raise `PlanRefused` as running it
    would.
    """
    document = plan.document if document is None else document
    with compile_slot(document, user.pk):
        compiled = compile_or_refuse(document, user, plan)
    choices = choose_queries(
        compiled.programs, placement, plan, regroup=is_moving_running_nodes(plan, placement)
    )
    names, runs = _group_names(compiled), _load_running_digests(plan)
    removed = _list_removed_nodes(plan, compiled.programs, user)
    nodes = [
        _describe_node(digest, fate, names, choice)
        | {
            "replaces": any(runs.get(name, digest) != digest for name in names[digest]),
            "was": sorted(name for name, its in runs.items() if its == digest and name not in names[digest]),
            "reads": list(compiled.programs[digest].streams) if fate in _RESTARTED else [],
        }
        for choice in choices
        for digest, fate in choice.fates.items()
    ]
    restarted = [compiled.programs[digest] for choice in choices for digest in _list_restarted(choice)]
    replayed = _count_replayed_events(restarted, select_streams(user))
    opens = _list_opened_streams(plan, document)
    return {
        "placement": placement,
        "nodes": _add_owners(_add_users(plan, nodes, user)),
        "gone": removed,
        "queries": [_describe_query(choice, names) for choice in choices],
        "replayed_events": replayed,
        "opens": opens,
        "words": _summarize_consequences(nodes, removed, replayed, _list_owner_names(user))
        + _explain_opened_streams(plan, opens),
    }


def _list_opened_streams(plan: Plan, document: Document) -> list[Document]:
    """Return the streams and fields that the run would open to the plan's owner and readers."""
    reads = collect_read_fields(document)
    hidden = reads.keys() - select_streams_of_owner(plan, reads)
    return [{"stream": name, "fields": sorted(reads[name])} for name in sorted(hidden)]


def _explain_opened_streams(plan: Plan, opens: Sequence[Document]) -> str:
    names = [f"{item['stream']}.{name}" for item in opens for name in item["fields"]]
    names += [item["stream"] for item in opens if not item["fields"]]
    return (
        f" This opens {', '.join(names)} to {plan.owner_name}, and to all who may look at the plan."
        if names
        else ""
    )


def stop_consequences(plan: Plan, user: User) -> Document:
    """Return which nodes would stop with the plan, and which go on for others."""
    removed = _list_removed_nodes(plan, (), user)
    return {"gone": removed, "words": _summarize_nodes([], removed, _list_owner_names(user))}


def _group_names(compiled: Compiled) -> dict[str, list[str]]:
    """Return the names of each node; intermediate nodes have none."""
    result: dict[str, list[str]] = {digest: [] for digest in compiled.programs}
    for name, digest in compiled.names.items():
        result[digest].append(name)
    return result


def _load_running_digests(plan: Plan) -> dict[str, str]:
    """Return the digests that the plan runs now, by name."""
    uses = PlanNode.objects.filter(plan_id=plan.pk).exclude(name="")
    return dict(uses.values_list("name", "node__digest"))


def _describe_node(digest: str, fate: Fate, names: Mapping[str, Sequence[str]], choice: Choice) -> Document:
    query = choice.query
    document = {"digest": digest, "names": list(names[digest]), "fate": fate.value}
    if query is None:
        return document | {"query": None, "observed": "", "words": "", "since": None}
    observed, words = describe_observed_state(query)
    since = to_micros(query.observed_since) if observed == query.observed else None
    return document | {"query": query.name, "observed": observed, "words": words, "since": since}


def _describe_query(choice: Choice, names: Mapping[str, Sequence[str]]) -> Document:
    """Return a query that computes nodes of the plan; a new one has no name yet."""
    return {
        "name": choice.query.name if choice.query else None,
        "starts": choice.query is None or choice.query.desired != Query.Desired.RUNNING,
        "nodes": [name for digest in choice.digests for name in names[digest] or [digest[:12]]],
    }


def _list_restarted(choice: Choice) -> list[str]:
    return (
        [digest for digest, fate in choice.fates.items() if fate in _RESTARTED]
        if choice.query is None
        else []
    )


def _count_replayed_events(programs: Iterable[Program], streams: QuerySet[Stream]) -> dict[str, int]:
    """Count, by readable stream, the retained events that new queries read from the beginning."""
    root = Places(settings.TIMELINE_DATA).landing
    counts = {}
    read = {name for program in programs for name in program.streams}
    for stream in streams.filter(name__in=read).order_by("name"):
        landing = Landing(root, stream.folder)
        counts[stream.name] = landing.count(landing.first(), landing.end()).events
    return counts


def _list_removed_nodes(plan: Plan, remaining: Iterable[str], user: User) -> list[Document]:
    """Return the nodes that the plan would no longer use, and whether they stop."""
    uses = PlanNode.objects.filter(plan_id=plan.pk).exclude(node__digest__in=list(remaining))
    result: dict[str, Document] = {}
    for use in uses.select_related("node").order_by("name"):
        item = result.setdefault(use.node.digest, {"digest": use.node.digest, "names": [], "fate": "stopped"})
        item["names"] += [use.name] if use.name else []
    for item in _add_users(plan, list(result.values()), user):
        item["fate"] = "left" if item["users"] else "stopped"
    return list(result.values())


def _add_users(plan: Plan, nodes: list[Document], user: User) -> list[Document]:
    """Add to each node the other plans that use it."""
    digests = [item["digest"] for item in nodes]
    uses = PlanNode.objects.filter(node__digest__in=digests).exclude(plan_id=plan.pk)
    readable_plans = select_readable_plans(uses.values("plan"), user)
    users: dict[str, dict[int, Document]] = {}
    for use in uses.select_related("node", "plan__owner", "plan__team").order_by("plan_id"):
        may = use.plan_id in readable_plans
        document = {"plan": use.plan_id if may else None, "plan_name": use.plan.name if may else PRIVATE}
        document |= use.plan.owner_told()
        users.setdefault(use.node.digest, {})[use.plan_id] = document
    for item in nodes:
        item["users"] = list(users.get(item["digest"], {}).values())
    return nodes


def _add_owners(nodes: list[Document]) -> list[Document]:
    """Add to each node its owner; a new node has none yet."""
    digests = [item["digest"] for item in nodes]
    queryset = Node.objects.filter(digest__in=digests).select_related("owner", "team")
    owners = {node.digest: node.owner_name for node in queryset}
    return [item | {"owner": owners.get(item["digest"])} for item in nodes]


_FATE_WORDS = {
    Fate.MOVED: "moved to another query",
    Fate.RESUMED: "going on where they stopped",
    Fate.KEPT: "left as they are",
}


def _summarize_consequences(
    nodes: Sequence[Document],
    removed: Sequence[Document],
    replayed: Mapping[str, int],
    own_owners: set[Owner],
) -> str:
    """Return a summary in a sentence or two."""
    summary = _summarize_nodes(nodes, removed, own_owners)
    if events := sum(replayed.values()):
        summary += f" {events:,} retained events are computed for that."
    return summary


def _summarize_nodes(nodes: Sequence[Document], removed: Sequence[Document], own_owners: set[Owner]) -> str:
    """Return a sentence on what happens to how many nodes."""
    joined = _count_by_users(nodes, Fate.JOINED, own_owners)
    fates = Counter(item["fate"] for item in nodes)
    phrases = [f"{fates[Fate.NEW.value]} new"] * bool(fates[Fate.NEW.value])
    phrases += [f"{number} joined, running already for {users}" for users, number in joined.items()]
    phrases += [f"{fates[fate.value]} {words}" for fate, words in _FATE_WORDS.items() if fates[fate.value]]
    named = sum(bool(item["was"]) for item in nodes)
    phrases += [f"{named} of them under another name"] * bool(named)
    ends = Counter(item["fate"] for item in removed)
    phrases += [f"{ends['stopped']} stopped"] * bool(ends["stopped"])
    phrases += [
        f"{number} left to {users}" for users, number in _count_by_users(removed, "left", own_owners).items()
    ]
    return f"Nodes: {', '.join(phrases) or 'none'}."


def _count_by_users(nodes: Iterable[Document], fate: str, own_owners: set[Owner]) -> Counter[str]:
    """Count the nodes with this fate by whose other plans use them."""
    return Counter(_name_users(item["users"], own_owners) for item in nodes if item["fate"] == fate)


def _name_users(users: Sequence[Document], own_owners: set[Owner]) -> str:
    return (
        "your other plans"
        if all((user["owner_kind"], user["owner"]) in own_owners for user in users)
        else "others"
    )


def _list_owner_names(user: User) -> set[Owner]:
    """Return the user and the user's teams as owners."""
    return {("person", user.get_username())} | {("team", team.name) for team in user.groups.all()}
