"""`evaluate --why`: the chain of reasons from whole collections of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from timeline_app.algebra.fold import to_points
from timeline_app.compiler import Compiled
from timeline_app.compiler.boundary_events import Event
from timeline_app.compiler.why import Document, FoundBetween, FoundEvents, Stretch, UnknownKey, trace_reasons
from timeline_app.evaluate.engine import Delivered, compute_finality, evaluate, list_fields
from timeline_app.evaluate.request import BadRequest
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.columns import code_texts
from timeline_app.events.validate import EventBatch
from timeline_app.landing.key_lookup import iterate_key_events
from timeline_app.operators.reasons import Member, Seen, evaluate_point
from timeline_app.problems.problem import suggest_nearest


def explain(
    compiled: Compiled, delivered: Delivered, node: str, key: str, at: int, until: int | None = None
) -> Document:
    """Explain the value of a node for a key at an instant. Raises `UnknownKey`."""
    everything = _Everything(compiled, delivered, list_nodes_below(compiled, node), until)
    return trace_reasons(compiled, everything, node, key, at)


def check_question(nodes: list[str], keys: list[str], at: int | None, engine: str) -> None:
    """Refuse to say why of anything but one node, one key and one instant."""
    if len(nodes) != 1 or len(keys) != 1 or at is None:
        raise BadRequest(
            "--why needs exactly one node, one key and an instant: --node NAME --key KEY --at TIME"
        )
    if engine != "local":
        raise BadRequest(f"--why is answered by the local engine; leave out --engine {engine}")


def explain_answer(
    compiled: Compiled,
    delivered: Delivered,
    nodes: list[str],
    keys: list[str],
    at: int | None,
    until: int | None = None,
) -> Iterator[Document]:
    """Explain the one answer to a question that was checked.

    Raises `BadRequest` where the node does not know the key.
    """
    assert at is not None
    everything = _Everything(compiled, delivered, list_nodes_below(compiled, nodes[0]), until)
    try:
        yield trace_reasons(compiled, everything, nodes[0], keys[0], at)
    except UnknownKey:
        known_keys = everything.timelines[compiled.names[nodes[0]]].names.tolist()
        hint = suggest_nearest(keys[0], known_keys, "there are no events")
        raise BadRequest(f"{nodes[0]} has no timeline of the key {keys[0]!r}; {hint}") from None


def list_nodes_below(compiled: Compiled, node: str) -> list[str]:
    """Return the node and all nodes of the plan that it is computed from, by name."""
    nodes, below = compiled.checked.graph.nodes, {node: None}
    todo = [node]
    while todo:
        wires = [wire for wires in nodes[todo.pop()].inputs.values() for wire in wires if wire not in below]
        below |= dict.fromkeys(wires)
        todo += wires
    return list(below)


class _Everything:
    """All timelines and events are here; an index makes a key quick to find."""

    def __init__(
        self, compiled: Compiled, delivered: Delivered, nodes: Iterable[str], until: int | None
    ) -> None:
        digests = {compiled.names[name] for name in nodes}
        self.timelines = evaluate(compiled, delivered, digests, until=until)
        self.final = compute_finality(compiled, delivered, until)
        fields = list_fields(compiled, digests)
        self.tables = {
            name: EventTable.from_batch(item, fields.get(name, ())) if isinstance(item, EventBatch) else item
            for name, item in delivered.items()
        }

    def read_timeline(self, digest: str, key: str) -> Seen | None:
        item = self.timelines[digest]
        places = np.flatnonzero(item.names == key)
        if not len(places):
            return None
        timeline = item.take(places)
        return Seen(item.kind, to_points(timeline), int(timeline.birth[0]), self.final[digest])

    def everyone(self, digest: str, at: int) -> Mapping[str, Member] | int:
        item = self.timelines[digest]
        starts = item.offsets[:-1]
        rows = starts + np.add.reduceat(item.time <= at, starts) - 1 if item.size else starts
        pieces = replace(
            item,
            offsets=np.arange(item.size + 1),
            time=item.time[rows],
            value=item.value[rows],
            slope=item.slope[rows],
        )
        keys_with_points = zip(item.names.tolist(), item.birth.tolist(), to_points(pieces), strict=True)
        return {
            name: Member(birth, evaluate_point(item.kind, point, at))
            for name, birth, point in keys_with_points
        }

    def events(self, stream: str, key: str, times: Sequence[int]) -> Mapping[int, FoundEvents]:
        result: dict[int, list[Event]] = {time: [] for time in times}
        for time, event in self._all_events(stream, key):
            if time in result:
                result[time].append(event)
        return {time: FoundEvents(events) for time, events in result.items()}

    def events_between(
        self, stream: str, key: str, stretches: Sequence[Stretch]
    ) -> Mapping[Stretch, FoundBetween]:
        events = list(self._all_events(stream, key))
        return {
            (first, last): FoundBetween([item for item in events if first <= item[0] <= last])
            for first, last in stretches
        }

    def _all_events(self, stream: str, key: str) -> Iterator[tuple[int, Event]]:
        item = self.tables[stream]
        rows_of_key = np.flatnonzero(code_texts(item.table["key"], pa.array([key], pa.string())) == 0)
        rows_table, texts = item.table.take(pa.array(rows_of_key)), item.texts
        return iterate_key_events(
            rows_table, item.declaration, item.fields, key, lambda rows: texts(rows_of_key[rows])
        )
