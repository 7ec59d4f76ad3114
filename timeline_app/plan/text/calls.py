"""Calls: which argument belongs to which port or parameter of an operator, as its declaration says."""

from __future__ import annotations

from typing import Any

from lark import Token

from timeline_app.operators import Operator
from timeline_app.operators.parameters import BREAKS, STEPS
from timeline_app.operators.ports import Parameter, Port
from timeline_app.plan.text.build import Builder, Made, start_of
from timeline_app.plan.text.conditions import (
    COMPUTED_FORMS,
    is_always,
    is_reading_clock,
    list_fields,
    read_condition,
    read_expression,
    refuse_unqualified,
    split_field,
)
from timeline_app.plan.text.deep import Walk
from timeline_app.plan.text.literals import (
    get_token,
    is_literal,
    list_branches,
    name_of,
    read_value,
    strip_parentheses,
)
from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.steps import StepsReader
from timeline_app.plan.text.words import spell_name
from timeline_app.problems.problem import suggest_nearest

_PARTS = ("stream", "inputs", "params")
"""Other parts of a node; `params = {}` writes what a document contains without meaning."""


class Call:
    """One call of a known operator, argument by argument."""

    def __init__(self, builder: Builder, op: Operator, tree: Branch) -> None:
        """`tree` is the whole call."""
        self.builder, self.op, self.tree = builder, op, tree
        self.given: dict[str, Branch] = {}
        self.positional: set[str] = set()
        self.several: dict[str, list[Branch]] = {}
        self.parts: dict[str, Any] = {}
        self.alone: Branch | None = None
        self.stream_at: int | None = None

    def made(self) -> Walk[Made]:
        """Yield the node; its inputs are made in the order in which its ports are declared."""
        for argument in list_branches(self.tree):
            if argument.data == "keyword":
                self._keyword(argument)
            else:
                self._place(argument)
        self._refuse_unqualified()
        node: dict[str, Any] = {"op": self.op.name}
        params = self._params()
        inputs = yield self._inputs()
        if "stream" in self.parts:
            node["stream"] = self.parts["stream"]
        for section, values in (("inputs", inputs), ("params", params)):
            if values or section in self.parts:
                node[section] = self.parts.get(section, {}) | values
        places = {name: start_of(tree) for name, tree in self.given.items()}
        if self.stream_at is not None:
            places["stream"] = self.stream_at
        return Made(node, places)

    def _keyword(self, argument: Branch) -> None:
        [value] = list_branches(argument)
        name = name_of(argument)
        accepted = self._takes()
        if name in self.given or name in self.parts:
            self._refuse(argument, "given_twice", f"{name!r} is given twice", "take one of them away", name)
        elif name in accepted:
            self.given[name] = value
        elif name in _PARTS:
            self._part(name, value)
        else:
            takes = f"{self.op.name} takes {', '.join(accepted)}"
            hint = suggest_nearest(name, accepted) if accepted else f"{self.op.name} takes nothing"
            message = f"{self.op.name} has no port or parameter {name!r}"
            hint = hint if hint.startswith("did") else takes
            self._refuse(argument, "unknown_parameter", message, hint, name)

    def _takes(self) -> list[str]:
        """Return the names of its ports and parameters."""
        return [*(port.name for port in self.op.ports), *(item.name for item in self.op.parameters)]

    def _part(self, name: str, value: Branch) -> None:
        try:
            value_read = read_value(value, words=name == "stream")
        except SyntaxProblem as error:
            self.builder.caught(error, port=name)
            return
        if name != "stream" and not isinstance(value_read, dict):
            self._refuse(value, "syntax", f"{name} must be an object", f"write {name} = {{}}", name)
            return
        self.parts[name] = value_read

    def _place(self, tree: Branch) -> None:
        """Give a positional argument to the first port or parameter that it fits."""
        if self._is_stream(strip_parentheses(tree)):
            self._name_stream(strip_parentheses(tree))
            return
        name = self._slot(strip_parentheses(tree))
        if name is None:
            message = f"{self.op.name} has no place for this argument"
            hint = f"it takes {', '.join(self._takes())}"
            self._refuse(tree, "too_many_arguments", message, hint, None)
            return
        self.given.setdefault(name, tree)
        self.several.setdefault(name, []).append(tree)

    def _is_stream(self, tree: Branch) -> bool:
        """Return whether a name alone is the stream; inputs that an operator must have come before."""
        open_ports = any(port.required and port.name not in self.given for port in self.op.ports)
        named = tree.data == "name" and not self._is_required_choice(tree)
        return self.op.takes_stream and named and not open_ports

    def _slot(self, tree: Branch) -> str | None:
        value = is_literal(tree) and tree.data != "array"
        for port in self.op.ports:
            if port.required and not value and (port.name not in self.given or self._goes_on(port)):
                return port.name
        for parameter in self.op.parameters:
            if parameter.name not in self.given and self._is_choice(parameter, tree):
                return parameter.name
        for port in self.op.ports:
            if not value and port.name not in self.given and not self.op.takes_stream:
                return port.name
        free = (item for item in self.op.parameters if item.name not in self.given)
        return next((item.name for item in free if _is_fitting(item, tree)), None)

    def _is_choice(self, parameter: Parameter, tree: Branch) -> bool:
        """Return whether a name is one of the parameter's choices, or nearly so and nothing else."""
        choices = parameter.type.choices
        if tree.data != "name" or not choices:
            return False
        name = name_of(tree)
        return parameter.type.is_choice(name) or (
            name not in self.builder.names and suggest_nearest(name, choices).startswith("did")
        )

    def _is_required_choice(self, tree: Branch) -> bool:
        """Return whether a name in a leaf is its required choice, since its stream is named elsewhere."""
        fields = [item.name for item in self.op.parameters if item.type.name in ("field", "predicate")]
        free = (item for item in self.op.parameters if item.required and item.name not in self.given)
        named = "stream" in self.parts or any(name in self.given for name in fields)
        return named and any(self._is_choice(item, tree) for item in free)

    def _goes_on(self, port: Port) -> bool:
        return port.many and port.name in self.several

    def _inputs(self) -> Walk[dict[str, Any]]:
        inputs: dict[str, Any] = {}
        for port in self.op.ports:
            if port.name not in self.given:
                continue
            tree = strip_parentheses(self.given[port.name])
            if port.name in self.several and port.many and port.required:
                inputs[port.name] = yield self.builder.wires(self.several[port.name])
            elif tree.data == "array":
                inputs[port.name] = yield self.builder.wires(list_branches(tree))
            else:
                inputs[port.name] = yield self.builder.wire(tree)
        return inputs

    def _params(self) -> dict[str, Any]:
        params = {}
        for parameter in self.op.parameters:
            if parameter.name in self.given:
                try:
                    params[parameter.name] = self._param(parameter, self.given[parameter.name])
                except SyntaxProblem as error:
                    self.builder.caught(error, "bad_argument", parameter.name)
        return params

    def _param(self, parameter: Parameter, tree: Branch) -> Any:
        kind, inner = parameter.type.name, strip_parentheses(tree)
        if kind in (STEPS, BREAKS):
            reader = StepsReader(self.builder.source.clean, self._proposed(), self._see_stream)
            return reader.read(kind, inner)
        if kind == "predicate" and is_always(inner):
            return str(get_token(inner))
        if is_literal(inner):
            return read_value(inner)
        if kind == "predicate":
            self._take_stream(list_fields(tree))
            return read_condition(self.builder.source.clean, tree, self._proposed())
        if kind == "field" and inner.data == "field":
            self._take_stream([get_token(inner)])
            return split_field(get_token(inner))[1]
        if (
            parameter.type.computed
            and inner.data in COMPUTED_FORMS
            and (list_fields(inner) or is_reading_clock(inner))
        ):
            self._take_stream(list_fields(inner))
            return read_expression(self.builder.source.clean, tree, self._proposed())
        if kind == "field" and inner.data == "name":
            raise refuse_unqualified(inner, self._proposed())
        if kind == "choice" and inner.data == "name":
            if parameter.type.is_choice(name_of(inner)):
                return name_of(inner)
            hint = suggest_nearest(name_of(inner), parameter.type.choices)
            raise SyntaxProblem(start_of(inner), f"{parameter.name} cannot be {name_of(inner)!r}", hint)
        return read_value(inner)

    def _refuse_unqualified(self) -> None:
        """A name alone is a stream; but not where a field is missing and the text calls no stream so."""
        alone, mentioned = self.alone, self.builder.mentioned
        wants = next((item.name for item in self.op.parameters if item.required), None)
        if (
            alone is not None
            and mentioned
            and wants
            and wants not in self.given
            and name_of(alone) not in mentioned
        ):
            self.builder.caught(refuse_unqualified(alone, min(mentioned)), "no_stream", wants)

    def _name_stream(self, tree: Branch) -> None:
        name = name_of(tree)
        self.alone = tree
        if "stream" in self.parts:
            hint = f"name the stream: {spell_name(str(self.parts['stream']))}.{name}"
            self._refuse(tree, "second_stream", f"{name!r}: the stream is named already", hint, "stream")
            return
        self._check_stream(name, start_of(tree))
        self.parts["stream"] = name

    def _take_stream(self, fields: list[Token]) -> None:
        """All fields of one leaf are of one stream."""
        for field in fields:
            stream = split_field(field)[0]
            if "stream" not in self.parts:
                self._check_stream(stream, field.start_pos or 0)
            elif self.parts["stream"] != stream:
                message = f"{field} is not a field of {self.parts['stream']}"
                raise SyntaxProblem(field.start_pos or 0, message, f"{self.op.name} reads one stream")
            self.parts["stream"] = stream

    def _check_stream(self, name: str, offset: int) -> None:
        self.stream_at = offset
        self._see_stream(name, offset)

    def _see_stream(self, name: str, offset: int) -> None:
        streams = self.builder.streams
        if streams is not None and name not in streams:
            hint = suggest_nearest(name, streams) + f"; or say that it is declared elsewhere: stream {name}"
            self.builder.refuse(offset, "unknown_stream", f"there is no stream {name!r}", hint, "stream")

    def _proposed(self) -> str:
        """Return the stream that is probably meant."""
        if "stream" in self.parts:
            return spell_name(str(self.parts["stream"]))
        return min(self.builder.streams or self.builder.mentioned, default="STREAM")

    def _refuse(self, tree: Branch, code: str, message: str, hint: str, port: str | None) -> None:
        self.builder.refuse(start_of(tree), code, message, hint, port)


def _is_fitting(parameter: Parameter, tree: Branch) -> bool:
    """Return whether a positional argument has the form of what the parameter takes."""
    kind = parameter.type.name
    if kind == "predicate":
        return not is_literal(tree) or is_always(strip_parentheses(tree))
    if kind == "field":
        computed = (
            parameter.type.computed
            and tree.data in COMPUTED_FORMS
            and (list_fields(tree) or is_reading_clock(tree))
        )
        return tree.data == "field" or bool(computed)
    return is_literal(tree)
