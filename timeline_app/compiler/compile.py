"""From a plan document to programs, one for each distinct node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timeline_app.compiler.computation import Computation
from timeline_app.compiler.identity import computations
from timeline_app.compiler.program import Program
from timeline_app.compiler.rewrites import Table
from timeline_app.compiler.start import start_of, step_of
from timeline_app.compiler.step import FeedInput, Step
from timeline_app.operators import operators
from timeline_app.plan.check import Checked, check
from timeline_app.plan.problems import Refused
from timeline_app.plan.stream import StreamDeclaration


@dataclass(frozen=True, slots=True)
class Compiled:
    """`names` gives the digest of each node of the plan; `programs` has one program for each distinct node.

    `programs` is in topological order: feeds before those that read them. `checked` is the plan as it was drawn, and
    `table` what its nodes compute.
    """

    names: Mapping[str, str]
    results: tuple[str, ...]
    programs: Mapping[str, Program]
    checked: Checked
    table: Table

    @property
    def streams(self) -> Mapping[str, StreamDeclaration]:
        """The streams that it may read, by name."""
        return self.checked.streams


def compile_plan(document: object, streams: Mapping[str, StreamDeclaration]) -> Compiled:
    """Compile a plan; raises `Refused` with every problem if it has errors."""
    checked = check(document, streams)
    if not checked.ok:
        raise Refused([problem for problem in checked.problems if problem.severity == "error"])
    names, table = computations(checked)
    needed = _needed(names, table)
    made = {digest: step_of(item) for digest, item in table.items()}
    programs: dict[str, Program] = {}
    for digest in table:
        if digest in needed:
            programs[digest] = _program(digest, table, made, checked.streams, programs)
    return Compiled(names, checked.graph.results, programs, checked, table)


def _needed(names: Mapping[str, str], table: Table) -> set[str]:
    """What has a name, and the inputs of what crosses keys, which are read from their feeds."""
    needed = set(names.values())
    for item in table.values():
        if operators()[item.op].across_keys is not None:
            needed |= {wire for wires in item.inputs.values() for wire in wires}
    return needed


def _program(
    digest: str,
    table: Table,
    made: Mapping[str, Step],
    streams: Mapping[str, StreamDeclaration],
    below: Mapping[str, Program],
) -> Program:
    """The sub-graph below a node, cut where it crosses keys; `made` has all steps, `below` what it may read."""
    steps: dict[str, Step] = {}
    feeds: dict[str, FeedInput] = {}
    todo: list[tuple[str, bool]] = [(digest, False)]
    while todo:
        current, ready = todo.pop()
        if current in steps or current in feeds:
            continue
        item = table[current]
        if current != digest and (_crosses(item) or _crosses(table[digest])):
            start = start_of(current, table, streams)
            feeds[current] = FeedInput(current, item.facts.kind, start, below[current].sources)
        elif ready:
            steps[current] = made[current]
        else:
            todo.append((current, True))
            todo += [(wire, False) for wires in item.inputs.values() for wire in wires]
    used = {step.stream for step in steps.values() if step.stream}
    return Program(
        tuple(steps.values()),
        {name: streams[name] for name in sorted(used)},
        tuple(feeds.values()),
        (digest,),
    )


def _crosses(item: Computation) -> bool:
    return operators()[item.op].across_keys is not None
