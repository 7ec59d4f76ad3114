"""The colour of a value says what it means: the same in lanes, on nodes, in all keys and in charts; and the legend."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Scheme, Studio, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

STREAM: Document = {
    "name": "machines_seen",
    "key": "machine",
    "time": "t",
    "unit": "ms",
    "id": "event_id",
    "fields": {"state": "text"},
    "allowed_lateness": "30s",
    "retention": "7d",
}
NODES = {"status": build_leaf("latest_event_to_state", "machines_seen", field="state")}
CHARTS = (("lane", [0, 0, 6, 4]), ("table", [6, 0, 6, 4]))
RED: dict[Scheme, str] = {"light": "rgb(192, 39, 31)", "dark": "rgb(216, 68, 60)"}
GREEN: dict[Scheme, str] = {"light": "rgb(0, 158, 115)", "dark": "rgb(43, 184, 148)"}


@pytest.fixture(scope="module")
def colin(stack: Stack) -> Api:
    user = add_user(stack, "colin")
    user.call("POST", "streams/", STREAM)
    return user


@pytest.fixture(scope="module")
def plan(stack: Stack, colin: Api) -> int:
    """`M1` has failed, `M2` is ok."""
    plan = int(colin.add_plan({"version": 1, "name": "Colours", "nodes": NODES, "results": ["status"]})["id"])
    colin.run(plan)
    log, start = Log(stack, colin.digests(plan)), compute_now() - 100 * SECOND
    for key, state in (("M1", "failed"), ("M2", "ok")):
        log.say("status", key, [[None, None], [start, "starting"], [start + 30 * SECOND, state]])
    log.publish()
    return plan


@pytest.fixture(scope="module")
def board(colin: Api, plan: int) -> int:
    charts = [build_chart(n, kind, plan, "status", number) for n, (kind, number) in enumerate(CHARTS, 1)]
    document = {"charts": charts, "range": "5m", "key": "M1"}
    return int(colin.call("POST", "dashboards/", {"name": "Colours", "document": document})["id"])


def find_swatches(locator: Locator) -> Locator:
    return locator.locator(".swatch")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_fails_is_red_and_what_is_well_is_green(
    browser: Browser, stack: Stack, plan: int, board: int, scheme: Scheme
) -> None:
    with open_page(browser, stack.url, scheme, "colin") as page:
        for key, colour in (("M1", RED[scheme]), ("M2", GREEN[scheme])):
            Studio(page).open(plan, key=key)
            lanes = Lanes(page)
            expect(find_swatches(lanes.lane("status"))).to_have_css("background-color", colour)
            expect(find_swatches(lanes.on_canvas("status"))).to_have_css("background-color", colour)
        page.get_by_test_id("all-keys").first.click()
        legend = page.get_by_test_id("all-keys-legend")
        for value, colour in (("failed", RED[scheme]), ("ok", GREEN[scheme])):
            named = legend.locator("span", has_text=value).last
            expect(find_swatches(named)).to_have_css("background-color", colour)
        board_page = BoardPage(page)
        board_page.open(board)
        expect(find_swatches(page.locator(".reading")).first).to_have_css("background-color", RED[scheme])
        for key, colour in (("M1", RED[scheme]), ("M2", GREEN[scheme])):
            row = page.get_by_role("row").filter(has_text=key)
            expect(find_swatches(row)).to_have_css("background-color", colour)


def open_legend(page: Page, plan: int) -> Locator:
    Studio(page).open(plan, key="M1")
    page.get_by_test_id("legend-open").click()
    return page.get_by_test_id("legend")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_legend_says_what_marks_and_colours_mean(
    browser: Browser, stack: Stack, plan: int, scheme: Scheme
) -> None:
    with open_page(browser, stack.url, scheme, "colin") as page:
        legend = open_legend(page, plan)
        for mark in ("provisional", "unknown", "final", "goes on", "corrected", "differs", "many changes"):
            expect(legend.get_by_role("term").get_by_text(mark, exact=True)).to_be_visible()
        bad = legend.get_by_role("listitem").filter(has_text="bad, such as failed")
        expect(bad.locator(".legend-swatch")).to_have_css("background-color", RED[scheme])
        assert not (result := find_violations(page)), "\n".join(result)
        page.get_by_test_id("legend-open").click()
        expect(legend).not_to_be_attached()
