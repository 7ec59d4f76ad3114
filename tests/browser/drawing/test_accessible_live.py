"""Dashboards, and what opens over a plan that runs, keep the rules of WCAG 2.2 AA, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.boards import BoardPage
from tests.browser.drafting import Draft
from tests.browser.drawing.looking import Story, build_plan, run_story
from tests.browser.lanes import Lanes
from tests.browser.studio import Studio, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def story(stack: Stack) -> Story:
    return run_story(stack, "onlooking")


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, stack: Stack, story: Story, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "onlooking") as page:
        yield page


def open_board(page: Page, story: Story) -> BoardPage:
    """Every chart says something."""
    board_page = BoardPage(page)
    board_page.open(story.board)
    expect(board_page.number("c1")).to_be_visible()
    expect(board_page.reading("c5")).to_have_text("play")
    return board_page


def list_boards(page: Page, _there: Story) -> None:
    page.goto("/dashboards/")
    expect(page.get_by_test_id("dashboards")).to_be_visible()


def view_board(page: Page, story: Story) -> None:
    open_board(page, story)


def edit_board(page: Page, story: Story) -> None:
    open_board(page, story).edit()


def open_missing_board(page: Page, _there: Story) -> None:
    page.goto("/dashboards/999999/")
    expect(page.get_by_role("alert")).to_contain_text("There is no dashboard of this number")


def open_old_version(page: Page, story: Story) -> None:
    open_board(page, story)
    page.goto(f"/dashboards/{story.board}/?version=1")
    expect(page.get_by_test_id("old-version")).to_be_visible()


def open_kiosk(page: Page, story: Story) -> None:
    page.goto(f"/dashboards/{story.board}/kiosk/")
    expect(BoardPage(page).number("c1")).to_be_visible()


def cut_off(page: Page, story: Story) -> None:
    open_kiosk(page, story)
    page.context.set_offline(True)
    expect(page.get_by_test_id("cut-off")).to_contain_text("Disconnected since")


def open_studio(page: Page, story: Story) -> Studio:
    """The lanes of `ann` beside the canvas."""
    studio = Studio(page)
    studio.open(story.plan, key="ann", group="CDN1")
    expect(Lanes(page).value("state")).to_have_text("play")
    return studio


def open_lanes(page: Page, story: Story) -> None:
    open_studio(page, story)
    Lanes(page).point("state", 0.9)
    expect(page.get_by_test_id("tip")).to_be_visible()


def open_keys(page: Page, story: Story) -> None:
    open_studio(page, story)
    page.get_by_test_id("keys").click()
    expect(page.get_by_test_id("distribution")).to_be_visible()


def open_known_at(page: Page, story: Story) -> None:
    open_studio(page, story)
    page.get_by_test_id("then").click()
    expect(page.get_by_test_id("as-of-bar")).to_be_visible()


def open_why(page: Page, story: Story) -> None:
    open_studio(page, story)
    page.mouse.click(*Lanes(page).at("playing", 0.95))
    expect(page.get_by_test_id("why-playing")).to_be_visible()


def open_conflict(page: Page, story: Story) -> None:
    """Somebody changed what one changed while one was offline."""
    drawn = build_plan("seen_by_onlooking", "Disputed")
    plan = int(story.api.add_plan(drawn)["id"])
    studio = Studio(page)
    studio.open(plan)
    Draft(page).expect("saved")
    page.context.set_offline(True)
    studio.select("state")
    studio.set_parameter("field", "mine")
    Draft(page).expect("offline")
    drawn["nodes"]["state"]["params"]["field"] = "theirs"
    story.api.call("PUT", f"plans/{plan}/", {"document": drawn, "version": 1})
    page.context.set_offline(False)
    expect(Draft(page).conflict_dialog).to_be_visible()


PAGES: dict[str, Callable[[Page, Story], None]] = {
    "dashboards": list_boards,
    "a dashboard": view_board,
    "a dashboard, arranged": edit_board,
    "a dashboard that is not there": open_missing_board,
    "an older version of a dashboard": open_old_version,
    "a screen on the wall": open_kiosk,
    "a screen that is cut off": cut_off,
    "lanes and the cursor": open_lanes,
    "keys": open_keys,
    "what was known then": open_known_at,
    "why": open_why,
    "a conflict": open_conflict,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_the_rules(page: Page, story: Story, name: str) -> None:
    PAGES[name](page, story)
    assert not (result := find_violations(page)), "\n".join(result)
    if name in ("a dashboard", "a dashboard, arranged"):
        assert not (off := find_overflow(page)), off


def find_board_opener(button: str, edit: bool = False) -> Callable[[Page, Story], Locator]:
    def find_opener(page: Page, story: Story) -> Locator:
        board_page = open_board(page, story)
        if edit:
            board_page.edit()
        return page.get_by_role("button", name=button).first

    return find_opener


def find_plan_opener(testid: str, select: str = "") -> Callable[[Page, Story], Locator]:
    def find_opener(page: Page, story: Story) -> Locator:
        studio = open_studio(page, story)
        if select:
            studio.select(select)
        return page.get_by_test_id(testid)

    return find_opener


def find_keys_opener(page: Page, story: Story) -> Locator:
    open_keys(page, story)
    return page.get_by_test_id("pin-table")


DIALOGS: dict[str, Callable[[Page, Story], Locator]] = {
    "add a chart": find_board_opener("Add a chart", edit=True),
    "set up a chart": find_board_opener("Edit watched", edit=True),
    "share": find_board_opener("Link"),
    "versions of a dashboard": find_board_opener("Versions"),
    "pin a node": find_plan_opener("pin-node", "watched"),
    "pin a lane": find_plan_opener("pin-lane-watched"),
    "pin keys": find_keys_opener,
    "stop": find_plan_opener("stop"),
    "versions of a plan": find_plan_opener("versions-open"),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_keeps_the_rules_holds_the_keyboard_and_gives_it_back(
    page: Page, story: Story, name: str
) -> None:
    opener = DIALOGS[name](page, story)
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button").last).to_be_visible()
    assert not (result := find_violations(page)), "\n".join(result)
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('body, dialog, dialog *')")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_attached()
    expect(opener).to_be_focused()
