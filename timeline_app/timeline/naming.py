"""From expressions to the nodes of a document: each computation once, each with a name.

A node that is used once and has no name stands inside the statement that uses it, and is numbered as the text language
numbers it (`cirr_1`, `cirr_2`, …). One that is shared gets a statement, called after its operator and its fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from timeline_app.plan.text.words import MAX_NAME_CHARS, Numbering, is_name
from timeline_app.problems.problem import Problem, Refused
from timeline_app.timeline.expressions import Node, Stream, Timeline

Wires = dict[str, list[str]]


@dataclass(slots=True)
class Named:
    """The nodes of a plan by name with the names at their ports, in the order of the document."""

    results: tuple[str, ...]
    statements: tuple[str, ...]
    nodes_by_name: dict[str, tuple[Node, Wires]] = field(default_factory=dict)

    def nodes(self) -> dict[str, Any]:
        """As JSON."""
        return {name: _describe_node(node, wires) for name, (node, wires) in self.nodes_by_name.items()}

    def streams(self) -> Iterator[Stream]:
        """The streams that the nodes read."""
        for node, _ in self.nodes_by_name.values():
            yield from node.named if node.stream is None else (node.stream, *node.named)


def name_nodes(results: Sequence[Timeline]) -> Named:
    """Name everything below the results; raises `Refused` where two timelines have one name."""
    labels = _Labels(results)
    names = _name_statements(labels)
    heads, names_used = tuple(names), set(names.values())
    named = Named(
        tuple(dict.fromkeys(names[labels.get_label(item)] for item in results)),
        tuple(names[head] for head in heads),
    )
    for head in heads:
        numbering = Numbering(names[head], names_used)
        for label in _iterate_nested(labels, head, set(heads)):
            names[label] = numbering.next()
            names_used.add(names[label])
            named.nodes_by_name[names[label]] = labels.wired(label, names)
        named.nodes_by_name[names[head]] = labels.wired(head, names)
    return named


class _Labels:
    """All nodes by label, which is the node's name, or where it has none what it computes.

    `order` has inputs before what uses them, `uses` says how often each is wired.
    """

    def __init__(self, results: Sequence[Timeline]) -> None:
        self._first: dict[str, str] = {}
        self._meet_names(results)
        self.results = {self.get_label(item) for item in results}
        self.nodes: dict[str, Node] = {}
        self.uses: Counter[str] = Counter()
        self.order = list(self._bottom_up(results))

    def get_label(self, item: Timeline) -> str:
        """Return its own name, or the first of the same computation elsewhere, or `=` and the computation."""
        return item.name or self._first.get(item.node.content, f"={item.node.content}")

    def below(self, label: str) -> list[str]:
        """The labels of a node's inputs, in the order of reading."""
        return [self.get_label(wire) for wire in _list_wires(self.nodes[label])]

    def wired(self, label: str, names: dict[str, str]) -> tuple[Node, Wires]:
        """A node and the names of its inputs by port."""
        node = self.nodes[label]
        return node, {
            port: [names[self.get_label(item)] for item in items] for port, items in node.inputs.items()
        }

    def _meet_names(self, results: Sequence[Timeline]) -> None:
        """Assign the first name of each computation, those of results first; each name is given once."""
        names: dict[str, str] = {}
        for item in (*results, *_iterate_timelines(results)):
            if item.name is not None:
                if names.setdefault(item.name, item.node.content) != item.node.content:
                    raise _refuse_two_meanings(item.name)
                self._first.setdefault(item.node.content, item.name)

    def _bottom_up(self, results: Sequence[Timeline]) -> Iterator[str]:
        waiting = [(item, False) for item in reversed(results)]
        visited: set[str] = set()
        while waiting:
            item, ready = waiting.pop()
            label = self.get_label(item)
            if label in visited:
                continue
            if ready:
                visited.add(label)
                yield label
                continue
            self.nodes[label] = item.node
            self.uses.update(self.below(label))
            waiting.append((item, True))
            waiting += [(wire, False) for wire in reversed(_list_wires(item.node))]


def _name_statements(labels: _Labels) -> dict[str, str]:
    """The names of the nodes that are no part of another one's expression: named, shared, or results."""
    heads = [
        label
        for label in labels.order
        if _is_name(label) or labels.uses[label] > 1 or label in labels.results
    ]
    names_used = {label for label in heads if _is_name(label)}
    names = {}
    for label in heads:
        names[label] = (
            label if _is_name(label) else _find_free_name(_derive_base_name(labels.nodes[label]), names_used)
        )
        names_used.add(names[label])
    return names


def _iterate_nested(labels: _Labels, head: str, heads: set[str]) -> Iterator[str]:
    """Yield the nodes inside a statement, innermost first, in the order of reading."""
    waiting = [(head, False)]
    while waiting:
        label, ready = waiting.pop()
        if ready:
            yield label
            continue
        if label != head:
            waiting.append((label, True))
        waiting += [(below, False) for below in reversed(labels.below(label)) if below not in heads]


def _iterate_timelines(results: Sequence[Timeline]) -> Iterator[Timeline]:
    """Every expression below, each once."""
    waiting, visited = list(reversed(results)), set[int]()
    while waiting:
        item = waiting.pop()
        if id(item) not in visited:
            visited.add(id(item))
            waiting += reversed(_list_wires(item.node))
            yield item


def _list_wires(node: Node) -> list[Timeline]:
    return [wire for wires in node.inputs.values() for wire in wires]


def _is_name(label: str) -> bool:
    return label[0] != "="


def _derive_base_name(node: Node) -> str:
    """Return a name from the operator and the fields that it uses."""
    types = {parameter.name: parameter.type for parameter in node.op.parameters}
    used = [name for key, raw in node.params.items() for name, _ in types[key].uses(types[key].parse(raw))]
    words = "_".join([node.op.name, *dict.fromkeys(used)])
    return re.sub(r"\W+", "_", words)[:MAX_NAME_CHARS]


def _find_free_name(base: str, names_used: set[str]) -> str:
    return base if base not in names_used and is_name(base) else Numbering(base, names_used).next()


def _describe_node(node: Node, wires: Wires) -> dict[str, Any]:
    many_ports = {port.name for port in node.op.ports if port.many and port.required}
    inputs = {
        port: names if port in many_ports or len(names) > 1 else names[0] for port, names in wires.items()
    }
    stream = node.stream.name if node.stream else None
    sections = {"stream": stream, "inputs": inputs, "params": dict(node.params)}
    return {
        "op": node.op.name,
        **{section: description for section, description in sections.items() if description},
    }


def _refuse_two_meanings(name: str) -> Refused:
    message = f"{name!r} is the name of two different timelines"
    return Refused([Problem(name, None, "duplicate_name", message, "give one of them another name")])
