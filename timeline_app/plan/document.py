"""Reading a plan document, version 1, into a graph in topological order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.operators.parameters import is_storable
from timeline_app.plan.drawing import check_drawing
from timeline_app.problems.problem import Problem, Problems, Refused, TooManyProblems, suggest_nearest

VERSION = 1
MAX_NODES = 1_000
MAX_PARAMETER_CHARS = 500_000
"""Of all nodes together: parsing conditions of this length takes a second and a half."""
MAX_WIRES = 200
_KEYS = ("version", "name", "nodes", "results", "layout", "streams", "comments", "groups")
_NODE_KEYS = ("op", "stream", "inputs", "params", "comment")
_NAME = re.compile(r"[^\W\d]\w{0,99}")
_INHERITED = re.compile(
    r"__proto__|__(define|lookup)[GS]etter__|constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable"
    r"|to(Locale)?String|valueOf"
)


@dataclass(frozen=True, slots=True)
class PlanNode:
    """A node as written: its inputs are names of nodes by port."""

    name: str
    op: str
    stream: str | None
    inputs: Mapping[str, tuple[str, ...]]
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes of a plan; `order` is topological and leaves out what lies on a cycle or above one."""

    nodes: Mapping[str, PlanNode]
    order: tuple[str, ...]
    results: tuple[str, ...]
    streams: Mapping[str, StreamDeclaration]
    unreadable_streams: frozenset[str] = frozenset()
    """Declared here, but wrongly: what reads them cannot be checked."""


def read_document(document: object, problems: Problems) -> Graph:
    """Read what can be read of a document; what cannot is added to the problems. Of one with too many, nothing is."""
    try:
        return _read(document, problems)
    except TooManyProblems:
        problems.close()
        return Graph({}, (), (), {})


def _read(document: object, problems: Problems) -> Graph:
    if not isinstance(document, Mapping):
        hint = 'write {"version": 1, "name": …, "nodes": {…}}'
        problems.append(Problem(None, None, "not_an_object", "a plan document must be an object", hint))
        document = {"version": VERSION}
    reader = _DocumentReader(document, problems)
    nodes = reader.nodes()
    order = _order(nodes, problems)
    reader.frame()
    check_drawing(document, nodes.keys(), problems)
    streams = reader.streams()
    return Graph(nodes, order, reader.results(nodes), streams, reader.declared_streams() - streams.keys())


