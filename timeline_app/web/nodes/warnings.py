"""Warnings about what a node asks of its events and none has, so that nothing is missing silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User

from timeline_app.algebra.events import ARRIVAL, TEXT, UNTIL
from timeline_app.algebra.kinds import OPEN, Kind
from timeline_app.compiler.program import FORMAT, Program
from timeline_app.evaluate.tables import build_table_of_landed
from timeline_app.evaluate.undefined_values import warn_of_other_types, warn_of_undefined
from timeline_app.events.declaration import MAX_SEEN_FIELDS, split_key
from timeline_app.events.paths import is_path
from timeline_app.operators import all_operators
from timeline_app.predicates.relations import list_expressions
from timeline_app.problems.problem import Problem, make_warning, suggest_nearest
from timeline_app.web.core.errors import as_problem
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.models import Node, NodeKey, Revision, Stream
from timeline_app.web.samples.selectors import load_newest_events
from timeline_app.web.streams.selectors import load_declaration

MAX_KEYS_CHECKED = 100
"""The keys that were revised last."""
MAX_EVENTS_CHECKED = 2_000
"""Of each stream, as many as the preview of the page reads."""
MAX_REVISIONS_CHECKED = 1_000
"""Keys with more revisions have had values other than false."""


def list_node_warnings(node: Node, user: User) -> list[dict[str, Any]]:
    """Return warnings about fields without events, unmet conditions, and values that count as missing."""
    steps = node.program.get("steps", ())
    if node.program.get("format") != FORMAT or any(step["op"] not in all_operators() for step in steps):
        return []
    program = Program.from_document(node.program)
    absent = list(_warn_of_fields(program.fields, user))
    warnings = [*(absent or _warn_of_condition(node, program)), *_warn_of_values(program, user)]
    return [as_problem(warning.to_document()) for warning in warnings]


def _warn_of_fields(fields: Mapping[str, tuple[str, ...]], user: User) -> Iterator[Problem]:
    """Check the streams that the user may read. Nested fields are not all recorded, so they are skipped."""
    for stream in select_readable(Stream.objects.filter(name__in=fields), user):
        seen_fields = stream.seen_fields
        if not stream.events or len(seen_fields) >= MAX_SEEN_FIELDS:
            continue
        declared = load_declaration(stream)
        known_fields = {*seen_fields, ARRIVAL, TEXT, UNTIL, *split_key(declared.key), *declared.time_fields}
        for name in fields[stream.name]:
            if name not in known_fields and not is_path(name):
                message = (
                    f"none of the {stream.events:,} events of stream {stream.name} has had a field {name!r}"
                )
                hint = suggest_nearest(
                    name, seen_fields, "send events that have it, or ask for another field"
                )
                yield make_warning("absent_field", message, hint, stream=stream.name, field=name)


def _warn_of_values(program: Program, user: User) -> Iterator[Problem]:
    """Warn of values of the newest events that the node reads or computes, but that count as missing."""
    step = program.last
    if step.stream is None or not select_readable(Stream.objects.filter(name=step.stream), user).exists():
        return
    declared, fields = program.declarations[step.stream], tuple(sorted(step.fields()))
    computed = any(True for value in step.parsed().values() for _ in list_expressions(value))
    if not computed and all(declared.kind_of(name) is Kind.TEXT for name in fields):
        return
    landed = load_newest_events([step.stream], MAX_EVENTS_CHECKED)[step.stream].table
    if not len(landed):
        return
    table = build_table_of_landed(landed, declared, fields)
    yield from warn_of_other_types(landed, table)
    for port, value in step.parsed().items():
        yield from warn_of_undefined(value, table, port, subject="newest ")


def _warn_of_condition(node: Node, program: Program) -> Iterator[Problem]:
    """Warn if the node has always been false or 0 for each key: no event has met its condition."""
    step = program.last
    counts = step.kind in (Kind.BOOL, Kind.NUMBER) and "field" not in step.params
    if step.stream is None or "where" not in step.params or not counts:
        return
    keys = NodeKey.objects.filter(node=node).exclude(birth=OPEN).order_by("-version", "-pk")
    chosen = list(keys.values_list("pk", flat=True)[: MAX_KEYS_CHECKED + 1])
    of_keys = Revision.objects.filter(node_key__in=chosen[:MAX_KEYS_CHECKED])
    rows = list(of_keys.values_list("pieces", flat=True)[: MAX_REVISIONS_CHECKED + 1])
    if (
        not rows
        or len(rows) > MAX_REVISIONS_CHECKED
        or {piece[1] for pieces in rows for piece in pieces} - {False}
    ):
        return
    subject = (
        f"the {MAX_KEYS_CHECKED} keys that were revised last"
        if len(chosen) > MAX_KEYS_CHECKED
        else "its keys"
    )
    message = f"of {subject}, none has an event that meets the condition {step.params['where']}"
    hint = "perhaps none has come yet; else look at the newest events of the stream for how they spell it"
    yield make_warning("unmet_condition", message, hint, port="where", stream=step.stream)
