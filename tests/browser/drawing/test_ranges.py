"""Ranges of time: chosen by name, typed, or between two instants; a link keeps them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def ranger(stack: Stack) -> Api:
    return add_user(stack, "ranger", streams=["ranged_plays"])


@pytest.fixture(scope="module")
def plan(stack: Stack, ranger: Api) -> int:
    node = build_leaf("latest_event_to_state", "ranged_plays", field="player_state")
    document = {"version": 1, "name": "Ranged", "nodes": {"state": node}, "results": ["state"]}
    plan_id = int(ranger.add_plan(document)["id"])
    ranger.run(plan_id)
    log = Log(stack, ranger.digests(plan_id))
    log.say("state", "ann", [[None, None], [compute_now() - 30 * SECOND, "play"]])
    log.publish()
    return plan_id


@pytest.fixture
def lanes(page: Page, plan: int) -> Lanes:
    log_in(page, "ranger")
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.value("state")).to_have_text("play")
    return lanes


def compute_midnight_ms() -> int:
    return int(datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp() * 1000)


def test_today_begins_at_midnight_in_lanes_and_the_address_keeps_it(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("window").select_option("today")
    expect(page).to_have_url(re.compile(r"range=today"))
    assert lanes.window()[0] == compute_midnight_ms()
    page.reload()
    expect(page.get_by_test_id("window")).to_have_value("today")
    expect(lanes.value("state")).to_have_text("play")
    assert lanes.window()[0] == compute_midnight_ms()
    page.get_by_test_id("window").select_option("yesterday")
    expect(lanes.axis).to_have_attribute("aria-valuemax", str(compute_midnight_ms()))
    assert lanes.window() == (compute_midnight_ms() - 24 * HOUR_MS, compute_midnight_ms())


def test_a_range_is_typed_and_one_between_two_instants_is_kept_by_a_link(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("window").select_option("other")
    expect(page.locator(".range-form")).to_be_visible()
    assert not (broken := find_violations(page, ".range-form")), "\n".join(broken)
    page.get_by_test_id("range-count").fill("36")
    page.get_by_test_id("range-last").click()
    expect(page.get_by_test_id("window").locator("option:checked")).to_have_text("last 36 h")
    start, end = lanes.window()
    assert 36 * HOUR_MS <= end - start <= 36 * HOUR_MS * 1.03
    page.get_by_test_id("window").select_option("other")
    page.get_by_test_id("range-from").fill("2024-07-01T09:00:00")
    page.get_by_test_id("range-to").fill("2024-07-01T08:00:00")
    page.get_by_test_id("range-between").click(force=True)  # it says why it does nothing
    expect(page.locator(".range-form")).to_contain_text("The end must be after the start.")
    page.get_by_test_id("range-to").fill("2024-07-01T10:00:00")
    page.get_by_test_id("range-between").click()
    expect(page).to_have_url(re.compile(r"from=2024-07-01T09:00:00Z&to=2024-07-01T10:00:00Z"))
    page.reload()
    expect(page.get_by_test_id("window")).to_have_value("held")
    start, end = lanes.window()
    assert (start, end - start) == (1_719_824_400_000, HOUR_MS)


def test_a_dashboard_has_the_same_ranges(page: Page, ranger: Api, plan: int) -> None:
    document = {
        "charts": [build_chart(1, "lane", plan, "state", [0, 0, 12, 5], key="ann")],
        "range": "today",
        "key": "",
    }
    board = int(ranger.call("POST", "dashboards/", {"name": "Ranged", "document": document})["id"])
    log_in(page, "ranger")
    board_page = BoardPage(page)
    board_page.open(board)
    expect(board_page.range).to_have_value("today")
    board_page.range.select_option("7d")
    expect(page).to_have_url(re.compile(r"range=7d"))
    board_page.range.select_option("other")
    page.get_by_test_id("range-count").fill("90")
    page.get_by_test_id("range-unit").select_option("m")
    page.get_by_test_id("range-last").click()
    expect(page).to_have_url(re.compile(r"range=90m"))
    expect(board_page.range.locator("option:checked")).to_have_text("last 90 min")
