"""Writes nodes as expressions: infix operators where possible, else calls by name, else JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from timeline_app.operators import Operator, operators
from timeline_app.operators.parameters import BREAKS, COMPUTED, STEPS
from timeline_app.operators.ports import Parameter, Port
from timeline_app.plan.text.conditions import qualify_fields
from timeline_app.plan.text.deep import Walk, run_walk
from timeline_app.plan.text.pieces import Level, Piece, build_call, join_pieces, prefix_piece
from timeline_app.plan.text.steps import render_steps
from timeline_app.plan.text.words import (
    ARITHMETIC,
    SIGNS,
    is_choice,
    is_duration,
    is_field,
    is_quotable,
    is_value,
    spell_json,
    spell_name,
)
from timeline_app.predicates import parse, parse_expression

_KEYS = {"op", "stream", "inputs", "params", "comment"}
_LEVELS = {"+": Level.SUM, "-": Level.SUM, "*": Level.PRODUCT, "/": Level.PRODUCT}
_BY_NAME = ("value", "number", STEPS, BREAKS)
"""The types of parameters that are always written by name."""
_JUNCTIONS = {"and": Level.AND, "or": Level.OR}


def is_expression(node: object) -> bool:
    """Return whether a node can be written as a call."""
    if not isinstance(node, Mapping) or not node.keys() <= _KEYS or not is_quotable(node.get("op")):
        return False
    inputs, params = node.get("inputs", {}), node.get("params", {})
    if not isinstance(inputs, Mapping) or not isinstance(params, Mapping):
        return False
    if node["op"] in operators():
        return True
    names = [*inputs, *params]
    return (
        len(names) == len(set(names))
        and all(map(is_quotable, names))
        and all(map(_is_wired, inputs.values()))
    )


def list_expression_inputs(node: object) -> Mapping[str, list[str]]:
    """Return the inputs that are written as expressions, by port, in the order in which they are read."""
    if not is_expression(node):
        return {}
    assert isinstance(node, Mapping)
    inputs, op = node.get("inputs", {}), operators().get(node["op"])
    ports = [port.name for port in op.ports] if op else list(inputs)
    return {
        port: [inputs[port]] if isinstance(inputs[port], str) else list(inputs[port])
        for port in ports
        if port in inputs and _is_wired(inputs[port])
    }


def _is_wired(wires: object) -> bool:
    listed = wires if isinstance(wires, list) else [wires]
    return all(is_quotable(wire) for wire in listed)


class Renderer:
    """Writes the nodes of a document."""

    def __init__(self, nodes: Mapping[str, Any], nested: Set[str]) -> None:
        """`nested` are the nodes that are written where they are used."""
        self.nodes, self.nested = nodes, nested

    def expression(self, node: Mapping[str, Any]) -> Piece:
        """Return the right side of the statement of a node."""
        return run_walk(self._piece(node))

    def _piece(self, node: Mapping[str, Any]) -> Walk[Piece]:
        if not is_expression(node):
            return Piece(spell_json(node))
        wires: dict[str, list[Piece]] = {}
        for port, names in list_expression_inputs(node).items():
            wires[port] = []
            for name in names:
                nested = (yield self._piece(self.nodes[name])) if name in self.nested else None
                wires[port].append(nested or Piece(spell_name(name)))
        return _render_infix(node, wires) or _call(node, wires)


def _render_infix(node: Mapping[str, Any], wires: Mapping[str, list[Piece]]) -> Piece | None:
    """Return the node with an operator, where that expresses all of it."""
    op, inputs, params = node["op"], node.get("inputs", {}), node.get("params", {})
    of = inputs.get("of")
    if "stream" in node or ("params" in node and not params):
        return None
    if op in _JUNCTIONS and inputs.keys() == {"of"} and not params and isinstance(of, list) and len(of) > 1:
        level = _JUNCTIONS[op]
        return (
            join_pieces([part.within(Level(level + 1)) for part in wires["of"]], op, level) if wires else None
        )
    if not isinstance(of, str) or "of" not in wires:
        return None
    if op == "not" and inputs.keys() == {"of"} and not params:
        return prefix_piece("not", wires["of"][0].within(Level.NOT), Level.NOT)
    return _render_sign(SIGNS[op], node, wires) if op in SIGNS else None


def _render_sign(sign: str, node: Mapping[str, Any], wires: Mapping[str, list[Piece]]) -> Piece | None:
    inputs, params = node.get("inputs", {}), node.get("params", {})
    level = _LEVELS.get(sign, Level.COMPARISON)
    left = wires["of"][0].within(level if sign in ARITHMETIC else Level.SUM)
    if inputs.keys() == {"of"} and params.keys() == {"value"} and _is_scalar(params["value"]):
        bare = is_duration(params["value"]) and sign not in ("==", "!=")
        right = Piece(params["value"] if bare else spell_json(params["value"]))
    elif (
        inputs.keys() == {"of", "other"}
        and not params
        and isinstance(inputs["other"], str)
        and "other" in wires
    ):
        right = wires["other"][0].within(Level(level + 1))
    else:
        return None
    return join_pieces([left, right], sign, level)


def _reads_event(written: str) -> bool:
    expression = parse_expression(written)
    return any(expression.field_names()) or expression.reads_time()


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | bool | int | float)


def _call(node: Mapping[str, Any], wires: Mapping[str, list[Piece]]) -> Piece:
    op = operators().get(node["op"])
    arguments = _Declared(op, node, wires).arguments() if op else _render_by_name(node, wires)
    head = node["op"] if node["op"] in ("and", "or", "not") else spell_name(node["op"])
    return build_call(head, arguments)


def _render_by_name(node: Mapping[str, Any], wires: Mapping[str, list[Piece]]) -> list[Piece]:
    """Return the arguments of an unknown operator, all by name."""
    stream = [_render_keyword("stream", spell_json(node["stream"]))] if "stream" in node else []
    ports = [_render_wires(port, node["inputs"][port], pieces) for port, pieces in wires.items()]
    return [
        *stream,
        *ports,
        *(_render_keyword(name, spell_json(raw)) for name, raw in node.get("params", {}).items()),
    ]


def _render_keyword(name: str, text: str, depth: int = 0) -> Piece:
    return Piece(f"{name if name == 'not' else spell_name(name)} = {text}", Level.OR, depth)


def _render_wires(port: str, raw: object, pieces: Sequence[Piece]) -> Piece:
    depth = max((piece.depth for piece in pieces), default=0)
    text = ", ".join(piece.text for piece in pieces)
    return _render_keyword(port, f"[{text}]" if isinstance(raw, list) else text, depth)


class _Declared:
    """The arguments of a known operator: by place as far as reading gives them back, the others by name."""

    def __init__(self, op: Operator, node: Mapping[str, Any], wires: Mapping[str, list[Piece]]) -> None:
        self.op, self.node, self.wires = op, node, wires
        self.inputs, self.params = node.get("inputs", {}), node.get("params", {})
        self.stream = node.get("stream")
        self.by_place: list[Piece] = []
        self.by_name: list[Piece] = []
        self.in_order = True
        self.stream_said = False
        self.ports_by_place = 0

    def arguments(self) -> list[Piece]:
        """Return all of them."""
        for port in self.op.ports:
            self._port(port)
        self.ports_by_place = len(self.by_place)
        for index, parameter in enumerate(self.op.parameters):
            self._parameter(parameter, index)
        self.by_place[self.ports_by_place : self.ports_by_place] = self._stream()
        return [*self.by_place, *self.by_name, *self._rest()]

    def _port(self, port: Port) -> None:
        raw, pieces = self.inputs.get(port.name), self.wires.get(port.name)
        if pieces is None:
            self.in_order &= not port.required
        elif self.in_order and port.required and (isinstance(raw, list) is port.many) and pieces:
            self.by_place += pieces
            self.in_order = not port.many or port is self.op.ports[-1]
        else:
            self.by_name.append(_render_wires(port.name, raw, pieces))
            self.in_order &= not port.required

    def _parameter(self, parameter: Parameter, index: int) -> None:
        if parameter.name not in self.params or self._is_ambiguous(parameter):
            self.in_order &= self._is_skipped(index)
            return
        raw = self.params[parameter.name]
        natural = self._natural(parameter, raw)
        stands = parameter.type.name not in _BY_NAME and (parameter.required or index == 0)
        if natural is not None and self.in_order and stands:
            self.by_place.append(Piece(natural))
            return
        self.in_order &= self._is_skipped(index)
        self.by_name.append(_render_keyword(parameter.name, spell_json(raw) if natural is None else natural))

    def _is_skipped(self, index: int) -> bool:
        """Return whether the following arguments are read correctly without this one: none looks like a condition."""
        first, *following = self.op.parameters[index:]
        condition = first.type.name == "predicate" and not first.required
        return condition and all(item.type.name in ("duration", "choice") for item in following)

    def _natural(self, parameter: Parameter, raw: object) -> str | None:
        """Return the parameter in unquoted notation; None where only JSON expresses it."""
        kind = parameter.type.name
        if kind in (STEPS, BREAKS):
            return render_steps(kind, raw)
        if not isinstance(raw, str):
            return None
        if kind in ("duration", "number"):
            return raw if is_duration(raw) or raw in parameter.type.choices else None
        if kind == "choice":
            return raw if parameter.type.is_choice(raw) and is_choice(raw) else None
        if kind not in ("predicate", "field") or not self.op.takes_stream or not is_quotable(self.stream):
            return None
        stream, written = spell_name(str(self.stream)), raw
        if parameter.type.is_computed(raw):
            written = raw.lstrip().removeprefix(COMPUTED).lstrip()
            natural = qualify_fields(written, stream, parse_expression)
            if natural is not None and not _reads_event(written):
                natural = None  # unquoted, it is read as a value
        elif kind == "field":
            spelled = raw if is_field(raw) else f"`{raw}`" if is_quotable(raw) else None
            natural = None if spelled is None else f"{stream}.{spelled}"
        else:
            natural = None if is_value(raw) else qualify_fields(raw, stream, parse)
        self.stream_said |= natural not in (None, written)
        return natural

    def _stream(self) -> list[Piece]:
        """Return the stream alone, where no field says it."""
        if "stream" not in self.node or self.stream_said:
            return []
        if self.op.takes_stream and self._takes_names_as_streams and is_quotable(self.stream):
            return [Piece(spell_name(str(self.stream)))]
        return [_render_keyword("stream", spell_json(self.stream))]

    @property
    def _takes_names_as_streams(self) -> bool:
        """Whether all required inputs precede the stream."""
        return self.ports_by_place >= sum(port.required for port in self.op.ports)

    def _is_ambiguous(self, parameter: Parameter) -> bool:
        """Return whether its JSON would be read differently: `true` as a condition, an object as a list of steps."""
        other = {"predicate": bool, STEPS: dict}.get(parameter.type.name)
        return other is not None and isinstance(self.params.get(parameter.name), other)

    def _rest(self) -> list[Piece]:
        """Return undeclared or empty parameters, as in the document."""
        parameters = {item.name for item in self.op.parameters if not self._is_ambiguous(item)}
        inputs = {port: raw for port, raw in self.inputs.items() if port not in self.wires}
        params = {name: raw for name, raw in self.params.items() if name not in parameters}
        arguments = []
        for section, values in (("inputs", inputs), ("params", params)):
            if values or (section in self.node and not self.node[section]):
                arguments.append(_render_keyword(section, spell_json(values)))
        return arguments
