"""A plan of more nodes than a page can follow at once: what is in sight is followed and drawn, and that is said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

LANE_COUNT = 260
LAST = f"n{LANE_COUNT - 1:03}"


def build_document() -> dict[str, Any]:
    """A state, and whether it is each of 259 values."""
    nodes: dict[str, Any] = {"n000": build_leaf("latest_event_to_state", "manifold", field="player_state")}
    for number in range(1, LANE_COUNT):
        named = {"op": "equal_to", "inputs": {"of": "n000"}, "params": {"value": f"s{number}"}}
        nodes[f"n{number:03}"] = named
    return {"version": 1, "name": "Manifold", "nodes": nodes, "results": [LAST]}


@pytest.fixture(scope="module")
def plan(stack: Stack) -> int:
    """What its nodes say of `ann` now, and of `old` a day ago."""
    user = add_user(stack, "manifold")
    user.declare("manifold")
    plan_id = int(user.add_plan(build_document())["id"])
    user.run(plan_id)
    log = Log(stack, user.digests(plan_id))
    start = compute_now() - 100 * SECOND
    log.say("n000", "ann", [[None, None], [start, "s1"]])
    for number in range(1, LANE_COUNT):
        log.say(f"n{number:03}", "ann", [[None, None], [start, number == 1]])
    old = compute_now() - 86_400 * SECOND
    log.say("n000", "old", [[None, None], [old, "s1"], [old + 10 * SECOND, "s2"]])
    for number in range(1, LANE_COUNT):
        log.say(f"n{number:03}", "old", [[None, None], [old, number == 1]])
    log.publish()
    return plan_id


def test_lanes_in_sight_are_followed_and_drawn_and_the_page_says_so(page: Page, plan: int) -> None:
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: heard.append(str(text))))
    log_in(page, "manifold")
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.value("n000")).to_have_text("s1")
    expect(page.get_by_test_id("lanes-many")).to_contain_text(
        f"{LANE_COUNT} lanes. Followed are those in sight here"
    )
    expect(lanes.overview).to_contain_text(re.compile(rf"\d+ of {LANE_COUNT} lanes"))
    assert page.locator(".lane-plot").count() < 30
    assert lanes.value(LAST).text_content() == ""
    page.get_by_test_id("lanes").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    expect(lanes.value(LAST)).to_have_text("false")
    expect(lanes.lane(LAST).locator(".main-svg").first).to_be_attached()
    expect(lanes.lane("n000").locator(".lane-plot")).not_to_be_attached()
    assert page.locator(".lane-plot").count() < 30
    assert not [text for text in heard if '"too_many"' in text]


def test_scrolling_moves_no_time_and_what_is_in_sight_is_followed_with_all_selected(
    page: Page, plan: int
) -> None:
    log_in(page, "manifold")
    Studio(page).open(plan, key="old")
    lanes = Lanes(page)
    expect(lanes.value("n000")).to_have_text("s2")
    before = lanes.window()
    page.get_by_test_id("lanes").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    expect(lanes.value(LAST)).to_have_text("false")
    assert lanes.window() == before
    page.get_by_test_id("canvas").focus()
    page.keyboard.press("Control+a")
    expect(page.get_by_text(f"{LANE_COUNT} items selected.")).to_be_visible()
    page.wait_for_timeout(1000)
    expect(lanes.value(LAST)).to_have_text("false")
    assert lanes.window() == before
    page.screenshot(path="tests/browser/shots/many-lanes.png")
