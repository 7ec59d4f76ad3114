"""What would happen if a plan were run as it is saved: nothing is changed by asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings

from timeline_app.compiler import Compiled, Program
from timeline_app.storage.landing import Landing
from timeline_app.storage.places import Places
from timeline_app.web.models import Plan, PlanNode, Query
from timeline_app.web.selectors.checks import compiled_or_refused
from timeline_app.web.selectors.hosting import Choice, Fate, choose, regroups

Document = dict[str, Any]
_ANEW = (Fate.NEW, Fate.MOVED)


def consequences(plan: Plan, placement: str) -> Document:
    """Which nodes are new, joined, moved, stopped; which events are computed again for that.

    Raises `PlanRefused` as running it would.
    """
    compiled = compiled_or_refused(plan.document)
    choices = choose(compiled.programs, placement, plan, regroup=regroups(plan, placement))
    names = _names(compiled)
    gone = _gone(plan, compiled)
    nodes = [
        _node(digest, fate, names, choice) for choice in choices for digest, fate in choice.fates.items()
    ]
    replayed = _replayed([compiled.programs[digest] for choice in choices for digest in _anew(choice)])
    return {
        "placement": placement,
        "nodes": _with_users(plan, nodes),
        "gone": gone,
        "queries": [_query(choice, names) for choice in choices],
        "replayed_events": replayed,
        "words": _words(nodes, gone, replayed),
    }


def _names(compiled: Compiled) -> dict[str, list[str]]:
    """The names of each node; one without stands between two others."""
    found: dict[str, list[str]] = {digest: [] for digest in compiled.programs}
    for name, digest in compiled.names.items():
        found[digest].append(name)
    return found


def _node(digest: str, fate: Fate, names: Mapping[str, Sequence[str]], choice: Choice) -> Document:
    query = choice.query.name if choice.query else None
    return {"digest": digest, "names": list(names[digest]), "fate": fate.value, "query": query}


def _query(choice: Choice, names: Mapping[str, Sequence[str]]) -> Document:
    """A query that computes nodes of the plan: a new one has no name yet."""
    return {
        "name": choice.query.name if choice.query else None,
        "starts": choice.query is None or choice.query.desired != Query.Desired.RUNNING,
        "nodes": [name for digest in choice.digests for name in names[digest] or [digest[:12]]],
    }


def _anew(choice: Choice) -> list[str]:
    return [digest for digest, fate in choice.fates.items() if fate in _ANEW] if choice.query is None else []


def _replayed(programs: Iterable[Program]) -> dict[str, int]:
    """By stream, how many retained events new queries read from the beginning."""
    root = Places(settings.TIMELINE_DATA).landing
    found = {}
    for stream in sorted({name for program in programs for name in program.streams}):
        landing = Landing(root, stream)
        found[stream] = landing.count(landing.first(), landing.end()).events
    return found


def _gone(plan: Plan, compiled: Compiled) -> list[Document]:
    """The nodes that the plan would not use any more, and whether they stop with that."""
    uses = plan.uses.exclude(node__digest__in=compiled.programs).select_related("node").order_by("name")
    found: dict[str, Document] = {}
    for use in uses:
        item = found.setdefault(use.node.digest, {"digest": use.node.digest, "names": [], "fate": "stopped"})
        item["names"] += [use.name] if use.name else []
    others = PlanNode.objects.filter(node__digest__in=found).exclude(plan=plan)
    for digest in others.values_list("node__digest", flat=True):
        found[digest]["fate"] = "left"
    return _with_users(plan, list(found.values()))


def _with_users(plan: Plan, nodes: list[Document]) -> list[Document]:
    """Each node with the other plans that use it."""
    digests = [item["digest"] for item in nodes]
    uses = PlanNode.objects.filter(node__digest__in=digests).exclude(plan=plan)
    users: dict[str, dict[int, Document]] = {}
    for use in uses.select_related("node", "plan__owner").order_by("plan_id"):
        owner = use.plan.owner.get_username()
        told = {"plan": use.plan_id, "plan_name": use.plan.name, "owner": owner}
        users.setdefault(use.node.digest, {})[use.plan_id] = told
    for item in nodes:
        item["users"] = list(users.get(item["digest"], {}).values())
    return nodes


_SAID = {
    Fate.NEW: "new",
    Fate.JOINED: "joined, they run for others",
    Fate.MOVED: "moved to another query",
    Fate.RESUMED: "going on where they stopped",
    Fate.KEPT: "left as they are",
}


def _words(nodes: Sequence[Document], gone: Sequence[Document], replayed: Mapping[str, int]) -> str:
    """All of it in a sentence."""
    counted = Counter(item["fate"] for item in nodes)
    parts = [f"{counted[fate.value]} {said}" for fate, said in _SAID.items() if counted[fate.value]]
    ends = Counter(item["fate"] for item in gone)
    parts += [f"{ends['stopped']} stopped"] * bool(ends["stopped"])
    parts += [f"{ends['left']} left to others"] * bool(ends["left"])
    said = f"Nodes: {', '.join(parts)}."
    if events := sum(replayed.values()):
        said += f" {events:,} retained events are computed for that."
    return said
