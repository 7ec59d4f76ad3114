"""Search terms of documents, also of invalid ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from timeline_app.plan.reads import list_streams

MAX_TERM_CHARS = 200
OPERATOR, STREAM, PLAN, NODE = "op", "stream", "plan", "node"
TermPairs = Iterator[tuple[str, Any]]


def collect_plan_terms(document: Any) -> TermPairs:
    """Yield the operators, streams and names of a plan document, which may be invalid."""
    for name, node in _get_mapping(document, "nodes").items():
        yield NODE, name
        if isinstance(node, dict):
            yield OPERATOR, node.get("op")
            for stream in list_streams(node):
                yield STREAM, stream


def collect_node_terms(program: Any, digest: str) -> TermPairs:
    """Yield the streams that a node reads, directly or indirectly, and the digests of all nodes below it."""
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
    """Yield the plans and the names of nodes that charts show."""
    for chart in _get_list(document, "charts"):
        if not chart.get("node"):
            continue
        yield PLAN, str(chart.get("plan"))
        yield NODE, chart.get("node")


def _get_mapping(document: Any, section: str) -> Mapping[str, Any]:
    result = document.get(section) if isinstance(document, dict) else None
    return result if isinstance(result, dict) else {}


def _get_list(document: Any, section: str) -> list[dict[str, Any]]:
    result = document.get(section) if isinstance(document, dict) else None
    return result if isinstance(result, list) else []


def is_searchable(value: str) -> bool:
    """Return whether the value can be searched for."""
    return 0 < len(value) <= MAX_TERM_CHARS and "\0" not in value


def select_searchable(results: Iterable[tuple[str, Any]]) -> set[tuple[str, str]]:
    """Return the distinct terms that can be searched for."""
    return {(kind, value) for kind, value in results if isinstance(value, str) and is_searchable(value)}
