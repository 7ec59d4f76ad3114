"""The referee: what every operator means, one key at a time, slow and obviously right.

Written from the contract alone. Numbers are fractions (a JSON number is the decimal that it is written as),
timelines are lists of points; everything is found by looking at every instant at which anything could change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, Value, conjunction, disjunction, judge, literal_of, negation

Point: TypeAlias = tuple[int | None, Value, Fraction]
Points: TypeAlias = list[Point]
JsonEvent: TypeAlias = dict[str, Any]

FLAT = Fraction(0)
SECOND = 1_000_000
_UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "min": 60 * SECOND, "h": 3_600 * SECOND, "d": 86_400 * SECOND}


def micros(duration: str) -> int:
    """`250ms` and the like in microseconds."""
    digits = duration.rstrip("usmindh")
    return int(Fraction(digits) * _UNITS[duration[len(digits) :]])


@dataclass(frozen=True)
class Event:
    """One event of the collection."""

    time: int
    rank: tuple[Any, ...]
    fields: Mapping[str, Value]


@dataclass(frozen=True)
class Stream:
    """What the referee needs of a declaration."""

    key: str
    time: str
    unit: str
    id: str | None
    types: Mapping[str, str]
    lateness: int

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Stream:
        unit, lateness = document.get("unit", "ms"), micros(document.get("allowed_lateness", "30s"))
        types = document.get("fields", {})
        return cls(document["key"], document["time"], unit, document.get("id"), types, lateness)

    def value(self, name: str, raw: Any) -> Value:
        """A field's value, missing where it does not fit its type."""
        kind = self.types.get(name, "text")
        if kind == "text":
            return raw if raw is None or isinstance(raw, str) else json.dumps(raw)
        number = isinstance(raw, (int, float)) and not isinstance(raw, bool)
        return literal_of(raw) if (number if kind == "number" else isinstance(raw, bool)) else None

    def event(self, raw: JsonEvent) -> Event:
        named = {name: value for name, value in raw.items() if name not in (self.key, self.time)}
        fields = {name: self.value(name, value) for name, value in named.items()}
        identity = fields.get(self.id) if self.id else None
        rank = () if identity is None else (identity,)
        return Event(int(raw[self.time] * _UNITS[self.unit]), rank, fields)

    def collection(self, delivered: Sequence[JsonEvent]) -> dict[str, list[Event]]:
        """The events of each key: of copies with one id, the one with the greatest time, then text."""
        chosen: dict[tuple[Any, ...], tuple[int, str, JsonEvent]] = {}
        for place, raw in enumerate(delivered):
            event = self.event(raw)
            copy = (raw[self.key], "id", *event.rank) if event.rank else (raw[self.key], "row", place)
            text = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            if copy not in chosen or (event.time, text) > chosen[copy][:2]:
                chosen[copy] = (event.time, text, raw)
        keys: dict[str, list[Event]] = {}
        for copy, (_, _, raw) in chosen.items():
            keys.setdefault(copy[0], []).append(self.event(raw))
        return keys


def at(points: Points, time: int | None) -> tuple[Value, Fraction]:
    """Value and slope at an instant (None: since ever)."""
    reached = [point for point in points if point[0] is None or (time is not None and point[0] <= time)]
    since, value, slope = reached[-1]
    if isinstance(value, Fraction) and since is not None and time is not None:
        value += slope * (time - since) / SECOND
    return value, slope


def normal(points: Points) -> Points:
    """Without the points that say what the one before says."""
    kept: Points = []
    for point in points:
        if not kept or at(kept, point[0]) != point[1:]:
            kept.append(point)
    return kept


def instants(*timelines: Points) -> list[int | None]:
    """Since ever, and every instant at which one of them changes."""
    return [None, *sorted({point[0] for points in timelines for point in points if point[0] is not None})]


def combined(function: Callable[..., Value], *timelines: Points) -> Points:
    """A function of steps, instant by instant."""
    times = instants(*timelines)
    return normal([(time, function(*(at(points, time)[0] for points in timelines)), FLAT) for time in times])


