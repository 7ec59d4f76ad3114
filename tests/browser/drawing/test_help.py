"""Help stands beside what it is about: each operator with its picture and example; an empty canvas says what to do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from timeline_app.operators import operators
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAN = {
    "version": 1,
    "name": "To be explained",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "asked", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [0, 240]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "asker")


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "asker")
    return Studio(page)


@pytest.fixture(scope="module")
def plan(ada: Api) -> int:
    ada.declare("asked")
    return int(ada.add_plan(PLAN)["id"])


def test_the_help_of_an_operator_has_its_picture_and_its_example(studio: Studio, plan: int) -> None:
    studio.open(plan)
    studio.select("seeking")
    studio.page.get_by_test_id("help").click()
    ticks, operator = studio.page.get_by_test_id("operator-help"), operators()["has_existed_within"]
    expect(ticks).to_contain_text(operator.summary)
    expect(ticks.locator("pre")).to_have_text(operator.example.text())
    picture = ticks.locator("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("it => it.decode().then(() => it.naturalWidth)") > 400


def test_help_follows_the_node_and_is_left_by_the_keyboard(studio: Studio, plan: int) -> None:
    studio.open(plan)
    studio.select("calm")
    button = studio.page.get_by_test_id("help")
    button.focus()
    studio.page.keyboard.press("Enter")
    ticks = studio.page.get_by_test_id("operator-help")
    expect(ticks).to_be_focused()
    expect(ticks.get_by_role("heading", name="Not")).to_be_visible()
    studio.page.keyboard.press("Escape")
    expect(ticks).not_to_be_attached()
    expect(button).to_be_focused()


def test_what_is_judged_by_arrival_is_marked_on_the_palette_where_it_is_set_up_and_in_the_help(
    studio: Studio, plan: int
) -> None:
    page = studio.page
    studio.new()
    expect(page.locator(".palette-item", has_text="uses arrival time")).to_have_text(
        ["Arrived withinuses arrival time", "Event laguses arrival time"]
    )
    studio.drop_operator("event_lag", (400, 200))
    expect(page.get_by_test_id("by-arrival")).to_contain_text("Uses arrival time")
    studio.choose_stream("asked")
    expect(studio.ask_to_run()).to_contain_text("1 node starts.")
    page.keyboard.press("Escape")
    page.get_by_test_id("help").click()
    ticks = page.get_by_test_id("operator-help")
    expect(ticks.get_by_test_id("by-arrival")).to_be_visible()
    expect(ticks).to_contain_text("the same whenever the log is read again")
    assert ticks.locator("img").evaluate("it => it.decode().then(() => it.naturalWidth)") > 400


def test_an_empty_canvas_says_what_to_do_until_there_is_a_node(studio: Studio, plan: int) -> None:
    studio.new()
    hint = studio.page.get_by_test_id("empty-canvas")
    expect(hint).to_contain_text("Drag an operator from a stream here")
    studio.drop_operator("has_existed", (400, 200))
    expect(hint).not_to_be_attached()
