"""The referee: what every operator means, one key at a time, slow and obviously right.

It is written from the contract alone. Numbers are fractions (a JSON number is the decimal that it is written as), and
timelines are lists of points; every instant at which anything could change is examined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.predicates.conditions import COMPUTED, TIMED
from tests.referee.calendar import CALENDAR, OVER_PERIODS
from tests.referee.collection import JsonEvent, Stream
from tests.referee.derived import ARITHMETIC, derive_points
from tests.referee.functions import FUNCTIONS
from tests.referee.groups import (
    Groups,
    Member,
    aggregate_members,
    answer_nobody,
    find_aggregated_sort,
    group_of,
    list_grid,
)
from tests.referee.instants import list_becomes_true, select_qualifying, since, time_since, value_at
from tests.referee.leaves import LEAVES, select_matching
from tests.referee.points import Point, Points, Ratio
from tests.referee.sequences import (
    SEQUENCES,
    Machine,
    list_streams,
    play_events,
    sequence,
    sequence_count,
    sequence_duration,
)
from tests.referee.windows import RECENT

__all__ = ["JsonEvent", "Point", "Points", "Ratio", "Referee"]

_CLIMBING = ("duration_where", "duration_in_current_state", "integral", "time_since")
_TEXTS = ("sequence",)
MEETING: dict[str, Callable[[Points, list[int], str], Points]] = {
    "value_at": value_at,
    "since": since,
    "time_since": lambda _, times, __: time_since(times),
}
_STEADY = (
    *FUNCTIONS,
    "event_count",
    "event_sum",
    "changed_to",
    "count_within",
    "sum_within",
    "values_within",
    "max_within",
    "min_within",
    "running_max",
    "running_min",
    "increase",
    "per",
    "sequence_count",
    "sequence_duration",
)


@dataclass
class Referee:
    """Judges one plan document (which declares its streams) on events by stream, in any order of delivery."""

    plan: Mapping[str, Any]
    events: Mapping[str, Sequence[JsonEvent]]
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.streams = {name: Stream.from_document(item) for name, item in self.plan["streams"].items()}
        self.keys = {name: item.collection(self.events.get(name, ())) for name, item in self.streams.items()}

    def answer(self, node: str) -> dict[str, Points]:
        """Return the timelines of every key that was born."""
        result = {key: self.state(node, key) for key in self.names(node)}
        return {key: points for key, (birth, points) in result.items() if birth is not None}

    def final_until(self, node: str) -> int | None:
        """Return the instant before which everything is final."""
        ends = [self._final(stream) for stream in self.below(node)]
        return min((end for end in ends if end is not None), default=None) if None not in ends else None

    def _final(self, stream: str) -> int | None:
        last = self.last_event({stream})
        return None if last is None else last - self.streams[stream].lateness

    def last_event(self, streams: set[str]) -> int | None:
        """Return the greatest time that was seen in these streams."""
        seen = [self.streams[name].event(raw).time for name in streams for raw in self.events.get(name, ())]
        return max(seen, default=None)

    def frontier(self, node: str) -> int | None:
        """Return how far time has come: that of the slowest stream with events."""
        landed = [self.last_event({stream}) for stream in self.below(node)]
        return min((last for last in landed if last is not None), default=None)

    def wires(self, node: str) -> dict[str, list[str]]:
        """Return the inputs by port."""
        wired = self.plan["nodes"][node].get("inputs", {})
        return {port: wires if isinstance(wires, list) else [wires] for port, wires in wired.items()}

    def inputs(self, node: str) -> list[str]:
        return [name for wires in self.wires(node).values() for name in wires]

    def below(self, node: str) -> set[str]:
        """Return the streams that a node depends on."""
        if ("below", node) not in self.memory:
            result = {name for below in self.inputs(node) for name in self.below(below)}
            self.memory["below", node] = result | self.read(node)
        known_so_far: set[str] = self.memory["below", node]
        return known_so_far

    def read(self, node: str) -> set[str]:
        """Return the streams that a node reads directly."""
        item = self.plan["nodes"][node]
        if item["op"] == "sequence":
            return list_streams(item["params"])
        return {item["stream"]} if "stream" in item else set()

    def kind(self, node: str) -> str:
        """Return the kind of a node: bool, text or number."""
        return {"climbing": "number", "ratio": "number"}.get(self.sort(node), self.sort(node))

    def sort(self, node: str) -> str:
        """Return the kind, with numbers divided into number (steady), climbing and ratio."""
        if ("sort", node) not in self.memory:
            item = self.plan["nodes"][node]
            self.memory["sort", node] = "text" if item["op"] in _TEXTS else self._sort(item, self.wires(node))
        return str(self.memory["sort", node])

    def _sort_of_field(self, stream: str, field: str) -> str:
        computed, _ = {**COMPUTED, **TIMED}.get(field.removeprefix("= "), (None, None))
        return computed or str(self.streams[stream].types.get(field, "text"))

    def _sort(self, item: Mapping[str, Any], wires: Mapping[str, list[str]]) -> str:
        op = item["op"]
        if op == "constant":
            value = item["params"]["value"]
            return "bool" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
        if op == "latest_event_to_state" or item.get("params", {}).get("function") in ("first", "last"):
            return self._sort_of_field(item["stream"], item["params"]["field"])
        kinds = {port: self.sort(names[0]) for port, names in wires.items()}
        if op == "aggregate":
            return find_aggregated_sort(item["params"].get("function", "sum"), kinds["of"])
        if op in ("shift", "so_far", "previous_value", "since", "value_at"):
            moves = op == "value_at" and kinds["of"] in ("climbing", "ratio")
            return "number" if moves else kinds["of"]
        if op == "when":
            return _widest(kinds["of"], kinds.get("otherwise", kinds["of"]))
        if op == "mean_within" or (op == "divide" and kinds.get("other") == "climbing"):
            return "ratio"
        if op in (*ARITHMETIC, "maximum", "minimum", "absolute"):
            return _widest(*kinds.values())
        return "climbing" if op in _CLIMBING else "number" if op in _STEADY else "bool"

    def names(self, node: str) -> set[str]:
        """Return every key that a node could have."""
        item = self.plan["nodes"][node]
        if item["op"] == "aggregate":
            return set(self.groups(node))
        own_values = {key for stream in self.read(node) for key in self.keys[stream]}
        return own_values | {key for name in self.inputs(node) for key in self.names(name)}

    def state(self, node: str, key: str) -> tuple[int | None, Points]:
        """Return birth and timeline of a key; without birth, the node's timeline of an unknown key."""
        if (node, key) not in self.memory:
            self.memory[node, key] = self._state(node, key)
        result: tuple[int | None, Points] = self.memory[node, key]
        return result

    def _state(self, node: str, key: str) -> tuple[int | None, Points]:
        item = self.plan["nodes"][node]
        op, params = item["op"], item.get("params", {})
        if op in SEQUENCES:
            return self._sequence(node, key)
        if op == "aggregate":
            return self.groups(node).get(key, (None, answer_nobody(params.get("function", "sum"))))
        below = {port: [self.state(name, key) for name in wires] for port, wires in self.wires(node).items()}
        events = self.keys[item["stream"]].get(key, []) if "stream" in item else []
        births = [birth for states in below.values() for birth, _ in states if birth is not None]
        births += [event.time for event in events]
        birth, ports = (
            min(births, default=None),
            {port: [points for _, points in below[port]] for port in below},
        )
        if op in OVER_PERIODS:
            return birth, OVER_PERIODS[op](birth, ports["of"][0], params, self.frontier(node))
        if op in CALENDAR:
            return birth, CALENDAR[op](birth, params, self.frontier(node))
        if op in LEAVES or op in RECENT:
            if "while" in ports:
                events = select_qualifying(events, ports["while"][0], params.get("side", "before"))
            if op in RECENT:
                return birth, RECENT[op](birth, select_matching(events, params), params)
            return birth, LEAVES[op](events, params)
        if op in MEETING:
            when = ports.get("when", [None])[0]
            times = (
                [event.time for event in select_matching(events, params)]
                if when is None
                else list_becomes_true(when, birth)
            )
            return birth, MEETING[op](ports.get("of", [[]])[0], times, params.get("side", "at"))
        climbing = any(self.sort(name) == "climbing" for name in self.wires(node).get("other", ()))
        return birth, derive_points(op, params, birth, ports, climbing=climbing)

    def _sequence(self, node: str, key: str) -> tuple[int | None, Points]:
        item = self.plan["nodes"][node]
        if item["op"] == "sequence":
            return self._birth(node, key), sequence(self._birth(node, key), self.machine(node, key))
        (of,) = self.inputs(node)
        machine = self.machine(of, key)
        if item["op"] == "sequence_duration":
            return self._birth(of, key), sequence_duration(machine)
        return self._birth(of, key), sequence_count(machine, item["params"]["outcome"])

    def machine(self, node: str, key: str) -> Machine:
        """Return a sequence of one key after all of its events."""
        events = {name: self.keys[name].get(key, []) for name in self.read(node)}
        return play_events(events, self.plan["nodes"][node]["params"])

    def _birth(self, node: str, key: str) -> int | None:
        times = (event.time for name in self.read(node) for event in self.keys[name].get(key, []))
        return min(times, default=None)

    def groups(self, node: str) -> Groups:
        """Return birth and timeline of every group of an aggregate."""
        if ("groups", node) not in self.memory:
            item, wires = self.plan["nodes"][node], self.wires(node)
            function, (of,) = item["params"].get("function", "sum"), wires["of"]
            members = self._members(of, wires.get("by", []))
            marks = list_grid(members, self.last_event(self.below(node)), item["params"])
            self.memory["groups", node] = aggregate_members(function, self.sort(of), members, marks)
        groups: Groups = self.memory["groups", node]
        return groups

    def _members(self, of: str, by: list[str]) -> list[Member]:
        """Return birth, value and group of every key; an input that lacks the key counts as without events."""
        members = []
        for key in {key for node in (of, *by) for key in self.names(node)}:
            value, *groups = (self.state(node, key) for node in (of, *by))
            births = [birth for birth, _ in (value, *groups) if birth is not None]
            group = group_of([points for _, points in groups])
            members += [Member(min(births), value[1], group)] if births else []
        return members


def _widest(*kinds: str) -> str:
    """Return the widest sort of numbers of these sorts."""
    return max(kinds, key=("bool", "text", "number", "climbing", "ratio").index)
