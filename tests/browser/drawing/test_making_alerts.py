"""Alerts are made from the studio, changed on their page, and counted by the bell of every page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.drawing.alerting import make_ovens
from tests.browser.drawing.looking import SeenBy
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def maker(stack: Stack) -> Api:
    return add_user(stack, "alert_maker")


@pytest.fixture(scope="module")
def plan(maker: Api) -> int:
    """A number and a bool, which do not run."""
    fields = {"temperature": "number", "door": "text"}
    maker.call(
        "POST",
        "streams/",
        {"name": "drawn_ovens", "key": "oven", "time": "t", "unit": "ms", "fields": fields},
    )
    nodes = {
        "temperature": build_leaf("latest_event_to_state", "drawn_ovens", field="temperature"),
        "opened": build_leaf("has_existed", "drawn_ovens", where='door == "open"'),
        "door": build_leaf("latest_event_to_state", "drawn_ovens", field="door"),
    }
    plan_id = int(maker.add_plan({"version": 1, "name": "Drawn ovens", "nodes": nodes})["id"])
    maker.call("PUT", f"plans/{plan_id}/sharing/", {"open_to_all": False, "shares": []})
    return plan_id


@pytest.fixture
def page(browser: Browser, stack: Stack, maker: Api) -> Iterator[Page]:
    with open_page(browser, stack.url, "light", "alert_maker") as page:
        yield page


def test_an_alert_on_a_number_adds_an_alert_node_behind_it(page: Page, maker: Api, plan: int) -> None:
    studio = Studio(page)
    studio.open(plan)
    studio.node("temperature").locator("header").click(button="right")
    page.get_by_role("menuitem", name="Alert…").click()
    form = page.get_by_test_id("alert-form")
    expect(form).to_be_visible()
    assert find_violations(page, "dialog") == []
    page.get_by_test_id("create-alert").click(force=True)
    expect(form).to_contain_text("Give the limit as a number.")
    page.get_by_test_id("alert-limit").fill("80")
    page.get_by_test_id("alert-clear").fill("75")
    page.get_by_test_id("alert-for").fill("5 min")
    page.get_by_test_id("alert-name").fill("Oven too hot")
    page.get_by_test_id("alert-severity").select_option("critical")
    page.get_by_test_id("alert-labels").fill("team=bakery")
    page.get_by_test_id("alert-template").fill("{nonsense}")
    page.get_by_test_id("create-alert").click()
    expect(form).to_contain_text("nonsense")
    page.get_by_test_id("alert-template").fill("")
    page.get_by_test_id("alert-limit").fill("90")
    page.get_by_test_id("create-alert").click()
    expect(page.get_by_test_id("alert-created")).to_contain_text("run or apply the plan")
    document = maker.get(f"plans/{plan}/")["document"]
    [added] = [name for name, node in document["nodes"].items() if node["op"] == "alert"]
    node = document["nodes"][added]
    assert (added, node["inputs"]) == ("temperature_alert", {"of": "temperature"})
    assert node["params"] == {"above": 90, "clear": 75, "for": "5min"}
    assert added in document["results"]
    [alert] = maker.get("alerts/", plan=plan)
    assert (alert["name"], alert["node"], alert["severity"]) == ("Oven too hot", added, "critical")
    assert alert["labels"] == {"team": "bakery"}
    page.get_by_role("link", name="Open the alert").click()
    rule = "Fires when temperature is greater than 90 for 5 min, and ends when it is at most 75."
    expect(page.get_by_test_id("alert-rule")).to_have_text(rule)

    page.get_by_test_id("edit-alert").click()
    expect(page.get_by_test_id("alert-labels")).to_have_value("team=bakery")
    page.get_by_test_id("alert-name").fill("Oven far too hot")
    page.get_by_test_id("alert-runbook").fill("Call the baker.")
    page.get_by_test_id("save-alert").click()
    expect(page.get_by_role("heading", name="Oven far too hot")).to_be_visible()
    expect(page.get_by_test_id("alert-state")).to_contain_text("Call the baker.")


def test_a_bool_has_an_alert_as_it_is_and_a_text_has_none(page: Page, maker: Api, plan: int) -> None:
    studio = Studio(page)
    studio.open(plan)
    studio.select("door")
    expect(page.get_by_test_id("alert-node")).to_be_disabled()
    studio.select("opened")
    page.get_by_test_id("alert-node").click()
    expect(page.get_by_test_id("alert-limit")).to_have_count(0)
    page.get_by_test_id("alert-name").fill("Door was open")
    before = maker.get(f"plans/{plan}/")["document"]["nodes"]
    page.get_by_test_id("create-alert").click()
    expect(page.get_by_test_id("alert-created")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    assert maker.get(f"plans/{plan}/")["document"]["nodes"] == before
    assert [alert["node"] for alert in maker.get("alerts/", q="Door")] == ["opened"]


def test_the_bell_counts_what_fires_and_leads_to_it(stack: Stack, seen_by: SeenBy) -> None:
    listener = add_user(stack, "bell_listener")
    ovens = make_ovens(stack, listener, "belled_ovens")
    ovens.say_hot("calm", seconds=10)
    ovens.add_alert(name="Belled")
    ovens.begin()
    page = seen_by("bell_listener")
    page.goto("/streams/")
    bell = page.get_by_test_id("bell")
    expect(bell).to_have_attribute("aria-label", "No incident is firing")
    ovens.say_hot("east", 100, seconds=200)
    expect(bell).to_have_text("1")
    ovens.say_hot("west", 150, seconds=200)
    expect(bell).to_have_attribute("aria-label", "2 incidents firing")
    assert find_violations(page) == []
    bell.click()
    rows = page.get_by_test_id("alerts").locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("2 firing")
    ovens.say_hot("east", seconds=300)
    expect(bell).to_have_text("1")
    expect(rows).to_contain_text("1 firing")
