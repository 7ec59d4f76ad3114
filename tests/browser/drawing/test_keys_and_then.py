"""The keys of a node by what they say, and the lanes as they were known at an earlier moment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, build_leaf, wait_until
from tests.browser.still import read_box, read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "kept", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
}
PLAN = {"version": 1, "name": "Kept", "nodes": NODES, "results": ["playing"]}

OVERVIEW = "document.querySelector('.overview canvas').toDataURL()"


@dataclass(frozen=True)
class Kept:
    plan: int
    digests: dict[str, str]


@pytest.fixture(scope="module")
def kept(stack: Stack) -> Kept:
    """`ann` plays since 60 s, `bob` since 20 s; that she paused for 10 s became known 30 s ago."""
    user = add_user(stack, "historian")
    user.declare("kept")
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    digests = user.digests(plan_id)
    log, start = Log(stack, digests), compute_now() - 100 * SECOND
    log.say("playing", "ann", [[None, False], [start, True]], known_at=start)
    log.say("playing", "bob", [[None, False], [start + 80 * SECOND, True]], known_at=start + SECOND)
    pause = [[start + 30 * SECOND, False], [start + 40 * SECOND, True]]
    log.say("playing", "ann", pause, start=start + 30 * SECOND, known_at=start + 70 * SECOND)
    log.say("state", "ann", [[None, None], [start, "play"]])
    log.publish()
    return Kept(plan_id, digests)


@pytest.fixture
def lanes(page: Page, kept: Kept) -> Lanes:
    log_in(page, "historian")
    Studio(page).open(kept.plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.value("playing")).to_have_text("true")
    return lanes


def test_the_keys_where_it_is_true_now_the_longest_first_lead_to_their_lanes(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("keys").click()
    panel = page.get_by_test_id("keys-panel")
    expect(page.get_by_test_id("keys-matching")).to_have_text("2 of 2 keys are true now")
    rows = page.get_by_test_id("key-rows").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("ann")
    expect(page.get_by_test_id("distribution")).to_contain_text("1 span that ended")
    rows.nth(1).get_by_role("button").click()
    expect(page.get_by_test_id("key-input")).to_have_value("bob")
    panel.get_by_label("Search keys").fill("an")
    expect(rows).to_have_count(1)
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()


def test_what_was_known_then_is_shown_with_where_it_differs_from_now(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("then").click()
    expect(page.get_by_test_id("as-of-moment")).to_have_text("now")
    differs, stretches = (
        page.get_by_test_id("as-of-differences"),
        lanes.lane("playing").get_by_test_id("differing"),
    )
    for _ in range(4):
        page.get_by_label("Earlier change").click()
        expect(differs).to_have_text(re.compile(r"\bnow\b"))  # until then it says that it reads
        if stretches.count():
            break
    expect(differs).to_contain_text("differ from now")
    expect(stretches.first).to_be_attached()
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_test_id("as-of-bar")).not_to_be_attached()
    expect(stretches).to_have_count(0)


def test_the_window_ends_at_the_moment_that_is_chosen_and_goes_back_to_now(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("then").click()
    page.get_by_label("Earlier change").click()
    moment = page.get_by_test_id("as-of-moment")
    expect(moment).to_have_text(re.compile(r" UTC$"))
    chosen = datetime.strptime(moment.inner_text(), "%Y-%m-%d %H:%M:%S %Z").replace(tzinfo=UTC)
    start, end = lanes.window()
    # A fiftieth of the window is room, and the text ends with the second.
    assert 0 <= end - chosen.timestamp() * 1000 <= (end - start) * 0.02 + 1000
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_test_id("as-of-bar")).not_to_be_attached()
    wait_until(
        lambda: lanes.window()[1] * 1000 >= compute_now() - SECOND,
        10,
        lambda s: page.wait_for_timeout(s * 1000),
    )


def test_the_slider_is_grasped_near_its_thumb_and_ends_where_it_is_let_go(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("then").click()
    slider, moment = page.get_by_test_id("known-at"), page.get_by_test_id("as-of-moment")
    expect(slider).to_be_enabled()
    box = read_steady_box(slider)
    assert box["height"] >= 24
    assert box["width"] >= 160
    across, middle = box["x"] + box["width"], box["y"] + box["height"] / 2
    page.mouse.move(across - 4, middle + 9)
    page.mouse.down()
    page.mouse.move(across - box["width"] / 2, middle, steps=4)
    page.mouse.up()
    expect(moment).not_to_have_text("now")
    assert read_box(slider) == box, "it stays under the hand that moves it"
    share = int(slider.input_value()) / 1000
    assert 0.4 < share < 0.6
    page.mouse.click(across - 2, middle)
    expect(moment).to_have_text("now")


def test_the_overview_and_the_reasons_are_those_of_then(lanes: Lanes) -> None:
    """The pause that became known later is in neither; both say as of when they are, and are of now again later."""
    page = lanes.page
    before = page.evaluate(OVERVIEW)
    page.get_by_test_id("then").click()
    ticks = lanes.overview.get_by_test_id("overview-then")
    for _ in range(4):
        page.get_by_label("Earlier change").click()
        expect(ticks).to_have_text("as of then")
        expect(page.get_by_test_id("as-of-differences")).to_have_text(re.compile(r"\bnow\b"))
        if lanes.lane("playing").get_by_test_id("differing").count():
            break
    assert page.evaluate(OVERVIEW) != before
    page.mouse.click(*lanes.at("playing", 0.8))
    panel = page.get_by_test_id("why-panel")
    expect(panel.get_by_test_id("why-then")).to_contain_text("as of")
    expect(page.get_by_test_id("why-playing").locator(".why-value")).to_have_text("true")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Back to now").click()
    expect(ticks).not_to_be_attached()
    page.mouse.click(*lanes.at("playing", 0.8))
    expect(page.get_by_test_id("why-playing")).to_be_visible()
    expect(panel.get_by_test_id("why-then")).not_to_be_attached()


def test_what_was_known_then_stays_told_while_revisions_keep_coming(
    lanes: Lanes, stack: Stack, kept: Kept
) -> None:
    """One lane differs; while new versions of both nodes come faster than they can be compared."""
    page = lanes.page
    requests: list[str] = []
    page.on("request", lambda item: requests.append(item.url) if "/difference/" in item.url else None)
    page.get_by_test_id("then").click()
    differs, playing = page.get_by_test_id("as-of-differences"), lanes.lane("playing")
    for _ in range(4):
        page.get_by_label("Earlier change").click()
        expect(differs).to_have_text(re.compile(r"\bnow\b"))
        if playing.get_by_test_id("differing").count():
            break
    before = len(requests)
    for turn in range(4):
        log, at = Log(stack, kept.digests), compute_now()
        for part in range(5):
            blink = [[at + part, False], [at + part + 1, True]]
            log.say("playing", "ann", blink, start=at + part, final_until=at)
            log.say("state", "ann", [[at + part, f"still {turn}.{part}"]], start=at + part, final_until=at)
        log.publish()
        expect(differs).to_have_text(re.compile(r"^[12] of 2 lanes differ from now · "))
        expect(lanes.lane("state")).not_to_have_attribute("data-points", re.compile("still"))
    expect(page.get_by_test_id("lane-waits")).to_have_count(0)
    expect(differs).to_contain_text("2 of 2 lanes")
    assert len(requests) - before <= 40


FLASH = """it => {
  it.style.animation = "none";
  it.getBoundingClientRect();
  it.style.animation = "";
  const [flash] = it.getAnimations();
  flash.pause();
  flash.currentTime = 0;
  return getComputedStyle(it).backgroundColor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_corrected_is_seen_through_its_flash(
    lanes: Lanes, stack: Stack, kept: Kept, scheme: Literal["light", "dark"]
) -> None:
    """A wash at its brightest, with an edge; who wants no motion sees the edge alone."""
    page, log, at = lanes.page, Log(stack, kept.digests), compute_now()
    page.emulate_media(color_scheme=scheme)
    expect(lanes.value("state")).to_have_text(re.compile(r"^(play|on light|still 3.4)$"))
    log.say(
        "state", "ann", [[at - 40 * SECOND, f"late {scheme}"]], start=at - 40 * SECOND, end=at - 30 * SECOND
    )
    log.say("state", "ann", [[at - 9 * SECOND, f"on {scheme}"]], start=at - 9 * SECOND)
    log.publish()
    log.say("state", "ann", [[at - 60 * SECOND, "later"]], start=at - 60 * SECOND, end=at - 50 * SECOND)
    log.publish()
    mark = lanes.lane("state").locator(".correction").last
    expect(mark).to_be_attached()
    alpha = float(re.findall(r"[\d.]+", str(mark.evaluate(FLASH)))[-1])
    assert 0.2 < alpha < 0.6
    page.emulate_media(reduced_motion="reduce")
    expect(mark).to_have_css("animation-name", "none")
    expect(mark).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    expect(mark).not_to_have_css("box-shadow", "none")


def test_all_keys_have_a_row_and_a_press_shows_the_lanes_of_one(lanes: Lanes, kept: Kept) -> None:
    page = lanes.page
    page.get_by_test_id("all-keys").first.click()
    rows = page.get_by_role("listitem").filter(has=page.locator(".key-row-name"))
    page.get_by_test_id("all-keys-node").select_option("playing")
    expect(page.get_by_test_id("all-keys-count")).to_have_text("2 keys")
    page.get_by_test_id("all-keys-order").select_option("held")
    expect(rows.locator(".key-row-name")).to_have_text(["ann", "bob"])
    expect(rows.first).to_contain_text("×")
    expect(page.get_by_test_id("all-keys-legend")).to_contain_text("true")
    page.get_by_role("searchbox", name="Only keys that contain").fill("ob")
    expect(rows).to_have_count(1)
    rows.get_by_role("button", name="bob").click()
    expect(page.get_by_test_id("lane-playing")).to_be_visible()
    assert "key=bob" in page.url
