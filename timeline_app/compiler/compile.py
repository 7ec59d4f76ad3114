"""From a plan document to programs, one for each distinct node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler.computation import Computation
from timeline_app.compiler.identity import build_computations
from timeline_app.compiler.program import Program
from timeline_app.compiler.rewrites import Table
from timeline_app.compiler.start import build_step, start_of
from timeline_app.compiler.step import FeedInput
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.operators import all_operators
from timeline_app.plan.check import Checked, check
from timeline_app.problems.problem import Refused


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled plan. `names` maps nodes to digests; `programs` has one program for each distinct node.

    `programs` is in topological order: feeds before those that read them. `checked` is the plan as drawn, and `table`
    its computations.
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
    names, table = build_computations(checked)
    needed = _select_needed(names, table)
    maker = _Maker(table, checked.streams)
    for digest in table:
        if digest in needed:
            maker.add(digest)
    return Compiled(names, checked.graph.results, maker.programs, checked, table)


def _select_needed(names: Mapping[str, str], table: Table) -> set[str]:
    """Return what has a name, and the inputs of what crosses keys, which are read from their feeds."""
    needed = set(names.values())
    for item in table.values():
        if all_operators()[item.op].across_keys is not None:
            needed |= {wire for wires in item.inputs.values() for wire in wires}
    return needed


class _Maker:
    """Makes programs; what lies below a node is known by the bits of a number, so that wide plans cost little."""

    def __init__(self, table: Table, streams: Mapping[str, StreamDeclaration]) -> None:
        self.programs: dict[str, Program] = {}
        self._table, self._streams = table, streams
        self._made = {digest: build_step(item) for digest, item in table.items()}
        self._crossing = {digest for digest, item in table.items() if _is_across_keys(item)}
        self._starts: dict[str, Timelines] = {}
        self._members: dict[str, int] = {}
        """By node, itself and all below it that its program holds, each as the bit of its place in the table."""
        bits = {digest: 1 << index for index, digest in enumerate(table)}
        for digest, item in table.items():
            member_bits = bits[digest]
            for wire in _iterate_wires(item):
                member_bits |= bits[wire] if {digest, wire} & self._crossing else self._members[wire]
            self._members[digest] = member_bits

    def add(self, digest: str) -> None:
        """The sub-graph below a node, cut where it crosses keys; the programs that it reads are there already."""
        spelled = reversed(f"{self._members[digest]:b}")
        members = [item for item, bit in zip(self._table, spelled, strict=False) if bit == "1"]
        cut = set(members) if digest in self._crossing else self._crossing
        feeds = [member for member in members if member != digest and member in cut]
        steps = tuple(self._made[member] for member in members if member == digest or member not in cut)
        used = {stream for step in steps for stream in step.streams}
        declared = {name: self._streams[name] for name in sorted(used)}
        self.programs[digest] = Program(steps, declared, tuple(map(self._feed, feeds)), (digest,))

    def _feed(self, digest: str) -> FeedInput:
        start = start_of(digest, self._table, self._streams, self._starts)
        return FeedInput(digest, self._table[digest].facts.kind, start, self.programs[digest].sources)


def _iterate_wires(item: Computation) -> Iterator[str]:
    return (wire for wires in item.inputs.values() for wire in wires)


def _is_across_keys(item: Computation) -> bool:
    return all_operators()[item.op].across_keys is not None
