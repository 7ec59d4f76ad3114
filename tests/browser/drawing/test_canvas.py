"""The canvas by mouse and keyboard: adding, wiring, copying, grouping, commenting, arranging, finding."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, Document, add_user, build_leaf, wait_until
from tests.browser.still import find_middle, find_middles, read_box, read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAN: Document = {
    "version": 1,
    "name": "Canvas",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "drawn", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
        "length": {"op": "duration_where", "inputs": {"of": "calm"}},
    },
    "results": ["length"],
    "layout": {"seeking": [0, 0], "calm": [360, 0], "length": [720, 0]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "canvasser")
    user.declare("drawn")
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "canvasser")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    return studio


def read_inputs(studio: Studio, name: str) -> object:
    return studio.document()["nodes"][name].get("inputs")


def choose(studio: Studio, words: str) -> None:
    """In the menu that is open."""
    expect(studio.page.get_by_test_id("quick-add")).to_be_visible()
    studio.page.keyboard.type(words)
    studio.page.keyboard.press("Enter")
    expect(studio.page.get_by_test_id("quick-add")).not_to_be_attached()


def test_an_operator_that_is_dropped_on_a_wire_is_inserted(studio: Studio) -> None:
    out, into = find_middles(*(studio.page.get_by_test_id(name) for name in ("out-seeking", "port-calm-of")))
    target = ((out[0] + into[0]) / 2, (out[1] + into[1]) / 2)
    item = studio.page.get_by_test_id("palette-not")
    item.scroll_into_view_if_needed()
    studio.drag(find_middle(item), target)
    expect(studio.wire_of("seeking", "not")).to_be_attached()
    expect(studio.wire_of("not", "calm")).to_be_attached()
    expect(studio.wire_of("seeking", "calm")).not_to_be_attached()


def test_a_wire_that_is_dropped_in_the_open_offers_only_what_fits(studio: Studio) -> None:
    start = find_middle(studio.page.get_by_test_id("out-length"))
    studio.drag(start, (start[0] - 60, start[1] + 160))
    menu = studio.page.get_by_test_id("quick-add")
    expect(menu).to_contain_text("Add a node that reads length (number)")
    expect(menu.get_by_role("option", name="Greater than", exact=False).first).to_be_visible()
    expect(menu.get_by_role("option", name="Time while true")).not_to_be_attached()
    choose(studio, "greater than")
    expect(studio.wire_of("length", "greater_than")).to_be_attached()


def test_a_double_click_adds_a_node_there(studio: Studio) -> None:
    studio.page.locator(".react-flow__pane").dblclick(position={"x": 300, "y": 60})
    choose(studio, "has existed within")
    expect(studio.node("has_existed_within")).to_be_visible()


def test_deleting_and_reconnecting_bridges_the_gap(studio: Studio) -> None:
    studio.select("calm")
    studio.page.keyboard.press("Control+Delete")
    expect(studio.node("calm")).not_to_be_attached()
    expect(studio.wire_of("seeking", "length")).to_be_attached()
    studio.undo()
    expect(studio.wire_of("seeking", "calm")).to_be_attached()


def test_nodes_are_copied_into_another_plan(studio: Studio, ada: Api) -> None:
    studio.select("length")
    studio.page.keyboard.press("[")
    studio.page.keyboard.press("Control+c")
    expect(studio.notice).to_contain_text("3 nodes copied.")
    studio.open(ada.add_plan({**PLAN, "nodes": {"seeking": PLAN["nodes"]["seeking"]}, "results": []})["id"])
    studio.page.keyboard.press("Control+v")
    expect(studio.wire_of("seeking_2", "calm")).to_be_attached()
    expect(studio.wire_of("calm", "length")).to_be_attached()
    studio.undo()
    expect(studio.node("calm")).not_to_be_attached()


def test_a_copy_beside_a_node_is_fed_by_the_same_nodes(studio: Studio) -> None:
    studio.select("calm")
    studio.page.keyboard.press("Control+d")
    expect(studio.wire_of("seeking", "calm_2")).to_be_attached()


def test_a_comment_is_written_on_the_canvas(studio: Studio) -> None:
    studio.page.keyboard.press("c")
    studio.page.get_by_test_id("comment-text").fill("Why this is so")
    studio.page.keyboard.press("Escape")
    expect(studio.page.get_by_test_id("comment-0")).to_have_text("Why this is so")
    [comment] = studio.document()["comments"]
    assert comment["text"] == "Why this is so"
    assert comment["before"] is None
    assert len(comment["at"]) == 2


def test_the_layout_puts_each_node_right_of_what_it_reads(studio: Studio) -> None:
    studio.select("length")
    studio.page.keyboard.press("Shift+ArrowLeft")
    studio.page.keyboard.press("l")

    def list_columns() -> list[float]:
        places = studio.document()["layout"]
        return [places[name][0] for name in ("seeking", "calm", "length")]

    def is_in_order() -> bool:
        result = list_columns()
        return result == sorted(set(result))

    wait_until(is_in_order, 60, studio.wait)
    assert is_in_order(), list_columns()
    assert studio.document()["layout"]["seeking"] == [0, 0], "a part of a plan is laid out where it was"


def test_what_is_selected_is_aligned(studio: Studio) -> None:
    studio.select("length")
    studio.page.keyboard.press("Shift+ArrowDown")
    studio.page.keyboard.press("Control+a")
    studio.page.get_by_test_id("selection-bar").get_by_role("button", name="Align top").click()
    places = studio.document()["layout"]
    assert {place[1] for place in places.values()} == {0}


def test_the_minimap_shows_all_nodes_and_leads_to_them_and_a_key_fits_all_into_view(studio: Studio) -> None:
    page, minimap = studio.page, studio.page.get_by_role("img", name="Overview")
    expect(minimap.locator(".react-flow__minimap-node")).to_have_count(3)
    start, canvas = find_middle(studio.node("calm")), read_box(studio.canvas)
    box = read_box(minimap)
    studio.drag((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), (box["x"] + 4, box["y"] + 4))
    moved = find_middle(studio.node("calm"))
    assert min(moved[0] - start[0], moved[1] - start[1]) > 40, "the view has gone to the upper left"
    studio.click_canvas()
    page.keyboard.press("Shift+Digit1")
    for name in ("seeking", "calm", "length"):
        find_middle(studio.node(name))
        node = read_box(studio.node(name))
        assert canvas["x"] <= node["x"] <= node["x"] + node["width"] <= canvas["x"] + canvas["width"]
        assert canvas["y"] <= node["y"] <= node["y"] + node["height"] <= canvas["y"] + canvas["height"]


def test_the_minimap_folds_away_where_it_would_cover_a_node_unless_somebody_wants_it(studio: Studio) -> None:
    page, minimap = studio.page, studio.page.get_by_role("img", name="Overview")
    button = page.get_by_role("button", name="Overview")
    expect(button).to_have_attribute("aria-pressed", "true")
    node, canvas = read_steady_box(studio.node("length")), read_box(studio.canvas)
    corner = read_box(minimap)
    start = canvas["x"] + canvas["width"] / 2, canvas["y"] + 16
    studio.drag(start, (start[0] + corner["x"] - node["x"] - 40, start[1] + corner["y"] - node["y"] - 40))
    expect(minimap).not_to_be_attached()
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(minimap).to_be_visible()
    page.keyboard.press("m")
    expect(minimap).not_to_be_attached()
    button.click()
    page.keyboard.press("Shift+Digit1")
    expect(minimap).to_be_visible()


def test_the_sheet_shows_the_keys(studio: Studio) -> None:
    studio.page.keyboard.press("?")
    sheet = studio.page.get_by_test_id("key-sheet")
    expect(sheet).to_contain_text("Delete and reconnect")
    expect(sheet).to_contain_text("Connect the selected node to another")
    studio.page.keyboard.press("Escape")
    expect(sheet).not_to_be_attached()


def test_the_next_problem_is_one_key_away(studio: Studio) -> None:
    studio.page.keyboard.press("a")
    choose(studio, "has existed within")
    studio.click_canvas()
    studio.page.keyboard.press("F8")
    expect(studio.page.get_by_test_id("node-name")).to_have_value("has_existed_within")
    expect(studio.page.get_by_test_id("param-where")).to_be_focused()
    studio.page.keyboard.press("F8")
    expect(studio.page.get_by_test_id("param-duration")).to_be_focused()


def test_a_node_that_is_dropped_on_a_wire_is_inserted(studio: Studio) -> None:
    studio.drop_operator("not", (200, 330))
    out, into = find_middles(*(studio.page.get_by_test_id(name) for name in ("out-seeking", "port-calm-of")))
    studio.drag(find_middle(studio.node("not").locator("header")), ((out[0] + into[0]) / 2, out[1]))
    expect(studio.wire_of("seeking", "not")).to_be_attached()
    expect(studio.wire_of("not", "calm")).to_be_attached()
    studio.undo()
    expect(studio.wire_of("seeking", "calm")).to_be_attached()


def test_all_that_a_node_reads_and_all_that_read_it_are_selected(studio: Studio) -> None:
    chosen = studio.page.locator(".react-flow__node.selected")
    studio.select("calm")
    studio.page.keyboard.press("[")
    expect(chosen).to_have_count(2)
    studio.select("calm")
    studio.page.keyboard.press("]")
    expect(chosen).to_have_count(2)
    expect(studio.page.locator('.react-flow__node.selected[data-id="length"]')).to_be_attached()


@pytest.mark.parametrize(("key", "axis"), [("Alt+Shift+h", 0), ("Alt+Shift+v", 1)])
def test_what_is_selected_is_distributed(page: Page, ada: Api, key: str, axis: int) -> None:
    log_in(page, "canvasser")
    studio = Studio(page)
    places = {"seeking": [0, 0], "calm": [300, 160], "length": [720, 480]}
    studio.open(ada.add_plan({**PLAN, "layout": places})["id"])
    page.keyboard.press("Control+a")
    page.keyboard.press(key)
    result = studio.document()["layout"]
    assert [result[name][axis] for name in places] == [0, 360 - 120 * axis, 720 - 240 * axis]
    assert [result[name][1 - axis] for name in places] == [place[1 - axis] for place in places.values()]


def test_a_comment_is_made_larger_and_undone(studio: Studio) -> None:
    studio.page.keyboard.press("c")
    studio.page.get_by_test_id("comment-text").fill("Why")
    studio.page.keyboard.press("Escape")
    studio.page.get_by_test_id("comment-0").click()
    corner = find_middle(studio.page.locator(".react-flow__resize-control.handle.bottom.right"))
    studio.drag(corner, (corner[0] + 80, corner[1] + 48))
    [comment] = studio.document()["comments"]
    assert comment["size"][0] > 280
    assert comment["size"][1] > 120
    studio.click_canvas()
    studio.undo()
    assert "size" not in studio.document()["comments"][0]
