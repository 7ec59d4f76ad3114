"""Which argument of a call belongs to which port or parameter, as the operator's declaration says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from timeline_app.compiler.computation import compute_digest
from timeline_app.operators.base import Operator
from timeline_app.operators.parameters import COMPUTED, spell_duration
from timeline_app.operators.ports import Parameter, Port
from timeline_app.problems.problem import suggest_nearest
from timeline_app.timeline.conditions import Condition, Field, Value
from timeline_app.timeline.expressions import Node, Stream, Timeline
from timeline_app.timeline.help import list_slots, to_python_name


def build_node(op: Operator, arguments: Sequence[object], named: Mapping[str, object]) -> Node:
    """The node of a call; raises `TypeError` or `ValueError` with the hint where an argument does not fit."""
    names = _Given(op)
    for argument in arguments:
        names.place(argument)
    for name, argument in named.items():
        names.keyword(name, argument)
    return names.node()


class _Given:
    """The arguments so far."""

    def __init__(self, op: Operator) -> None:
        self.op = op
        self.stream: Stream | None = None
        self.inputs: dict[str, tuple[Timeline, ...]] = {}
        self.params: dict[str, object] = {}
        self.named: list[Stream] = []

    def place(self, argument: object) -> None:
        """A positional argument: to the next open port if it is a timeline, else to the next parameter."""
        if argument is None:
            return
        if isinstance(argument, Stream) and self.op.takes_stream and self.stream is None:
            self.stream = argument
        elif isinstance(argument, (Timeline, list, tuple, Stream)):
            self._wire(self._port(), argument)
        else:
            free = (item for item in self.op.parameters if item.name not in self.params)
            self._set(next(free, None), argument)

    def keyword(self, name: str, argument: object) -> None:
        """An argument by name; None says nothing."""
        if argument is None:
            return
        if name == "stream" and isinstance(argument, Stream):
            self.place(argument)
            return
        slots = {to_python_name(item.name): item for item in list_slots(self.op)}
        item = slots.get(to_python_name(name))
        if item is None:
            raise self._wrong(f"has no port or parameter {name!r}; {suggest_nearest(name, slots)}")
        if item.name in self.inputs or item.name in self.params:
            raise self._wrong(f"is given {name!r} twice")
        if isinstance(item, Port):
            self._wire(item, argument)
        else:
            self._set(item, argument)

    def node(self) -> Node:
        """What the arguments say together."""
        op = self.op
        if op.needs_stream and self.stream is None:
            raise self._wrong('reads a stream; call it as a method of tl.stream("…")')
        for item in list_slots(op):
            if item.required and item.name not in self.inputs and item.name not in self.params:
                raise self._wrong(f"needs {item.name!r}{_format_example(item)}")
        arguments = {*self.inputs, *self.params} | ({"stream"} if self.stream else set())
        chosen = [name for name in op.one_of if name in arguments]
        if op.one_of and len(chosen) != 1:
            raise self._wrong(f"takes exactly one of {', '.join(op.one_of)}")
        inputs = {port.name: self.inputs[port.name] for port in op.ports if port.name in self.inputs}
        params = {item.name: self.params[item.name] for item in op.parameters if item.name in self.params}
        below = {name: tuple(item.node.content for item in wires) for name, wires in inputs.items()}
        content = compute_digest(op.name, params, below, self.stream.name if self.stream else None)
        return Node(op, self.stream, inputs, params, content, tuple(self.named))

    def _port(self) -> Port | None:
        ports = (port for port in self.op.ports if port.many or port.name not in self.inputs)
        return next(ports, None)

    def _wire(self, port: Port | None, argument: object) -> None:
        wires = tuple(argument) if isinstance(argument, (list, tuple)) else (argument,)
        if port is None:
            raise self._wrong("has no port for so many timelines")
        for wire in wires:
            if not isinstance(wire, Timeline):
                raise self._wrong(f"takes a timeline as {port.name!r}, not {wire!r}")
        if not port.many and len(wires) > 1:
            raise self._wrong(f"takes one timeline as {port.name!r}")
        timelines = tuple(wire for wire in wires if isinstance(wire, Timeline))
        self.inputs[port.name] = (*self.inputs.get(port.name, ()), *timelines)

    def _set(self, parameter: Parameter | None, argument: object) -> None:
        if parameter is None:
            raise self._wrong(f"takes {self._all()}; {argument!r} is none of them")
        if isinstance(argument, (Timeline, Stream)):
            raise self._wrong(f"takes a {parameter.type.name} as {parameter.name!r}, not a timeline")
        value = _to_plain(argument)
        try:
            parameter.type.parse(value)
        except ValueError as error:
            raise ValueError(f"{to_python_name(self.op.name)}: {error}") from None
        self.params[parameter.name] = value
        self.named += _list_streams(argument)

    def _all(self) -> str:
        ports = [f"{'timelines' if port.many else 'a timeline'} as {port.name!r}" for port in self.op.ports]
        return ", ".join([*ports, *(f"{item.name!r}" for item in self.op.parameters)])

    def _wrong(self, message: str) -> TypeError:
        return TypeError(f"{to_python_name(self.op.name)} {message}")


def _to_plain(argument: object) -> Any:
    """Return an argument in the document's form."""
    if isinstance(argument, Condition):
        return str(argument)
    if isinstance(argument, Field):
        return argument.name
    if isinstance(argument, Value):
        return f"{COMPUTED} {argument}"
    if isinstance(argument, timedelta):
        return spell_duration(argument // timedelta(microseconds=1))
    if isinstance(argument, Stream):
        return argument.name
    if isinstance(argument, Mapping):
        return {name: _to_plain(item) for name, item in argument.items()}
    return [_to_plain(item) for item in argument] if isinstance(argument, list | tuple) else argument


def _list_streams(argument: object) -> list[Stream]:
    """The streams that stand in the items of a list."""
    items = argument if isinstance(argument, list | tuple) else ()
    parts = (item.get("stream") for item in items if isinstance(item, Mapping))
    return [stream for stream in parts if isinstance(stream, Stream)]


def _format_example(item: Port | Parameter) -> str:
    return "" if isinstance(item, Port) else f", for example {item.type.placeholder}"
