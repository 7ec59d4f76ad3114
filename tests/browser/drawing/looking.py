"""A plan that runs and a dashboard with every kind of chart, which say something of one key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.browser.boards import build_chart
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.product import Api, Document, add_user, build_leaf
from workers.stack import Stack

SeenBy = Callable[..., Page]
"""A page of its own of who is called so, in a `light` or a `dark` one."""
CHARTS: tuple[tuple[str, str, list[int]], ...] = (
    ("number", "watched", [0, 0, 4, 3]),
    ("stack", "by_cdn", [0, 3, 8, 6]),
    ("table", "watched", [8, 0, 4, 9]),
    ("line", "watched", [0, 9, 6, 5]),
    ("lane", "state", [6, 9, 6, 5]),
)


def build_plan(stream: str, name: str = "Looked at") -> Document:
    """Who watches, for how long, and the sum by network."""
    watched = {"op": "duration_where", "inputs": {"of": "playing"}}
    by_cdn = {
        "op": "aggregate",
        "inputs": {"of": "watched", "by": "cdn"},
        "params": {"function": "sum"},
    }
    nodes = {
        "state": build_leaf("latest_event_to_state", stream, field="player_state"),
        "cdn": build_leaf("latest_event_to_state", stream, field="cdn"),
        "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
        "watched": watched,
        "by_cdn": by_cdn,
    }
    return {"version": 1, "name": name, "nodes": nodes, "results": ["by_cdn"]}


@dataclass(frozen=True)
class Story:
    """What there is to be looked at."""

    api: Api
    plan: int
    board: int


def run_story(stack: Stack, user: str) -> Story:
    """The plan, run by this user, says something of `ann`; the dashboard was saved twice."""
    ada, stream = add_user(stack, user, staff=True), f"seen_by_{user}"
    ada.declare(stream)
    plan = int(ada.add_plan(build_plan(stream))["id"])
    ada.run(plan)
    log, start = Log(stack, ada.digests(plan)), compute_now() - 100 * SECOND
    event = {"session_id": "ann", "t": start // 1000, "event_id": "a", "player_state": "play", "cdn": "CDN1"}
    ada.push(stream, [event])
    log.say("state", "ann", [[None, None], [start, "play"]], final_until=start + 40 * SECOND)
    log.say("cdn", "ann", [[None, None], [start, "CDN1"]])
    log.say("playing", "ann", [[None, None], [start, True]])
    log.say("watched", "ann", [[None, 0.0, 0.0], [start, 0.0, 1.0]])
    log.say("by_cdn", "CDN1", [[None, 0.0, 0.0], [start, 0.0, 1.0]])
    log.publish()
    charts = [build_chart(n, kind, plan, node, number) for n, (kind, node, number) in enumerate(CHARTS, 1)]
    document = {"charts": charts, "range": "5m", "key": "ann"}
    board = int(ada.call("POST", "dashboards/", {"name": "All charts", "document": document})["id"])
    ada.call("PUT", f"dashboards/{board}/", {"name": "All kinds", "document": document, "version": 1})
    return Story(ada, plan, board)
