"""The events of the pinned key above its lanes: in order, late and too late, each told at the cursor."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf, wait_until
from tests.browser.still import read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "ticked", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "watched": {"op": "duration_where", "inputs": {"of": "playing"}},
}
PLAN = {"version": 1, "name": "Ticked", "nodes": NODES, "results": ["watched"]}
DAY = 86_400 * SECOND


@pytest.fixture(scope="module")
def beginning() -> int:
    return compute_now() - 200 * SECOND


def send(user: Api, t: int, key: str, state: str) -> None:
    event = {"session_id": key, "t": t // 1000, "event_id": f"{key}{t}", "player_state": state}
    user.push("ticked", [event])


@pytest.fixture(scope="module")
def plan(stack: Stack, beginning: int) -> int:
    """Of `ann` five events, of which the last to come is two minutes late; another key that came before."""
    user = add_user(stack, "ticker")
    user.declare("ticked")
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    for seconds, state in ((20, "play"), (60, "pause"), (100, "play"), (180, "pause")):
        send(user, beginning + seconds * SECOND, "ann", state)
    send(user, beginning + 170 * SECOND, "zoe", "play")
    send(user, beginning + 40 * SECOND, "ann", "buffer")
    send(user, beginning - 8 * DAY, "ann", "play")
    log = Log(stack, user.digests(plan_id))
    at = [beginning + n * SECOND for n in (20, 40, 60, 100, 180)]
    final = beginning + 120 * SECOND
    states: Any = zip(at, ("play", "buffer", "pause", "play", "pause"), strict=True)
    points: list[list[Any]] = [[None, None], *([t, value] for t, value in states)]
    log.say("state", "ann", points, final_until=final)
    playing: list[list[Any]] = [[None, None], [at[0], True], [at[1], False], [at[3], True], [at[4], False]]
    log.say("playing", "ann", playing, final_until=final)
    watched: list[list[Any]] = [
        [None, 0.0, 0.0],
        [at[0], 0.0, 1.0],
        [at[1], 20.0, 0.0],
        [at[3], 20.0, 1.0],
        [at[4], 100.0, 0.0],
    ]
    log.say("watched", "ann", watched, final_until=final)
    log.publish()
    return plan_id


def open_lanes(page: Page, plan: int) -> Lanes:
    log_in(page, "ticker")
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.value("state")).to_have_text("pause")
    return lanes


def test_each_event_is_a_tick_and_those_that_came_late_are_marked_and_told(
    page: Page, plan: int, beginning: int
) -> None:
    lanes = open_lanes(page, plan)
    page.get_by_test_id("pause").click()
    ticks = page.get_by_test_id("events-told-ticked")
    expect(ticks).to_have_text("5 events, 1 late")
    row = page.get_by_test_id("events-ticked")
    expect(row.locator(".tick-late")).to_have_attribute("d", re.compile(r"^M[\d.]+ 0V20$"))
    start, end = lanes.window()
    share = ((beginning + 41 * SECOND) / 1000 - start) / (end - start)
    x, _ = lanes.at("state", share)
    box = read_steady_box(row)
    page.mouse.move(x, box["y"] + box["height"] / 2)
    expect(page.get_by_test_id("event-tip")).to_contain_text("after a later event: late, and applied")
    expect(lanes.value("state")).to_have_text("buffer")
    page.mouse.move(300, 200)
    expect(page.get_by_test_id("event-tip")).not_to_be_attached()


def test_a_late_event_is_told_to_who_moves_the_cursor_by_keys(page: Page, plan: int, beginning: int) -> None:
    lanes = open_lanes(page, plan)
    page.get_by_test_id("pause").click()
    expect(page.get_by_test_id("events-told-ticked")).to_have_text("5 events, 1 late")
    page.get_by_test_id("events-ticked").get_by_role("status").wait_for(state="attached")
    page.get_by_test_id("lanes").focus()
    tip = page.get_by_test_id("events-ticked").get_by_role("status").get_by_test_id("event-tip")

    def is_late() -> bool:
        page.keyboard.press("Shift+ArrowLeft")
        page.wait_for_timeout(100)
        return tip.count() > 0 and "late, and applied" in (tip.text_content() or "")

    wait_until(is_late, 60, Studio(page).wait)
    expect(lanes.value("state")).to_have_text("buffer")
    page.keyboard.press("Escape")
    expect(tip).not_to_be_attached()


def test_of_another_key_no_events_of_the_key_before_stay_and_a_failure_is_told(page: Page, plan: int) -> None:
    open_lanes(page, plan)
    ticks = page.get_by_test_id("events-told-ticked")
    expect(ticks).to_have_text("5 events, 1 late")
    page.route("**/ticks/**", lambda route: route.abort())
    key = page.get_by_test_id("key-input")
    key.fill("zoe")
    key.press("Enter")
    expect(ticks).to_contain_text("Events hidden")
    expect(page.get_by_test_id("events-ticked")).to_have_attribute("data-count", "0")
    page.unroute("**/ticks/**")
    expect(ticks).to_have_text("1 event")


def test_an_event_older_than_what_is_kept_is_marked_so_where_it_happened(
    page: Page, plan: int, beginning: int
) -> None:
    open_lanes(page, plan)
    page.get_by_test_id("window").select_option("1h")
    brush = page.get_by_test_id("brush")
    brush.focus()
    ticks = page.get_by_test_id("events-told-ticked")

    def is_too_late() -> bool:
        page.keyboard.press("-")
        page.wait_for_timeout(150)
        return "too late" in (ticks.text_content() or "")

    wait_until(is_too_late, 60, Studio(page).wait)
    expect(ticks).to_have_text("6 events, 1 late, 1 too late")
    expect(page.get_by_test_id("events-ticked").locator(".tick-too-late")).to_have_attribute(
        "d", re.compile(r"^M[\d.]+ 0V20$")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_unknown_and_what_is_provisional_are_hatched(
    browser: Browser, stack: Stack, plan: int, scheme: str
) -> None:
    """In light and in dark; the pictures are looked at by people."""
    context = browser.new_context(
        base_url=stack.url,
        viewport={"width": 1440, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    lanes = open_lanes(page, plan)
    expect(lanes.lane("watched").locator(".main-svg").first).to_be_attached()
    expect(page.get_by_test_id("events-told-ticked")).to_have_text("5 events, 1 late")
    patterns = page.locator(".lane-plot pattern path, .lane-plot pattern rect")
    expect(patterns.nth(1)).to_be_attached()
    page.wait_for_timeout(500)
    page.screenshot(path=f"tests/browser/shots/lanes-{scheme}.png")
    context.close()