@dataclass
class Referee:
    """Judges one plan document (which declares its streams) on events by stream, in any order of delivery."""

    plan: Mapping[str, Any]
    events: Mapping[str, Sequence[JsonEvent]]
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.streams = {name: Stream.of(item) for name, item in self.plan["streams"].items()}
        self.keys = {name: item.collection(self.events.get(name, ())) for name, item in self.streams.items()}

    def answer(self, node: str) -> dict[str, Points]:
        """The timelines of every key that was born."""
        found = {key: self.state(node, key) for key in self.names(node)}
        return {key: points for key, (birth, points) in found.items() if birth is not None}

    def final_until(self, node: str) -> int | None:
        """What lies before is final."""
        ends = [self._end(stream) for stream in self.below(node)]
        return min((end for end in ends if end is not None), default=None) if None not in ends else None

    def _end(self, stream: str) -> int | None:
        declared = self.streams[stream]
        seen = [declared.event(raw).time for raw in self.events.get(stream, ())]
        return max(seen) - declared.lateness if seen else None

    def inputs(self, node: str) -> list[str]:
        wired = self.plan["nodes"][node].get("inputs", {}).values()
        return [name for wires in wired for name in (wires if isinstance(wires, list) else [wires])]

    def below(self, node: str) -> set[str]:
        """The streams that a node reads."""
        if ("below", node) not in self.memory:
            stream = self.plan["nodes"][node].get("stream")
            found = {name for below in self.inputs(node) for name in self.below(below)}
            self.memory["below", node] = found | ({stream} if stream else set())
        known: set[str] = self.memory["below", node]
        return known

    def kind(self, node: str) -> str:
        item = self.plan["nodes"][node]
        if item["op"] == "latest_event_to_state":
            return str(self.streams[item["stream"]].types.get(item["params"]["field"], "text"))
        return "number" if item["op"] in ("aggregate", "duration_where") else "bool"

    def names(self, node: str) -> set[str]:
        """Every key that a node could have."""
        item = self.plan["nodes"][node]
        if "stream" in item:
            return set(self.keys[item["stream"]])
        if item["op"] == "aggregate":
            return set(self.groups(node))
        return {key for name in self.inputs(node) for key in self.names(name)}

    def state(self, node: str, key: str) -> tuple[int | None, Points]:
        """Birth and timeline of a key; without birth, what the node says of a key that it does not have."""
        if (node, key) not in self.memory:
            item = self.plan["nodes"][node]
            if "stream" in item:
                self.memory[node, key] = self._leaf(item, key)
            elif item["op"] == "aggregate":
                nobody = (None, [(None, *_line(item["params"].get("function", "sum"), "number", []))])
                self.memory[node, key] = self.groups(node).get(key, nobody)
            else:
                below = [self.state(name, key) for name in self.inputs(node)]
                birth = min((one for one, _ in below if one is not None), default=None)
                self.memory[node, key] = birth, self._derived(item, birth, [points for _, points in below])
        found: tuple[int | None, Points] = self.memory[node, key]
        return found

    def _leaf(self, item: Mapping[str, Any], key: str) -> tuple[int | None, Points]:
        events, params = self.keys[item["stream"]].get(key, []), item["params"]
        birth = min((event.time for event in events), default=None)
        if item["op"] == "latest_event_to_state":
            return birth, self._latest(events, params["field"])
        times = [event.time for event in events if judge(params["where"].tree, event.fields) is True]
        if item["op"] == "has_existed":
            return birth, normal([(None, False, FLAT), *((time, True, FLAT) for time in sorted(times)[:1])])
        lasting = micros(params["duration"])
        changes = sorted({change for time in times for change in (time, time + lasting)})
        holds = [(now, any(time <= now < time + lasting for time in times), FLAT) for now in changes]
        return birth, normal([(None, False, FLAT), *holds])

    def _latest(self, events: list[Event], name: str) -> Points:
        points: Points = [(None, UNKNOWN, FLAT)]
        have = [event for event in events if event.fields.get(name) is not None]
        for time in sorted({event.time for event in have}):
            rivals = [(event.rank, event.fields[name]) for event in have if event.time == time]
            points.append((time, max(rivals)[1], FLAT))
        return normal(points)

    def _derived(self, item: Mapping[str, Any], birth: int | None, inputs: list[Points]) -> Points:
        op, params = item["op"], item.get("params", {})
        if op in ("and", "or"):
            return combined(lambda *values: (conjunction if op == "and" else disjunction)(values), *inputs)
        if op == "not":
            return combined(negation, *inputs)
        if op == "duration_where":
            return self._true_for(birth, inputs[0])
        assert op == "equal_to", op
        if "value" in params:
            inputs = [inputs[0], [(None, literal_of(params["value"]), FLAT)]]
        return combined(lambda one, other: UNKNOWN if None in (one, other) else one == other, *inputs)

    def _true_for(self, birth: int | None, points: Points) -> Points:
        found: Points = [(None, Fraction(0), FLAT)]
        if birth is not None:
            changes = [time for time in instants(points)[1:] if time is not None and time > birth]
            for time in (birth, *changes):
                found.append((time, at(found, time)[0], Fraction(at(points, time)[0] is True)))
        return normal(found)

    def groups(self, node: str) -> dict[str, tuple[int, Points]]:
        """Birth and timeline of every group of an aggregate."""
        if ("groups", node) not in self.memory:
            self.memory["groups", node] = self._aggregate(self.plan["nodes"][node])
        found: dict[str, tuple[int, Points]] = self.memory["groups", node]
        return found

    def _aggregate(self, item: Mapping[str, Any]) -> dict[str, tuple[int, Points]]:
        of, function = item["inputs"]["of"], item["params"].get("function", "sum")
        kind, members = self.kind(of), self._members(of, item["inputs"].get("by"))
        changes = {time for _, *both in members for time in instants(*both) if time is not None}
        times = sorted({birth for birth, _, _ in members} | changes)
        found: dict[str, tuple[int, Points]] = {}
        for name in {at(group, time)[0] for birth, _, group in members for time in times if time >= birth}:
            lines: Points = [(None, *_line(function, kind, []))]
            born = None
            for time in times:
                inside = [
                    value for birth, value, group in members if birth <= time and at(group, time)[0] == name
                ]
                born = time if born is None and inside else born
                lines.append((time, *_line(function, kind, [at(value, time) for value in inside])))
            if name is not UNKNOWN and born is not None:
                found[str(name)] = born, normal(lines)
        return found

    def _members(self, of: str, by: str | None) -> list[tuple[int, Points, Points]]:
        """Birth, value and group of every key; unknown where an input does not have the key."""
        absent: tuple[int | None, Points] = (None, [(None, UNKNOWN, FLAT)])
        members = []
        for key in self.names(of) | (self.names(by) if by else set()):
            value = self.state(of, key) if key in self.answer(of) else absent
            group: tuple[int | None, Points] = (None, [(None, "*", FLAT)])
            if by is not None:
                group = self.state(by, key) if key in self.answer(by) else absent
            births = [birth for birth in (value[0], group[0]) if birth is not None]
            members += [(min(births), value[1], group[1])] if births else []
        return members


def _line(function: str, kind: str, members: list[tuple[Value, Fraction]]) -> tuple[Value, Fraction]:
    """The function over the members of a group: value and slope."""
    known = [(Fraction(value), slope) for value, slope in members if value is not None]
    if function == "count":
        return Fraction(sum(value for value, _ in known) if kind == "bool" else len(known)), FLAT
    if function == "avg" and not known:
        return UNKNOWN, FLAT
    share = Fraction(1, len(known)) if function == "avg" else Fraction(1)
    return share * sum(value for value, _ in known), share * sum(slope for _, slope in known)
