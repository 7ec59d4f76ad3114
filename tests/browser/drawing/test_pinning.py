"""Charts are pinned where something was seen, and a screen on the wall shows at once that it is cut off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import BoardPage
from tests.browser.choosing import Chooser
from tests.browser.drawing.looking import There, run_story
from tests.browser.lanes import Lanes
from tests.browser.still import read_box, read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def there(stack: Stack) -> There:
    return run_story(stack, "pinning")


@pytest.fixture
def shown(page: Page, there: There) -> BoardPage:
    log_in(page, "pinning")
    return BoardPage(page)


def open_lanes(page: Page, there: There) -> None:
    Studio(page).open(there.plan, key="ann", group="CDN1")
    expect(Lanes(page).value("state")).to_have_text("play")


def pin(page: Page, board: str) -> None:
    """To a new dashboard, which opens."""
    dialog = page.get_by_role("dialog")
    boards = Chooser(dialog, "pin-board")
    boards.field.fill(board)
    boards.option("pick new").click()
    boards.field.click()
    boards.option("pick new").click()
    expect(dialog.get_by_label("Name", exact=True)).to_have_value(board)
    dialog.get_by_test_id("pin-confirm").click()
    dialog.get_by_role("link", name="the dashboard").click()
    expect(page.locator(".board-name")).to_contain_text(board)


def test_a_lane_is_pinned_with_the_key_that_is_seen(shown: BoardPage, there: There) -> None:
    open_lanes(shown.page, there)
    shown.page.get_by_test_id("pin-lane-state").focus()
    shown.page.keyboard.press("Enter")
    expect(shown.page.get_by_test_id("pin-type")).to_have_value("lane")
    pin(shown.page, "Of a lane")
    expect(shown.chart("c1").locator(".chart-key")).to_have_text("ann")
    expect(shown.reading("c1")).to_have_text("play")


def test_the_keys_of_a_node_are_pinned_as_a_table(shown: BoardPage, there: There) -> None:
    open_lanes(shown.page, there)
    shown.page.get_by_test_id("keys").click()
    shown.page.get_by_test_id("keys-node").select_option("watched")
    shown.page.get_by_test_id("pin-table").click()
    expect(shown.page.get_by_test_id("pin-type")).to_have_value("table")
    pin(shown.page, "Of keys")
    expect(shown.chart("c1")).to_have_attribute("aria-label", "watched")
    expect(shown.keys("c1")).to_have_text(["ann"])


def test_a_link_carries_version_key_range_and_cursor(shown: BoardPage, there: There) -> None:
    page = shown.page
    shown.open(there.board, "?version=1&key=ann&range=1h&cursor=2024-07-01T12:00:00Z")
    expect(page.get_by_test_id("old-version")).to_contain_text("version 1; the newest is 2")
    expect(shown.key).to_have_value("ann")
    expect(shown.range.locator("option:checked")).to_contain_text("1 h")
    expect(page.get_by_test_id("cursor")).to_contain_text("12:00:00")
    page.get_by_test_id("share").click()
    link = page.get_by_test_id("share-link")
    for part in ("version=1", "key=ann", "from=", "to=", "cursor=2024-07-01T12:00:00"):
        expect(link).to_have_value(re.compile(part))
    page.get_by_label("Freeze the current time range").uncheck()
    for part in ("version=1", "key=ann", "range=1h"):
        expect(link).to_have_value(re.compile(part))
    page.get_by_label("For a TV").check()
    expect(link).to_have_value(re.compile(f"/dashboards/{there.board}/kiosk/"))


def test_a_screen_on_the_wall_shows_that_its_network_is_gone_and_nothing_jumps(
    shown: BoardPage, there: There
) -> None:
    page = shown.page
    page.goto(f"/dashboards/{there.board}/kiosk/")
    expect(shown.number("c1")).to_be_visible()
    expect(page.get_by_test_id("updated")).to_contain_text("Last updated")
    expect(page.get_by_test_id("cut-off")).not_to_be_attached()
    before = read_steady_box(shown.chart("c4"))
    page.context.set_offline(True)
    expect(page.get_by_test_id("cut-off")).to_contain_text("Disconnected since")
    expect(page.locator(".board-grid")).to_have_css("filter", "grayscale(1)")
    assert read_box(shown.chart("c4")) == before
    page.context.set_offline(False)
    expect(page.get_by_test_id("cut-off")).not_to_be_attached()
    expect(page.locator(".board-grid")).to_have_css("filter", "none")
