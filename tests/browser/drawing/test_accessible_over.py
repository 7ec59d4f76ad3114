"""Menus, dialogs and lists that open over a page keep the rules of WCAG 2.2 AA, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage
from tests.browser.choosing import Chooser
from tests.browser.drawing.looking import Story, run_story
from tests.browser.studio import Studio, open_page
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def story(stack: Stack) -> Story:
    told_story = run_story(stack, "overlooking")
    sample = told_story.api.call(
        "POST", "samples/", {"name": "One", "streams": ["seen_by_overlooking"], "last": 1}
    )["id"]
    told_story.api.call(
        "POST", f"plans/{told_story.plan}/tests/", {"name": "Plays", "sample": sample, "expected": []}
    )
    told_story.api.call("POST", "teams/", {"name": "overlookers", "members": ["overlooking"]})
    return told_story


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, stack: Stack, story: Story, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "overlooking") as page:
        yield page


def press_button(path: str, button: str) -> Callable[[Page, Story], None]:
    """A button of a page, by what it is called in the page's tests, else by its name."""

    def press(page: Page, story: Story) -> None:
        page.goto(path.format(plan=story.plan, board=story.board))
        named = page.get_by_role("button", name=button, exact=True)
        page.get_by_test_id(button).or_(named).first.click()

    return press


def delete_thing(path: str, menu: str) -> Callable[[Page, Story], None]:
    """The question before a thing of a list is deleted."""

    def open_question(page: Page, story: Story) -> None:
        press_button(path, menu)(page, story)
        page.get_by_test_id("menu-delete").click()

    return open_question


def fail_theme(page: Page, _there: Story) -> None:
    page.goto("/nodes/")
    expect(page.get_by_test_id("account")).to_be_visible()
    page.route("**/api/me/", lambda route: route.abort())
    page.get_by_test_id("account").click()
    page.get_by_test_id("theme-dark").click()
    expect(page.get_by_test_id("choice-failure")).to_be_visible()
    page.unroute("**/api/me/")


def choose_in_transfer(page: Page, _there: Story) -> None:
    page.goto("/")
    page.get_by_test_id("choose-shown").click()
    page.get_by_test_id("transfer-chosen").click()
    expect(page.get_by_test_id("goes")).to_be_visible()


def open_lanes_menu(page: Page, story: Story) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    Studio(page).open(story.plan, key="ann")
    page.get_by_test_id("lanes-more").click()


def open_samples_menu(page: Page, story: Story) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    Studio(page).open(story.plan)
    Testing(page).open()
    page.get_by_test_id("samples-more").click()


def list_chart_plans(page: Page, story: Story) -> None:
    """The plans that a chart could be of; and what cannot be understood of a search."""
    BoardPage(page).open(story.board)
    BoardPage(page).edit()
    page.get_by_role("button", name="Add a chart").first.click()
    plans = Chooser(page.get_by_role("dialog"), "chart-plan")
    plans.field.click()
    expect(plans.title("Looked at").first).to_be_visible()


def refuse_chart_search(page: Page, story: Story) -> None:
    list_chart_plans(page, story)
    plans = Chooser(page.get_by_role("dialog"), "chart-plan")
    plans.field.fill("is:wrong")
    expect(plans.list.get_by_role("alert")).to_be_visible()


def search(page: Page, _there: Story) -> None:
    page.goto("/streams/")
    expect(page.get_by_role("heading", name="Streams", exact=True)).to_be_visible()
    page.keyboard.press("/")
    page.get_by_test_id("search-text").fill("looked owner:")
    expect(page.get_by_test_id("option-say owner:me")).to_be_visible()


def open_templates(page: Page, _there: Story) -> None:
    """One of them chosen, and its plan beside the list."""
    page.goto("/plans/new/")
    page.get_by_test_id("choose-template").click()
    page.get_by_test_id("templates").get_by_role("button").first.click()


def open_access(page: Page, story: Story) -> None:
    press_button("/dashboards/{board}/", "board-menu")(page, story)
    page.get_by_test_id("share-thing").click()


MENU = "[role=menu]"
FORM = "dialog[open]"
OVER: dict[str, tuple[Callable[[Page, Story], None], str]] = {
    "the account's menu": (press_button("/nodes/", "account"), f"{MENU} [data-testid=log-out]"),
    "a theme that is not saved": (fail_theme, "[data-testid=choice-failure]"),
    "what becomes of many plans": (choose_in_transfer, f"{FORM} [data-testid=goes]"),
    "the menu of a row": (press_button("/", "Actions of Looked at"), f"{MENU} [data-testid=menu-delete]"),
    "deleting a plan": (delete_thing("/", "Actions of Looked at"), f"{FORM} button.danger"),
    "deleting a dashboard": (delete_thing("/dashboards/", "Actions of All kinds"), f"{FORM} button.danger"),
    "a new token": (press_button("/tokens/", "new-token"), f"{FORM} [data-testid=make-token]"),
    "a new person": (press_button("/people/", "new-person"), f"{FORM} [data-testid=make-person]"),
    "the members of a team": (
        press_button("/people/", "Members of overlookers"),
        f"{FORM} [data-testid=members-save]",
    ),
    "deleting a team": (press_button("/people/", "Delete overlookers"), f"{FORM} button.danger"),
    "the menu of a plan": (press_button("/plans/{plan}/", "plan-menu"), MENU),
    "the templates of plans": (open_templates, f"{FORM} [data-testid=template-detail]"),
    "the menu of lanes": (open_lanes_menu, MENU),
    "the menu of samples": (open_samples_menu, MENU),
    "the menu of a dashboard": (
        press_button("/dashboards/{board}/", "board-menu"),
        f"{MENU} [data-testid=share-thing]",
    ),
    "who may see a dashboard": (open_access, f"{FORM} [data-testid=open-to-all]"),
    "plans for a chart": (list_chart_plans, f"{FORM} [data-testid=chart-plan-list]"),
    "a search for a chart's plan that is refused": (
        refuse_chart_search,
        f"{FORM} [data-testid=chart-plan-list] [role=alert]",
    ),
    "the search over everything": (search, f"{FORM} [data-testid='option-say owner:me']"),
}


def test_what_opens_over_a_page_keeps_the_rules(page: Page, story: Story) -> None:
    items = []
    for name, (opened, seen) in OVER.items():
        opened(page, story)
        expect(page.locator(seen).first).to_be_visible()
        # A menu may cover half of a link of the page, which is then too small to press.
        part = MENU if page.locator(MENU).count() else ""
        items += [f"{name}: {violation}" for violation in find_violations(page, part)]
        page.set_viewport_size({"width": 1440, "height": 900})
    assert not items, "\n".join(items)
