"""Why a node has its value: the chain of reasons from the revision log and the landed events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from timeline_app.algebra.fold import cut
from timeline_app.algebra.kinds import OPEN, Kind
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.compiler.why import Document, FoundBetween, FoundEvents, Stretch, UnknownKey, trace_reasons
from timeline_app.landing.key_lookup import find_events, find_events_between
from timeline_app.operators.reasons import Member, Seen, evaluate_point
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.web.core.errors import ApiError, Missing, PlanRefused, as_problem
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.models import Node, NodeKey, Plan, Revision
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.nodes.timelines import (
    estimate_final_until,
    read_key_timeline,
    select_key_revisions,
    select_revisions_during,
)
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.streams.granted_streams import load_visible_streams
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.selectors import load_declarations

MAX_POINTS_PER_WHY = 200_000
"""Change points that one chain of reasons reads, over all its nodes."""
MAX_KEYS_LISTED = 300
"""Of a larger group only the number of keys is given."""


def explain_value(
    digest: str,
    key: str,
    at: int,
    user: User,
    *,
    plan: int | None = None,
    name: str | None = None,
    known_at: int | None = None,
) -> Document:
    """Return the chain of reasons, in the words of the given plan, or of the first that uses the node.

    With `known_at` (microseconds of the wall clock), return the reasons as known then. Raise `Invalid` if that is not
    kept.
    """
    node = get_node(digest, user)
    plan_asked = plan_of(plan, user) if plan is not None else _find_using_plan(node, user)
    compiled, names = _load_compiled_plan(plan_asked, digest, user)
    if name is not None and name not in names:
        raise Missing(
            f"The plan's node {name!r} is not this one; that is {' or '.join(names)}.", code="not_in_plan"
        )
    shared = load_visible_streams(plan_asked, user)
    try:
        answer = trace_reasons(compiled, _Log(compiled, known_at), name or names[0], key, at)
    except UnknownKey:
        then = "" if known_at is None else " at that time"
        raise Missing(f"Nothing is known of the key {key!r}{then}.", code="unknown_key") from None
    return {
        "digest": digest,
        "plan": plan_asked.pk,
        "final_until": estimate_final_until(node, known_at),
        "as_of": node.as_of,
        "known_at": known_at,
        **answer,
        "chain": [_as_shared(link, shared) for link in answer["chain"]],
    }


def _as_shared(link: Mapping[str, Any], declarations: Mapping[str, StreamDeclaration]) -> Document:
    """Restrict a link to shared streams: of other events it contains only what the plan reads."""

    def narrow_boundary(boundary: Mapping[str, Any]) -> Document:
        stream = declarations.get(boundary["stream"])
        if stream is not None and stream.lent is None:
            return dict(boundary)
        lent = frozenset[str]() if stream is None else stream.lent or frozenset()
        events = [
            {name: value for name, value in event.items() if name in lent} for event in boundary["events"]
        ]
        return {**boundary, "events": events}

    return {**link, "events": [narrow_boundary(boundary) for boundary in link["events"]]}


def _find_using_plan(node: Node, user: User) -> Plan:
    """Return the first plan that names the node and that the user may read."""
    plans = select_readable(Plan.objects.filter(uses__node=node).exclude(uses__name=""), user)
    plan = plans.order_by("pk").first()
    if plan is None:
        hint = "Say which plan to speak of: ?plan=…"
        raise Missing(f"No running plan has a name for this node. {hint}", code="not_in_plan")
    return plan


def _load_compiled_plan(plan: Plan, digest: str, user: User) -> tuple[Compiled, list[str]]:
    """Return the running plan, or its draft, and the node's names in it.

    Anybody may put any stream into an own draft, so only problems that the user may know are reported.
    """
    refused: Refused | None = None
    for document in (plan.running_document, plan.document):
        try:
            if document is not None and document is not plan.running_document:
                compile_plan(document, load_visible_streams(plan, user))
            compiled = compile_plan(document, load_declarations(None)) if document is not None else None
        except Refused as error:
            refused = error
            continue
        names = [name for name, its in compiled.names.items() if its == digest] if compiled else []
        if compiled and names:
            return compiled, names
    if refused is not None:
        problems = [as_problem(problem.to_document()) for problem in refused.problems]
        raise PlanRefused(f"The plan “{plan.name}” cannot be read as it is.", problems=problems)
    raise Missing(f"The plan “{plan.name}” does not use this node.", code="not_in_plan")


class _Log:
    """The contents of the revision log and the landings, now or as known at an instant."""

    def __init__(self, compiled: Compiled, known_at: int | None) -> None:
        self.compiled, self.known_at = compiled, known_at
        self.points_left = MAX_POINTS_PER_WHY
        digests = set(compiled.names.values())
        self.nodes: Mapping[str, Node] = Node.objects.in_bulk(list(digests), field_name="digest")

    def _node(self, digest: str) -> Node:
        """Return a node with a log; a node of a draft may never have run."""
        if digest not in self.nodes:
            name = next(name for name, its in self.compiled.names.items() if its == digest)
            raise Missing(f"The plan's node {name!r} has never run. Run the plan first.", code="not_running")
        return self.nodes[digest]

    def read_timeline(self, digest: str, key: str) -> Seen | None:
        """Return a key's whole timeline."""
        node = self._node(digest)
        timeline = read_key_timeline(node, key, known_at=self.known_at, limit=self.points_left)
        if timeline is None:
            return None
        if timeline.next is not None:
            raise ApiError(
                f"The reasons of {key!r} reach through more than {MAX_POINTS_PER_WHY:,} changes: more than one answer "
                "reads. Ask for its revisions or its timeline instead, page by page.",
                code="too_many_points",
                status=422,
            )
        self.points_left -= len(timeline.points)
        return Seen(
            Kind(node.kind), timeline.points, timeline.birth, estimate_final_until(node, self.known_at)
        )

    def everyone(self, digest: str, at: int) -> Mapping[str, Member] | int:
        """Return every key with its value, or only their number if there are too many."""
        node = self._node(digest)
        keys = NodeKey.objects.filter(node=node).exclude(birth=OPEN)
        if self.known_at is not None:
            then = Revision.objects.filter(node_key=OuterRef("pk"), known_at__lte=self.known_at)
            keys = keys.filter(Exists(then))
        if (count := keys.count()) > MAX_KEYS_LISTED:
            return count
        births = dict(keys.values_list("key", "birth"))
        return {key: Member(birth, self._value(node, key, at)) for key, birth in births.items()}

    def _value(self, node: Node, key: str, at: int) -> Any:
        """Return the value at an instant, from the newest revision that covers it."""
        log = select_revisions_during(select_key_revisions(node, key), at, at + 1)
        if self.known_at is not None:
            log = log.filter(known_at__lte=self.known_at)
        pieces = log.values_list("pieces", flat=True).first() or []
        pieces_at = cut(Kind(node.kind), pieces, at, at + 1)
        return evaluate_point(Kind(node.kind), pieces_at[0], at) if pieces_at else None

    def events(self, stream: str, key: str, times: Sequence[int]) -> Mapping[int, FoundEvents]:
        """Return the landed events of some instants."""
        events_by_time = find_events(
            get_landing(self.compiled.streams[stream].folder), self.compiled.streams[stream], key, times
        )
        return {time: FoundEvents(events, complete) for time, (events, complete) in events_by_time.items()}

    def events_between(
        self, stream: str, key: str, stretches: Sequence[Stretch]
    ) -> Mapping[Stretch, FoundBetween]:
        """Return the landed events of some time ranges."""
        events_by_stretch = find_events_between(
            get_landing(self.compiled.streams[stream].folder), self.compiled.streams[stream], key, stretches
        )
        return {stretch: FoundBetween(*events) for stretch, events in events_by_stretch.items()}
