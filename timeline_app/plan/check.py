"""Checking a plan document: every problem at once, each with its node, port, reason and hint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from timeline_app.algebra.events import ARRIVAL
from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.algebra.samples import MAX_SAMPLED_POINTS
from timeline_app.events.declaration import MAX_SEEN_FIELDS, StreamDeclaration
from timeline_app.events.paths import is_path
from timeline_app.operators import operators
from timeline_app.operators.base import Facts, Operator, WrongInputs
from timeline_app.operators.parameters import ParameterType, parse_seconds, spell_duration
from timeline_app.operators.ports import Parameter, Port
from timeline_app.plan.conditions import warn_of_conditions
from timeline_app.plan.document import Graph, PlanNode, read_document
from timeline_app.plan.reads import list_streams
from timeline_app.predicates import Expression, Predicate, WrongKind
from timeline_app.predicates.tree import Always
from timeline_app.problems.problem import (
    Problem,
    Problems,
    Severity,
    TooManyProblems,
    add_example,
    make_warning,
    suggest_nearest,
)

ENDLESS_RETENTION = 365 * 86_400 * SECOND
"""An unlimited retention counts as this many microseconds."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What the check found out about a node: facts of its result, streams below it, whether its keys are groups."""

    facts: Facts
    streams: tuple[str, ...]
    groups: bool

    @property
    def kind(self) -> Kind:
        """The kind of the node's timelines."""
        return self.facts.kind


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked plan: its graph (nodes that could be read), the parsed parameters, and all problems."""

    graph: Graph
    streams: Mapping[str, StreamDeclaration]
    params: Mapping[str, Mapping[str, Any]]
    nodes: Mapping[str, NodeFacts]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether the plan may run: warnings do not prevent that."""
        return not any(problem.severity == "error" for problem in self.problems)

    def canonical_params(self, node: PlanNode) -> Mapping[str, Any]:
        """Return the parameters of a node of a runnable plan, as they enter its identity."""
        facts = {port: self.nodes[wires[0]].facts for port, wires in node.inputs.items() if wires}
        return operators()[node.op].canonical_params(self.params[node.name], facts)


def check(document: object, streams: Mapping[str, StreamDeclaration]) -> Checked:
    """Check a plan document against these streams, and those that it declares itself."""
    problems = Problems()
    graph = read_document(document, problems)
    unshared_streams = {name: item for name, item in graph.streams.items() if name not in streams}
    checker = _Checker(graph, {**streams, **unshared_streams}, problems)
    try:
        for name in graph.order:
            checker.check_node(graph.nodes[name])
        checker.check_streams(unshared_streams)
        checker.check_conditions()
    except TooManyProblems:
        problems.close()
    return Checked(graph, checker.streams, checker.params, checker.facts, tuple(problems))


