"""Decides which nodes one query may compute together: those of one region of a plan, with the same keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from timeline_app.compiler.program import Program
from timeline_app.compiler.step import FeedInput, Step
from timeline_app.events.declaration import StreamDeclaration

ISOLATED, TOGETHER = "isolated", "together"
PLACEMENTS = (ISOLATED, TOGETHER)


def group_nodes(programs: Mapping[str, Program], placement: str) -> list[tuple[str, ...]]:
    """Group digests by query; `programs` holds feeds before those that read them.

    A group contains nodes that are joined by wires or streams, with the same number of key changes below them. A node
    that changes keys is always alone.
    """
    if placement == ISOLATED:
        return [(digest,) for digest in programs]
    depths = _compute_depths(programs)
    region: dict[object, object] = {}
    for digest, program in programs.items():
        if not program.across_keys:
            for member in (*program.streams, *program.inputs, *(step.digest for step in program.steps)):
                _join_sets(region, (depths[digest], digest), (depths[digest], member))
    groups: dict[object, list[str]] = {}
    for digest, program in programs.items():
        alone = (digest,) if program.across_keys else _find_root(region, (depths[digest], digest))
        groups.setdefault(alone, []).append(digest)
    return [tuple(digests) for digests in groups.values()]


def merge_programs(programs: Sequence[Program]) -> Program:
    """Return one program for the nodes of several, whose common steps it has once; none of them may change keys."""
    if len(programs) == 1:
        return programs[0]
    steps: dict[str, Step] = {}
    declarations: dict[str, StreamDeclaration] = {}
    feeds: dict[str, FeedInput] = {}
    for program in programs:
        steps |= {step.digest: step for step in program.steps}
        declarations |= program.declarations
        feeds |= {item.digest: item for item in program.feeds}
    ordered = _sort_steps(steps)
    nodes = tuple(node for program in programs for node in program.nodes)
    declared = {name: declarations[name] for name in sorted(declarations)}
    return Program(ordered, declared, tuple(feeds.values()), nodes)


def _sort_steps(steps: Mapping[str, Step]) -> tuple[Step, ...]:
    """Inputs before what reads them."""
    sorted_steps: dict[str, Step] = {}
    todo = [(digest, False) for digest in reversed(list(steps))]
    while todo:
        digest, ready = todo.pop()
        if digest in sorted_steps or digest not in steps:
            continue
        if ready:
            sorted_steps[digest] = steps[digest]
        else:
            todo.append((digest, True))
            todo += [(wire, False) for wires in steps[digest].inputs.values() for wire in wires]
    return tuple(sorted_steps.values())


def _compute_depths(programs: Mapping[str, Program]) -> dict[str, int]:
    """Return by digest the greatest number of key changes below a node, including its own."""
    depths: dict[str, int] = {}
    for digest, program in programs.items():
        below: Iterable[int] = (depths[item] for item in program.inputs)
        depths[digest] = max(below, default=0) + program.across_keys
    return depths


def _find_root(parents: dict[object, object], member: object) -> object:
    while parents.setdefault(member, member) != member:
        member = parents[member]
    return member


def _join_sets(parents: dict[object, object], left: object, right: object) -> None:
    parents[_find_root(parents, left)] = _find_root(parents, right)
