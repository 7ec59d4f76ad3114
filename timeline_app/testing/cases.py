"""What an operator is tried on: small plans that end with it, and made-up events of their one stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

import orjson

from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled, Program, compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.operators import Operator, operators
from timeline_app.plan.reads import list_streams
from timeline_app.plan.text import read_text
from timeline_app.plan.versions.names import find_free_name
from timeline_app.problems.problem import Refused
from timeline_app.testing.points import JsonEvent, Shown, build_batches, group_points

KNOWN = "known_now"
"""A field of every stream: where it is not true, the law of unknown takes an input away."""
LONGEST, STEPS = 14, 24
"""The greatest number of events, and of half-second steps."""


@dataclass(frozen=True)
class Case:
    """A compiled plan whose last node has the operator; `values` are the possible values of its fields."""

    op: Operator
    document: Mapping[str, Any]
    compiled: Compiled
    node: str
    stream: str
    values: Mapping[str, Sequence[Any]]
    until_time: int | None = None

    def as_of(self, events: Sequence[JsonEvent]) -> Case:
        """Return the case at the time of the last of some events."""
        last = max(round(event["t"] * SECOND) for event in events)
        return replace(self, until_time=last)

    @property
    def program(self) -> Program:
        """What computes the node."""
        return self.compiled.programs[self.compiled.names[self.node]]

    def history(self, noise: Random) -> list[JsonEvent]:
        """Return some events in order of arrival: most in order of time, some late; fields are missing now and then."""
        count = noise.randint(1, LONGEST)
        ids = noise.sample(range(100, 999), count)
        events = [self._event(noise, f"e{number}") for number in ids]
        late = {event["id"]: noise.choice([0.0, 0.0, 0.0, 2.0, 6.0]) for event in events}
        return sorted(events, key=lambda event: (event["t"] + late[event["id"]], event["id"]))

    def _event(self, noise: Random, name: str) -> JsonEvent:
        event: JsonEvent = {
            "key": noise.choice(["s1", "s1", "s2"]),
            "t": noise.randint(0, STEPS) / 2,
            "id": name,
        }
        for field, values in self.values.items():
            if noise.random() < 0.7:
                event[field] = noise.choice(values)
        if self.until in event:
            event[self.until] = event["t"] + 1 + abs(event[self.until])
        return event

    @property
    def until(self) -> str | None:
        """The field with the end of a row, where the stream declares one."""
        text: str | None = self.document["streams"][self.stream].get("until")
        return text

    def moved(self, event: JsonEvent, by: float) -> JsonEvent:
        """Return the event this many seconds later; a row ends later, too."""
        return {**event, **{name: event[name] + by for name in ("t", self.until) if name and name in event}}

    def timelines(self, events: Sequence[JsonEvent], *names: str) -> dict[str, Timelines]:
        """Return what these nodes (the one alone, where none is named) say of all events, by name."""
        digests = {name: self.compiled.names[name] for name in names or (self.node,)}
        delivered = build_batches(self.compiled, {self.stream: events})
        timelines = evaluate(self.compiled, delivered, digests.values(), until=self.until_time)
        return {name: timelines[digest] for name, digest in digests.items()}

    def answer(self, events: Sequence[JsonEvent], node: str = "") -> dict[str, Shown]:
        """Return the points of a node (the last one) by key."""
        return group_points(self.timelines(events, node or self.node)[node or self.node])

    def wires(self) -> Iterator[tuple[str, int, str]]:
        """Yield the inputs: port, place there, name of the node."""
        for port, wired in self.document["nodes"][self.node].get("inputs", {}).items():
            for index, wire in enumerate([wired] if isinstance(wired, str) else wired):
                yield port, index, wire

    def counted(self) -> Case:
        """Return the plan with a further node that counts the operator's changes over all time."""
        facts = self.compiled.table[self.program.digest].facts
        above, counted = self._choose_names("above", "counted")
        node: dict[str, Any] = {"op": "changed_to", "inputs": {"of": self.node}}
        if facts.kind is Kind.BOOL:
            node = {"op": "duration_where", "inputs": {"of": self.node}}
        between = {}
        if facts.kind.is_line and not facts.steady:
            between = {above: {"op": "greater_than", "inputs": {"of": self.node}, "params": {"value": 0}}}
            node = {"op": "duration_where", "inputs": {"of": above}}
        document = {**self.document, "nodes": {**self.document["nodes"], **between, counted: node}}
        return replace(
            self,
            document=document,
            compiled=_compile(orjson.dumps(document), self.op.version),
            node=counted,
        )

    def _choose_names(self, *names: str) -> list[str]:
        """Return these names, or like them where the plan has a node of that name."""
        return [find_free_name(name, self.document["nodes"]) for name in names]

    def with_less(self, port: str, index: int, wire: str) -> Case:
        """Return the case with one input unknown while the field `known_now` is not true."""
        last = self.document["nodes"][self.node]
        wired = last["inputs"][port]
        known_name, less = self._choose_names("known", "less")
        inputs = {**last["inputs"], port: less if isinstance(wired, str) else _put(wired, index, less)}
        known_node = {"op": "latest_event_to_state", "stream": self.stream, "params": {"field": KNOWN}}
        nodes = {
            **self.document["nodes"],
            known_name: known_node,
            less: {"op": "when", "inputs": {"if": known_name, "of": wire}},
            self.node: {**last, "inputs": inputs},
        }
        document = {**self.document, "nodes": nodes}
        return replace(self, document=document, compiled=_compile(orjson.dumps(document), self.op.version))


