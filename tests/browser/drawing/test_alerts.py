"""Alerts on the page: the list, an alert with its incidents, and an incident that somebody takes care of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.drawing.alerting import Ovens, make_ovens
from tests.browser.drawing.looking import SeenBy
from tests.browser.product import Api, add_user
from tests.browser.studio import open_page
from workers.stack import Stack
from workers.stack.layout import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def baker(stack: Stack) -> Api:
    return add_user(stack, "baker")


@pytest.fixture(scope="module")
def ovens(stack: Stack, baker: Api) -> Ovens:
    """One alert fires for two ovens, another is quiet, a third disabled."""
    filled = make_ovens(stack, baker, "alerted_ovens")
    filled.say_hot("east", 100, 200, 300, seconds=600)
    filled.say_hot("north", 400, seconds=600)
    filled.say_hot("south", 100, 250, seconds=600)
    return filled


@pytest.fixture(scope="module")
def hot(ovens: Ovens) -> int:
    labels, runbook = {"hall": "2"}, "https://example.com/ovens"
    hot = ovens.add_alert(severity="critical", labels=labels, runbook=runbook)
    ovens.add_alert(name="Oven off for long", severity="info", enabled=False)
    ovens.begin()
    return hot


@pytest.fixture
def page(browser: Browser, stack: Stack, baker: Api) -> Iterator[Page]:
    with open_page(browser, stack.url, "light", "baker") as page:
        yield page


def take_picture(page: Page, name: str, height: int = 720) -> None:
    """For docs/alerts.md, where PICTURES is 1."""
    if os.environ.get("PICTURES") == "1":
        page.set_viewport_size({"width": 1200, "height": height})
        page.mouse.move(2, 2)
        page.screenshot(path=ROOT / "docs" / "img" / f"{name}.png", animations="disabled")


def take_view(page: Page, name: str) -> None:
    """For looking at it, where VIEWS names a folder."""
    if folder := os.environ.get("VIEWS"):
        page.mouse.move(2, 2)
        page.screenshot(path=f"{folder}/{name}.png", animations="disabled")


def find_incident(ovens: Ovens, alert: int, key: str, state: str = "firing") -> int:
    return int(ovens.api.get(f"alerts/{alert}/incidents/", key=key, state=state)[0]["id"])


def test_without_alerts_the_list_leads_on(stack: Stack, seen_by: SeenBy) -> None:
    add_user(stack, "calm_baker")
    page = seen_by("calm_baker")
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Alerts").click()
    expect(page.get_by_role("heading", name="No alerts yet")).to_be_visible()
    expect(page.get_by_role("link", name="Choose a plan")).to_have_attribute("href", "/")
    assert find_violations(page) == []


def test_the_list_shows_firing_alerts_first_and_filters_them(page: Page, hot: int) -> None:
    page.goto("/alerts/")
    rows = page.get_by_test_id("alerts").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Oven too hot")
    expect(rows.first).to_contain_text("Critical")
    expect(rows.first).to_contain_text("2 firing")
    expect(rows.first).to_contain_text("baker")
    expect(rows.nth(1)).to_contain_text("disabled")
    page.get_by_test_id("filter-disabled").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Oven off for long")
    expect(page).to_have_url(re.compile(r"state=disabled"))
    page.get_by_test_id("filter-critical").click()
    expect(page.get_by_test_id("no-match")).to_be_visible()
    page.get_by_role("button", name="Clear filter").click()
    expect(rows).to_have_count(2)
    rows.first.get_by_role("link", name="Oven too hot").click()
    expect(page.get_by_test_id("alert-page")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/alerts/{hot}/"))


def test_an_alert_says_its_rule_and_shows_its_incidents(page: Page, ovens: Ovens, hot: int) -> None:
    page.goto(f"/alerts/{hot}/")
    rule = "Fires when temperature is greater than 80 for 5 min, and ends when it is at most 75 for 1 min."
    expect(page.get_by_test_id("alert-rule")).to_have_text(rule)
    state = page.get_by_test_id("alert-state")
    expect(state.get_by_role("link", name="Ovens of alerted_ovens")).to_have_attribute(
        "href", f"/plans/{ovens.plan}/"
    )
    expect(state.get_by_role("link", name="https://example.com/ovens")).to_be_visible()
    expect(state).to_contain_text("hall: 2")
    rows = page.get_by_test_id("incidents").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_contain_text("Firing")
    expect(rows.nth(3)).to_contain_text("Resolved")
    expect(rows.filter(has_text="south")).to_contain_text("2 min 30 s")
    page.get_by_test_id("incident-key").fill("north")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("open")
    page.get_by_test_id("filter-resolved").click()
    expect(page.get_by_test_id("no-incidents")).to_have_text("No incidents match.")


def test_an_alert_changes_on_the_page_while_events_come(stack: Stack, page: Page, baker: Api) -> None:
    live = make_ovens(stack, baker, "live_ovens")
    live.say_hot("calm", seconds=10)
    alert = live.add_alert(name="Live")
    live.begin()
    page.goto(f"/alerts/{alert}/")
    expect(page.get_by_test_id("no-incidents")).to_be_visible()
    live.say_hot("west", 100, seconds=200)
    rows = page.get_by_test_id("incidents").locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Firing")
    expect(page.get_by_test_id("alert-state")).to_contain_text("1 firing")
    live.say_hot("west", seconds=300)
    expect(rows).to_contain_text("Retracted")
    expect(page.get_by_test_id("alert-state")).to_contain_text("nothing is firing")


def test_an_incident_tells_what_late_events_changed(page: Page, ovens: Ovens, hot: int) -> None:
    ovens.say_hot("late", 100, seconds=650)
    number = find_incident(ovens, hot, "late")
    ovens.say_hot("late", 160, seconds=660)
    page.goto(f"/incidents/{number}/")
    changes = page.get_by_test_id("incident-change")
    expect(changes).to_have_count(2)
    expect(changes.first).to_contain_text("Amended: moved its begin from")
    expect(changes.first).to_contain_text("correction")
    expect(changes.last).to_contain_text("Firing, from")
    ovens.say_hot("late", seconds=670)
    expect(changes).to_have_count(3)
    expect(changes.first).to_contain_text("Retracted: its span is not true any more")
    expect(page.get_by_test_id("incident-state")).to_contain_text("Retracted")


def test_lanes_mark_incidents_and_limits(page: Page, stack: Stack, baker: Api) -> None:
    live = make_ovens(stack, baker, "marked_ovens")
    warm: list[list[Any]] = [
        [None, 70, 0],
        [live.at(100), 90, 0],
        [live.at(200), 70, 0],
        [live.at(400), 85, 0],
    ]
    live.log.say("temperature", "east", warm, newest=live.at(600))
    live.say_hot("east", 100, 200, 400, seconds=600)
    live.say_hot("west", 300, seconds=600)
    alert = live.add_alert(name="Marked")
    live.begin()
    page.goto(f"/plans/{live.plan}/?key=east&range=all")
    marks = page.get_by_test_id("lane-hot").locator(".incident-mark")
    expect(marks).to_have_count(2)
    expect(page.get_by_test_id("lane-temperature").locator(".incident-mark")).to_have_count(0)
    lines = page.get_by_test_id("lane-temperature").locator(".shapelayer path")
    expect(lines).to_have_count(2)
    firing = page.get_by_test_id(f"incident-mark-{find_incident(live, alert, 'east')}")
    expect(firing).to_have_attribute("title", re.compile("^Firing: Marked, warning, from .*, open$"))
    live.say_hot("east", 100, 200, seconds=700)
    expect(firing).to_have_attribute("title", re.compile("^Retracted: Marked"))
    firing.click()
    expect(page.get_by_test_id("incident-page")).to_be_visible()
    page.goto(f"/nodes/{live.log.digests['hot']}/?key=east&range=all")
    expect(marks.first).to_have_attribute("title", re.compile("^Resolved: Marked"))
    page.goto(f"/nodes/{live.log.digests['temperature']}/?key=east&range=all")
    expect(lines).to_have_count(2)


def test_an_incident_shows_its_lanes_and_what_was_known(stack: Stack, seen_by: SeenBy, baker: Api) -> None:
    live = make_ovens(stack, baker, "explained_ovens")
    warm: list[list[Any]] = [[None, 70, 0], [live.at(100), 90, 0], [live.at(900), 70, 0]]
    live.log.say("temperature", "east", warm, newest=live.at(600))
    live.say_hot("east", 400, seconds=600)
    alert = live.add_alert(name="Explained")
    live.begin()
    live.say_hot("east", 400, 960, seconds=1000)
    number = find_incident(live, alert, "east", "resolved")
    for scheme in ("light", "dark"):
        page = seen_by("baker", "dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": 1200, "height": 1100})
        page.goto(f"/incidents/{number}/")
        lanes = page.get_by_test_id("incident-lanes")
        expect(lanes.get_by_test_id("lane-temperature").locator(".shapelayer path")).to_have_count(2)
        expect(lanes.get_by_test_id("lane-hot").locator(".incident-mark")).to_have_count(1)
        take_view(page, f"incident_{scheme}")
        page.get_by_test_id("why-fired").click()
        expect(lanes.locator(".why-panel")).to_be_visible()
        take_view(page, f"incident_why_{scheme}")
        page.get_by_test_id("incident-change").last.get_by_role("link").click()
        expect(page.get_by_test_id("incident-frozen")).to_contain_text("As it was known at")
        expect(page.get_by_test_id("incident-state")).to_contain_text("Firing")
        expect(page.get_by_test_id("incident-change")).to_have_count(1)
        expect(page.get_by_test_id("acknowledge")).to_have_count(0)
        take_view(page, f"incident_then_{scheme}")
        page.get_by_role("link", name="Show it as it is now").click()
        expect(page.get_by_test_id("incident-state")).to_contain_text("Resolved")


def test_flapping_is_set_and_marked(stack: Stack, seen_by: SeenBy, baker: Api) -> None:
    live = make_ovens(stack, baker, "flapping_ovens")
    live.say_hot("calm", seconds=10)
    alert = live.add_alert(name="Flaps", flapping_starts=2)
    live.begin()
    live.say_hot("east", 100, 110, 200, 210, 300, 310, 400, seconds=500)
    page = seen_by("baker")
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto(f"/alerts/{alert}/")
    expect(page.get_by_test_id("flapping").first).to_have_text("1 key flapping")
    expect(page.get_by_test_id("alert-state")).to_contain_text("after more than 2 starts in 30 min")
    take_view(page, "flapping_alert")
    page.get_by_test_id("edit-alert").click()
    page.get_by_test_id("alert-flapping-starts").fill("x")
    expect(page.get_by_test_id("save-alert")).to_be_disabled()
    page.get_by_test_id("alert-flapping-starts").fill("9")
    take_view(page, "flapping_edit")
    page.get_by_test_id("save-alert").click()
    expect(page.get_by_test_id("alert-state")).to_contain_text("after more than 9 starts in 30 min")
    live.say_hot("east", 100, 110, 200, 210, 300, 310, 400, seconds=510)
    expect(page.get_by_test_id("flapping")).to_have_count(0)


def test_an_incident_leads_to_others_of_its_key_and_to_its_lanes(
    stack: Stack, page: Page, baker: Api
) -> None:
    related = make_ovens(stack, baker, "related_ovens")
    related.say_hot("baguettes", 100, 200, 300, seconds=600)
    related.say_hot("rolls", 100, seconds=600)
    first, second = (related.add_alert(name=name) for name in ("First", "Second"))
    related.begin()
    page.goto(f"/incidents/{find_incident(related, first, 'baguettes')}/")
    rows = page.get_by_test_id("related-incidents").locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Second")
    page.get_by_role("link", name="Show its lanes").click()
    expect(page.get_by_test_id("lane-hot").locator(".incident-mark").first).to_be_visible()
    expect(page).to_have_url(re.compile("key=baguettes&from="))
    assert related.api.get(f"alerts/{second}/incidents/", key="baguettes", state="firing")


def test_somebody_takes_care_of_an_incident(stack: Stack, page: Page, ovens: Ovens, hot: int) -> None:
    add_user(stack, "apprentice_baker")
    shares = [{"kind": "person", "name": "apprentice_baker", "rights": ["read"]}]
    ovens.api.call("PUT", f"plans/{ovens.plan}/sharing/", {"open_to_all": False, "shares": shares})
    page.goto(f"/incidents/{find_incident(ovens, hot, 'north')}/")
    page.get_by_test_id("acknowledge").click()
    expect(page.get_by_test_id("acknowledged")).to_contain_text("by baker")
    page.get_by_test_id("assign").click()
    page.get_by_test_id("holder-search").fill("apprentice_b")
    page.get_by_test_id("holder-apprentice_baker").click()
    expect(page.get_by_test_id("assignee")).to_have_text("apprentice_baker")
    page.get_by_test_id("comment-text").fill("The fan is broken.")
    page.get_by_test_id("comment").click()
    notes = page.get_by_test_id("incident-note")
    expect(notes).to_have_count(3)
    expect(notes.first).to_contain_text("The fan is broken.")
    expect(notes.nth(1)).to_contain_text("baker assigned it to apprentice_baker")
    expect(notes.last).to_contain_text("baker acknowledged it")
    page.get_by_test_id("acknowledge").click()
    expect(page.get_by_test_id("acknowledged")).to_have_text("no")


def test_who_may_only_look_changes_nothing(stack: Stack, seen_by: SeenBy, ovens: Ovens, hot: int) -> None:
    add_user(stack, "visitor_baker")
    shares = [{"kind": "person", "name": "visitor_baker", "rights": ["read"]}]
    ovens.api.call("PUT", f"plans/{ovens.plan}/sharing/", {"open_to_all": False, "shares": shares})
    page = seen_by("visitor_baker")
    page.goto(f"/alerts/{hot}/")
    expect(page.get_by_test_id("delete-alert")).to_be_disabled()
    expect(page.get_by_test_id("enable-alert")).to_be_disabled()
    page.goto(f"/incidents/{find_incident(ovens, hot, 'east')}/")
    expect(page.get_by_test_id("acknowledge")).to_be_disabled()
    expect(page.get_by_test_id("comment-text")).to_have_count(0)


def test_an_alert_is_disabled_and_deleted(page: Page, ovens: Ovens) -> None:
    alert = ovens.add_alert(name="Short lived")
    page.goto(f"/alerts/{alert}/")
    page.get_by_test_id("enable-alert").click()
    expect(page.get_by_test_id("alert-state")).to_contain_text("disabled")
    page.get_by_test_id("delete-alert").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile(r"/alerts/$"))
    page.goto(f"/alerts/{alert}/")
    expect(page.get_by_role("heading", name="This alert cannot be shown")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_of_alerts_are_accessible(seen_by: SeenBy, ovens: Ovens, hot: int, scheme: str) -> None:
    page = seen_by("baker", "dark" if scheme == "dark" else "light")
    incident = find_incident(ovens, hot, "east")
    for address in ("/alerts/", f"/alerts/{hot}/", f"/incidents/{incident}/"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("table, [data-testid=incident-history]").first).to_be_visible()
        assert find_violations(page) == []
        assert find_overflow(page) == []


def test_the_pages_are_as_the_docs_show_them(stack: Stack, browser: Browser) -> None:
    owner = add_user(stack, "ada_of_ovens")
    ovens = make_ovens(stack, owner, "shown_ovens")
    ovens.say_hot("oven 2", 300, 900, 2400, seconds=3000)
    ovens.say_hot("oven 5", 1500, seconds=3000)
    ovens.say_hot("oven 7", 600, 1000, seconds=3000)
    hot = ovens.add_alert(severity="critical", labels={"hall": "2"}, runbook="https://example.com/ovens")
    ovens.add_alert(name="Oven off for long", severity="info", enabled=False)
    ovens.begin()
    values = ((None, 68), (600, 72), (1100, 77), (1500, 84), (2000, 88), (2600, 86), (3100, 89))
    warm: list[list[Any]] = [[at and ovens.at(at), value, 0] for at, value in values]
    ovens.log.say("temperature", "oven 5", warm, newest=ovens.at(3300))
    ovens.say_hot("oven 5", 1800, seconds=3300)
    incident = find_incident(ovens, hot, "oven 5")
    owner.call("POST", f"incidents/{incident}/acknowledge/", {})
    owner.call("POST", f"incidents/{incident}/comment/", {"text": "The fan is broken."})
    with open_page(browser, stack.url, "light", "ada_of_ovens") as page:
        page.goto("/alerts/")
        expect(page.get_by_test_id("alerts")).to_contain_text("2 firing")
        expect(page.get_by_test_id("bell")).to_have_text("2")
        take_picture(page, "alerts")
        page.goto(f"/alerts/{hot}/")
        expect(page.get_by_test_id("incidents").locator("tbody tr")).to_have_count(4)
        expect(page.get_by_test_id("alert-rule")).to_be_visible()
        take_picture(page, "alert")
        page.goto(f"/incidents/{incident}/")
        expect(page.get_by_test_id("incident-history").locator("li")).to_have_count(4)
        expect(page.get_by_test_id("lane-temperature").locator(".shapelayer path")).to_have_count(2)
        take_picture(page, "incident", 1240)
