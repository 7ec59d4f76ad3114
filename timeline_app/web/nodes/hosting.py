"""Assignment of nodes to queries, decided when a plan is run, and for its preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.db.models import Q

from timeline_app.compiler import Program
from timeline_app.compiler.placement import group_nodes
from timeline_app.feed.lineage import Chain
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from timeline_app.web.models import Node, Plan, PlanNode, Query


class Fate(StrEnum):
    """What running a plan means for one of its nodes."""

    NEW = "new"
    JOINED = "joined"
    KEPT = "kept"
    RESUMED = "resumed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Choice:
    """Nodes that one query computes: an existing one, or a new one (None)."""

    fates: Mapping[str, Fate]
    query: Query | None

    @property
    def digests(self) -> tuple[str, ...]:
        return tuple(self.fates)


@dataclass(frozen=True, slots=True)
class _Present:
    """An existing node: its query and its users."""

    query: Query
    silent: bool
    has_other_users: bool
    here: bool

    @property
    def is_wanted(self) -> bool:
        return self.has_other_users or self.here


def choose_queries(
    programs: Mapping[str, Program], placement: str, plan: Plan, *, regroup: bool
) -> list[Choice]:
    """Choose the query of each node.

    What runs for others stays where it is; so does, unless `regroup`, what runs for this plan. A node is moved only
    if all events that it depends on are still there, so that nothing is lost.
    """
    present = _load_present(programs, plan)
    choices = []
    for digests in group_nodes(programs, placement):
        free = [
            digest
            for digest in digests
            if _is_movable(programs[digest], present.get(digest), regroup=regroup)
        ]
        staying: dict[int, list[str]] = {}
        for digest in digests:
            if digest not in free:
                staying.setdefault(present[digest].query.pk, []).append(digest)
        choices += [
            Choice(_decide_fates(nodes_of_query, present), present[nodes_of_query[0]].query)
            for nodes_of_query in staying.values()
        ]
        if free:
            choices.append(_place(free, present))
    return choices


def _is_movable(program: Program, present: _Present | None, *, regroup: bool) -> bool:
    """Return whether another query may compute it."""
    if present is None or present.silent:
        return True
    if not is_complete(program):
        return False
    return not present.is_wanted or (regroup and not present.has_other_users and not program.across_keys)


def _place(digests: Sequence[str], present: Mapping[str, _Present]) -> Choice:
    """Return the query with exactly these nodes, if there is one without other users; else a new one."""
    placed = [present[digest] for digest in digests if digest in present]
    if len(placed) == len(digests) and not any(item.silent for item in placed):
        query = placed[0].query
        if all(item.query == query for item in placed) and not _has_other_users(query, digests, present):
            return Choice(_decide_fates(digests, present), query)
    fates = {digest: Fate.MOVED if digest in present else Fate.NEW for digest in digests}
    return Choice(fates, None)


def _has_other_users(query: Query, digests: Sequence[str], present: Mapping[str, _Present]) -> bool:
    """Return whether the query computes other nodes that are used or requested now."""
    if any(item.query == query and not item.silent for name, item in present.items() if name not in digests):
        return True
    hosted = Q(node__query=query, node__next_query=None) | Q(node__next_query=query)
    return PlanNode.objects.filter(hosted).exclude(node__digest__in=digests).exists()


def _decide_fates(digests: Sequence[str], present: Mapping[str, _Present]) -> dict[str, Fate]:
    def fate(item: _Present) -> Fate:
        if not item.is_wanted:
            return Fate.RESUMED
        return Fate.KEPT if item.here else Fate.JOINED

    return {digest: fate(present[digest]) for digest in digests}


def _load_present(programs: Mapping[str, Program], plan: Plan) -> dict[str, _Present]:
    nodes = Node.objects.filter(digest__in=programs).select_related("query", "next_query")
    uses = PlanNode.objects.filter(node__digest__in=programs).values_list("node__digest", "plan_id")
    here = {digest for digest, user in uses if user == plan.pk}
    used_elsewhere = {digest for digest, user in uses if user != plan.pk}
    present = {}
    for node in nodes:
        query = node.next_query or node.query
        silent = node.digest in query.program["silent"]
        present[node.digest] = _Present(query, silent, node.digest in used_elsewhere, node.digest in here)
    return present


def is_complete(program: Program) -> bool:
    """Return whether everything that a node depends on is still there, or everything that counts.

    A snapshot of a feed has the values from the retention limit on. That is all that counts for a node that remembers
    no older values.
    """
    places = Places(settings.TIMELINE_DATA)
    folders = [program.declarations[stream].folder for stream in program.streams]
    has_all_events = all(Landing(places.landing, folder).index().whole for folder in folders)
    return has_all_events and (
        not (program.memories or program.texts)
        or all(Chain(places, digest).snapshot() is None for digest in program.inputs)
    )


def is_moving_running_nodes(plan: Plan, placement: str) -> bool:
    """Return whether running the plan in this placement moves its running nodes."""
    return not plan.running or plan.placement != placement
