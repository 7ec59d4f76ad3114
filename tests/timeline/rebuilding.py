"""A plan document, built again by calls of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from timeline_app import timeline as tl
from timeline_app.timeline.help import to_python_name


def rebuild_plan(document: Mapping[str, Any], *, named: bool) -> tl.Plan:
    """The plan of a document whose nodes stand below what uses them; without names they are left to the plan."""
    streams = {name: tl.stream(name, **declared) for name, declared in document["streams"].items()}
    made: dict[str, tl.Timeline] = {}
    for name, node in document["nodes"].items():
        call = getattr(tl, to_python_name(node["op"]))
        inputs = {port: _build_wires(wires, made) for port, wires in node.get("inputs", {}).items()}
        leaf = {"stream": streams[node["stream"]]} if "stream" in node else {}
        params = {key: _build_parts(value, streams) for key, value in node.get("params", {}).items()}
        arguments = {to_python_name(key): value for key, value in {**inputs, **params}.items()}
        made[name] = call(**leaf, **arguments)
        made[name] = made[name].named(name) if named else made[name]
    return tl.plan(document.get("name", ""), *(made[name] for name in document["results"]))


def _build_wires(wires: Any, made: Mapping[str, tl.Timeline]) -> Any:
    return [made[wire] for wire in wires] if isinstance(wires, list) else made[wires]


def _build_parts(value: Any, streams: Mapping[str, tl.Stream]) -> Any:
    """A parameter; where its parts name streams, these stand there themselves."""
    listed = isinstance(value, list)
    return [{**part, "stream": streams[part["stream"]]} for part in value] if listed else value
