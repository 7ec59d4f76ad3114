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
def page(browser: Browser, stack: Stack, plan: int) -> Iterator[Page]:
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


def test_a_chosen_theme_stays_and_the_system_is_followed_again(page: Page) -> None:
    expect(find_ground(page)).to_have_css("background-color", LIGHT)
    with page.expect_response(is_saved_choice):
        choose(page, "dark")
    expect(find_ground(page)).to_have_css("background-color", DARK)
    page.reload()
    expect(find_ground(page)).to_have_css("background-color", DARK)
    with page.expect_response(is_saved_choice):
        choose(page, "system")
    expect(find_ground(page)).to_have_css("background-color", LIGHT)
    page.emulate_media(color_scheme="dark")
    expect(find_ground(page)).to_have_css("background-color", DARK)


def test_the_canvas_has_the_chosen_theme_and_not_that_of_the_system(page: Page, plan: int) -> None:
    Studio(page).open(plan)
    canvas = page.locator(".react-flow").first
    for theme in ("dark", "light"):
        with page.expect_response(is_saved_choice):
            choose(page, theme)
        expect(canvas).to_have_class(re.compile(rf"\b{theme}\b"))
    choose(page, "system")


def test_a_theme_that_is_not_saved_is_undone_with_a_message(page: Page) -> None:
    expect(page.get_by_test_id("account")).to_be_visible()
    page.route("**/api/me/", lambda route: route.abort())
    choose(page, "dark")
    failure = page.get_by_test_id("choice-failure")
    expect(failure).to_contain_text("Theme not saved.")
    expect(failure).to_be_in_viewport()
    expect(find_ground(page)).to_have_css("background-color", LIGHT)
    page.locator(".account-failure").get_by_role("button", name="Dismiss").click()
    expect(failure).not_to_be_attached()


LOADED = """() => document.fonts.ready.then(
    () => [...document.fonts].filter((font) => font.status === "loaded").map((font) => font.family)
)"""


@pytest.mark.parametrize("address", ["/", "/login/", "/api/docs/"])
def test_a_page_is_set_in_the_fonts_that_it_brings(page: Page, address: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    if address == "/login/":
        page.context.clear_cookies()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert any("Inter Variable" in family for family in page.evaluate(LOADED))
    assert all("/static/" in url for url in requests if url.endswith(".woff2"))


def test_a_row_has_one_menu_by_button_and_by_right_click(page: Page, plan: int) -> None:
    row, menu = page.get_by_test_id(f"plan-{plan}"), page.get_by_role("menu", name=f"Actions of {NAME}")
    row.click(button="right")
    expect(menu).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(menu).not_to_be_attached()
    more = row.get_by_role("button", name=f"Actions of {NAME}")
    more.click()
    expect(menu).to_be_in_viewport(ratio=1)
    expect(menu.get_by_test_id("menu-open")).to_be_focused()
    box = read_box(menu)
    assert box["x"] + box["width"] <= 1440 - 8
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/plans/{plan}/"))


def test_delete_in_the_menu_of_a_row_asks_first(page: Page, plan: int) -> None:
    page.get_by_test_id(f"plan-{plan}").click(button="right")
    page.get_by_test_id("menu-delete").click()
    expect(page.get_by_role("dialog")).to_contain_text(NAME)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id(f"plan-{plan}")).to_be_visible()


def test_the_canvas_has_menus_of_nodes_wires_and_itself(page: Page, plan: int) -> None:
    studio = Studio(page)
    studio.open(plan)
    studio.node("calm").click(button="right")
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem", name="Delete and reconnect")).to_be_visible()
    titles = [words.splitlines()[0] for words in menu.get_by_role("menuitem").all_inner_texts()]
    assert titles[:6] == [
        "Edit", "Rename", "Output: on or off", "Help", "Add a node after it", "Connect to another node",
    ]  # fmt: skip
    assert read_box(menu)["width"] <= 320, "no wider than its longest line"
    assert not (result := find_violations(page)), "\n".join(result)
    menu.get_by_role("menuitem", name="Rename").click()
    expect(menu).not_to_be_attached()
    page.keyboard.type("quiet")
    page.keyboard.press("Enter")
    expect(studio.node("quiet")).to_be_visible()
    page.locator(".react-flow__edge").first.click(button="right", force=True)
    menu.get_by_role("menuitem", name="Delete").click()
    expect(page.locator(".react-flow__edge")).to_have_count(0)
    page.locator(".react-flow__pane").click(button="right", position={"x": 40, "y": 40})
    expect(menu.get_by_role("menuitem", name="Zoom to fit")).to_be_visible()
    menu.get_by_role("menuitem", name="Add a node here").click()
    expect(page.get_by_test_id("quick-add")).to_be_visible()
