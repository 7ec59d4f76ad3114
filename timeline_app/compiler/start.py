"""The value of a node for a key without events, which replaces what a feed does not contain."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from timeline_app.algebra.events import UNTIL, Column, Events
from timeline_app.algebra.kinds import NO_LABELS, OPEN, Ints, Labels, Scalar
from timeline_app.algebra.names import start_value
from timeline_app.algebra.timelines import Timelines, build_constant
from timeline_app.compiler.computation import Computation
from timeline_app.compiler.rewrites import Table
from timeline_app.compiler.step import Step
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.operators import all_operators

_NOBODY: Labels = np.array([""], dtype=object)
_UNBORN: Ints = np.full(1, OPEN, dtype=np.int64)


def build_step(item: Computation) -> Step:
    """Return a computation as a step of a program."""
    version = all_operators()[item.op].version
    return Step(item.digest, item.op, item.params, item.inputs, item.stream, item.facts.kind, version)


def start_of(
    digest: str, table: Table, streams: Mapping[str, StreamDeclaration], computed: dict[str, Timelines]
) -> Scalar:
    """Evaluate the node on a key that has no events; what crosses keys declares its own start.

    `found` keeps what was evaluated for other nodes of the table: each is evaluated once.
    """
    for current in _list_below(digest, table, computed):
        item = table[current]
        start = all_operators()[item.op].start
        if start is None:
            computed[current] = _evaluate(build_step(item), streams, computed)
        else:
            value = start_value(item.facts.kind, start(item.params))
            computed[current] = build_constant(item.facts.kind, _NOBODY, _UNBORN, value)
    return computed[digest].scalar(0)


def _evaluate(
    step: Step, streams: Mapping[str, StreamDeclaration], computed: dict[str, Timelines]
) -> Timelines:
    nobody = {stream: _build_empty_events(streams[stream], fields) for stream, fields in step.reads.items()}
    return step.apply(nobody, computed)


def _build_empty_events(declaration: StreamDeclaration, names: Collection[str]) -> Events:
    nothing = np.empty(0, dtype=np.int64)
    kinds = {name: declaration.kind_of(name) for name in names}
    dtypes = {name: nothing.dtype if name == UNTIL else kind.dtype for name, kind in kinds.items()}
    fields = {name: Column(kind, np.empty(0, dtypes[name]), NO_LABELS) for name, kind in kinds.items()}
    return Events(_NOBODY, _UNBORN, nothing, nothing, fields, None)


def _list_below(digest: str, table: Table, computed: Collection[str]) -> list[str]:
    """The node and what it is computed from, inputs first; nothing below what declares its start or is `found`."""
    order: dict[str, None] = {}
    todo = [(digest, False)]
    while todo:
        current, ready = todo.pop()
        if current in order or current in computed:
            continue
        item = table[current]
        if ready or all_operators()[item.op].start is not None:
            order[current] = None
        else:
            todo.append((current, True))
            wires = (wire for wires in item.inputs.values() for wire in wires)
            todo += [(wire, False) for wire in wires if wire not in order and wire not in computed]
    return list(order)
