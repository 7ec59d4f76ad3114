"""Which nodes got another name, so that a renamed node is still the same one; and renaming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from timeline_app.plan.versions.values import ABSENT, Document, canonical, section

Names = Mapping[str, str]
Key = Callable[[Document, str, Names], str | None]


def renames(before: Document, after: Document) -> dict[str, str]:
    """Old names to new ones.

    A node that is gone is the one that is new where both lie at one place with the same operator, or say the same;
    where several would do, none is.
    """
    old, new = section(before, "nodes"), section(after, "nodes")
    gone, come = [one for one in old if one not in new], [one for one in new if one not in old]
    found: dict[str, str] = {}
    for key in (_place, _place, _content, _content):
        left = _by_key(before, [one for one in gone if one not in found], key, found)
        right = _by_key(after, [one for one in come if one not in found.values()], key, {})
        found |= {left[same]: right[same] for same in left if same in right}
    return found


def _by_key(document: Document, names: Iterable[str], key: Key, known: Names) -> dict[str, str]:
    """The names by their keys, without those that share one."""
    found: dict[str, list[str]] = {}
    for name in names:
        if (value := key(document, name, known)) is not None:
            found.setdefault(value, []).append(name)
    return {value: owners[0] for value, owners in found.items() if len(owners) == 1}


def _place(document: Document, name: str, _known: Names) -> str | None:
    """Its operator and where it lies."""
    place, node = section(document, "layout").get(name), section(document, "nodes")[name]
    op = node.get("op") if isinstance(node, Mapping) else None
    return None if place is None or op is None else canonical([op, place])


def _content(document: Document, name: str, known: Names) -> str | None:
    """All that it says, its inputs as they are called now."""
    node = section(document, "nodes")[name]
    return canonical(_wired(node, known)) if isinstance(node, Mapping) and len(node) > 1 else None


def renamed(document: Document, names: Names) -> dict[str, Any]:
    """The document with its nodes called by other names, wherever they are called."""
    if not names:
        return dict(document)
    after = dict(document)
    for part in ("nodes", "layout"):
        if isinstance(held := document.get(part), Mapping):
            after[part] = {names.get(name, name): value for name, value in held.items()}
    if isinstance(nodes := after.get("nodes"), Mapping):
        after["nodes"] = {name: _wired(node, names) for name, node in nodes.items()}
    if isinstance(held := document.get("results"), list):
        after["results"] = _list(held, names)
    for part in ("groups", "comments"):
        if part in document:
            after[part] = _called(document[part], names)
    return after


def _wired(node: Any, names: Names) -> Any:
    inputs = node.get("inputs") if isinstance(node, Mapping) else None
    if not isinstance(inputs, Mapping):
        return node
    ports = {
        port: _list(held, names) if isinstance(held, list) else _name(held, names)
        for port, held in inputs.items()
    }
    return {**node, "inputs": ports}


def _called(value: Any, names: Names) -> Any:
    """Groups and comments: they call nodes in lists under `nodes`, and by `before` and `node`."""
    if isinstance(value, list):
        return [_called(one, names) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _calling(key, inner, names) for key, inner in value.items()}


def _calling(key: str, value: Any, names: Names) -> Any:
    if key == "nodes" and isinstance(value, list):
        return _list(value, names)
    return _name(value, names) if key in ("before", "node") else _called(value, names)


def _list(values: Iterable[Any], names: Names) -> list[Any]:
    return [_name(one, names) for one in values]


def _name(value: Any, names: Names) -> Any:
    return names.get(value, value) if isinstance(value, str) else value


def free(name: str, taken: Iterable[str]) -> str:
    """The name, or with the least number behind it that makes it a new one."""
    known = set(taken)
    number, found = 1, name
    while found in known:
        number += 1
        found = f"{name}_{number}"
    return found


def place_of(document: Document, name: str) -> Any:
    """Where a node lies."""
    return section(document, "layout").get(name, ABSENT)
