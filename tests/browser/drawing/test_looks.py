"""How the page looks: light or dark as a person chooses, and menus of what stands in lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_violations
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.still import read_box
from tests.browser.studio import Studio, is_saved_choice, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

NAME = "Menus of rows"
NODES = {
    "played": build_leaf("has_existed", "looked_over", where='player_state == "play"'),
    "calm": {"op": "not", "inputs": {"of": "played"}},
}
DARK, LIGHT = "rgb(13, 17, 23)", "rgb(245, 247, 249)"


@pytest.fixture(scope="module")
def lena(stack: Stack) -> Api:
    return add_user(stack, "lena", streams=["looked_over"])


@pytest.fixture(scope="module")
def plan(lena: Api) -> int:
    return int(lena.add_plan({"version": 1, "name": NAME, "nodes": NODES, "results": ["calm"]})["id"])


@pytest.fixture
def shown(browser: Browser, stack: Stack, plan: int) -> Iterator[Page]:
    """On a system that is light."""
    assert plan
    with open_page(browser, stack.url, "light", "lena") as page:
        page.goto("/")
        yield page


def find_ground(page: Page) -> Locator:
    return page.locator("body")


def choose(page: Page, theme: str) -> None:
    page.get_by_test_id("account").click()
    page.get_by_test_id(f"theme-{theme}").click()


def test_a_chosen_theme_stays_and_the_system_is_followed_again(shown: Page) -> None:
    expect(find_ground(shown)).to_have_css("background-color", LIGHT)
    with shown.expect_response(is_saved_choice):
        choose(shown, "dark")
    expect(find_ground(shown)).to_have_css("background-color", DARK)
    shown.reload()
    expect(find_ground(shown)).to_have_css("background-color", DARK)
    with shown.expect_response(is_saved_choice):
        choose(shown, "system")
    expect(find_ground(shown)).to_have_css("background-color", LIGHT)
    shown.emulate_media(color_scheme="dark")
    expect(find_ground(shown)).to_have_css("background-color", DARK)


def test_the_canvas_has_the_chosen_theme_and_not_that_of_the_system(shown: Page, plan: int) -> None:
    Studio(shown).open(plan)
    canvas = shown.locator(".react-flow").first
    for theme in ("dark", "light"):
        with shown.expect_response(is_saved_choice):
            choose(shown, theme)
        expect(canvas).to_have_class(re.compile(rf"\b{theme}\b"))
    choose(shown, "system")


def test_a_theme_that_is_not_saved_is_undone_with_a_message(shown: Page) -> None:
    expect(shown.get_by_test_id("account")).to_be_visible()
    shown.route("**/api/me/", lambda route: route.abort())
    choose(shown, "dark")
    failure = shown.get_by_test_id("choice-failure")
    expect(failure).to_contain_text("Theme not saved.")
    expect(failure).to_be_in_viewport()
    expect(find_ground(shown)).to_have_css("background-color", LIGHT)
    shown.locator(".account-failure").get_by_role("button", name="Dismiss").click()
    expect(failure).not_to_be_attached()


LOADED = """() => document.fonts.ready.then(
    () => [...document.fonts].filter((font) => font.status === "loaded").map((font) => font.family)
)"""


@pytest.mark.parametrize("address", ["/", "/login/", "/api/docs/"])
def test_a_page_is_set_in_the_fonts_that_it_brings(shown: Page, address: str) -> None:
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    if address == "/login/":
        shown.context.clear_cookies()
    shown.goto(address)
    shown.wait_for_load_state("networkidle")
    assert any("Inter Variable" in family for family in shown.evaluate(LOADED))
    assert all("/static/" in url for url in asked if url.endswith(".woff2"))


def test_a_row_has_one_menu_by_button_and_by_right_click(shown: Page, plan: int) -> None:
    row, menu = shown.get_by_test_id(f"plan-{plan}"), shown.get_by_role("menu", name=f"Actions of {NAME}")
    row.click(button="right")
    expect(menu).to_be_in_viewport(ratio=1)
    shown.keyboard.press("Escape")
    expect(menu).not_to_be_attached()
    more = row.get_by_role("button", name=f"Actions of {NAME}")
    more.click()
    expect(menu).to_be_in_viewport(ratio=1)
    expect(menu.get_by_test_id("menu-open")).to_be_focused()
    box = read_box(menu)
    assert box["x"] + box["width"] <= 1440 - 8
    shown.keyboard.press("Escape")
    expect(more).to_be_focused()
    shown.keyboard.press("Enter")
    shown.keyboard.press("Enter")
    expect(shown).to_have_url(re.compile(f"/plans/{plan}/"))


def test_delete_in_the_menu_of_a_row_asks_first(shown: Page, plan: int) -> None:
    shown.get_by_test_id(f"plan-{plan}").click(button="right")
    shown.get_by_test_id("menu-delete").click()
    expect(shown.get_by_role("dialog")).to_contain_text(NAME)
    shown.keyboard.press("Escape")
    expect(shown.get_by_test_id(f"plan-{plan}")).to_be_visible()


def test_the_canvas_has_menus_of_nodes_wires_and_itself(shown: Page, plan: int) -> None:
    studio = Studio(shown)
    studio.open(plan)
    studio.node("calm").click(button="right")
    menu = shown.get_by_role("menu")
    expect(menu.get_by_role("menuitem", name="Delete and reconnect")).to_be_visible()
    titles = [words.splitlines()[0] for words in menu.get_by_role("menuitem").all_inner_texts()]
    assert titles[:6] == [
        "Edit", "Rename", "Output: on or off", "Help", "Add a node after it", "Connect to another node",
    ]  # fmt: skip
    assert read_box(menu)["width"] <= 320, "no wider than its longest line"
    assert not (result := find_violations(shown)), "\n".join(result)
    menu.get_by_role("menuitem", name="Rename").click()
    expect(menu).not_to_be_attached()
    shown.keyboard.type("quiet")
    shown.keyboard.press("Enter")
    expect(studio.node("quiet")).to_be_visible()
    shown.locator(".react-flow__edge").first.click(button="right", force=True)
    menu.get_by_role("menuitem", name="Delete").click()
    expect(shown.locator(".react-flow__edge")).to_have_count(0)
    shown.locator(".react-flow__pane").click(button="right", position={"x": 40, "y": 40})
    expect(menu.get_by_role("menuitem", name="Zoom to fit")).to_be_visible()
    menu.get_by_role("menuitem", name="Add a node here").click()
    expect(shown.get_by_test_id("quick-add")).to_be_visible()
