"""What of a plan is right already: a draft with an unfinished node still computes all others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.compiler.compile import Compiled, compile_plan
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.plan.check import check
from timeline_app.problems.problem import Problem, Refused


@dataclass(frozen=True, slots=True)
class Part:
    """The nodes that can be computed, and by name why the others cannot: a problem of theirs or of what they read."""

    compiled: Compiled
    left_out: Mapping[str, Problem]
    document: Mapping[str, Any]

    def without(self, problems: Mapping[str, Problem]) -> Part:
        """Return the part without these nodes and all that read them. Raises `Refused` where nothing is left."""
        left_out = {**self.left_out, **_add_readers(self.document["nodes"], problems)}
        document = _omit_nodes(self.document, left_out)
        if not document["nodes"]:
            raise Refused(list(problems.values()))
        return Part(compile_plan(document, self.compiled.streams), left_out, document)


def compile_part(document: object, streams: Mapping[str, StreamDeclaration]) -> Part:
    """Leave out nodes with problems and all that read them; raises `Refused` where nothing is left, or all is wrong."""
    left_out: dict[str, Problem] = {}
    while True:
        problems = [problem for problem in check(document, streams).problems if problem.severity == "error"]
        if not problems:
            assert isinstance(document, Mapping)
            return Part(compile_plan(document, streams), left_out, document)
        nodes = document.get("nodes") if isinstance(document, Mapping) else None
        problems_by_node = {item.node: item for item in reversed(problems) if item.node is not None}
        if (
            not isinstance(document, Mapping)
            or not isinstance(nodes, Mapping)
            or not problems_by_node.keys() & nodes.keys()
        ):
            raise Refused(problems)
        left_out |= _add_readers(nodes, problems_by_node)
        document = _omit_nodes(document, left_out)
        if not document["nodes"]:
            raise Refused(problems)


def _add_readers(nodes: Mapping[str, Any], problems: Mapping[str, Problem]) -> dict[str, Problem]:
    readers: dict[str, list[str]] = {}
    for name, node in nodes.items():
        for wire in _iterate_wires(node):
            readers.setdefault(wire, []).append(name)
    left_out, todo = dict(problems), list(problems)
    while todo:
        source = todo.pop()
        for name in readers.get(source, ()):
            if name not in left_out:
                reason = f"reads {source}, which has a problem"
                left_out[name] = Problem(name, None, "reads_a_problem", reason, left_out[source].message)
                todo.append(name)
    return left_out


def _iterate_wires(node: Any) -> Iterable[str]:
    inputs = node.get("inputs") if isinstance(node, Mapping) else None
    for wire_or_list in inputs.values() if isinstance(inputs, Mapping) else ():
        yield from (
            wire
            for wire in (wire_or_list if isinstance(wire_or_list, list) else [wire_or_list])
            if isinstance(wire, str)
        )


def _omit_nodes(document: Mapping[str, Any], problems: Mapping[str, Problem]) -> Mapping[str, Any]:
    nodes = {name: node for name, node in document["nodes"].items() if name not in problems}
    results = document.get("results")
    results_left = (
        [name for name in results if name not in problems] if isinstance(results, list) else results
    )
    return {**document, "nodes": nodes} | ({} if results is None else {"results": results_left})
