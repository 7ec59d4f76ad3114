"""Detects renamed nodes, and renames nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from timeline_app.plan.versions.values import ABSENT, Document, format_canonical, get_section

Names = Mapping[str, str]
Key = Callable[[Document, str, Names], str | None]


def detect_renames(before: Document, after: Document) -> dict[str, str]:
    """Return old names with their new ones.

    A removed node is the added one that has the same place and operator, or the same content; ambiguous matches do
    not count.
    """
    old, new = get_section(before, "nodes"), get_section(after, "nodes")
    removed, added = [name for name in old if name not in new], [name for name in new if name not in old]
    renames: dict[str, str] = {}
    for key in (_place, _place, _get_content, _get_content):
        left = _index_by_key(before, [name for name in removed if name not in renames], key, renames)
        right = _index_by_key(after, [name for name in added if name not in renames.values()], key, {})
        renames |= {left[sign]: right[sign] for sign in left if sign in right}
    return renames


def _index_by_key(document: Document, names: Iterable[str], key: Key, other_names: Names) -> dict[str, str]:
    """Return the names by their keys, without ambiguous keys."""
    names_by_key: dict[str, list[str]] = {}
    for name in names:
        if (value := key(document, name, other_names)) is not None:
            names_by_key.setdefault(value, []).append(name)
    return {value: owners[0] for value, owners in names_by_key.items() if len(owners) == 1}


def _place(document: Document, name: str, _names: Names) -> str | None:
    """Return its operator and where it lies."""
    position, node = get_section(document, "layout").get(name), get_section(document, "nodes")[name]
    op = node.get("op") if isinstance(node, Mapping) else None
    return None if position is None or op is None else format_canonical([op, position])


def _get_content(document: Document, name: str, names: Names) -> str | None:
    """Return a node's content, with the current names of its inputs."""
    node = get_section(document, "nodes")[name]
    return (
        format_canonical(_rename_wires(node, names)) if isinstance(node, Mapping) and len(node) > 1 else None
    )


def rename_nodes(document: Document, names: Names) -> dict[str, Any]:
    """Return the document with its nodes called by other names, wherever they are called."""
    if not names:
        return dict(document)
    after = dict(document)
    for section in ("nodes", "layout"):
        if isinstance(content := document.get(section), Mapping):
            after[section] = {names.get(name, name): value for name, value in content.items()}
    if isinstance(nodes := after.get("nodes"), Mapping):
        after["nodes"] = {name: _rename_wires(node, names) for name, node in nodes.items()}
    if isinstance(content := document.get("results"), list):
        after["results"] = _list(content, names)
    for section in ("groups", "comments"):
        if section in document:
            after[section] = _rename_in_value(document[section], names)
    return after


def _rename_wires(node: Any, names: Names) -> Any:
    inputs = node.get("inputs") if isinstance(node, Mapping) else None
    if not isinstance(inputs, Mapping):
        return node
    ports = {
        port: _list(sources, names) if isinstance(sources, list) else _name(sources, names)
        for port, sources in inputs.items()
    }
    return {**node, "inputs": ports}


def _rename_in_value(value: Any, names: Names) -> Any:
    """Groups and comments: they call nodes in lists under `nodes`, and by `before` and `node`."""
    if isinstance(value, list):
        return [_rename_in_value(entry, names) for entry in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _rename_in_entry(key, inner, names) for key, inner in value.items()}


def _rename_in_entry(key: str, value: Any, names: Names) -> Any:
    if key == "nodes" and isinstance(value, list):
        return _list(value, names)
    return _name(value, names) if key in ("before", "node") else _rename_in_value(value, names)


def _list(values: Iterable[Any], names: Names) -> list[Any]:
    return [_name(value, names) for value in values]


def _name(value: Any, names: Names) -> Any:
    return names.get(value, value) if isinstance(value, str) else value


def find_free_name(name: str, names: Iterable[str]) -> str:
    """Return the name, or with the least number behind it that makes it a new one."""
    names_used = set(names)
    number, candidate = 1, name
    while candidate in names_used:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def place_of(document: Document, name: str) -> Any:
    """Return where a node lies."""
    return get_section(document, "layout").get(name, ABSENT)
