"""What an author's slow version of an operator is given, one key at a time, and how its answer is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from timeline_app.algebra.kinds import SECOND
from timeline_app.compiler.boundary_events import is_wanted_event, read_value
from timeline_app.operators.base import as_arguments
from timeline_app.predicates import Expression, Predicate
from timeline_app.testing.cases import Case
from timeline_app.testing.points import JsonEvent, Shown, are_close, find_value

Referee = Callable[..., Sequence[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the collection: its time in microseconds, and its fields; `get` of a missing one is None."""

    time: int
    fields: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """Return the value of a field."""
        return self.fields.get(name)


@dataclass(frozen=True, slots=True)
class Line:
    """The timeline of one key at an input."""

    points: Shown
    birth: int

    @property
    def times(self) -> list[int]:
        """The instants at which it changes, in microseconds, ascending."""
        return [time for time, _, _ in self.points if time is not None]

    def at(self, time: int | None) -> Any:
        """Return its value at an instant (None: before all events); None is unknown."""
        return find_value(self.points, time)[0]

    def slope(self, time: int | None) -> float:
        """How fast a number climbs there, in a second."""
        return float(find_value(self.points, time)[1])


def ask_referee(case: Case, referee: Referee, events: Sequence[JsonEvent]) -> dict[str, Shown]:
    """Return what the referee says, by key."""
    parameters, lines_by_key = inspect.signature(referee).parameters, {}
    takes_all = any(item.kind is item.VAR_KEYWORD for item in parameters.values())
    written = case.document["nodes"][case.node].get("params", {})
    params = {
        name: _to_plain(case, value)
        for name, value in case.compiled.checked.params[case.node].items()
        if takes_all or name in parameters or name in written
    }
    lines = {wire: case.answer(events, wire) for _, _, wire in case.wires()}
    for key in sorted({event["key"] for event in events}):
        birth = min(round(event["t"] * SECOND) for event in events if event["key"] == key)
        arguments: dict[str, Any] = dict(params)
        if "stream" in case.document["nodes"][case.node]:
            arguments["events"] = [*_iterate_collected(key, events)]
        arguments |= _build_arguments(
            case, {wire: Line(points[key], birth) for wire, points in lines.items()}
        )
        if "birth" in parameters:
            arguments["birth"] = birth
        lines_by_key[key] = [_point(*point) for point in referee(**arguments)]
    return lines_by_key


def _build_arguments(case: Case, lines: Mapping[str, Line]) -> dict[str, Any]:
    port_names = {port.name for port in case.op.ports if port.many}
    ports: dict[str, Any] = {}
    for port, _, wire in case.wires():
        if port in port_names:
            ports.setdefault(port, []).append(lines[wire])
        else:
            ports[port] = lines[wire]
    return as_arguments(ports)


def _iterate_collected(key: str, events: Sequence[JsonEvent]) -> Iterator[Event]:
    """Yield the events of a key in the order of their collection."""
    events_of_key = sorted(
        (event for event in events if event["key"] == key), key=lambda event: (event["t"], event["id"])
    )
    for event in events_of_key:
        yield Event(
            round(event["t"] * SECOND),
            {name: value for name, value in event.items() if name not in ("key", "t")},
        )


def _to_plain(case: Case, value: Any) -> Any:
    """Return a condition or a computed value as a function of an event."""
    if not isinstance(value, Predicate | Expression):
        return value
    kind_of = case.compiled.streams[case.stream].kind_of
    if isinstance(value, Expression):
        return lambda event: read_value(event.fields, event.time, value, kind_of)
    return lambda event: is_wanted_event(event.fields, event.time, value, kind_of)


def _point(time: int | None, value: Any, slope: float = 0.0) -> tuple[int | None, Any, float]:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return time, float(value) if number else value, float(slope)


def find_differences(points: Shown, truth: Shown) -> list[int | None]:
    """Return the instants at which they differ (None: before all events).

    Raises `ValueError` for a truth without a start.
    """
    if None not in [time for time, _, _ in truth]:
        raise ValueError("the referee must say what holds before all events: begin with (None, value)")
    ordered = sorted(truth, key=lambda point: _order(point[0]))
    times = sorted({time for item in (points, truth) for time, _, _ in item}, key=_order)
    return [time for time in times if not are_close(find_value(points, time), find_value(ordered, time))]


def _order(time: int | None) -> tuple[bool, int]:
    return time is not None, time or 0
