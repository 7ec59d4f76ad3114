"""Dashboards, and what opens over a plan that runs, keep the rules of WCAG 2.2 AA, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import runs_off, violations
from tests.browser.boards import BoardPage
from tests.browser.drafting import Draft
from tests.browser.drawing.looking import There, plan_on, there_is
from tests.browser.lanes import Lanes
from tests.browser.studio import Studio, page_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def there(stack: Stack) -> There:
    return there_is(stack, "onlooking")


@pytest.fixture(params=["light", "dark"])
def shown(browser: Browser, stack: Stack, there: There, request: pytest.FixtureRequest) -> Iterator[Page]:
    with page_in(browser, stack.url, request.param, "onlooking") as page:
        yield page


def board(page: Page, there: There) -> BoardPage:
    """Every chart says something."""
    shown = BoardPage(page)
    shown.open(there.board)
    expect(shown.number("c1")).to_be_visible()
    expect(shown.reading("c5")).to_have_text("play")
    return shown


def boards(page: Page, _there: There) -> None:
    page.goto("/dashboards/")
    expect(page.get_by_test_id("dashboards")).to_be_visible()


def viewed(page: Page, there: There) -> None:
    board(page, there)


def arranged(page: Page, there: There) -> None:
    board(page, there).edit()


def gone(page: Page, _there: There) -> None:
    page.goto("/dashboards/999999/")
    expect(page.get_by_role("alert")).to_contain_text("There is no dashboard of this number")


def old(page: Page, there: There) -> None:
    board(page, there)
    page.goto(f"/dashboards/{there.board}/?version=1")
    expect(page.get_by_test_id("old-version")).to_be_visible()


def kiosk(page: Page, there: There) -> None:
    page.goto(f"/dashboards/{there.board}/kiosk/")
    expect(BoardPage(page).number("c1")).to_be_visible()


def cut_off(page: Page, there: There) -> None:
    kiosk(page, there)
    page.context.set_offline(True)
    expect(page.get_by_test_id("cut-off")).to_contain_text("Disconnected since")


def running(page: Page, there: There) -> Studio:
    """The lanes of `ann` beside the canvas."""
    studio = Studio(page)
    studio.open(there.plan, key="ann", group="CDN1")
    expect(Lanes(page).value("state")).to_have_text("play")
    return studio


def lanes(page: Page, there: There) -> None:
    running(page, there)
    Lanes(page).point("state", 0.9)
    expect(page.get_by_test_id("tip")).to_be_visible()


def keys(page: Page, there: There) -> None:
    running(page, there)
    page.get_by_test_id("keys").click()
    expect(page.get_by_test_id("distribution")).to_be_visible()


def then(page: Page, there: There) -> None:
    running(page, there)
    page.get_by_test_id("then").click()
    expect(page.get_by_test_id("then-bar")).to_be_visible()


def why(page: Page, there: There) -> None:
    running(page, there)
    page.mouse.click(*Lanes(page).at("playing", 0.95))
    expect(page.get_by_test_id("why-playing")).to_be_visible()


def conflict(page: Page, there: There) -> None:
    """Somebody changed what one changed while one was offline."""
    drawn = plan_on("seen_by_onlooking", "Disputed")
    plan = int(there.api.add_plan(drawn)["id"])
    studio = Studio(page)
    studio.open(plan)
    Draft(page).expect("saved")
    page.context.set_offline(True)
    studio.select("state")
    studio.set_parameter("field", "mine")
    Draft(page).expect("offline")
    drawn["nodes"]["state"]["params"]["field"] = "theirs"
    there.api.call("PUT", f"plans/{plan}/", {"document": drawn, "version": 1})
    page.context.set_offline(False)
    expect(Draft(page).asked).to_be_visible()


PAGES: dict[str, Callable[[Page, There], None]] = {
    "dashboards": boards,
    "a dashboard": viewed,
    "a dashboard, arranged": arranged,
    "a dashboard that is not there": gone,
    "an older version of a dashboard": old,
    "a screen on the wall": kiosk,
    "a screen that is cut off": cut_off,
    "lanes and the cursor": lanes,
    "keys": keys,
    "what was known then": then,
    "why": why,
    "a conflict": conflict,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_the_rules(shown: Page, there: There, name: str) -> None:
    PAGES[name](shown, there)
    assert not (result := violations(shown)), "\n".join(result)
    if name in ("a dashboard", "a dashboard, arranged"):
        assert not (off := runs_off(shown)), off


def from_board(button: str, edit: bool = False) -> Callable[[Page, There], Locator]:
    def opener(page: Page, there: There) -> Locator:
        shown = board(page, there)
        if edit:
            shown.edit()
        return page.get_by_role("button", name=button).first

    return opener


def from_plan(testid: str, select: str = "") -> Callable[[Page, There], Locator]:
    def opener(page: Page, there: There) -> Locator:
        studio = running(page, there)
        if select:
            studio.select(select)
        return page.get_by_test_id(testid)

    return opener


def from_keys(page: Page, there: There) -> Locator:
    keys(page, there)
    return page.get_by_test_id("pin-table")


DIALOGS: dict[str, Callable[[Page, There], Locator]] = {
    "add a chart": from_board("Add a chart", edit=True),
    "set up a chart": from_board("Edit watched", edit=True),
    "share": from_board("Link"),
    "versions of a dashboard": from_board("Versions"),
    "pin a node": from_plan("pin-node", "watched"),
    "pin a lane": from_plan("pin-lane-watched"),
    "pin keys": from_keys,
    "stop": from_plan("stop"),
    "versions of a plan": from_plan("versions-open"),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_keeps_the_rules_holds_the_keyboard_and_gives_it_back(
    shown: Page, there: There, name: str
) -> None:
    opener = DIALOGS[name](shown, there)
    opener.focus()
    shown.keyboard.press("Enter")
    dialog = shown.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button").last).to_be_visible()
    assert not (result := violations(shown)), "\n".join(result)
    for _ in range(25):
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement.matches('body, dialog, dialog *')")
    shown.keyboard.press("Escape")
    expect(dialog).not_to_be_attached()
    expect(opener).to_be_focused()
