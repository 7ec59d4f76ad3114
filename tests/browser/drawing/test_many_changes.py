"""100,000 change points: thinned by the server, said to be so, exact when looked at closely, and moving smoothly."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.busy import CHANGE_COUNT, STATES, STEP_MICROS, build_busy_plan, fill_busy
from tests.browser.drawing.log import compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, wait_until
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAN = build_busy_plan("busy", "Busy")
ANY_STATE = re.compile("|".join(STATES))


@pytest.fixture(scope="module")
def start() -> int:
    return compute_now() - CHANGE_COUNT * STEP_MICROS


@pytest.fixture(scope="module")
def plan(stack: Stack, start: int) -> int:
    """A plan that runs, whose nodes changed 100,000 times for the key `ann`."""
    user = add_user(stack, "busybody")
    user.declare("busy")
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    fill_busy(stack, user, plan_id, start)
    return plan_id


def open_lanes(page: Page, plan: int) -> Lanes:
    log_in(page, "busybody")
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.lane("played").locator(".scatterlayer path").first).to_be_attached(timeout=60_000)
    return lanes


def count_left_out(lanes: Lanes, name: str) -> int:
    return int(lanes.lane(name).get_attribute("data-left-out") or 0)


def test_all_of_it_is_shown_with_what_is_left_out_and_looking_closer_brings_the_truth(
    page: Page, plan: int, start: int
) -> None:
    lanes = open_lanes(page, plan)
    page.get_by_test_id("window").select_option("all")
    lanes.expect_told("state")
    wait_until(lambda: count_left_out(lanes, "state") > 100, 60, Studio(page).wait)
    lanes.point("state", 0.3)
    tip = page.get_by_test_id("tip")
    expect(tip).to_contain_text("changes are too dense to draw")
    expect(tip).to_contain_text("Zoom in to see them.")
    expect(tip.locator("b")).to_have_text(ANY_STATE)
    expect(lanes.on_canvas("state")).to_have_text(ANY_STATE)
    for _ in range(2):
        lanes.drag(lanes.at("state", 0.3), lanes.at("state", 0.35))
        page.wait_for_timeout(500)
    page.mouse.move(300, 200)

    def is_exact() -> bool:
        lanes.point("state", 0.5)
        page.wait_for_timeout(100)
        return "long" in (tip.text_content() or "")

    wait_until(is_exact, 60, Studio(page).wait)
    expect(tip).to_contain_text("300 ms long")


_WATCH = """() => {
    const plots = [...document.querySelectorAll(".lane-plot")];
    window.placed_at = () => plots.map((plot) => plot.style.transform).join();
    window.placed_then = () => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => done(window.placed_at()))));
}"""


def test_lanes_that_are_pulled_are_moved_along_together_and_drawn_where_they_come_to_rest(
    page: Page, plan: int
) -> None:
    lanes = open_lanes(page, plan)
    page.get_by_test_id("window").select_option("all")
    page.get_by_test_id("pause").click()
    before = lanes.window()
    x, y = lanes.at("state", 0.5)
    page.mouse.move(x, y)
    page.evaluate(_WATCH)
    page.keyboard.down("Shift")
    page.mouse.down()
    places = set()
    for step in range(20):
        page.mouse.move(x + 10 * step, y)
        places.add(page.evaluate("() => window.placed_then()"))
    page.mouse.up()
    page.keyboard.up("Shift")
    ended = "window.placed_at().split(',').every((one) => Math.abs(parseFloat(one.slice(11)) + 25) < 0.01)"
    wait_until(lambda: page.evaluate(ended), 60, Studio(page).wait)
    after = lanes.window()
    assert len(places) > 1
    assert before[0] - after[0] == pytest.approx(
        (before[1] - before[0]) * 190 / lanes.width("state"), rel=0.02
    )
