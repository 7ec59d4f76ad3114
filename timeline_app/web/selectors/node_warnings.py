"""What a node asks for and no event has so far, from figures that are kept already: nothing is silently missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User

from timeline_app.algebra.events import ARRIVAL, UNTIL
from timeline_app.algebra.kinds import OPEN, Kind
from timeline_app.compiler.program import FORMAT, Program
from timeline_app.operators import all_operators
from timeline_app.plan.paths import is_path
from timeline_app.plan.problems import Problem, make_warning, nearest
from timeline_app.plan.stream import MAX_SEEN_FIELDS, split_key
from timeline_app.web.errors import as_problem
from timeline_app.web.models import Node, NodeKey, Revision, Stream
from timeline_app.web.selectors.access import readable
from timeline_app.web.selectors.streams import declaration

MAX_KEYS = 100
"""Of so many keys, those that were revised last, the revisions are read."""
MAX_REVISIONS = 1_000
"""Keys of more revisions than that have said more than false."""


def list_node_warnings(node: Node, user: User) -> list[dict[str, Any]]:
    """Fields that no event of its streams has had, and a condition that no event has met."""
    steps = node.program.get("steps", ())
    if node.program.get("format") != FORMAT or any(step["op"] not in all_operators() for step in steps):
        return []
    program = Program.from_document(node.program)
    absent = list(_warn_of_fields(program.fields, user))
    warnings = absent or list(_warn_of_condition(node, program))
    return [as_problem(warning.to_document()) for warning in warnings]


def _warn_of_fields(fields: Mapping[str, tuple[str, ...]], user: User) -> Iterator[Problem]:
    """Of streams that the user may look at; of fields inside others not all are noted."""
    for stream in readable(Stream.objects.filter(name__in=fields), user):
        seen = stream.seen_fields
        if not stream.events or len(seen) >= MAX_SEEN_FIELDS:
            continue
        declared = declaration(stream)
        known = {*seen, ARRIVAL, UNTIL, *split_key(declared.key), declared.time}
        for name in fields[stream.name]:
            if name not in known and not is_path(name):
                message = (
                    f"none of the {stream.events:,} events of stream {stream.name} has had a field {name!r}"
                )
                hint = nearest(name, seen, "send events that have it, or ask for another field")
                yield make_warning("absent_field", message, hint, stream=stream.name, field=name)


def _warn_of_condition(node: Node, program: Program) -> Iterator[Problem]:
    """Of a node that has said false or 0 of each key since ever: no event has met its condition."""
    step = program.last
    counts = step.kind in (Kind.BOOL, Kind.NUMBER) and "field" not in step.params
    if step.stream is None or "where" not in step.params or not counts:
        return
    keys = NodeKey.objects.filter(node=node).exclude(birth=OPEN).order_by("-version", "-pk")
    chosen = list(keys.values_list("pk", flat=True)[: MAX_KEYS + 1])
    of_keys = Revision.objects.filter(node_key__in=chosen[:MAX_KEYS])
    rows = list(of_keys.values_list("pieces", flat=True)[: MAX_REVISIONS + 1])
    if not rows or len(rows) > MAX_REVISIONS or {piece[1] for pieces in rows for piece in pieces} - {False}:
        return
    whose = f"the {MAX_KEYS} keys that were revised last" if len(chosen) > MAX_KEYS else "its keys"
    message = f"of {whose}, none has an event that meets the condition {step.params['where']}"
    hint = "perhaps none has come yet; else look at the newest events of the stream for how they spell it"
    yield make_warning("unmet_condition", message, hint, port="where", stream=step.stream)
