"""From a checked plan to distinct computations: each node's identity is a digest of what it computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from timeline_app.algebra.events import ARRIVAL
from timeline_app.compiler.computation import Computation, compute_digest
from timeline_app.compiler.rewrites import Table, rewrite
from timeline_app.operators import operators
from timeline_app.plan.check import Checked
from timeline_app.plan.document import PlanNode
from timeline_app.predicates import Expression, Predicate
from timeline_app.times.zones import ZONE_DATA


def build_computations(checked: Checked) -> tuple[dict[str, str], Table]:
    """Return the digest of every node's name, and all distinct computations bottom-up, rewritten."""
    table = Table()
    names: dict[str, str] = {}
    for name in checked.graph.order:
        node = checked.graph.nodes[name]
        inputs = {port: tuple(names[wire] for wire in wires) for port, wires in node.inputs.items() if wires}
        names[name] = rewrite(_build_computation(checked, node, inputs), table)
    return names, table


def _build_computation(
    checked: Checked, node: PlanNode, inputs: Mapping[str, tuple[str, ...]]
) -> Computation:
    op, parsed = operators()[node.op], checked.params[node.name]
    types = {parameter.name: parameter.type for parameter in op.parameters}
    meant = checked.canonical_params(node)
    params = {name: types[name].spell(value) for name, value in sorted(meant.items())}
    identity: list[Any] | None = None
    values = list(parsed.values())
    if op.reads_streams:
        reads = op.reads(parsed).items()
        identity = [
            checked.streams[stream].identity(_list_fields(fields)) for stream, fields in sorted(reads)
        ]
        values = [where for _, fields in reads for where in fields]
    elif node.stream is not None:
        named = {field for name, value in parsed.items() for field, _ in types[name].uses(value)}
        used = tuple(sorted(named | {ARRIVAL} if op.by_arrival else named))
        identity = checked.streams[node.stream].identity(used)
    if identity is not None and any(map(_reads_zone, values)):
        identity.append(ZONE_DATA)
    facts = checked.nodes[node.name]
    digest = compute_digest(node.op, params, inputs, identity)
    return Computation(digest, node.op, params, inputs, node.stream, facts.facts, facts.groups, identity)


def _reads_zone(value: object) -> bool:
    """Return whether a parameter uses a time zone's clocks, whose data is then part of the computation."""
    return isinstance(value, Predicate | Expression) and value.reads_zone()


def _list_fields(conditions: Iterable[Predicate | None]) -> tuple[str, ...]:
    return tuple(sorted({name for where in conditions if where is not None for name in where.field_names()}))
