"""The funnel of a sequence: a panel beside the lanes, and a chart of dashboards."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user
from tests.browser.studio import Scheme, Studio, log_in, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

SECOND = 1_000_000
STREAM = "funnelled"
STEPS = ("search", "basket", "paid")
BUYERS = [f"buyer{number:03}" for number in range(120)]


def build_funnel_plan() -> dict[str, Any]:
    steps = [{"name": name, "stream": STREAM, "where": f'player_state == "{name}"'} for name in STEPS]
    bought = {"op": "sequence", "params": {"steps": steps, "within": "1h"}}
    state = {"op": "latest_event_to_state", "stream": STREAM, "params": {"field": "player_state"}}
    return {"version": 1, "name": "Shop", "nodes": {"bought": bought, "state": state}, "results": ["bought"]}


@pytest.fixture(scope="module")
def fay(stack: Stack) -> Api:
    return add_user(stack, "funnel_fay", streams=[STREAM])


@pytest.fixture(scope="module")
def plan(stack: Stack, fay: Api) -> Iterator[int]:
    """Of 120 buyers all search; two of three put something into the basket after 30 s; 20 of them pay 60 s later."""
    number = int(fay.add_plan(build_funnel_plan())["id"])
    fay.run(number)
    digests, now = fay.digests(number), time.time_ns() // 1000
    revisions = []
    for index, key in enumerate(BUYERS):
        at = now - (280 - index) * SECOND
        pieces: list[list[Any]] = [[None, None], [at, "search"]]
        if index % 3:
            pieces.append([at + 30 * SECOND, "basket"])
        if index % 6 == 1:
            pieces.append([at + 90 * SECOND, "completed"])
        revisions.append([key, at, None, None, pieces])
    with Filler(stack) as filling:
        filling.say(digests["bought"], revisions, now - 30 * SECOND)
        yield number


@pytest.fixture
def opened_page(page: Page, plan: int) -> Page:
    log_in(page, "funnel_fay")
    page.goto(f"/plans/{plan}/?key={BUYERS[0]}")
    return page


def find_step(locator: Locator, name: str) -> Locator:
    return locator.get_by_test_id(f"funnel-step-{name}")


def make_board(fay: Api, plan: int, **more: Any) -> int:
    drawn = [build_chart(1, "funnel", plan, "bought", [0, 0, 6, 8], **more)]
    document = {"charts": drawn, "range": "15m", "key": "", "group": ""}
    return int(fay.call("POST", "dashboards/", {"name": "Shop", "document": document})["id"])


def test_the_panel_says_how_far_keys_came_and_leads_to_the_lanes_of_those_that_stopped(
    opened_page: Page,
) -> None:
    opened_page.get_by_test_id("funnel-open").click()
    panel = opened_page.get_by_test_id("funnel-panel")
    expect(find_step(panel, "search").locator(".funnel-count")).to_have_text("120 100 %")
    expect(find_step(panel, "basket").locator(".funnel-count")).to_have_text("80 67 %")
    expect(find_step(panel, "paid").locator(".funnel-count")).to_have_text("20 17 %")
    expect(find_step(panel, "basket")).to_contain_text("median 30 s")
    expect(find_step(panel, "paid")).to_contain_text("25 % of basket")
    expect(find_step(panel, "basket")).to_contain_text("60 active")
    find_step(panel, "basket").get_by_role("button").click()
    keys = panel.get_by_test_id("funnel-keys")
    expect(keys.get_by_role("listitem")).to_have_count(60)
    expect(keys.get_by_role("listitem").first).to_contain_text(BUYERS[119])
    keys.get_by_role("button", name=BUYERS[5]).click()
    expect(opened_page.get_by_test_id("key-input").first).to_have_value(BUYERS[5])
    panel.press("Escape")
    expect(panel).to_have_count(0)


def test_the_inspector_of_a_sequence_opens_its_funnel_and_others_have_none(opened_page: Page) -> None:
    studio = Studio(opened_page)
    studio.select("state")
    expect(opened_page.get_by_test_id("funnel-of-node")).to_have_count(0)
    studio.select("bought")
    opened_page.get_by_test_id("funnel-of-node").click()
    expect(find_step(opened_page.get_by_test_id("funnel-panel"), "paid")).to_be_visible()


def test_a_sequence_is_pinned_as_a_funnel(opened_page: Page) -> None:
    Studio(opened_page).select("bought")
    opened_page.get_by_test_id("pin-node").click()
    expect(opened_page.get_by_test_id("pin-type")).to_have_value("funnel")
    opened_page.keyboard.press("Escape")
    Studio(opened_page).select("state")
    opened_page.get_by_test_id("pin-node").click()
    expect(opened_page.get_by_test_id("pin-type")).to_have_value("lane")
    expect(opened_page.get_by_test_id("pin-type").locator("option[value=funnel]")).to_have_count(0)


def test_a_chart_lists_keys_with_links_and_is_downloaded_as_csv(page: Page, fay: Api, plan: int) -> None:
    log_in(page, "funnel_fay")
    board = BoardPage(page)
    board.open(make_board(fay, plan))
    tile = board.chart("c1")
    expect(find_step(tile, "paid").locator(".funnel-count")).to_have_text("20 17 %")
    find_step(tile, "basket").get_by_role("button").click()
    link = tile.get_by_test_id("funnel-keys").get_by_role("link", name=BUYERS[5])
    expect(link).to_have_attribute("href", f"/plans/{plan}/?key={BUYERS[5]}")
    tile.get_by_role("button", name="Actions of bought").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="Download CSV").click()
    rows = list(csv.DictReader(Path(saved.value.path()).read_text().splitlines()))
    assert [(row["step"], row["count"], row["stopped"]) for row in rows] == [
        ("search", "120", "40"),
        ("basket", "80", "60"),
        ("paid", "20", "0"),
    ]


def test_what_counts_is_chosen_and_kept_in_the_file_of_the_dashboard(page: Page, fay: Api, plan: int) -> None:
    log_in(page, "funnel_fay")
    board = BoardPage(page)
    number = make_board(fay, plan)
    board.open(number)
    board.edit()
    page.get_by_role("button", name="Edit bought").click()
    page.get_by_test_id("chart-count").select_option("runs")
    page.get_by_role("button", name="Apply").click()
    board.save()
    kept = fay.call("GET", f"dashboards/{number}/")["document"]["charts"][0]
    assert (kept["type"], kept["count"]) == ("funnel", "runs")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_funnel_can_be_read_by_all(
    browser: Browser, stack: Stack, fay: Api, plan: int, scheme: Scheme
) -> None:
    with open_page(browser, stack.url, scheme, "funnel_fay") as page:
        board = BoardPage(page)
        board.open(make_board(fay, plan))
        find_step(board.chart("c1"), "search").get_by_role("button").click()
        expect(board.chart("c1").get_by_test_id("funnel-keys").get_by_role("listitem")).to_have_count(40)
        assert find_violations(page) == []
        page.goto(f"/plans/{plan}/?key={BUYERS[0]}")
        page.get_by_test_id("funnel-open").click()
        find_step(page.get_by_test_id("funnel-panel"), "basket").get_by_role("button").click()
        expect(page.get_by_test_id("funnel-keys")).to_be_visible()
        assert find_violations(page) == []
