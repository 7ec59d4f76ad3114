"""What a public link shows: the newest version of its dashboard, and the keys of the nodes on its charts."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.web.core.permissions import select_readable
from timeline_app.web.dashboards.chart_types import CHART_TYPES
from timeline_app.web.dashboards.selectors import resolve_chart_sources
from timeline_app.web.models import Node
from timeline_app.web.models.public_links import PublicLink

Document = dict[str, Any]
HIDDEN_TEXT = "This chart is not part of the public link."
BOARD_TTL_S = 2.0
"""Requests of one link within this time share what runs of its charts; each looks up the rights on its node."""
MAX_CACHED_BOARDS = 200


@dataclass(frozen=True, slots=True)
class PublicBoard:
    """A dashboard as its link shows it; `keys` are those of each node, None: all."""

    name: str
    version: int
    document: Document
    sources: list[Document]
    keys: Mapping[str, frozenset[str] | None]

    def shows(self, digest: str, key: str) -> bool:
        """Return whether a chart shows this key of this node."""
        shown = self.keys.get(digest, frozenset())
        return shown is None or key in shown

    def shows_all(self, digest: str) -> bool:
        """Return whether a chart shows all keys of this node."""
        return self.keys.get(digest, frozenset()) is None


_boards: dict[tuple[int, int], tuple[float, PublicBoard]] = {}


def load_public_board(link: PublicLink) -> PublicBoard:
    """Return what a link shows."""
    now, place = time.monotonic(), (link.pk, link.dashboard.version)
    until, board = _boards.get(place, (0.0, None))
    if board is None or now >= until:
        board = build_public_board(link)
        if len(_boards) >= MAX_CACHED_BOARDS:
            _boards.clear()
        _boards[place] = (now + BOARD_TTL_S, board)
    return board


def build_public_board(link: PublicLink) -> PublicBoard:
    """Resolve the charts by the rights of the person who made the link."""
    user, saved = link.made_by, link.dashboard.document
    approved = {tuple(pair) for pair in link.approved}
    shown = [
        chart for chart in saved["charts"] if has_source(chart) and (chart["plan"], chart["node"]) in approved
    ]
    found = resolve_chart_sources(shown, user)
    digests = {source["digest"] for source in found if source["digest"]}
    readable = set(
        select_readable(Node.objects.filter(digest__in=digests), user).values_list("digest", flat=True)
    )
    sources = [hide_words(source, readable) for source in found]
    ids = {chart["id"] for chart, source in zip(shown, sources, strict=True) if source["state"] != "deleted"}
    document = saved | {
        "charts": [
            strip_chart(chart) if is_public(chart, ids) else hide_chart(chart) for chart in saved["charts"]
        ]
    }
    keys = collect_keys(document, zip(shown, sources, strict=True), ids)
    return PublicBoard(link.dashboard.name, link.dashboard.version, document, sources, keys)


def has_source(chart: Document) -> bool:
    """Return whether a chart shows a node."""
    return CHART_TYPES[chart["type"]].subject != "nothing"


def is_public(chart: Document, ids: set[str]) -> bool:
    """Return whether a chart is shown: those of incidents tell names that no chart shows."""
    return chart["id"] in ids or chart["type"] == "text"


def strip_chart(chart: Document) -> Document:
    """Return a chart without where it leads."""
    return {name: value for name, value in chart.items() if name != "link"}


def hide_chart(chart: Document) -> Document:
    """Return a text in the place of a chart that is not shown."""
    place = {"id": chart["id"], "place": chart["place"], "plan": 0, "node": "", "key": None}
    return place | {"type": "text", "title": "Not shown", "text": HIDDEN_TEXT}


def hide_words(source: Document, readable: set[str]) -> Document:
    """Return a source without what no chart shows: the plan's name, and words about its query."""
    hidden = source | {"plan_name": None, "words": None, "error": None}
    return hidden if source["digest"] in readable else hidden | {"digest": None}


def collect_keys(
    document: Document, charts: Iterator[tuple[Document, Document]], ids: set[str]
) -> Mapping[str, frozenset[str] | None]:
    """Return which keys of each node the charts show."""
    keys: dict[str, set[str]] = defaultdict(set)
    whole: set[str] = set()
    for chart, source in charts:
        if chart["id"] not in ids or source["digest"] is None:
            continue
        if CHART_TYPES[chart["type"]].subject == "keys":
            whole.add(source["digest"])
        else:
            keys[source["digest"]].update(iterate_keys(document, chart, is_grouped=source["grouped"]))
    return {digest: frozenset(some) for digest, some in keys.items()} | dict.fromkeys(whole)


def iterate_keys(document: Document, chart: Document, *, is_grouped: bool) -> Iterator[str]:
    """Yield the keys that a chart of one key shows: its own, else those of the dashboard."""
    if chart.get("key"):
        yield chart["key"]
        return
    first, more = ("group", "more_groups") if is_grouped else ("key", "more_keys")
    if document.get(first):
        yield document[first]
        if chart.get("repeat"):
            yield from document.get(more, ())
