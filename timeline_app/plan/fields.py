"""Finds the stream and field whose values a node has."""

from __future__ import annotations

from collections.abc import Mapping

from timeline_app.operators import Operator, operators
from timeline_app.plan.document import PlanNode, read_document
from timeline_app.problems.problem import Problems


def find_fields(document: object) -> dict[str, tuple[str, str]]:
    """Return the stream and field of each node that has a field's values. Nodes of any kind pass on their `of`."""
    nodes = read_document(document, Problems()).nodes
    fields = {name: _find_field(nodes, name) for name in nodes}
    return {name: field for name, field in fields.items() if field is not None}


def _find_field(nodes: Mapping[str, PlanNode], name: str) -> tuple[str, str] | None:
    path: set[str] = set()
    while (node := nodes.get(name)) is not None and name not in path:
        path.add(name)
        op = operators().get(node.op)
        if op is None or not _is_keeping_values(node, op):
            return None
        if op.needs_stream:
            return _own_field(node, op)
        name = next(iter(node.inputs.get("of", ())), "")
    return None


def _is_keeping_values(node: PlanNode, op: Operator) -> bool:
    chosen = (node.params.get(parameter.name) for parameter in op.parameters)
    return op.output is None or any(value in op.keeps_kind for value in chosen if isinstance(value, str))


def _own_field(node: PlanNode, op: Operator) -> tuple[str, str] | None:
    name = next(
        (parameter.name for parameter in op.parameters if parameter.describe()["type"] == "field"), ""
    )
    field = node.params.get(name)
    # An expression, which begins with `=`, is no field.
    if node.stream is None or not isinstance(field, str) or field.startswith("="):
        return None
    return node.stream, field
