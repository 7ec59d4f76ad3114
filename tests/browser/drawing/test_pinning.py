"""Charts are pinned where something was seen, and a screen on the wall shows at once that it is cut off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import BoardPage
from tests.browser.choosing import Chooser
from tests.browser.drawing.looking import Story, run_story
from tests.browser.lanes import Lanes
from tests.browser.still import read_box, read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def story(stack: Stack) -> Story:
    return run_story(stack, "pinning")


@pytest.fixture
def board_page(page: Page, story: Story) -> BoardPage:
    log_in(page, "pinning")
    return BoardPage(page)


def open_lanes(page: Page, story: Story) -> None:
    Studio(page).open(story.plan, key="ann", group="CDN1")
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


def test_a_lane_is_pinned_with_the_key_that_is_seen(board_page: BoardPage, story: Story) -> None:
    open_lanes(board_page.page, story)
    board_page.page.get_by_test_id("pin-lane-state").focus()
    board_page.page.keyboard.press("Enter")
    expect(board_page.page.get_by_test_id("pin-type")).to_have_value("lane")
    pin(board_page.page, "Of a lane")
    expect(board_page.chart("c1").locator(".chart-key")).to_have_text("ann")
    expect(board_page.reading("c1")).to_have_text("play")


def test_the_keys_of_a_node_are_pinned_as_a_table(board_page: BoardPage, story: Story) -> None:
    open_lanes(board_page.page, story)
    board_page.page.get_by_test_id("keys").click()
    board_page.page.get_by_test_id("keys-node").select_option("watched")
    board_page.page.get_by_test_id("pin-table").click()
    expect(board_page.page.get_by_test_id("pin-type")).to_have_value("table")
    pin(board_page.page, "Of keys")
    expect(board_page.chart("c1")).to_have_attribute("aria-label", "watched")
    expect(board_page.keys("c1")).to_have_text(["ann"])


def test_a_link_carries_version_key_range_and_cursor(board_page: BoardPage, story: Story) -> None:
    page = board_page.page
    board_page.open(story.board, "?version=1&key=ann&range=1h&cursor=2024-07-01T12:00:00Z")
    expect(page.get_by_test_id("old-version")).to_contain_text("version 1; the newest is 2")
    expect(board_page.key).to_have_value("ann")
    expect(board_page.range.locator("option:checked")).to_contain_text("1 h")
    expect(page.get_by_test_id("cursor")).to_contain_text("12:00:00")
    page.get_by_test_id("share").click()
    link = page.get_by_test_id("share-link")
    for part in ("version=1", "key=ann", "from=", "to=", "cursor=2024-07-01T12:00:00"):
        expect(link).to_have_value(re.compile(part))
    page.get_by_label("Freeze the current time range").uncheck()
    for part in ("version=1", "key=ann", "range=1h"):
        expect(link).to_have_value(re.compile(part))
    page.get_by_label("For a TV").check()
    expect(link).to_have_value(re.compile(f"/dashboards/{story.board}/kiosk/"))


def test_a_screen_on_the_wall_shows_that_its_network_is_gone_and_nothing_jumps(
    board_page: BoardPage, story: Story
) -> None:
    page = board_page.page
    page.goto(f"/dashboards/{story.board}/kiosk/")
    expect(board_page.number("c1")).to_be_visible()
    expect(page.get_by_test_id("updated")).to_contain_text("Last updated")
    expect(page.get_by_test_id("cut-off")).not_to_be_attached()
    before = read_steady_box(board_page.chart("c4"))
    page.context.set_offline(True)
    expect(page.get_by_test_id("cut-off")).to_contain_text("Disconnected since")
    expect(page.locator(".board-grid")).to_have_css("filter", "grayscale(1)")
    assert read_box(board_page.chart("c4")) == before
    page.context.set_offline(False)
    expect(page.get_by_test_id("cut-off")).not_to_be_attached()
    expect(page.locator(".board-grid")).to_have_css("filter", "none")
