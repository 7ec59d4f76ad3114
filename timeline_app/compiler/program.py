"""A program: what one query needs to compute its nodes, from events of streams or feeds of other nodes.

It is plain data, so that it travels to a Spark worker as JSON; `evaluate` runs it, with the same code in the local
evaluator and in the host.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from timeline_app.algebra.events import TEXT, Events
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind, Scalar
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler.step import FeedInput, Step
from timeline_app.events.declaration import StreamDeclaration

FORMAT = 3


@dataclass(frozen=True)
class Program:
    """The sub-graph below some nodes, cut at the feeds that it reads; inputs of steps come before them.

    `nodes` determines the meaning of its state. The `silent` ones are not computed any more.
    """

    steps: tuple[Step, ...]
    declarations: Mapping[str, StreamDeclaration]
    feeds: tuple[FeedInput, ...]
    nodes: tuple[str, ...]
    silent: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The identity of the node that it computes, of one that computes a single one."""
        (digest,) = self.nodes
        return digest

    @property
    def last(self) -> Step:
        """The step of that single node."""
        return self._by_digest[self.digest]

    @property
    def kind(self) -> Kind:
        """The kind of that single node's values."""
        return self.last.kind

    @cached_property
    def published(self) -> tuple[str, ...]:
        """The nodes whose timelines are computed and published."""
        return tuple(digest for digest in self.nodes if digest not in self.silent)

    @cached_property
    def live(self) -> tuple[Step, ...]:
        """The steps that the published nodes need, in order."""
        needed = set(self.published)
        for step in reversed(self.steps):
            if step.digest in needed:
                needed.update(wire for wires in step.inputs.values() for wire in wires)
        return tuple(step for step in self.steps if step.digest in needed)

    @cached_property
    def _by_digest(self) -> dict[str, Step]:
        return {step.digest: step for step in self.steps}

    def kind_of(self, digest: str) -> Kind:
        """Return the kind of the values of a node or step."""
        return self._by_digest[digest].kind

    @property
    def operator(self) -> str:
        """The name of the node's operator."""
        return self.last.op

    @property
    def across_keys(self) -> bool:
        """Whether its result is over groups of keys: then it is a single step that reads feeds."""
        return self.steps[-1].across_keys

    @property
    def additive(self) -> bool:
        """Whether the groups follow from sums of the keys' contributions."""
        step = self.steps[-1]
        across = step.operator.across_keys
        return across is not None and across.additive(step.parsed())

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams whose events it reads."""
        return tuple(sorted({stream for step in self.steps for stream in step.streams}))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The digests of the nodes whose feeds it reads."""
        return tuple(feed.digest for feed in self.feeds)

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The sorted fields that it uses, by stream."""
        fields_by_stream = {stream: set(self.declarations[stream].always_read) for stream in self.streams}
        for step in self.steps:
            for stream, fields in step.reads.items():
                ordered = step.operator.reads_streams and self.declarations[stream].id is None
                fields_by_stream[stream] |= fields | ({TEXT} if ordered else set())
        return {stream: tuple(sorted(fields)) for stream, fields in fields_by_stream.items()}

    @cached_property
    def lookback(self) -> dict[str, int]:
        """How far below an instant the events lie that decide a step's value then, in microseconds by digest.

        Events covered by its operators' `keeps` and `memory` are not counted.
        """
        lookbacks: dict[str, int] = {}
        for step in self.steps:
            below = (lookbacks.get(wire, 0) for wires in step.inputs.values() for wire in wires)
            step_lookback = step.lookback
            lookbacks[step.digest] = step_lookback + max(below, default=0)
        return lookbacks

    @cached_property
    def streams_below(self) -> dict[str, frozenset[str]]:
        """The streams from whose events a step is computed, by digest."""
        streams: dict[str, frozenset[str]] = {}
        for step in self.steps:
            below = [streams[wire] for wires in step.inputs.values() for wire in wires if wire in streams]
            streams[step.digest] = step.streams.union(*below)
        return streams

    @cached_property
    def sources_below(self) -> dict[str, frozenset[str]]:
        """The names of the progress rows (see `sources`) for the time below a step, by digest."""
        sources = {feed.digest: frozenset(map(feed.mark_of, feed.sources)) for feed in self.feeds}
        for step in self.steps:
            below = [sources[wire] for wires in step.inputs.values() for wire in wires]
            sources[step.digest] = step.streams.union(*below)
        return sources

    @cached_property
    def of_calendar(self) -> tuple[Step, ...]:
        """Its live steps with output up to a boundary that moves as time advances."""
        return tuple(step for step in self.live if step.operator.boundary is not None)

    @cached_property
    def timed(self) -> frozenset[str]:
        """The digests of these, and of all live steps above them."""
        timed = {step.digest for step in self.of_calendar}
        for step in self.live:
            if any(wire in timed for wires in step.inputs.values() for wire in wires):
                timed.add(step.digest)
        return frozenset(timed)

    def boundaries(self, frontiers: Mapping[str, int]) -> tuple[int, ...]:
        """Return the end of each such step's output, at these frontiers by progress row."""
        return tuple(step.boundary(self._frontier(step, frontiers)) for step in self.of_calendar)

    def foldable_until(self, frontiers: Mapping[str, int]) -> int:
        """Return the last instant at which keys may be summarized: output after the next boundary is unknown."""
        boundary = min(self.boundaries(frontiers), default=OPEN)
        return OPEN if boundary == OPEN else boundary - 1 - self.reach

    def _frontier(self, step: Step, frontiers: Mapping[str, int]) -> int:
        """Return the least over the streams below in which something has landed."""
        frontiers_below = (frontiers[mark] for mark in self.sources_below[step.digest] if mark in frontiers)
        return min(frontiers_below, default=BEGINNING)

    @cached_property
    def reach(self) -> int:
        """How far below an instant the events lie that decide what any of its nodes says then, microseconds."""
        return max(self.lookback[digest] for digest in self.nodes)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The names of the marks that it tells: its streams, and of each feed the sources behind its digest."""
        return (*self.streams, *(feed.mark_of(source) for feed in self.feeds for source in feed.sources))

    @cached_property
    def memories(self) -> dict[str, int]:
        """The number of integers that each step with a memory keeps per key, by digest."""
        return {step.digest: step.width for step in self.steps if step.operator.memory is not None}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The digests of the steps that remember a text of a key."""
        return tuple(step.digest for step in self.steps if step.remembers_text)

    def evaluate(
        self,
        events: Mapping[str, Events],
        results: dict[str, Timelines],
        last: int = BEGINNING,
        since: int = BEGINNING,
        carried: Mapping[str, Carried] = MappingProxyType({}),
        frontiers: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Add the timelines of all live steps to `results`: from events by stream, all over the same names.

        What `results` holds already by digest (the feeds, steps shared with another program) is taken from there.
        `last` is the greatest event time in the streams below; what lies before `since` need not be right. `carried`
        says by digest what steps remember of keys that are folded, `frontiers` by mark how far time has come.
        """
        for step in self.live:
            if step.digest not in results:
                remembered, frontier = carried.get(step.digest), self._frontier(step, frontiers)
                results[step.digest] = step.apply(events, results, last, since, remembered, frontier)

    def require_operators(self) -> None:
        """Raises `OtherOperator` where one that it needs is not here, or is another one by now."""
        for step in self.live:
            _ = step.operator

    def keeping_everything(self) -> Program:
        """Return the program without the retention of its streams."""
        declarations = {name: item.keeping_everything() for name, item in self.declarations.items()}
        return replace(self, declarations=declarations)

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "format": FORMAT,
            "nodes": list(self.nodes),
            "silent": list(self.silent),
            "steps": [
                {
                    "digest": step.digest,
                    "op": step.op,
                    "params": dict(step.params),
                    "inputs": {port: list(wires) for port, wires in step.inputs.items()},
                    "stream": step.stream,
                    "kind": step.kind.value,
                    **({"version": step.version} if step.version else {}),
                }
                for step in self.steps
            ],
            "streams": {name: item.to_program() for name, item in self.declarations.items()},
            "feeds": [
                {
                    "digest": item.digest,
                    "kind": item.kind.value,
                    "start": _spell(item.start),
                    "sources": list(item.sources),
                }
                for item in self.feeds
            ],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Program:
        """Restore a program from `to_document`; refuse another format."""
        if document.get("format") != FORMAT:
            raise ValueError(
                f"a program of format {document.get('format')!r} cannot be read; this reads {FORMAT}"
            )
        steps = tuple(
            Step(
                item["digest"],
                item["op"],
                item["params"],
                {port: tuple(wires) for port, wires in item["inputs"].items()},
                item["stream"],
                Kind(item["kind"]),
                item.get("version", ""),
            )
            for item in document["steps"]
        )
        streams = {
            name: StreamDeclaration.from_program(name, item) for name, item in document["streams"].items()
        }
        feeds = tuple(
            FeedInput(item["digest"], Kind(item["kind"]), _read(item["start"]), tuple(item["sources"]))
            for item in document["feeds"]
        )
        return cls(steps, streams, feeds, tuple(document["nodes"]), tuple(document["silent"]))


@lru_cache(maxsize=4_096)
def read_program(text: str) -> Program:
    """Return the program of a JSON text, cached."""
    return Program.from_document(json.loads(text))


def parse_program(document: Mapping[str, Any]) -> Program:
    """Return the program of a document, cached."""
    return read_program(json.dumps(document))


def _spell(start: Scalar) -> object:
    """Return a start value as JSON: a ratio as numerator and denominator."""
    return [start.real, start.imag] if isinstance(start, complex) else start


def _read(start: Any) -> Scalar:
    return complex(*start) if isinstance(start, list) else start
