"""What a plan document reads of its streams, also of one that is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from timeline_app.operators import operators
from timeline_app.plan.document import PlanNode, read_document
from timeline_app.plan.problems import Problems


def fields_read(document: object, before: object = None) -> dict[str, frozenset[str]]:
    """By stream, the fields of its events that nodes read; what cannot be understood reads nothing.

    Nodes that read just so in another document, the one `before`, are left out.
    """
    found: dict[str, frozenset[str]] = {}
    old: Mapping[str, PlanNode] = {} if before is None else read_document(before, Problems()).nodes
    for name, node in read_document(document, Problems()).nodes.items():
        if node.stream is not None and not _alike(node, old.get(name)):
            found[node.stream] = found.get(node.stream, frozenset()) | _fields(node)
    return found


def _alike(node: PlanNode, other: PlanNode | None) -> bool:
    return other is not None and (node.op, node.stream, node.params) == (other.op, other.stream, other.params)


def _fields(node: PlanNode) -> frozenset[str]:
    op = operators().get(node.op)
    found: set[str] = set()
    for parameter in op.parameters if op is not None and op.needs_stream else ():
        raw = node.params.get(parameter.name)
        try:
            found |= (
                set() if raw is None else {name for name, _ in parameter.type.uses(parameter.type.parse(raw))}
            )
        except ValueError:
            continue
    return frozenset(found)
