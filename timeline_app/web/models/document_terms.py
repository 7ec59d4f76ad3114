"""What documents speak of: read from any document, also from one that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from timeline_app.plan.reads import list_streams

LONGEST = 200
OPERATOR, STREAM, PLAN, NODE = "op", "stream", "plan", "node"
TermPairs = Iterator[tuple[str, Any]]


def collect_plan_terms(document: Any) -> TermPairs:
    """The operators, streams and names of a plan document, which may say anything."""
    for name, node in _get_mapping(document, "nodes").items():
        yield NODE, name
        if isinstance(node, dict):
            yield OPERATOR, node.get("op")
            for stream in list_streams(node):
                yield STREAM, stream


def collect_node_terms(program: Any, digest: str) -> TermPairs:
    """The streams that a node reads, itself or through others, and the digests of all nodes below it."""
    for name in _get_mapping(program, "streams"):
        yield STREAM, name
    for feed in _get_list(program, "feeds"):
        yield NODE, feed["digest"]
        for source in feed["sources"]:
            yield STREAM, source.rpartition("/")[2]
    for step in _get_list(program, "steps"):
        if step["digest"] != digest:
            yield NODE, step["digest"]


def collect_dashboard_terms(document: Any) -> TermPairs:
    """The plans, and the names of the nodes, that charts show."""
    for chart in _get_list(document, "charts"):
        if not chart.get("node"):
            continue
        yield PLAN, str(chart.get("plan"))
        yield NODE, chart.get("node")


def _get_mapping(document: Any, part: str) -> Mapping[str, Any]:
    result = document.get(part) if isinstance(document, dict) else None
    return result if isinstance(result, dict) else {}


def _get_list(document: Any, part: str) -> list[dict[str, Any]]:
    result = document.get(part) if isinstance(document, dict) else None
    return result if isinstance(result, list) else []


def is_searchable(value: str) -> bool:
    """Whether somebody could look for it."""
    return 0 < len(value) <= LONGEST and "\0" not in value


def select_searchable(results: Iterable[tuple[str, Any]]) -> set[tuple[str, str]]:
    """Those that somebody could look for, each once."""
    return {(kind, value) for kind, value in results if isinstance(value, str) and is_searchable(value)}
