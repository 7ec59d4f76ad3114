"""A plan is drawn by keyboard alone; no test of this file touches the mouse."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.palette import CommandPalette
from tests.browser.product import Api, Document, add_user, build_leaf, wait_until
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

TWO: Document = {
    "version": 1,
    "name": "Two",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "typed", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [360, 0]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "typist")
    user.declare("typed")
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "typist")
    return Studio(page)


def add(studio: Studio, words: str) -> None:
    """By the menu of operators, without waiting for anything: the keys come as fast as they can."""
    studio.page.keyboard.press("a")
    studio.page.keyboard.type(words)
    studio.page.keyboard.press("Enter")


def find_focusable(studio: Studio, name: str) -> Locator:
    """What has the keyboard when a node has it."""
    return studio.page.locator(f'.react-flow__node[data-id="{name}"]')


def test_a_whole_plan_is_drawn_and_asked_to_run(studio: Studio) -> None:
    studio.new()
    keys = studio.page.keyboard
    CommandPalette(studio.page).run("Add a node")
    expect(studio.page.get_by_test_id("quick-add")).to_be_visible()
    keys.type("has existed within")
    keys.press("Enter")
    keys.press("Enter")  # sets the new node up
    for words in ("typed", 'user_action == "seek"', "5s"):
        keys.type(words)
        keys.press("Tab")
    keys.press("Escape")  # back from the fields to the node
    expect(find_focusable(studio, "has_existed_within")).to_be_focused()
    keys.press("F2")
    keys.type("seeking")
    keys.press("Enter")
    keys.press("Escape")
    keys.press("Shift+A")
    keys.type("not")
    keys.press("Enter")
    add(studio, "duration where")
    keys.press("Escape")
    CommandPalette(studio.page).run("not")
    keys.press("w")
    keys.type("duration_where")
    keys.press("Enter")
    expect(studio.wire_of("not", "duration_where")).to_be_attached()
    assert studio.document()["nodes"] == {
        "seeking": build_leaf("has_existed_within", "typed", where='user_action == "seek"', duration="5s"),
        "not": {"op": "not", "inputs": {"of": "seeking"}},
        "duration_where": {"op": "duration_where", "inputs": {"of": "not"}},
    }
    expect(studio.run_button).to_be_enabled()
    keys.press("Control+Enter")
    expect(studio.page.get_by_test_id("consequences")).to_be_visible()
    expect(studio.page.get_by_test_id("confirm")).to_be_focused()


def test_the_run_button_is_reached_by_tab(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    expect(studio.run_button).to_be_enabled()
    studio.page.get_by_test_id("plan-name").focus()
    for _ in range(20):
        studio.page.keyboard.press("Tab")
        if studio.run_button.evaluate("it => it === document.activeElement"):
            break
    expect(studio.run_button).to_be_focused()
    studio.page.keyboard.press("Enter")
    expect(studio.page.get_by_test_id("run-dialog")).to_be_visible()


def test_the_palette_of_operators_is_searched_and_taken_from(studio: Studio) -> None:
    studio.new()
    keys = studio.page.keyboard
    keys.press("p")
    keys.type("has existed")
    keys.press("Enter")
    expect(find_focusable(studio, "has_existed")).to_be_focused()
    keys.press("p")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    expect(studio.page.get_by_test_id("palette-has_existed_within")).to_be_focused()
    keys.press("Enter")
    expect(find_focusable(studio, "has_existed_within")).to_be_focused()
    keys.press("Delete")
    expect(studio.node("has_existed_within")).not_to_be_attached()


def test_nodes_that_are_added_by_keys_cover_no_others(studio: Studio) -> None:
    studio.new()
    for _ in range(5):
        add(studio, "event count")
    expect(studio.node("event_count_5")).to_be_visible()
    places = list(studio.document()["layout"].values())
    assert len(places) == 5
    for i, (x, y) in enumerate(places):
        assert all(abs(x - a) >= 224 or abs(y - b) >= 96 for a, b in places[:i])


def test_a_field_keeps_the_keyboard_while_its_node_gets_another_name(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    keys = studio.page.keyboard
    CommandPalette(studio.page).run("seeking")
    keys.press("F2")
    keys.type("sought")
    keys.press("Tab")
    keys.press("Tab")
    expect(studio.page.get_by_test_id("param-where")).to_be_focused()
    keys.press("Control+a")
    keys.type('user_action == "jump"')
    keys.press("Escape")
    node = studio.document()["nodes"]["sought"]
    assert node["params"]["where"] == 'user_action == "jump"'


def test_a_new_group_is_named_at_once(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    keys = studio.page.keyboard
    keys.press("Control+a")
    keys.press("Control+g")
    keys.press("F2")
    expect(studio.page.get_by_role("textbox", name="Group title").first).to_be_focused()
    keys.type("Seeks")
    keys.press("Enter")
    assert [(group["title"], group["nodes"]) for group in studio.document()["groups"]] == [
        ("Seeks", ["seeking", "calm"])
    ]


def test_the_keyboard_goes_back_to_the_node_from_every_menu(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    keys = studio.page.keyboard
    CommandPalette(studio.page).run("seeking")
    for key in ("a", "w", "Shift+A", "?", "Control+k"):
        expect(find_focusable(studio, "seeking")).to_be_focused()
        keys.press(key)
        wait_until(
            lambda: not find_focusable(studio, "seeking").evaluate("it => it === document.activeElement"), 60
        )
        keys.press("Escape")


def test_arrows_go_from_node_to_node_and_move_them(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    keys = studio.page.keyboard
    CommandPalette(studio.page).run("seeking")
    keys.press("Alt+ArrowRight")
    expect(find_focusable(studio, "calm")).to_be_focused()
    keys.press("ArrowDown")
    assert studio.document()["layout"] == {"seeking": [0, 0], "calm": [360, 8]}


def test_nodes_and_wires_are_reached_by_tab(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(TWO)["id"])
    keys = studio.page.keyboard
    wire = studio.wire_of("seeking", "calm")
    studio.page.get_by_label("Search operators").focus()
    for _ in range(80):
        keys.press("Tab")
        if wire.evaluate("it => it === document.activeElement"):
            break
    expect(wire).to_be_focused()
    keys.press("Delete")
    expect(wire).not_to_be_attached()
    assert "inputs" not in studio.document()["nodes"]["calm"]
    studio.undo()
    studio.page.get_by_label("Search operators").focus()
    for _ in range(80):
        keys.press("Tab")
        if find_focusable(studio, "seeking").evaluate("it => it === document.activeElement"):
            break
    expect(studio.page.get_by_test_id("node-name")).to_have_value("seeking")
    keys.press("Enter")
    expect(studio.page.get_by_test_id("stream-select")).to_be_focused()
