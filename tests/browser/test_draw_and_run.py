"""A new user draws a plan, runs it, pushes events and sees what is true; a late event corrects it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser import studio
from tests.browser.product import Api, Event, Rows, add_user, build_rebuffering, evaluate_truth
from tests.browser.studio import Studio
from workers.stack import Stack

pytestmark = pytest.mark.browser

FIELDS = {"player_state": "text", "user_action": "text", "cdn": "text"}
PLAN = build_rebuffering("player")


class Drop(NamedTuple):
    """An operator that is dragged onto the canvas, and what it is set to."""

    operator: str
    name: str
    place: tuple[float, float]
    parameters: dict[str, str]


DROPS = (
    Drop("has_existed", "played", (40, 30), {"where": 'player_state == "play"'}),
    Drop("has_existed_within", "seeking", (40, 140), {"where": 'user_action == "seek"', "duration": "5s"}),
    Drop("latest_event_to_state", "state", (40, 250), {"field": "player_state"}),
    Drop("latest_event_to_state", "cdn", (240, 30), {"field": "cdn"}),
    Drop("not", "calm", (240, 140), {}),
    Drop("equal_to", "buffering", (240, 250), {"value": "buffer"}),
    Drop("and", "induced", (440, 140), {}),
    Drop("duration_where", "cirr", (640, 140), {}),
    Drop("aggregate", "cirr_by_cdn", (640, 250), {"function": "sum"}),
)
WIRES = (
    ("seeking", "calm", "of"),
    ("state", "buffering", "of"),
    ("played", "induced", "of"),
    ("calm", "induced", "of"),
    ("buffering", "induced", "of"),
    ("induced", "cirr", "of"),
    ("cirr", "cirr_by_cdn", "of"),
    ("cdn", "cirr_by_cdn", "by"),
)
STORY: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("ann", 0, {"player_state": "init", "cdn": "CDN1"}),
    ("ann", 2, {"player_state": "play"}),
    ("ann", 10, {"player_state": "buffer"}),
    ("ann", 20, {"player_state": "play"}),
    ("ann", 30, {"player_state": "buffer"}),
    ("ann", 42, {"player_state": "play"}),
    ("ann", 45, {"player_state": "buffer", "user_action": "seek"}),
    ("ann", 58, {"player_state": "play"}),
    ("ben", 1, {"player_state": "play", "cdn": "CDN1"}),
    ("ben", 15, {"player_state": "buffer"}),
    ("ben", 27, {"player_state": "play", "cdn": "CDN2"}),
    ("eve", 5, {"player_state": "play", "cdn": "CDN2"}),
    ("eve", 33, {"player_state": "buffer"}),
)
LATE = ("ann", 28, {"user_action": "seek"})
CORRECTED = {"seeking", "calm", "induced", "cirr", "cirr_by_cdn"}


def make_events(start: int, *story: tuple[str, int, dict[str, str]]) -> list[Event]:
    """A story as events, `start` being milliseconds since the epoch."""
    return [
        {"session_id": who, "event_id": f"{who}-{second}", "t": start + second * 1000, **what}
        for who, second, what in story
    ]


@pytest.fixture
def drawn(page: Page, stack: Stack) -> Iterator[Studio]:
    """The page of the plan that was drawn; it is stopped in the end."""
    nina = add_user(stack, "nina")
    studio = Studio(page)
    yield studio
    if studio.plan is not None:
        nina.stop(studio.plan)


def draw(studio: Studio) -> None:
    expect(studio.run_button).to_be_disabled()
    expect(studio.refusal).to_have_text("The plan has no nodes yet.")
    studio.zoom_out()
    for drop in DROPS:
        studio.drop_operator(drop.operator, drop.place)
        studio.rename(drop.name)
        for name, value in drop.parameters.items():
            studio.set_parameter(name, value)
    expect(studio.run_button).to_be_disabled()
    expect(studio.refusal).to_contain_text(" problems")
    for source, target, port in WIRES:
        studio.draw_wire(source, target, port)
    expect(studio.problems).to_contain_text("None.")


def compute_expected(events: list[Event], folder: Path) -> dict[str, Rows]:
    """Each lane of the key `ann` and the group `CDN1`."""
    result = evaluate_truth(PLAN, {"player": events}, folder)
    return {name: result[name]["CDN1" if name == "cirr_by_cdn" else "ann"] for name in PLAN["nodes"]}


def test_a_new_user_draws_and_runs_a_plan_and_sees_it_corrected(
    drawn: Studio, page: Page, stack: Stack, tmp_path: Path
) -> None:
    studio.enter(page, "nina")
    studio.declare_stream(page, "player", FIELDS)
    door = Api(stack.url, studio.create_own_token(page))
    sockets = studio.record_sockets(page)
    drawn.new()
    draw(drawn)
    assert drawn.document()["nodes"] == PLAN["nodes"]

    drawn.run()
    drawn.expect_running(*PLAN["nodes"])
    events = make_events(time.time_ns() // 1_000_000 - 90_000, *STORY)
    for event in reversed(events):
        door.push("player", [event])
    drawn.choose("key", "ann")
    drawn.choose("group", "CDN1")
    drawn.expect_lanes(compute_expected(events, tmp_path), seconds=90)

    before = drawn.lanes()
    late = make_events(events[0]["t"], LATE)
    door.push("player", late)
    corrected = compute_expected(events + late, tmp_path)
    drawn.expect_lanes(corrected, seconds=90)
    after = drawn.lanes()
    assert {name for name in after if after[name].corrections > before[name].corrections} == CORRECTED
    assert all(after[name].seq > before[name].seq for name in CORRECTED)
    assert len(sockets) == 1

    page.reload()
    drawn.expect_lanes(corrected, seconds=5)
