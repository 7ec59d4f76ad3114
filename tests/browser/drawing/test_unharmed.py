"""What is odd, missing or broken is said in its place, and takes nothing else with it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user, build_leaf
from tests.browser.still import read_box
from tests.browser.studio import Studio, enter, record_console_errors
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAYED = build_leaf("has_existed", "odd", where='player_state == "play"')


@pytest.fixture(scope="module")
def odo(stack: Stack) -> Api:
    api = add_user(stack, "odo")
    api.declare("odd")
    return api


@pytest.fixture
def studio(page: Page, odo: Api) -> Studio:
    enter(page, "odo")
    page.wait_for_load_state("networkidle")
    return Studio(page)


@pytest.fixture
def cleared(odo: Api) -> Iterator[Api]:
    """Afterwards there is no plan left."""
    yield odo
    for plan in odo.get("plans/", owner="me"):
        odo.call("DELETE", f"plans/{plan['id']}/")


def build_document(nodes: Any, name: str = "Odd") -> dict[str, Any]:
    return {"version": 1, "name": name, "nodes": nodes}


def test_a_plan_that_cannot_be_drawn_says_why_and_the_others_stay(studio: Studio, cleared: Api) -> None:
    none = cleared.call("POST", "plans/", {"name": "Nothing at all", "document": {}})["id"]
    taken = cleared.add_plan(build_document({"toString": PLAYED}, "Taken"))["id"]
    long = cleared.add_plan(build_document({"played": PLAYED}, "y" * 200))["id"]
    page = studio.page
    page.goto("/")
    page.get_by_test_id("list-search").fill("owner:me")
    expect(page.get_by_test_id("plans").locator("tbody tr")).to_have_count(3)
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide, "the list runs off the page"
    for plan, words in ((none, 'It holds no "nodes"'), (taken, '"toString" cannot be the name')):
        page.goto(f"/plans/{plan}/")
        expect(studio.notice).to_contain_text(words)
        expect(studio.notice).to_contain_text(f"PUT /api/plans/{plan}/")
    studio.open(long)
    expect(studio.node("played")).to_be_visible()


def test_a_node_far_away_or_nowhere_is_drawn_where_it_is_found(studio: Studio, cleared: Api) -> None:
    errors = record_console_errors(studio.page)
    document = build_document({"a": PLAYED, "b": PLAYED}) | {"layout": {"a": [1e300, 0], "b": ["x", 1]}}
    studio.open(cleared.add_plan(document)["id"])
    for name in "ab":
        expect(studio.node(name)).to_be_in_viewport()
    assert errors == []


def test_a_name_is_as_long_as_the_server_takes_it_and_never_empty(studio: Studio, cleared: Api) -> None:
    studio.open(cleared.add_plan(build_document({"played": PLAYED}))["id"])
    title = studio.page.get_by_test_id("plan-name")
    title.focus()
    studio.page.keyboard.press("Control+a")
    studio.page.keyboard.insert_text("x" * 10_000)
    expect(title).to_have_value("x" * 200)
    studio.expect_saved()
    title.fill("")
    title.blur()
    expect(title).to_have_value("Untitled plan")
    studio.expect_saved()


def test_a_part_of_the_page_that_cannot_be_loaded_leaves_the_rest(studio: Studio, cleared: Api) -> None:
    page = studio.page
    studio.open(cleared.add_plan(build_document({"played": PLAYED}))["id"])
    page.route("**/assets/SamplesDock*", lambda route: route.abort())
    page.get_by_test_id("testing").click()
    failed = page.get_by_test_id("failed")
    expect(failed).to_contain_text("Could not load it: the server is unreachable, or was updated")
    studio.select("played")
    studio.rename("seen")
    studio.expect_saved()
    page.unroute("**/assets/SamplesDock*")
    failed.get_by_role("button", name="Reload page").click()
    expect(studio.node("seen")).to_be_visible()
    expect(failed).not_to_be_attached()


def test_a_plan_that_never_ran_is_asked_for_no_keys(studio: Studio, cleared: Api) -> None:
    errors = record_console_errors(studio.page)
    studio.open(cleared.add_plan(build_document({"played": PLAYED}))["id"])
    expect(studio.run_button).to_be_enabled()
    expect(studio.page.get_by_test_id("key-input")).to_be_disabled()
    studio.wait(1)
    assert errors == []


def log_out(page: Page) -> None:
    page.get_by_test_id("account").click()
    page.get_by_test_id("log-out").click()


def test_one_logs_out_though_one_logged_in_anew_on_another_page(page: Page, odo: Api) -> None:
    # A page that hears nothing of the server does not leave by itself when somebody logs out on another one.
    page.route_web_socket(re.compile("."), lambda _: None)
    enter(page, "odo")
    other = page.context.new_page()
    other.goto("/")
    log_out(other)
    expect(other).to_have_url(re.compile("/login/"))
    enter(other, "odo")
    log_out(page)
    expect(page).to_have_url(re.compile("/login/"))


def test_a_window_too_narrow_for_the_studio_is_scrolled_and_nothing_lies_on_anything_else(
    studio: Studio, cleared: Api
) -> None:
    studio.page.set_viewport_size({"width": 660, "height": 640})
    studio.open(cleared.add_plan(build_document({"played": PLAYED}))["id"])
    boxes = [read_box(studio.page.locator(f".studio > .{side}")) for side in ("palette", "middle", "right")]
    for left, right in itertools.pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
        assert right["width"] >= 200
