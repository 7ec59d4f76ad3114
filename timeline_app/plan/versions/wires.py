"""What a merge must look after beyond single values: wires, places and results of nodes that are gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from timeline_app.plan.versions.values import Document, get_section

Nodes = Mapping[str, Any]


def iterate_sources(node: Any) -> Iterator[tuple[str, str]]:
    """Yield the wires into a node: port, and the name of the node that it comes from."""
    inputs = node.get("inputs") if isinstance(node, Mapping) else None
    for port, sources in inputs.items() if isinstance(inputs, Mapping) else ():
        for name in sources if isinstance(sources, list) else [sources]:
            if isinstance(name, str):
                yield port, name


def find_wanted(nodes: Nodes, base: Nodes, ours: Nodes, theirs: Nodes) -> list[str]:
    """Nodes of the base that one side took away while the other wired something new to them."""
    names = []
    for reader, node in nodes.items():
        old = set(iterate_sources(base.get(reader)))
        for port, name in iterate_sources(node):
            removed = name in base and name not in nodes
            if removed and (port, name) not in old and _is_others(reader, (port, name), name, ours, theirs):
                names.append(name)
    return list(dict.fromkeys(names))


def _is_others(reader: str, wire: tuple[str, str], name: str, ours: Nodes, theirs: Nodes) -> bool:
    """Return whether the wire comes from a side that has the node, not from the one that took it away."""
    return any(name in side and wire in set(iterate_sources(side.get(reader))) for side in (ours, theirs))


def tidy_document(
    document: dict[str, Any], base: Document, ours: Document, theirs: Document
) -> dict[str, Any]:
    """Without the wires, places and results of nodes that a side took away; with a place for all that stayed."""
    nodes, sides = (
        get_section(document, "nodes"),
        [get_section(version, "nodes") for version in (base, ours, theirs)],
    )
    removed_names = {name for side in sides for name in side if name not in nodes}
    after = dict(document)
    if "nodes" in document:
        after["nodes"] = {name: _cut(name, node, removed_names, sides[1:]) for name, node in nodes.items()}
    if isinstance(content := document.get("layout"), Mapping):
        after["layout"] = _choose_places(content, removed_names, nodes, (base, ours, theirs))
    if isinstance(content := document.get("results"), list):
        loose = {name for name in removed_names if not _is_named_by(name, (ours, theirs))}
        after["results"] = [name for name in content if not (isinstance(name, str) and name in loose)]
    return after


def _is_named_by(name: str, sides: Iterable[Document]) -> bool:
    """Return whether a side names a result that it has no node for."""
    results = ((side, side.get("results")) for side in sides)
    return any(
        isinstance(listed, list) and name in listed and name not in get_section(side, "nodes")
        for side, listed in results
    )


def _choose_places(
    positions: Nodes, removed: set[str], nodes: Nodes, three: tuple[Document, Document, Document]
) -> Nodes:
    """Choose the positions of nodes; one that a side removed and that stayed returns to its old position."""
    back = {
        name: get_section(side, "layout")[name]
        for side in three
        for name in get_section(side, "layout")
        if name in nodes
        and name not in positions
        and any(name not in get_section(version, "nodes") for version in three[1:])
    }
    return {name: position for name, position in positions.items() if name not in removed} | back


def _cut(reader: str, node: Any, removed: set[str], sides: list[dict[str, Any]]) -> Any:
    """Return the node without wires from removed nodes, except those kept by the other side."""
    loose = {
        (port, name)
        for port, name in iterate_sources(node)
        if name in removed
        and not any(
            name not in side and (port, name) in set(iterate_sources(side.get(reader))) for side in sides
        )
    }
    if not loose:
        return node
    inputs = {}
    for port, sources in node["inputs"].items():
        sources_left = (
            [wire for wire in sources if (port, wire) not in loose] if isinstance(sources, list) else sources
        )
        if sources_left != [] and (port, sources_left if isinstance(sources_left, str) else "") not in loose:
            inputs[port] = sources_left
    without_inputs = {key: value for key, value in node.items() if key != "inputs"}
    return without_inputs | {"inputs": inputs} if inputs else without_inputs
