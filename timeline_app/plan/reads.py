"""What a plan document reads of its streams, also of one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain

from timeline_app.operators import operators
from timeline_app.plan.document import PlanNode, read_document
from timeline_app.problems.problem import Problems


def collect_read_fields(document: object, before: object = None) -> dict[str, frozenset[str]]:
    """Return by stream the fields of its events that nodes read; invalid nodes read nothing.

    Nodes that read the same in the document `before` are left out.
    """
    fields_by_stream: dict[str, frozenset[str]] = {}
    old: Mapping[str, PlanNode] = {} if before is None else read_document(before, Problems()).nodes
    for name, node in read_document(document, Problems()).nodes.items():
        if not _are_reads_equal(node, old.get(name)):
            for stream, fields in _collect_fields_by_stream(node).items():
                fields_by_stream[stream] = fields_by_stream.get(stream, frozenset()) | fields
    return fields_by_stream


def list_streams(node: object) -> Iterator[str]:
    """Yield the streams that a node of an unchecked document names: its own, and those of its parameters."""
    if not isinstance(node, Mapping):
        return
    params = node.get("params")
    listed = (
        [item for item in params.values() if isinstance(item, list)] if isinstance(params, Mapping) else []
    )
    for entry in (node, *chain.from_iterable(listed)):
        name = entry.get("stream") if isinstance(entry, Mapping) else None
        if isinstance(name, str):
            yield name


def _collect_fields_by_stream(node: PlanNode) -> dict[str, frozenset[str]]:
    op = operators().get(node.op)
    if op is None or not op.reads_streams:
        return {} if node.stream is None else {node.stream: _collect_fields(node)}
    fields_by_stream: dict[str, frozenset[str]] = {}
    for parameter in op.parameters:
        with suppress(ValueError):
            raw = node.params.get(parameter.name)
            for stream, where in parameter.type.reads(() if raw is None else parameter.type.parse(raw)):
                fields = () if where is None else where.field_names()
                fields_by_stream[stream] = fields_by_stream.get(stream, frozenset()).union(fields)
    return fields_by_stream


def _are_reads_equal(node: PlanNode, other: PlanNode | None) -> bool:
    return other is not None and (node.op, node.stream, node.params) == (other.op, other.stream, other.params)


def _collect_fields(node: PlanNode) -> frozenset[str]:
    op = operators().get(node.op)
    names: set[str] = set()
    for parameter in op.parameters if op is not None and op.takes_stream else ():
        raw = node.params.get(parameter.name)
        try:
            names |= (
                set() if raw is None else {name for name, _ in parameter.type.uses(parameter.type.parse(raw))}
            )
        except ValueError:
            continue
    return frozenset(names)
