"""On a phone a plan is read: its lanes, the state of its nodes and Why? have the page, and nothing scrolls sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

WIDTH = 390
NODES = {
    "state": build_leaf("latest_event_to_state", "pocket", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
}
PLAN = {"version": 1, "name": "In the pocket", "nodes": NODES, "results": ["playing"]}


@pytest.fixture
def lanes(page: Page, stack: Stack) -> Lanes:
    user = add_user(stack, "commuter", streams=["pocket"])
    plan = int(user.add_plan(PLAN)["id"])
    user.run(plan)
    log, now = Log(stack, user.digests(plan)), compute_now()
    log.say("state", "ann", [[None, None], [now - 120 * SECOND, "play"]])
    log.say("playing", "ann", [[None, None], [now - 120 * SECOND, True]])
    log.publish()
    log_in(page, "commuter")
    Studio(page).open(plan, key="ann")
    page.set_viewport_size({"width": WIDTH, "height": 800})
    return Lanes(page)


def test_a_plan_is_read_with_its_lanes_the_state_of_its_nodes_and_why(lanes: Lanes) -> None:
    page = lanes.page
    expect(lanes.value("playing")).to_have_text("true")
    expect(page.get_by_test_id("running")).to_contain_text("playing")
    for drawn in (".palette", ".canvas", ".inspector", "[data-testid=undo]"):
        expect(page.locator(drawn).first).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    lanes.lane("playing").hover()
    lanes.lane("playing").get_by_role("button", name="Why").click()
    explanation = page.get_by_test_id("why-panel")
    expect(explanation).to_be_visible()
    position = explanation.bounding_box()
    assert position is not None
    assert position["x"] >= 0
    assert position["x"] + position["width"] <= WIDTH
    expect(lanes.chart("state")).to_be_visible()
    assert not (broken := find_violations(page)), "\n".join(broken)
