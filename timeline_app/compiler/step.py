"""What a program is made of: the operators that it runs, and the feeds that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from timeline_app.algebra.events import ARRIVAL, UNTIL, Events
from timeline_app.algebra.kinds import BEGINNING, Ints, Kind, Labels, Mask, Scalar
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators import Operator, all_operators
from timeline_app.operators.base import as_arguments


class OtherOperator(LookupError):
    """A custom operator that a program was compiled with is missing here, or has another version."""

    def __init__(self, step: Step, version: str | None) -> None:
        """`version` is that of the operator of this name here; None where there is none."""
        hint = "apply the plans that use it again, or put the earlier one back and start the product again"
        words = f"is another one than when this was started ({version or 'the product'}, was {step.version})"
        if version is None:
            words = "is not here any more"
            hint = "put it back (TIMELINE_OPERATORS) and start the product again, or take it out of the plans"
        super().__init__(f"the operator {step.op} {words}; {hint}")


@dataclass(frozen=True)
class Step:
    """One operator of a program; its inputs are digests of earlier steps or of feeds.

    `version` is set for a custom operator.
    """

    digest: str
    op: str
    params: Mapping[str, Any]
    inputs: Mapping[str, tuple[str, ...]]
    stream: str | None
    kind: Kind
    version: str = ""

    @property
    def operator(self) -> Operator:
        """The declaration of the operator; raises `OtherOperator`."""
        operator = all_operators().get(self.op)
        if operator is None or operator.version != self.version:
            raise OtherOperator(self, None if operator is None else operator.version)
        return operator

    @property
    def across_keys(self) -> bool:
        """Whether it goes from keys to groups."""
        operator = all_operators().get(self.op)
        return operator is not None and operator.across_keys is not None

    def parsed(self) -> Mapping[str, Any]:
        """Return the parameters as the operator's function takes them."""
        return self._parsed

    @cached_property
    def _parsed(self) -> Mapping[str, Any]:
        types = {parameter.name: parameter.type for parameter in self.operator.parameters}
        return MappingProxyType({name: types[name].parse(value) for name, value in self.params.items()})

    @property
    def streams(self) -> frozenset[str]:
        """The streams that it reads itself, which needs no operator where the step names its stream."""
        return frozenset(self.reads if self.stream is None else {self.stream})

    @cached_property
    def reads(self) -> Mapping[str, frozenset[str]]:
        """The streams that it reads directly, each with the fields that it uses."""
        if self.stream is not None:
            return {self.stream: frozenset(self.fields())}
        operator = all_operators().get(self.op)
        if operator is None or not operator.reads_streams:
            return {}
        return {
            stream: frozenset(
                name for where in conditions if where is not None for name in where.field_names()
            )
            for stream, conditions in operator.reads(self.parsed()).items()
        }

    def fields(self) -> set[str]:
        """Return the fields of its stream that it uses."""
        types = {parameter.name: parameter.type for parameter in self.operator.parameters}
        named = {field for name, value in self.parsed().items() for field, _ in types[name].uses(value)}
        extra_fields = ((ARRIVAL, self.operator.by_arrival), (UNTIL, self.operator.reads_until))
        return named | {name for name, asks in extra_fields if asks}

    def apply(
        self,
        events: Mapping[str, Events],
        results: Mapping[str, Timelines],
        last: int = BEGINNING,
        since: int = BEGINNING,
        carried: Carried | None = None,
        frontier: int = BEGINNING,
    ) -> Timelines:
        """Run the operator on what came before it (see `Program.evaluate`)."""
        context = {"kind": self.kind, "last": last, "since": since, "carried": carried, "frontier": frontier}
        return self.operator.run(self._inputs(events, results), self.parsed(), context)

    def read(
        self,
        events: Mapping[str, Events],
        results: Mapping[str, Timelines],
        at: Ints,
        carried: Carried | None,
    ) -> Ints:
        """Return an operator's memory at each key's instant: (keys, width)."""
        assert self.operator.memory is not None
        return self.operator.memory.read(**self._given(events, results), at=at, carried=carried)

    def read_texts(
        self,
        events: Mapping[str, Events],
        results: Mapping[str, Timelines],
        at: Ints,
        carried: Carried | None,
    ) -> Labels:
        """Return the text that an operator remembers instead at each key's instant."""
        memory = self.operator.memory
        assert memory is not None
        assert memory.texts is not None
        return memory.texts(**self._given(events, results), at=at, carried=carried)

    @property
    def width(self) -> int:
        """How many whole numbers it remembers of a key."""
        memory = self.operator.memory
        return 0 if memory is None or self.remembers_text else memory.width

    @property
    def lookback(self) -> int:
        """How far below an instant what it is computed from decides what it says then, microseconds."""
        lookback = self.operator.lookback
        return 0 if lookback is None else lookback({**self.parsed(), **self.inputs})

    @property
    def remembers_text(self) -> bool:
        """Whether its memory is a text instead."""
        memory = self.operator.memory
        return memory is not None and memory.texts is not None and self.kind is Kind.TEXT

    def boundary(self, frontier: int) -> int:
        """Return the end of a calendar operator's output."""
        assert self.operator.boundary is not None
        return self.operator.boundary(self.parsed(), frontier)

    def keeps(self, events: Events, at: Ints) -> Iterator[Mask]:
        """Yield which events of its stream up to each key's instant a leaf still needs."""
        if self.operator.keeps is not None:
            yield self.operator.keeps(events, at, **as_arguments(self.parsed()))

    def _given(self, events: Mapping[str, Events], results: Mapping[str, Timelines]) -> dict[str, Any]:
        return as_arguments({**self._inputs(events, results), **self.parsed()})

    def ports(self, results: Mapping[str, Timelines]) -> dict[str, Any]:
        """Return the timelines of its inputs by port; a list where a port takes several."""
        many = {port.name for port in self.operator.ports if port.many}
        return {
            port: [results[wire] for wire in wires] if port in many else results[wires[0]]
            for port, wires in self.inputs.items()
        }

    def _inputs(self, events: Mapping[str, Events], results: Mapping[str, Timelines]) -> dict[str, Any]:
        inputs = self.ports(results)
        if self.stream is not None:
            inputs["events"] = events[self.stream]
        elif self.operator.reads_streams:
            inputs["events"] = {stream: events[stream] for stream in sorted(self.streams)}
        return inputs


@dataclass(frozen=True, slots=True)
class FeedInput:
    """The timelines of another node, read from its feed.

    `start` is the value of a key that it does not have; `sources` are the names of the marks that speak of the node.
    """

    digest: str
    kind: Kind
    start: Scalar
    sources: tuple[str, ...]

    def mark_of(self, source: str) -> str:
        """Return the name of the mark that says how far a source has come in this feed."""
        return f"{self.digest}/{source}"
