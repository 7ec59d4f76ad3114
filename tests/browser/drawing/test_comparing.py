"""The lanes beside an earlier period: the band and the line of then, the difference, and what is not known of it."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, build_leaf
from tests.browser.studio import Scheme, Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "compared", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "watched": {"op": "duration_where", "inputs": {"of": "playing"}},
}
PLAN = {"version": 1, "name": "Compared", "nodes": NODES, "results": ["watched"]}
MINUTE = 60 * SECOND


@pytest.fixture(scope="module")
def compared(stack: Stack) -> int:
    """Watched was 10 until four minutes ago, and has been 30 since."""
    user = add_user(stack, "comparer")
    user.declare("compared")
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    log, now = Log(stack, user.digests(plan_id)), compute_now()
    changes = [(9, "play"), (7, "pause"), (6, "play"), (4, "buffer"), (2, "play")]
    states: list[list[Any]] = [[now - minutes * MINUTE, state] for minutes, state in changes]
    log.say("state", "ann", [[None, None], *states])
    log.say("playing", "ann", [[None, None], *([t, state == "play"] for t, state in states)])
    numbers: list[list[Any]] = [
        [None, None, 0.0],
        [now - 9 * MINUTE, 10.0, 0.0],
        [now - 4 * MINUTE, 30.0, 0.0],
    ]
    log.say("watched", "ann", numbers)
    log.publish()
    return plan_id


@pytest.fixture
def lanes(page: Page, compared: int) -> Lanes:
    log_in(page, "comparer")
    Studio(page).open(compared, key="ann")
    lanes = Lanes(page)
    expect(lanes.value("watched")).to_have_text("30")
    return lanes


def test_the_period_before_is_drawn_faded_and_numbers_tell_the_difference(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("compare").click()
    toolbar = page.locator(".lanes-toolbar")
    pushed_out = toolbar.evaluate("it => it.scrollWidth - it.clientWidth")
    assert pushed_out <= 0
    expect(page.get_by_test_id("compare-period")).to_contain_text("–")
    expect(lanes.lane("watched").get_by_test_id("lane-earlier")).to_have_text("10 before, +20")
    expect(lanes.lane("state").get_by_test_id("lane-earlier")).to_have_text("play before")
    expect(page.get_by_test_id("compare-gaps")).to_have_text(re.compile(r"^nothing is known before .* UTC$"))
    lanes.chart("watched").scroll_into_view_if_needed()
    lanes.point("watched", 0.5)
    expect(lanes.lane("watched").get_by_test_id("tip-earlier")).to_have_text("10 before, +20")
    if folder := os.environ.get("SHOTS"):
        shots: list[tuple[Scheme, int]] = [("light", 1440), ("light", 1200), ("dark", 1200)]
        for scheme, width in shots:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(3000)
            page.screenshot(path=f"{folder}/compare_{scheme}_{width}.png")


def test_what_is_not_known_of_the_week_before_is_said_and_the_address_keeps_the_choice(lanes: Lanes) -> None:
    page = lanes.page
    page.set_viewport_size({"width": 1200, "height": 900})
    page.get_by_test_id("lanes-more").click()
    page.get_by_test_id("more-compare").click()
    page.get_by_test_id("compare-with").select_option("week")
    gaps = page.get_by_test_id("compare-gaps")
    expect(gaps).to_have_text("nothing is known of that time")
    expect(lanes.lane("watched").get_by_test_id("lane-earlier")).to_have_text("unknown before")
    expect(page).to_have_url(re.compile("compare=week"))
    page.reload()
    expect(page.get_by_test_id("compare-with")).to_have_value("week")
    expect(gaps).to_have_text("nothing is known of that time")
    page.get_by_test_id("window").select_option("all")
    page.get_by_test_id("compare-with").select_option("period")
    expect(page.get_by_test_id("compare-bar")).to_contain_text("Choose a shorter range")
    page.get_by_test_id("compare-bar").get_by_role("button", name="Close").click()
    expect(gaps).not_to_be_attached()
    expect(page).not_to_have_url(re.compile("compare="))
