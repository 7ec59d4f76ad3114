"""What somebody else deletes while it is open: the page says so, and makes it again where that makes sense."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def vera(stack: Stack) -> Api:
    return add_user(stack, "vera")


@pytest.fixture
def inside(page: Page, vera: Api) -> Page:
    """Logged in as her whose things they are."""
    vera.get("me/")
    log_in(page, "vera")
    return page


def test_a_stream_that_is_deleted_is_gone_and_declared_again(inside: Page, vera: Api) -> None:
    vera.declare("fleeting")
    inside.goto("/streams/fleeting/")
    expect(inside.get_by_test_id("declaration")).to_be_visible()
    vera.call("DELETE", "streams/fleeting/")
    expect(inside.get_by_role("heading", name="The stream “fleeting” is gone")).to_be_visible()
    expect(inside.get_by_test_id("declaration")).not_to_be_attached()
    assert not (result := find_violations(inside)), result
    inside.get_by_test_id("make-again").click()
    expect(inside.get_by_test_id("declaration")).to_be_visible()
    assert vera.get("streams/fleeting/")["fields"]["player_state"] == "text"


def test_a_dashboard_that_is_deleted_is_gone_and_made_again(inside: Page, vera: Api) -> None:
    board = vera.call("POST", "dashboards/", {"name": "Brief"})["id"]
    inside.goto(f"/dashboards/{board}/")
    expect(inside.get_by_test_id("edit")).to_be_visible()
    vera.call("DELETE", f"dashboards/{board}/")
    inside.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(inside.get_by_role("heading", name="The dashboard “Brief” is gone")).to_be_visible()
    expect(inside.get_by_test_id("edit")).not_to_be_attached()
    inside.get_by_test_id("make-again").click()
    expect(inside.get_by_test_id("edit")).to_be_visible()
    assert int(re.findall(r"/dashboards/(\d+)/", inside.url)[0]) != board


def test_a_sample_that_is_deleted_is_shown_no_longer(inside: Page, vera: Api) -> None:
    vera.declare("sampled")
    vera.push(
        "sampled", [{"session_id": k, "event_id": k, "t": 1, "player_state": "play"} for k in ("a", "b")]
    )
    nodes = {"state": build_leaf("latest_event_to_state", "sampled", field="player_state")}
    plan = vera.add_plan({"version": 1, "name": "Sampled", "nodes": nodes, "results": ["state"]})["id"]
    sample = vera.call("POST", "samples/", {"name": "Two", "streams": ["sampled"], "last": 9})["id"]
    Studio(inside).open(plan)
    testing = Testing(inside)
    testing.open()
    expect(testing.lane("state")).to_be_visible()
    vera.call("DELETE", f"samples/{sample}/")
    inside.get_by_test_id("sample-key").select_option("b")
    expect(inside.get_by_test_id("notice")).to_contain_text("The sample “Two” is gone")
    expect(testing.lane("state")).not_to_be_attached()
