"""Menus, dialogs and lists that open over a page keep the rules of WCAG 2.2 AA, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.boards import BoardPage
from tests.browser.choosing import Chooser
from tests.browser.drawing.looking import There, there_is
from tests.browser.studio import Studio, page_in
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def there(stack: Stack) -> There:
    there = there_is(stack, "overlooking")
    sample = there.api.call(
        "POST", "samples/", {"name": "One", "streams": ["seen_by_overlooking"], "last": 1}
    )["id"]
    there.api.call("POST", f"plans/{there.plan}/tests/", {"name": "Plays", "sample": sample, "expected": []})
    there.api.call("POST", "teams/", {"name": "overlookers", "members": ["overlooking"]})
    return there


@pytest.fixture(params=["light", "dark"])
def shown(browser: Browser, stack: Stack, there: There, request: pytest.FixtureRequest) -> Iterator[Page]:
    with page_in(browser, stack.url, request.param, "overlooking") as page:
        yield page


def pressed(path: str, button: str) -> Callable[[Page, There], None]:
    """A button of a page, by what it is called in the page's tests, else by its name."""

    def opened(page: Page, there: There) -> None:
        page.goto(path.format(plan=there.plan, board=there.board))
        named = page.get_by_role("button", name=button, exact=True)
        page.get_by_test_id(button).or_(named).first.click()

    return opened


def removed(path: str, menu: str) -> Callable[[Page, There], None]:
    """The question before a thing of a list is deleted."""

    def opened(page: Page, there: There) -> None:
        pressed(path, menu)(page, there)
        page.get_by_test_id("menu-delete").click()

    return opened


def theme_failed(page: Page, _there: There) -> None:
    page.goto("/nodes/")
    expect(page.get_by_test_id("account")).to_be_visible()
    page.route("**/api/me/", lambda route: route.abort())
    page.get_by_test_id("account").click()
    page.get_by_test_id("theme-dark").click()
    expect(page.get_by_test_id("choice-failure")).to_be_visible()
    page.unroute("**/api/me/")


def chosen(page: Page, _there: There) -> None:
    page.goto("/")
    page.get_by_test_id("choose-shown").click()
    page.get_by_test_id("transfer-chosen").click()
    expect(page.get_by_test_id("goes")).to_be_visible()


def lanes_more(page: Page, there: There) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    Studio(page).open(there.plan, key="ann")
    page.get_by_test_id("lanes-more").click()


def samples_more(page: Page, there: There) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    Studio(page).open(there.plan)
    Testing(page).open()
    page.get_by_test_id("samples-more").click()


def charts_plans(page: Page, there: There) -> None:
    """The plans that a chart could be of; and what cannot be understood of a search."""
    BoardPage(page).open(there.board)
    BoardPage(page).edit()
    page.get_by_role("button", name="Add a chart").first.click()
    plans = Chooser(page.get_by_role("dialog"), "chart-plan")
    plans.field.click()
    expect(plans.title("Looked at").first).to_be_visible()


def charts_refused(page: Page, there: There) -> None:
    charts_plans(page, there)
    plans = Chooser(page.get_by_role("dialog"), "chart-plan")
    plans.field.fill("is:wrong")
    expect(plans.list.get_by_role("alert")).to_be_visible()


def search(page: Page, _there: There) -> None:
    page.goto("/streams/")
    expect(page.get_by_role("heading", name="Streams", exact=True)).to_be_visible()
    page.keyboard.press("/")
    page.get_by_test_id("search-text").fill("looked owner:")
    expect(page.get_by_test_id("option-say owner:me")).to_be_visible()


def templates(page: Page, _there: There) -> None:
    """One of them chosen, and its plan beside the list."""
    page.goto("/plans/new/")
    page.get_by_test_id("choose-template").click()
    page.get_by_test_id("templates").get_by_role("button").first.click()


def access(page: Page, there: There) -> None:
    pressed("/dashboards/{board}/", "board-menu")(page, there)
    page.get_by_test_id("share-thing").click()


MENU = "[role=menu]"
FORM = "dialog[open]"
OVER: dict[str, tuple[Callable[[Page, There], None], str]] = {
    "the account's menu": (pressed("/nodes/", "account"), f"{MENU} [data-testid=log-out]"),
    "a theme that is not saved": (theme_failed, "[data-testid=choice-failure]"),
    "what becomes of many plans": (chosen, f"{FORM} [data-testid=goes]"),
    "the menu of a row": (pressed("/", "Actions of Looked at"), f"{MENU} [data-testid=menu-delete]"),
    "deleting a plan": (removed("/", "Actions of Looked at"), f"{FORM} button.danger"),
    "deleting a dashboard": (removed("/dashboards/", "Actions of All kinds"), f"{FORM} button.danger"),
    "a new token": (pressed("/tokens/", "new-token"), f"{FORM} [data-testid=make-token]"),
    "a new person": (pressed("/people/", "new-person"), f"{FORM} [data-testid=make-person]"),
    "the members of a team": (
        pressed("/people/", "Members of overlookers"),
        f"{FORM} [data-testid=members-save]",
    ),
    "deleting a team": (pressed("/people/", "Delete overlookers"), f"{FORM} button.danger"),
    "the menu of a plan": (pressed("/plans/{plan}/", "plan-menu"), MENU),
    "the templates of plans": (templates, f"{FORM} [data-testid=template-detail]"),
    "the menu of lanes": (lanes_more, MENU),
    "the menu of samples": (samples_more, MENU),
    "the menu of a dashboard": (
        pressed("/dashboards/{board}/", "board-menu"),
        f"{MENU} [data-testid=share-thing]",
    ),
    "who may see a dashboard": (access, f"{FORM} [data-testid=open-to-all]"),
    "plans for a chart": (charts_plans, f"{FORM} [data-testid=chart-plan-list]"),
    "a search for a chart's plan that is refused": (
        charts_refused,
        f"{FORM} [data-testid=chart-plan-list] [role=alert]",
    ),
    "the search over everything": (search, f"{FORM} [data-testid='option-say owner:me']"),
}


def test_what_opens_over_a_page_keeps_the_rules(shown: Page, there: There) -> None:
    items = []
    for name, (opened, seen) in OVER.items():
        opened(shown, there)
        expect(shown.locator(seen).first).to_be_visible()
        # A menu may cover half of a link of the page, which is then too small to press.
        part = MENU if shown.locator(MENU).count() else ""
        items += [f"{name}: {violation}" for violation in violations(shown, part)]
        shown.set_viewport_size({"width": 1440, "height": 900})
    assert not items, "\n".join(items)