class _DocumentReader:
    """Reads the parts of a document and keeps every problem."""

    def __init__(self, document: Mapping[str, Any], problems: Problems) -> None:
        self.document, self.problems = document, problems

    def refuse(self, node: str | None, port: str | None, code: str, message: str, hint: str) -> None:
        self.problems.append(Problem(node, port, code, message, hint))

    def frame(self) -> None:
        """The keys of the document itself."""
        for key in self.document:
            if key not in _KEYS:
                hint = suggest_nearest(str(key), _KEYS)
                self.refuse(None, str(key), "unknown_key", f"a plan document has no {key!r}", hint)
        if self.document.get("version") != VERSION or self.document.get("version") is True:
            message = f"version {self.document.get('version')!r} cannot be read"
            self.refuse(None, "version", "bad_version", message, f'write "version": {VERSION}')
        name = self.document.get("name", "")
        if not isinstance(name, str) or len(name) > 200 or not is_storable(name):
            self.refuse(
                None, "name", "bad_name", "the name must be text of at most 200 characters", "shorten it"
            )

    def nodes(self) -> dict[str, PlanNode]:
        raw = self.document.get("nodes", {})
        if not isinstance(raw, Mapping):
            hint = 'write {"name": {"op": …}}'
            self.refuse(None, "nodes", "bad_nodes", "nodes must be an object of names and nodes", hint)
            return {}
        if not raw:
            self.refuse(
                None, "nodes", "no_nodes", "the plan has no nodes", "drag an operator onto the canvas"
            )
        if len(raw) > MAX_NODES:
            message = f"{len(raw):,} nodes; a plan may have {MAX_NODES:,}"
            self.refuse(
                None,
                "nodes",
                "too_many_nodes",
                message,
                "split it into several plans; equal nodes are shared",
            )
            return {}
        read = (self._node(str(name), node) for name, node in raw.items())
        return self._short({node.name: node for node in read if node is not None})

    def _short(self, nodes: dict[str, PlanNode]) -> dict[str, PlanNode]:
        """Return the nodes, or none of them where parsing their conditions would take long."""
        texts = (text for node in nodes.values() for text in node.params.values() if isinstance(text, str))
        if (length := sum(map(len, texts))) <= MAX_PARAMETER_CHARS:
            return nodes
        message = f"conditions and other parameters of {length:,} characters; a plan may have {MAX_PARAMETER_CHARS:,}"
        self.refuse(None, "nodes", "long_parameters", message, "shorten them, or split it into several plans")
        return {}

    def _node(self, name: str, raw: object) -> PlanNode | None:
        inherited = _INHERITED.fullmatch(name)
        if not _NAME.fullmatch(name) or inherited:
            hint = "use letters, digits and _, at most 100, not beginning with a digit"
            hint = "choose another one: every object of a browser has this one already" if inherited else hint
            self.refuse(name[:100], None, "bad_name", f"{name[:100]!r} cannot be the name of a node", hint)
        if not isinstance(raw, Mapping):
            self.refuse(name, None, "bad_node", "a node must be an object", 'write {"op": …, "inputs": {…}}')
            return None
        for key in raw:
            if key not in _NODE_KEYS:
                self.refuse(
                    name,
                    str(key),
                    "unknown_key",
                    f"a node has no {key!r}",
                    suggest_nearest(str(key), _NODE_KEYS),
                )
        op, stream, params = raw.get("op"), raw.get("stream"), raw.get("params") or {}
        if not isinstance(op, str):
            self.refuse(
                name, "op", "missing_operator", "the node names no operator", 'write "op": "has_existed"'
            )
            return None
        if stream is not None and not isinstance(stream, str):
            self.refuse(
                name, "stream", "bad_stream", "the stream must be named by text", 'write "stream": "player"'
            )
            stream = None
        if not isinstance(params, Mapping):
            self.refuse(name, "params", "bad_params", "params must be an object", 'write {"duration": "5s"}')
            params = {}
        return PlanNode(name, op, stream, self._inputs(name, raw.get("inputs") or {}), dict(params))

    def _inputs(self, name: str, raw: object) -> dict[str, tuple[str, ...]]:
        if not isinstance(raw, Mapping):
            self.refuse(
                name, "inputs", "bad_inputs", "inputs must be an object of ports", 'write {"of": "state"}'
            )
            return {}
        inputs = {}
        for port, wires in raw.items():
            listed = wires if isinstance(wires, list) else [wires]
            if not all(isinstance(wire, str) for wire in listed) or len(listed) > MAX_WIRES:
                hint = f'write "name" or a list of at most {MAX_WIRES} names'
                self.refuse(name, str(port), "bad_wire", "an input is named by text", hint)
                continue
            inputs[str(port)] = tuple(listed)
        return inputs

    def results(self, nodes: Mapping[str, PlanNode]) -> tuple[str, ...]:
        raw = self.document.get("results", [])
        if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
            self.refuse(None, "results", "bad_results", "results must be a list of names", 'write ["cirr"]')
            return ()
        for name in raw:
            if name not in nodes:
                hint = suggest_nearest(name, nodes, "take it out of the results")
                self.refuse(None, "results", "unknown_result", f"the result {name!r} is no node", hint)
        return tuple(name for name in raw if name in nodes)

    def declared_streams(self) -> frozenset[str]:
        raw = self.document.get("streams")
        return frozenset(map(str, raw)) if isinstance(raw, Mapping) else frozenset()

    def streams(self) -> dict[str, StreamDeclaration]:
        raw = self.document.get("streams") or {}
        if not isinstance(raw, Mapping):
            self.refuse(
                None, "streams", "bad_streams", "streams must be an object", 'write {"player": {"key": …}}'
            )
            return {}
        declarations = {}
        for name, declaration in raw.items():
            try:
                declarations[str(name)] = StreamDeclaration.from_document(str(name), declaration)
            except Refused as refused:
                for item in refused.problems:
                    port = f"streams.{name}.{item.port or ''}".rstrip(".")
                    self.refuse(None, port, item.code, item.message, item.hint)
        return declarations


def _order(nodes: Mapping[str, PlanNode], problems: Problems) -> tuple[str, ...]:
    """Return nodes with inputs before those that use them; every cycle is a problem."""
    waits = {name: {wire for wire in _collect_wires(node) if wire in nodes} for name, node in nodes.items()}
    users: dict[str, list[str]] = {name: [] for name in nodes}
    for name, inputs in waits.items():
        for wire in inputs:
            users[wire].append(name)
    ready = [name for name, inputs in waits.items() if not inputs]
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for user in users[name]:
            waits[user].discard(name)
            if not waits[user]:
                ready.append(user)
    stuck = {name for name, inputs in waits.items() if inputs}
    while stuck:
        cycle = _find_cycle(waits, min(stuck))
        loop = " → ".join((*cycle[:8], "…") if len(cycle) > 8 else (*cycle, cycle[0]))
        problems.append(
            Problem(cycle[0], "of", "cycle", f"lies on a cycle: {loop}", "take one of its wires away")
        )
        stuck -= _collect_above(users, cycle)
    return tuple(order)


def _collect_wires(node: PlanNode) -> set[str]:
    return {wire for wires in node.inputs.values() for wire in wires}


def _find_cycle(waits: Mapping[str, set[str]], start: str) -> list[str]:
    """Return a cycle that is met on the way down from a node that can never be ready."""
    path, position_of = [start], {start: 0}
    while True:
        following = min(waits[path[-1]])
        if following in position_of:
            return path[position_of[following] :]
        position_of[following] = len(path)
        path.append(following)


def _collect_above(users: Mapping[str, list[str]], cycle: list[str]) -> set[str]:
    """Return the nodes of a cycle and all that use them."""
    above, todo = set(cycle), list(cycle)
    while todo:
        for user in users[todo.pop()]:
            if user not in above:
                above.add(user)
                todo.append(user)
    return above
