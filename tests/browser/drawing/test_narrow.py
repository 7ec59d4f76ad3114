"""On a small screen, and in a small chart, nothing that matters is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.engine import say
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.still import read_box
from tests.browser.studio import Studio, log_in
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser

CUT = "it => it.scrollWidth - it.clientWidth"


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user_api = add_user(stack, "narrow")
    user_api.declare("slim")
    return user_api


@pytest.fixture(scope="module")
def plan(stack: Stack, ada: Api) -> int:
    """It waits, and says so in words of the usual length."""
    nodes = {"whether_it_has_ever_played": build_leaf("has_existed", "slim", where='player_state == "play"')}
    plan_id = int(ada.add_plan({"version": 1, "name": "What is slim and what is not", "nodes": nodes})["id"])
    ada.run(plan_id)
    for digest in ada.digests(plan_id).values():
        say(stack, digest, "starting", "starting: Spark is away")
    return plan_id


@pytest.fixture
def small(page: Page, plan: int) -> Page:
    page.set_viewport_size({"width": 1024, "height": 768})
    log_in(page, "narrow")
    return page


def expect_not_cut(locator: Locator) -> None:
    expect(locator).to_be_visible()
    assert locator.evaluate(CUT) <= 0, locator


def test_who_reads_a_stream_is_seen_in_whole(small: Page) -> None:
    small.goto("/streams/slim/")
    table = small.get_by_role("region", name="Nodes that read it")
    expect(table).to_contain_text("Spark is away")
    expect_not_cut(table)


def test_a_small_chart_says_what_it_is_called_while_it_is_arranged(small: Page, ada: Api, plan: int) -> None:
    drawn = build_chart(
        1, "number", plan, "whether_it_has_ever_played", [0, 0, 2, 3], key="s1", title="Seconds"
    )
    document = {"charts": [drawn], "range": "5m", "key": ""}
    board = int(ada.call("POST", "dashboards/", {"name": "Slim", "document": document})["id"])
    board_page = BoardPage(small)
    board_page.open(board)
    board_page.edit()
    head = board_page.chart("c1").get_by_role("heading", name="Seconds")
    expect_not_cut(head)
    board_page.chart("c1").get_by_role("button", name="Edit Seconds").click()
    expect(small.get_by_role("dialog", name="Edit the chart")).to_be_visible()


def test_the_head_of_a_wall_is_one_line(small: Page, ada: Api, plan: int) -> None:
    drawn = build_chart(1, "number", plan, "whether_it_has_ever_played", [0, 0, 12, 6], key="s1")
    document = {"charts": [drawn], "range": "5m", "key": ""}
    board = int(ada.call("POST", "dashboards/", {"name": "On the wall", "document": document})["id"])
    small.goto(f"/dashboards/{board}/kiosk/")
    title, ticks = small.get_by_role("heading", name="On the wall"), small.get_by_test_id("updated")
    expect(ticks).to_be_visible()
    assert abs(read_box(title)["y"] - read_box(ticks)["y"]) < 8
    small.get_by_role("button", name="Full screen").hover(force=True)
    expect(small.get_by_role("link", name="Leave")).to_be_visible()


def test_times_above_a_sample_do_not_run_into_each_other(small: Page, ada: Api, plan: int) -> None:
    start = 1_719_835_200_000
    events = [
        {"session_id": "s1", "event_id": f"e{n}", "t": start + n * 60_000, "player_state": "play"}
        for n in range(6)
    ]
    ada.push("slim", events)
    ada.call("POST", "samples/", {"name": "Five minutes of it", "streams": ["slim"], "last": 6})
    studio, dock = Studio(small), Testing(small)
    studio.open(plan)
    dock.open()
    expect(dock.lane("whether_it_has_ever_played")).to_be_visible()
    ticks = [tick for tick in dock.dock.locator(".time-axis .tick").all() if tick.is_visible()]
    boxes = [read_box(tick) for tick in ticks]
    assert len(boxes) >= 2
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(boxes)), boxes


@pytest.mark.parametrize("width", [920, 1024, 1200, 1280, 1440])
def test_the_header_of_an_administrator_is_one_line_and_whole(page: Page, stack: Stack, width: int) -> None:
    name = f"head_of_{width}"
    add_user(stack, name, staff=True)
    page.set_viewport_size({"width": width, "height": 600})
    log_in(page, name)
    header = page.locator(".masthead")
    expect(page.get_by_role("link", name="Operations")).to_be_visible()
    expect(page.get_by_test_id("bell")).to_be_visible()
    expect_not_cut(header)
    expect_not_cut(page.get_by_test_id("take-tour"))
    assert read_box(header)["height"] < 60
    assert page.get_by_test_id("account").evaluate("it => it.getBoundingClientRect().right") <= width - 8
