"""The keys of a node by what they say, and the lanes as they were known at an earlier moment."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.log import SECOND, Log, now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": leaf("latest_event_to_state", "kept", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
}
PLAN = {"version": 1, "name": "Kept", "nodes": NODES, "results": ["playing"]}


@dataclass(frozen=True)
class Kept:
    plan: int
    digests: dict[str, str]


@pytest.fixture(scope="module")
def kept(stack: Stack) -> Kept:
    """`ann` plays since 60 s, `bob` since 20 s; that she paused for 10 s became known 30 s ago."""
    user = add_user(stack, "historian")
    user.declare("kept")
    made = int(user.add_plan(PLAN)["id"])
    user.run(made)
    digests = user.digests(made)
    log, began = Log(stack, digests), now() - 100 * SECOND
    log.say("playing", "ann", [[None, False], [began, True]], known_at=began)
    log.say("playing", "bob", [[None, False], [began + 80 * SECOND, True]], known_at=began + SECOND)
    pause = [[began + 30 * SECOND, False], [began + 40 * SECOND, True]]
    log.say("playing", "ann", pause, start=began + 30 * SECOND, known_at=began + 70 * SECOND)
    log.say("state", "ann", [[None, None], [began, "play"]])
    log.publish()
    return Kept(made, digests)


@pytest.fixture
def lanes(page: Page, kept: Kept) -> Lanes:
    log_in(page, "historian")
    Studio(page).open(kept.plan, key="ann")
    shown = Lanes(page)
    expect(shown.value("playing")).to_have_text("true")
    return shown


def test_the_keys_where_it_is_true_now_the_longest_first_lead_to_their_lanes(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("keys").click()
    panel = page.get_by_test_id("keys-panel")
    expect(page.get_by_test_id("keys-matching")).to_have_text("2 of 2 keys say true now")
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
    expect(page.get_by_test_id("then-moment")).to_have_text("now")
    differs, stretches = (
        page.get_by_test_id("then-differs"),
        lanes.lane("playing").get_by_test_id("differing"),
    )
    for _ in range(4):
        page.get_by_label("Earlier change").click()
        expect(differs).to_have_text(re.compile(r"\bnow\b"))  # until then it says that it reads
        if stretches.count():
            break
    expect(differs).to_contain_text("differs from now in")
    expect(stretches.first).to_be_attached()
    page.get_by_role("button", name="Back to now").click()
    expect(page.get_by_test_id("then-bar")).not_to_be_attached()
    expect(stretches).to_have_count(0)


def test_what_was_known_then_stays_told_while_revisions_keep_coming(
    lanes: Lanes, stack: Stack, kept: Kept
) -> None:
    """One lane differs; while new versions of both nodes come faster than they can be compared."""
    page = lanes.page
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/difference/" in one.url else None)
    page.get_by_test_id("then").click()
    differs, playing = page.get_by_test_id("then-differs"), lanes.lane("playing")
    for _ in range(4):
        page.get_by_label("Earlier change").click()
        expect(differs).to_have_text(re.compile(r"\bnow\b"))
        if playing.get_by_test_id("differing").count():
            break
    before = len(asked)
    for turn in range(4):
        log, at = Log(stack, kept.digests), now()
        for part in range(5):
            blink = [[at + part, False], [at + part + 1, True]]
            log.say("playing", "ann", blink, start=at + part, final_until=at)
            log.say("state", "ann", [[at + part, f"still {turn}.{part}"]], start=at + part, final_until=at)
        log.publish()
        expect(differs).to_have_text(re.compile(r"^differs from now in [12] of 2 lanes · "))
        expect(lanes.lane("state")).not_to_have_attribute("data-points", re.compile("still"))
    expect(page.get_by_test_id("lane-waits")).to_have_count(0)
    expect(differs).to_contain_text("2 of 2 lanes")
    assert len(asked) - before <= 40
