"""Times in the zone that a person chooses: of the browser at first, UTC at one click, any other by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_violations
from tests.browser.drawing.log import SECOND, Log
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, is_saved_choice, log_in, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

START = 1_711_846_800_000_000
"""01:00 of UTC on 2024-03-31: the clocks of Berlin go from 02:00 to 03:00 then."""


@pytest.fixture(scope="module")
def zoe(stack: Stack) -> Api:
    return add_user(stack, "zoned", streams=["zoned_plays"])


@pytest.fixture(scope="module")
def plan(stack: Stack, zoe: Api) -> int:
    node = build_leaf("latest_event_to_state", "zoned_plays", field="player_state")
    plan_id = int(
        zoe.add_plan({"version": 1, "name": "Zoned", "nodes": {"state": node}, "results": ["state"]})["id"]
    )
    zoe.run(plan_id)
    log = Log(stack, zoe.digests(plan_id))
    log.say("state", "ann", [[None, None], [START, "play"], [START + 60 * SECOND, "pause"]])
    log.publish()
    return plan_id


@pytest.fixture
def page(browser: Browser, stack: Stack, zoe: Api) -> Iterator[Page]:
    """In a browser of Kolkata, where nothing is chosen yet."""
    zoe.call("PATCH", "me/", {"zone": ""})
    with open_page(browser, stack.url, "light", "zoned", timezone_id="Asia/Kolkata") as page:
        yield page


def choose(page: Page, item: str) -> None:
    page.get_by_test_id("account").click()
    page.get_by_test_id(item).click()


def find_axis(page: Page) -> Locator:
    return page.get_by_test_id("axis-zone").first


def test_lanes_show_the_browser_s_zone_and_utc_after_one_choice(page: Page, plan: int) -> None:
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.lane("state")).to_be_visible()
    expect(find_axis(page)).to_contain_text("UTC+5:30")
    with page.expect_response(is_saved_choice):
        choose(page, "zone-utc")
    expect(find_axis(page)).to_have_text(re.compile(r"UTC$"))
    page.reload()
    expect(find_axis(page)).to_have_text(re.compile(r"UTC$"))
    with page.expect_response(is_saved_choice):
        choose(page, "zone-browser")
    expect(find_axis(page)).to_contain_text("UTC+5:30")


def test_any_zone_is_chosen_by_a_word_of_its_name_and_kept_with_the_account(page: Page, plan: int) -> None:
    assert plan
    page.goto("/streams/")
    row = page.get_by_role("row").filter(has_text="zoned_plays")
    expect(row).to_be_visible()
    choose(page, "zone-other")
    page.get_by_test_id("zone").click()
    page.get_by_test_id("zone").fill("kathmandu")
    page.get_by_role("option", name="Asia/Kathmandu").click()
    assert not (broken := find_violations(page)), "\n".join(broken)
    with page.expect_response(is_saved_choice):
        page.get_by_test_id("zone-save").click()
    page.goto("/audit/")
    time = page.get_by_test_id("activity").locator("time").first
    expect(time).to_have_attribute("title", re.compile(r"UTC\+5:45$"))
    expect(page.get_by_label("From (Asia/Kathmandu)")).to_be_visible()
    page.get_by_test_id("account").click()
    expect(page.get_by_test_id("zone-chosen")).to_have_attribute("aria-checked", "true")


def test_a_time_that_the_clocks_skip_is_told_and_asked_for_as_the_instant_that_is_meant(
    page: Page, zoe: Api
) -> None:
    zoe.call("PATCH", "me/", {"zone": "Europe/Berlin"})
    page.goto("/audit/")
    with page.expect_request(re.compile(r"since=2024-03-31T01%3A30%3A00Z")):
        page.get_by_test_id("audit-since").fill("2024-03-31T02:30:00")
    expect(page.get_by_text("The clocks skip this time. Meant is 2024-03-31 03:30:00 UTC+2.")).to_be_visible()


def test_a_zone_that_is_not_saved_is_undone_with_a_message(page: Page) -> None:
    log_in(page, "zoned")
    page.goto("/streams/")
    page.route(
        "**/api/me/", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_()
    )
    choose(page, "zone-utc")
    expect(page.get_by_test_id("choice-failure")).to_contain_text("Time zone not saved.")
    page.get_by_test_id("account").click()
    expect(page.get_by_test_id("zone-browser")).to_have_attribute("aria-checked", "true")