@lru_cache(maxsize=256)
def _compile(document: bytes, _version: str) -> Compiled:
    """A plan is compiled once with each version of its operator."""
    return compile_plan(orjson.loads(document), {})


def build_cases(name: str, plans: Iterable[str], fields: Mapping[str, Sequence[Any]]) -> list[Case]:
    """Return the plan of the operator's example, and others.

    Raises `ValueError` where one cannot be used, with the hint.
    """
    op = operators().get(name)
    if op is None:
        raise ValueError(
            f"there is no operator {name}; start the tests with TIMELINE_OPERATORS set to the folder of its file"
        )
    if op.category == "keys":
        raise ValueError(f"{name} goes across keys, and the kit does not know the laws of that")
    example = op.example.declaration()
    delivered = op.example.delivered()
    values = {
        field: sorted({event[field] for event in delivered if field in event}, key=str)
        for field in example["fields"]
    }
    values = {field: _extend_values(value) for field, value in values.items()} | {
        field: list(result) for field, result in fields.items()
    }
    kinds = {field: _guess_kind(value) for field, value in values.items()}
    declared = {**example, "id": "id", "fields": {**kinds, KNOWN: "bool"}}
    return [
        _build_case(op, text, declared, {**values, KNOWN: [True, False]})
        for text in (op.example.text(), *plans)
    ]


def _build_case(
    op: Operator, text: str, declared: Mapping[str, Any], values: Mapping[str, Sequence[Any]]
) -> Case:
    try:
        document = read_text(text)
        node, last = list(document["nodes"].items())[-1]
        streams = {name for item in document["nodes"].values() for name in list_streams(item)}
        if last["op"] != op.name or len(streams) != 1:
            raise ValueError(f"the plan must read one stream and end with {op.name}: {text}")
        document = {**document, "streams": dict.fromkeys(streams, declared)}
        compiled = compile_plan(document, {})
    except Refused as refused:
        message = "; ".join(f"{problem.message}; {problem.hint}" for problem in refused.problems)
        raise ValueError(f"the plan cannot be used: {message}: {text}") from None
    if compiled.programs[compiled.names[node]].feeds:
        raise ValueError(f"the plan goes across keys below {op.name}, and may not: {text}")
    return Case(op, document, compiled, node, streams.pop(), values)


def _extend_values(values: Sequence[Any]) -> list[Any]:
    """Return values of a field, and others of their kind."""
    kind = _guess_kind(values)
    return (
        [True, False] if kind == "bool" else [*values, "other"] if kind == "text" else [*values, 0, 1, -2.5]
    )


def _guess_kind(values: Sequence[Any]) -> str:
    first = values[0]
    return "bool" if isinstance(first, bool) else "text" if isinstance(first, str) else "number"


def _put(wires: Sequence[str], index: int, instead: str) -> list[str]:
    return [instead if at == index else wire for at, wire in enumerate(wires)]
