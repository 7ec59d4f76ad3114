"""Channels and silences on the page: made, tried, used by an alert, and shown where they mute."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.drawing.alerting import Ovens, make_ovens
from tests.browser.drawing.looking import SeenBy
from tests.browser.product import Api, add_user
from tests.browser.studio import open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def caller(stack: Stack) -> Api:
    """An administrator, whose channels reach this machine."""
    return add_user(stack, "on_call", staff=True)


@pytest.fixture(scope="module")
def ovens(stack: Stack, caller: Api) -> Ovens:
    filled = make_ovens(stack, caller, "called_ovens")
    filled.say_hot("east", 100, seconds=600)
    filled.say_hot("north", 400, seconds=600)
    return filled


@pytest.fixture(scope="module")
def hot(ovens: Ovens) -> int:
    hot = ovens.add_alert(name="Called", severity="critical", labels={"hall": "2"})
    ovens.begin()
    return hot


@pytest.fixture
def page(browser: Browser, stack: Stack, caller: Api) -> Iterator[Page]:
    with open_page(browser, stack.url, "light", "on_call") as page:
        yield page


@contextmanager
def receive_posts() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A web server that takes what is posted: its address, and what it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks/secret-path", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def row_of(page: Page, name: str) -> Any:
    return page.get_by_test_id("channels").locator("tbody tr").filter(has_text=name)


def choose(page: Page, name: str, what: str) -> None:
    page.get_by_role("button", name=f"Actions of {name}").click()
    page.get_by_test_id(f"channel-{what}").click()


def test_a_channel_is_made_tried_and_deleted(page: Page, caller: Api, hot: int) -> None:
    page.goto("/alerts/")
    page.get_by_role("navigation", name="Alerting").get_by_role("link", name="Channels").click()
    page.get_by_role("button", name="Create a channel").click()
    page.get_by_test_id("channel-kind-webhook").click()
    with receive_posts() as (address, got):
        page.get_by_test_id("channel-name").fill("Hall 2")
        page.get_by_test_id("channel-url").fill(address)
        page.get_by_test_id("channel-secret").fill("a secret of sixteen")
        assert find_violations(page, "dialog") == []
        page.get_by_test_id("save-channel").click()
        tested = page.get_by_test_id("channel-tested")
        expect(tested).to_contain_text("Channel created")
        assert got == []
        page.get_by_test_id("send-test").click()
        expect(tested).to_have_text("The receiver has accepted the test message.")
        assert [channel_row["incidents"][0]["text"] for channel_row in got] == [
            "This is a test of the channel Hall 2."
        ]
    page.get_by_test_id("send-test").click()
    expect(page.get_by_test_id("channel-test-failure")).to_contain_text("The message did not arrive")
    page.get_by_role("button", name="Close").click()
    expect(row_of(page, "Hall 2")).to_contain_text("no alert")

    [channel] = caller.get("channels/")
    page.goto(f"/alerts/{hot}/")
    page.get_by_test_id("edit-alert").click()
    page.get_by_test_id(f"alert-channel-{channel['id']}").check()
    page.get_by_test_id("save-alert").click()
    expect(page.get_by_test_id("alert-notifies")).to_contain_text("Hall 2")

    page.goto("/channels/")
    expect(row_of(page, "Hall 2")).to_contain_text("1 alert")
    choose(page, "Hall 2", "edit")
    expect(page.get_by_test_id("channel-secret")).to_have_attribute(
        "placeholder", re.compile("leave empty to keep it")
    )
    page.get_by_test_id("channel-name").fill("Hall 3")
    page.get_by_test_id("save-channel").click()
    choose(page, "Hall 3", "pause")
    expect(row_of(page, "Hall 3").get_by_test_id("channel-state")).to_contain_text("paused")
    assert find_violations(page) == []
    choose(page, "Hall 3", "delete")
    users = page.get_by_test_id("channel-users")
    expect(users).to_have_text("“Called” notifies it, and will not any more.")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No channels yet")).to_be_visible()
    assert caller.get(f"alerts/{hot}/")["channels"] == []


def test_a_silence_is_shown_where_it_mutes_until_it_is_ended(
    page: Page, caller: Api, ovens: Ovens, hot: int
) -> None:
    east = caller.get(f"alerts/{hot}/incidents/", key="east")[0]["id"]
    page.goto(f"/incidents/{east}/")
    page.get_by_test_id("silence-menu").click()
    page.get_by_test_id("snooze-1h").click()
    expect(page.get_by_test_id("incident-state")).to_contain_text("east silenced until")
    page.goto("/incidents/?state=firing")
    rows = page.get_by_test_id("incidents").locator("tbody tr")
    expect(rows.filter(has_text="Called").filter(has_text="east")).to_contain_text("silenced until")
    expect(rows.filter(has_text="Called").filter(has_text="north")).not_to_contain_text("silenced")

    page.get_by_role("navigation", name="Alerting").get_by_role("link", name="Silences").click()
    page.get_by_test_id("new-silence").click()
    form = page.get_by_test_id("silence-form")
    page.get_by_test_id("silence-label").fill("hall=2")
    page.get_by_test_id("create-silence").click(force=True)
    expect(form).to_contain_text("Give a reason.")
    page.get_by_test_id("silence-reason").fill("Cleaning")
    page.get_by_test_id("silence-tomorrow").click()
    assert find_violations(page, "dialog") == []
    page.get_by_test_id("create-silence").click()
    silences = page.get_by_test_id("silences").locator("tbody tr")
    expect(silences).to_have_count(2)
    cleaning = silences.filter(has_text="Cleaning")
    expect(cleaning).to_contain_text("Alerts with hall=2")
    [answer] = [silence for silence in caller.get("silences/") if silence["reason"] == "Cleaning"]
    assert answer["ends_at"][11:19] == "08:00:00"
    page.goto("/alerts/")
    row = page.get_by_test_id(f"alert-{hot}")
    expect(row).to_contain_text(re.compile("ilenced until"))

    page.goto("/silences/?state=now")
    cleaning.get_by_role("button", name="End now").click()
    expect(silences).to_have_count(1)
    silences.get_by_role("button", name="End now").click()
    expect(page.get_by_test_id("no-silences")).to_be_visible()
    page.get_by_test_id("filter-past").click()
    expect(silences).to_have_count(2)
    page.goto(f"/incidents/{east}/")
    expect(page.get_by_test_id("incident-state")).not_to_contain_text("silenced")


def test_maintenance_windows_follow_the_clock_or_a_node(
    page: Page, caller: Api, ovens: Ovens, hot: int
) -> None:
    page.goto("/silences/")
    silences = page.get_by_test_id("silences").locator("tbody tr")
    page.get_by_test_id("new-silence").click()
    page.get_by_test_id("silence-reason").fill("Night shift")
    page.get_by_test_id("silence-pattern").select_option("schedule")
    for day in ("mon", "tue", "wed", "thu", "fri"):
        page.get_by_test_id(f"silence-{day}").click()
    page.get_by_test_id("silence-from").fill("22:00")
    page.get_by_test_id("silence-to").fill("22:00")
    page.get_by_test_id("create-silence").click(force=True)
    expect(page.get_by_test_id("silence-form")).to_contain_text("begin and end at the same time")
    page.get_by_test_id("silence-to").fill("06:30")
    expect(page.get_by_text("To, on the next day")).to_be_visible()
    assert find_violations(page, "dialog") == []
    page.get_by_test_id("create-silence").click()
    expect(silences.filter(has_text="Night shift")).to_contain_text("sat-sun 22:00–06:30 UTC")

    page.get_by_test_id("new-silence").click()
    page.get_by_test_id("silence-reason").fill("Hot anyway")
    page.get_by_test_id("silence-pattern").select_option("node")
    page.get_by_test_id("create-silence").click(force=True)
    expect(page.get_by_test_id("silence-form")).to_contain_text("Choose a node.")
    page.get_by_test_id("silence-node").select_option(f"{ovens.plan}/hot")
    page.get_by_test_id("create-silence").click()
    expect(silences.filter(has_text="Hot anyway")).to_contain_text(
        "while hot is true in Ovens of called_ovens"
    )
    incidents = {key: caller.get(f"alerts/{hot}/incidents/", key=key)[0] for key in ("east", "north")}
    reasons = {key: [one["reason"] for one in row["silences"]] for key, row in incidents.items()}
    assert "Hot anyway" in reasons["east"]
    for silence in caller.get("silences/", state="now"):
        caller.call("DELETE", f"silences/{silence['id']}/")


def test_lists_of_alerts_fit_a_phone(stack: Stack, seen_by: SeenBy) -> None:
    add_user(stack, "quiet_visitor")
    page = seen_by("quiet_visitor")
    page.goto("/channels/")
    expect(page.get_by_role("heading", name="No channels yet")).to_be_visible()
    for path in ("/channels/", "/silences/", "/incidents/"):
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert find_violations(page) == []
        assert find_overflow(page) == []
