"""What documents speak of: read from any document, also from one that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from timeline_app.plan.reads import list_streams

LONGEST = 200
OPERATOR, STREAM, PLAN, NODE = "op", "stream", "plan", "node"
Found = Iterator[tuple[str, Any]]


def of_plan(document: Any) -> Found:
    """The operators, streams and names of a plan document, which may say anything."""
    for name, node in _within(document, "nodes").items():
        yield NODE, name
        if isinstance(node, dict):
            yield OPERATOR, node.get("op")
            for stream in list_streams(node):
                yield STREAM, stream


def of_node(program: Any, digest: str) -> Found:
    """The streams that a node reads, itself or through others, and the digests of all nodes below it."""
    for name in _within(program, "streams"):
        yield STREAM, name
    for feed in _all(program, "feeds"):
        yield NODE, feed["digest"]
        for source in feed["sources"]:
            yield STREAM, source.rpartition("/")[2]
    for step in _all(program, "steps"):
        if step["digest"] != digest:
            yield NODE, step["digest"]


def of_dashboard(document: Any) -> Found:
    """The plans, and the names of the nodes, that charts show."""
    for chart in _all(document, "charts"):
        if not chart.get("node"):
            continue
        yield PLAN, str(chart.get("plan"))
        yield NODE, chart.get("node")


def _within(document: Any, part: str) -> Mapping[str, Any]:
    found = document.get(part) if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}


def _all(document: Any, part: str) -> list[dict[str, Any]]:
    found = document.get(part) if isinstance(document, dict) else None
    return found if isinstance(found, list) else []


def sayable(value: str) -> bool:
    """Whether somebody could look for it."""
    return 0 < len(value) <= LONGEST and "\0" not in value


def kept(found: Iterable[tuple[str, Any]]) -> set[tuple[str, str]]:
    """Those that somebody could look for, each once."""
    return {(kind, value) for kind, value in found if isinstance(value, str) and sayable(value)}
