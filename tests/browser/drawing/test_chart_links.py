"""A chart leads to another dashboard, to its lanes or to an address, with what is shown."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user, build_rebuffering
from tests.browser.studio import Scheme, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

SECOND = 1_000_000
STREAM = "chart_links"
RUNBOOK = "https://wiki.example/runbook/{key}?from={from}"


@pytest.fixture(scope="module")
def linus(stack: Stack) -> Api:
    user = add_user(stack, "linus")
    user.declare(STREAM)
    return user


@pytest.fixture(scope="module")
def plan(stack: Stack, linus: Api) -> int:
    number = int(linus.add_plan(build_rebuffering(STREAM))["id"])
    linus.run(number)
    digests, now = linus.digests(number), time.time_ns() // 1000
    with Filler(stack) as filling:
        pieces = [[None, 0.0, 0.0], [now - 200 * SECOND, 4.0, 0.0]]
        filling.say(digests["cirr"], [["s 1", now - 300 * SECOND, None, None, pieces]], now - 5 * SECOND)
    return number


def create_board(user: Api, name: str, *charts: object, key: str = "s 1") -> int:
    document = {"charts": list(charts), "range": "15m", "key": key, "group": ""}
    return int(user.call("POST", "dashboards/", {"name": name, "document": document})["id"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_link_is_chosen_in_the_form_and_followed_from_the_head(
    page: Page, linus: Api, plan: int, scheme: Scheme, tmp_path: Path
) -> None:
    details = create_board(
        linus, f"Details {scheme}", build_chart(1, "line", plan, "cirr", [0, 0, 6, 6]), key=""
    )
    runbook = {"to": "address", "title": "Runbook", "address": RUNBOOK}
    board = create_board(
        linus,
        f"Overview {scheme}",
        build_chart(1, "number", plan, "cirr", [0, 0, 3, 4]),
        build_chart(2, "line", plan, "cirr", [3, 0, 6, 4]) | {"link": runbook},
    )
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 1200, "height": 800})
    log_in(page, "linus")
    shown = BoardPage(page)
    shown.open(board)
    mark = shown.chart("c2").get_by_role("link", name="Runbook")
    expect(mark).to_have_attribute("rel", "noopener noreferrer")
    assert (mark.get_attribute("href") or "").startswith("https://wiki.example/runbook/s%201?from=20")
    shown.edit()
    shown.chart("c1").get_by_role("button", name="Edit").click()
    page.get_by_test_id("link-to").select_option("dashboard")
    # It says what is missing to those who press it all the same.
    page.get_by_role("button", name="Apply").click(force=True)
    expect(page.get_by_text("Choose the dashboard that the link opens.")).to_be_visible()
    page.get_by_test_id("link-board").fill(f"Details {scheme}")
    page.get_by_role("option", name=f"Details {scheme}").click()
    page.get_by_test_id("link-to").scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "form.png")
    page.get_by_role("button", name="Apply").click()
    shown.save()
    page.get_by_test_id("done").click()
    shown.chart("c2").get_by_role("button", name="Actions").click()
    expect(page.get_by_role("menuitem", name="Runbook")).to_be_visible()
    page.screenshot(path=tmp_path / "board.png")
    page.keyboard.press("Escape")
    assert not find_violations(page)
    shown.chart("c1").get_by_role("link", name="Open the dashboard").click()
    page.wait_for_url(f"**/dashboards/{details}/?key=s+1&range=15m")
    expect(shown.reading("c1")).to_have_text("4")


@pytest.mark.parametrize("rest", ["", "kiosk/"])
def test_a_long_name_is_read_whole_on_a_phone(
    page: Page, linus: Api, plan: int, rest: str, tmp_path: Path
) -> None:
    name = "Rebuffering of the evening by network and by device, north and south"
    board = create_board(linus, name, build_chart(1, "number", plan, "cirr", [0, 0, 3, 4]))
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "linus")
    BoardPage(page).open(board, rest)
    head = page.get_by_role("heading", name=name)
    assert head.evaluate("e => e.scrollWidth <= e.clientWidth && e.getClientRects()[0].height > 30")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.screenshot(path=tmp_path / "phone.png")