@dataclass(slots=True)
class _Checker:
    """Goes through the nodes in topological order, so that the facts of inputs are known before they are used."""

    graph: Graph
    streams: Mapping[str, StreamDeclaration]
    problems: Problems
    params: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, NodeFacts] = field(default_factory=dict)

    def check_node(self, node: PlanNode) -> None:
        """Check one node; its facts are kept if enough of it is right to know them."""
        declared = operators()
        op = declared.get(node.op)
        if op is None:
            hint = f"{suggest_nearest(node.op, declared)}; if it was one of your own, put it back (TIMELINE_OPERATORS)"
            self._refuse(node, None, "unknown_operator", f"there is no operator {node.op!r}", hint)
            return
        if node.stream in self.graph.unreadable_streams - self.streams.keys():
            return  # its declaration is a problem already
        before = self.problems.errors
        stream = self._check_stream(node, op)
        self._check_params(node, op, stream)
        inputs = self._check_ports(node, op)
        self._check_one_of(node, op)
        if self.problems.errors > before or inputs is None:
            return
        if self._streams_of(node) <= self.streams.keys():  # what cannot be read is a problem already
            self._conclude(node, op, stream, inputs)

    def check_streams(self, stream_names: Iterable[str]) -> None:
        """Warn of streams that the plan declares and no node reads."""
        nodes = ({"stream": node.stream, "params": node.params} for node in self.graph.nodes.values())
        read = {name for node in nodes for name in list_streams(node)}
        for name in stream_names:
            if name not in read:
                hint = "take the declaration away, or read the stream"
                message = f"no node reads the stream {name!r}, which the plan declares"
                subject = {"port": f"streams.{name}", "stream": name}
                self.problems.append(make_warning("unused_stream", message, hint, **subject))

    def _streams_of(self, node: PlanNode) -> set[str]:
        """Return the streams whose events a node reads itself."""
        return {*operators()[node.op].reads(self.params[node.name])} | (
            {node.stream} if node.stream else set()
        )

    def check_conditions(self) -> None:
        """Warn of conditions that say something else than they seem to, as long as there is room for warnings."""
        for problem in warn_of_conditions(self.graph, self.params):
            if not self.problems.can_warn:
                return
            self.problems.append(problem)

    def _check_stream(self, node: PlanNode, op: Operator) -> StreamDeclaration | None:
        if not op.takes_stream:
            if node.stream is not None:
                message = (
                    f"{op.name} names its streams itself"
                    if op.reads_streams
                    else f"{op.name} reads no stream"
                )
                self._refuse(node, "stream", "no_stream_here", message, "take the stream away")
            return None
        if node.stream is None and not op.needs_stream:
            self._check_asks_no_events(node, op)
            return None
        if node.stream is None:
            hint = suggest_nearest("", self.streams, "declare a stream first")
            self._refuse(node, "stream", "missing_stream", f"{op.name} needs a stream", f"choose one; {hint}")
            return None
        stream = self._find_stream(node, "stream", node.stream)
        if stream is not None and op.reads_until:
            self._check_until(node, op, stream)
        return stream

    def _find_stream(self, node: PlanNode, port: str, name: str) -> StreamDeclaration | None:
        declared = self.streams.get(name)
        if (
            declared is None and name not in self.graph.unreadable_streams
        ):  # one that is has a problem already
            declare = (
                "declare it first: under Streams, over REST, or (for `evaluate`) in the plan's own `streams`"
            )
            hint = suggest_nearest(name, self.streams, declare)
            self._refuse(node, port, "unknown_stream", f"there is no stream {name!r}", hint)
        return declared

    def _check_asks_no_events(self, node: PlanNode, op: Operator) -> None:
        """Without a stream there is nothing that a condition could be asked of."""
        for parameter in op.parameters:
            if parameter.type.name == "predicate" and node.params.get(parameter.name):
                message = f"{parameter.name!r} asks something of events, and {op.name} reads no stream here"
                hint = "choose the stream, or take the condition away"
                self._refuse(node, parameter.name, "missing_stream", message, hint)

    def _check_until(self, node: PlanNode, op: Operator, stream: StreamDeclaration) -> None:
        """The rows of the stream have an end, and best an id."""
        if stream.until is None:
            message = f"{op.name} needs rows with an end, and stream {stream.name} declares no `until`"
            hint = f"declare the field that says when a row ends: stream {stream.name}(…, until = end)"
            self._refuse(node, "stream", "no_until", message, hint)
        elif stream.id is None and self.problems.can_warn:
            message = (
                f"stream {stream.name} declares `until` and no id: no correction can end or change a row"
            )
            hint = "declare the field that tells rows apart as `id`, unless each row comes once, with its end"
            self._refuse(node, "stream", "until_without_id", message, hint, "warning")

    def _check_params(self, node: PlanNode, op: Operator, stream: StreamDeclaration | None) -> None:
        declared = {parameter.name: parameter for parameter in op.parameters}
        parsed: dict[str, Any] = {}
        for name in node.params:
            if name not in declared:
                hint = suggest_nearest(name, declared, f"{op.name} has no parameters")
                self._refuse(node, name, "unknown_parameter", f"{op.name} has no parameter {name!r}", hint)
        for name, parameter in declared.items():
            raw = node.params.get(name)
            if raw is None or (raw == "" and parameter.type.name != "value"):
                if parameter.required:
                    hint = f"for example {_suggest_example(parameter.type, stream)}"
                    self._refuse(node, name, "missing_parameter", f"{op.name} needs {name!r}", hint)
                elif parameter.default is not None:
                    parsed[name] = parameter.default
                continue
            try:
                parsed[name] = parameter.type.bind(parameter.type.parse(raw), node.stream, self.streams)
            except ValueError as error:
                message, hint = add_example(str(error), _suggest_example(parameter.type, stream))
                self._refuse(node, name, "bad_parameter", message, hint)
                continue
            if parsed[name] == Always(True) and not parameter.required:
                del parsed[name]  # every event is what it takes without a condition
                continue
            self._check_reading(node, parameter, parsed[name], stream)
        self.params[node.name] = parsed

    def _check_reading(
        self, node: PlanNode, parameter: Parameter, value: object, stream: StreamDeclaration | None
    ) -> None:
        """The streams have the fields that a value reads, of the kinds that it needs."""
        for name, where in parameter.type.reads(value):
            declared = self._find_stream(node, parameter.name, name)
            if declared is not None and where is not None:
                self._check_read(node, parameter, where, declared)
        if stream is not None:
            self._check_read(node, parameter, value, stream)

    def _check_read(
        self, node: PlanNode, parameter: Parameter, value: object, stream: StreamDeclaration
    ) -> None:
        before = self.problems.errors
        self._check_fields(node, parameter, value, stream)
        if self.problems.errors == before:
            self._check_kinds(node, parameter.name, value, stream)

    def _check_fields(
        self, node: PlanNode, parameter: Parameter, value: object, stream: StreamDeclaration
    ) -> None:
        port, computed = parameter.name, isinstance(value, Predicate | Expression)
        known_fields = set(stream.fields) | stream.seen
        uses = value.uses() if isinstance(value, Predicate) else parameter.type.uses(value)
        for name, use in dict.fromkeys(uses):
            kind = stream.kind_of(name)
            if stream.lent is not None and name not in stream.lent:
                message = f"stream {stream.name} is not shared with you, and the plan reads no field {name!r} of it yet"
                hint = "ask the stream's owner to share it with you, or leave the field out"
                self._refuse(node, port, "not_shared", message, hint)
            elif name in (stream.key, stream.time):
                role = "key" if name == stream.key else "time"
                message = (
                    f"{name!r} is the {role} of stream {stream.name}, and no field: here it is always missing"
                )
                hint = "let the events say it a second time, in a field of another name"
                severity: Severity = "warning" if use in (None, kind) else "error"
                self._refuse(node, port, f"{role}_is_no_field", message, hint, severity)
            elif use is not None and kind is not use:
                message = f"{name} is {kind.value}, compared with a {use.value}"
                hint = f"compare it with a {kind.value}, or declare {name} as {use.value} in stream {stream.name}"
                self._refuse(node, port, "wrong_type", message, hint)
            elif name not in known_fields and self.problems.can_warn:
                message = f"stream {stream.name} has neither declared nor seen a field {name!r}"
                hint = suggest_nearest(name, known_fields, "it will be unknown until an event has it")
                if use is None and computed:
                    hint += f'; a text stands in quotes: "{name}"'
                self._refuse(node, port, "unseen_field", message, hint, "warning")
            elif _is_yet_unseen(name, stream) and self.problems.can_warn:
                message = f"no event of stream {stream.name} has had a field {name!r} so far"
                hint = suggest_nearest(name, stream.seen, "it will be unknown until an event has it")
                self._refuse(node, port, "unseen_field", message, hint, "warning")

    def _check_kinds(self, node: PlanNode, port: str, value: object, stream: StreamDeclaration) -> None:
        """Check that computed values use fields of the right kinds."""
        if not isinstance(value, Predicate | Expression):
            return
        try:
            value.check_kinds(stream.kind_of)
        except WrongKind as error:
            self._refuse(node, port, "wrong_type", str(error), error.hint)

    def _check_ports(self, node: PlanNode, op: Operator) -> dict[str, list[str]] | None:
        """Return the names of the inputs by port; None where a fact of one of them is unknown."""
        declared = {port.name: port for port in op.ports}
        complete = True
        for name in node.inputs:
            if name not in declared:
                hint = suggest_nearest(name, declared, f"{op.name} takes no inputs")
                self._refuse(node, name, "unknown_port", f"{op.name} has no port {name!r}", hint)
        for name, port in declared.items():
            complete &= self._check_port(node, port, node.inputs.get(name, ()))
        return {name: list(wires) for name, wires in node.inputs.items()} if complete else None

    def _check_port(self, node: PlanNode, port: Port, wires: tuple[str, ...]) -> bool:
        complete = True
        if port.required and not wires:
            self._refuse(
                node, port.name, "open_port", f"nothing is wired to {port.name!r}", "wire an input to it"
            )
        elif wires and len(wires) < port.least:
            self._refuse(
                node, port.name, "too_few_inputs", f"{port.name!r} takes two or more", "wire another input"
            )
        elif not port.many and len(wires) > 1:
            self._refuse(
                node, port.name, "too_many_inputs", f"{port.name!r} takes one input", "take the others away"
            )
        for wire in wires:
            if wire not in self.graph.nodes:
                hint = suggest_nearest(wire, self.graph.nodes, "add the node or take the wire away")
                self._refuse(node, port.name, "dangling_port", f"there is no node {wire!r}", hint)
            elif wire not in self.facts:
                complete = False
            else:
                self._check_wire(node, port, wire, self.facts[wire].facts)
        return complete

    def _check_wire(self, node: PlanNode, port: Port, wire: str, facts: Facts) -> None:
        kinds = _format_kinds(port.kinds)
        if facts.kind is Kind.RATIO and Kind.NUMBER in port.kinds and Kind.RATIO not in port.kinds:
            message = (
                f"{wire!r} is a ratio of climbing numbers; {port.name!r} takes numbers without a divisor"
            )
            hint = "use numerator and denominator by themselves, or compare the ratio with a value"
            self._refuse(node, port.name, "ratio", message, hint)
        elif facts.kind not in port.kinds:
            message = f"{wire!r} is {facts.kind.printed}; {port.name!r} takes {kinds}"
            self._refuse(node, port.name, "wrong_kind", message, f"wire a node whose result is {kinds}")
        elif port.steady and not facts.steady:
            message = f"{wire!r} is a number that climbs; {port.name!r} takes only steady ones"
            hint = "wire a field, a count or a sum of a field, which stand still between events"
            if len(port.kinds) > 1:
                hint = "compare it with greater_than or less_than"
            self._refuse(node, port.name, "climbing_number", message, hint)
        elif port.accumulates and not facts.accumulates:
            message = f"{wire!r} does not accumulate: what it is now is not what has come so far"
            hint = (
                "wire a count, a sum of a field, a duration or an integral, or sums of these; what follows from it,"
                f" and `aggregate`, comes after {node.op}"
            )
            self._refuse(node, port.name, "does_not_accumulate", message, hint)

    def _check_one_of(self, node: PlanNode, op: Operator) -> None:
        present = {"stream"} if node.stream is not None else set()
        present |= {name for name, value in node.params.items() if value is not None}
        given_names = [name for name in op.one_of if name in present or node.inputs.get(name)]
        if op.one_of and len(given_names) != 1:
            choices = " or ".join(op.one_of)
            message = f"give {choices}, not both" if given_names else f"{op.name} needs {choices}"
            self._refuse(node, op.one_of[0], "one_of", message, f"set exactly one of {choices}")

    def _conclude(
        self, node: PlanNode, op: Operator, stream: StreamDeclaration | None, inputs: dict[str, list[str]]
    ) -> None:
        """Check what needs all inputs together, and keep the facts of the result."""
        below = [self.facts[wire] for wires in inputs.values() for wire in wires]
        spaces = {item.groups for item in below} | ({False} if stream else set())
        if len(spaces) > 1:
            message = "joins keys of a stream with groups of an aggregate"
            self._refuse(node, "of", "different_keys", message, "aggregate all inputs first, or none")
            return
        if not self._check_alike(node, op, inputs):
            return
        first = {port: self.facts[wires[0]].facts for port, wires in inputs.items() if wires}
        try:
            kind_of = stream.kind_of if stream else (lambda _: Kind.TEXT)
            facts = op.facts(first, self.params[node.name], kind_of)
        except WrongInputs as error:
            if not self._is_key_or_time(node, error.port, stream):
                self._refuse(node, error.port, "wrong_inputs", str(error), error.hint)
            return
        streams = {name for item in below for name in item.streams} | self._streams_of(node)
        self._check_interval(node, op, streams, first)
        groups = op.across_keys is not None or spaces == {True}
        self.facts[node.name] = NodeFacts(facts, tuple(sorted(streams)), groups)

    def _is_key_or_time(self, node: PlanNode, port: str, stream: StreamDeclaration | None) -> bool:
        """Return whether the name at a port is no field but the key or time: then only that is reported."""
        warned = [problem for problem in self.problems if problem.node == node.name and problem.port == port]
        warning = next((item for item in warned if item.code.endswith("_is_no_field")), None)
        if stream is None or warning is None:
            return False
        self.problems.remove(warning)
        self._refuse(node, port, warning.code, warning.message, warning.hint)
        return True

    def _check_interval(
        self, node: PlanNode, op: Operator, streams: Iterable[str], inputs: Mapping[str, Facts]
    ) -> None:
        """Refuse a node that makes more points over the retention of its streams than may be computed at once."""
        meant = op.canonical_params(self.params[node.name], inputs)
        every = op.across_keys.interval(meant) if op.across_keys else None
        spans = [(min(self.streams[name].retention, ENDLESS_RETENTION), name) for name in streams]
        if every is None or not spans:
            return
        retention, stream = max(spans)
        if retention > every * MAX_SAMPLED_POINTS:
            message = (
                f"one value every {spell_duration(every)} over the retention of stream {stream}"
                f" ({spell_duration(retention)}) are {retention // every:,} points; at most"
                f" {MAX_SAMPLED_POINTS:,} are computed"
            )
            least = spell_duration(-(-retention // MAX_SAMPLED_POINTS))
            hint = f"choose an `every` of {least} or more, or a shorter retention of stream {stream}"
            self._refuse(node, "every", "too_many_points", message, hint)

    def _check_alike(self, node: PlanNode, op: Operator, inputs: dict[str, list[str]]) -> bool:
        """A value, and an input that must be like another one, is of the kind of the first."""
        before = len(self.problems)
        kind = self.facts[inputs["of"][0]].kind if inputs.get("of") else None
        if kind is not None and "value" in self.params[node.name]:
            self._check_value(node, kind)
        for port in op.ports:
            for wire in inputs.get(port.name, ()) if port.like else ():
                if self.facts[wire].kind.printed != self.facts[inputs[port.like][0]].kind.printed:
                    message = (
                        f"{wire!r} is {self.facts[wire].kind.printed}, beside a {_format_kinds((kind,))}"
                    )
                    self._refuse(node, port.name, "wrong_kind", message, f"wire a {_format_kinds((kind,))}")
        return len(self.problems) == before

    def _check_value(self, node: PlanNode, kind: Kind) -> None:
        """Check that the value has the kind that it is compared with; a duration is in seconds."""
        params = self.params[node.name]
        value = params["value"]
        if kind.is_line and isinstance(value, str):
            value = parse_seconds(value)
        if value is None or not _is_fitting(value, kind):
            message = f"the value {params['value']!r} is compared with a {kind.printed}"
            self._refuse(node, "value", "wrong_value", message, f"give a {kind.printed}")
        else:
            params["value"] = value

    def _refuse(
        self,
        node: PlanNode,
        port: str | None,
        code: str,
        message: str,
        hint: str,
        severity: Severity = "error",
    ) -> None:
        self.problems.append(Problem(node.name, port, code, message, hint, severity))


def _suggest_example(kind: ParameterType, stream: StreamDeclaration | None) -> str:
    """Return an example for a parameter; for a field, the first visible one of the stream."""
    if kind.name != "field" or stream is None:
        return kind.placeholder
    names = (set(stream.fields) | stream.seen) - {stream.key, stream.time, stream.id}
    return min(names if stream.lent is None else names & stream.lent, default=kind.placeholder)


def _is_yet_unseen(name: str, stream: StreamDeclaration) -> bool:
    """Return whether a field is declared, and none of the events that have come had it; of paths not all are noted."""
    flag = stream.lent is None and 0 < len(stream.seen) < MAX_SEEN_FIELDS
    return flag and name not in stream.seen and name != ARRIVAL and not is_path(name)


def _is_fitting(value: object, kind: Kind) -> bool:
    python_type = {"text": str, "bool": bool, "number": float}[kind.printed]
    return isinstance(value, python_type)


def _format_kinds(kinds: Iterable[Kind | None]) -> str:
    return " or ".join(dict.fromkeys(kind.printed for kind in kinds if kind is not None))
