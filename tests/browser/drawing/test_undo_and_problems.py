"""Every action can be undone; problems lead to their node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.product import Api, Document, add_user, build_leaf, wait_until
from tests.browser.still import find_middle, find_middles
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

SMALL: Document = {
    "version": 1,
    "name": "Small",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "calls", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [320, 0]},
}
START: Document = {
    "version": 1,
    "name": "Undo",
    "nodes": {
        "played": build_leaf("has_existed", "calls", where='player_state == "play"'),
        "seeking": build_leaf("has_existed", "calls", where='user_action == "seek"'),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["played", "calm"],
    "layout": {"played": [0, 0], "seeking": [0, 200], "calm": [360, 60]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "undoer", streams=["calls", "other_calls"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "undoer")
    return Studio(page)


def move(studio: Studio) -> None:
    start = find_middle(studio.node("calm").locator("header"))
    studio.drag(start, (start[0] + 60, start[1] + 90))


def rename(studio: Studio) -> None:
    studio.select("seeking")
    studio.rename("sought")


def rename_on_the_canvas(studio: Studio) -> None:
    studio.node("played").get_by_role("button", name="played").dblclick()
    studio.page.get_by_label("Node name").fill("started")
    studio.page.keyboard.press("Enter")


def set_parameter(studio: Studio) -> None:
    studio.select("played")
    studio.set_parameter("where", 'player_state == "pause"')


def change_stream(studio: Studio) -> None:
    studio.select("played")
    studio.choose_stream("other_calls")


def change_results(studio: Studio) -> None:
    studio.select("seeking")
    studio.page.get_by_label("Output of this plan").click()


def delete_node(studio: Studio) -> None:
    studio.select("seeking")
    studio.page.get_by_test_id("delete-node").click()
    expect(studio.node("seeking")).not_to_be_attached()


def delete_by_key(studio: Studio) -> None:
    studio.select("seeking")
    studio.page.keyboard.press("Delete")
    expect(studio.node("seeking")).not_to_be_attached()


def cut_wire(studio: Studio) -> None:
    studio.select("calm")
    studio.page.get_by_label("Disconnect seeking").click()
    expect(studio.wire_of("seeking", "calm")).not_to_be_attached()


def take_wire_elsewhere(studio: Studio) -> None:
    """Its beginning is dragged from one output to another."""
    grip = studio.wire_of("seeking", "calm").locator(".react-flow__edgeupdater-source")
    studio.drag(*find_middles(grip, studio.page.get_by_test_id("out-played")))
    expect(studio.wire_of("played", "calm")).to_be_attached()


def replace_document(studio: Studio) -> None:
    studio.import_json(SMALL)


def arrange(studio: Studio) -> None:
    """The layout is made beside the page: it has come when the button of the undo can be pressed."""
    studio.page.get_by_test_id("arrange").click()
    expect(studio.page.get_by_test_id("undo")).to_be_enabled()


def rename_plan(studio: Studio) -> None:
    studio.page.get_by_test_id("plan-name").fill("Another name")


ACTIONS: dict[str, Callable[[Studio], None]] = {
    "add": lambda shown: shown.drop_operator("has_existed", (560, 240)),
    "move": move,
    "rename": rename,
    "rename on the canvas": rename_on_the_canvas,
    "wire": lambda shown: shown.draw_wire("played", "calm"),
    "cut a wire": cut_wire,
    "take a wire elsewhere": take_wire_elsewhere,
    "parameter": set_parameter,
    "stream": change_stream,
    "results": change_results,
    "delete": delete_node,
    "delete by key": delete_by_key,
    "arrange": arrange,
    "plan name": rename_plan,
    "JSON": replace_document,
}


def read_settled_document(studio: Studio) -> dict[str, Any]:
    """The document, with no field that has the keyboard."""
    studio.click_canvas()
    return studio.document()


def test_every_action_is_undone_and_redone_by_keyboard(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(START)["id"])
    before = read_settled_document(studio)
    for name, action in ACTIONS.items():
        action(studio)
        after = read_settled_document(studio)
        assert after != before, name
        studio.undo()
        assert read_settled_document(studio) == before, name
        studio.redo()
        assert read_settled_document(studio) == after, name
        studio.undo()
    assert read_settled_document(studio) == before


def test_a_long_way_back_and_forth(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(START)["id"])
    states = [read_settled_document(studio)]
    for action in (move, set_parameter, cut_wire, change_stream, rename):
        action(studio)
        states.append(read_settled_document(studio))
    for state in reversed(states[:-1]):
        studio.undo()
        assert read_settled_document(studio) == state
    for state in states[1:]:
        studio.redo()
        assert read_settled_document(studio) == state


def is_in_the_middle(studio: Studio, node: str) -> bool:
    result, expected = find_middles(studio.node(node), studio.canvas)
    return max(abs(result[0] - expected[0]), abs(result[1] - expected[1])) < 5


def test_a_problem_leads_to_its_node(studio: Studio) -> None:
    studio.new()
    studio.drop_operator("not", (40, 40))
    studio.rename("far_away")
    studio.drop_operator("has_existed_within", (400, 150))
    studio.choose_stream("calls")
    studio.set_parameter("where", "player_state = play")
    studio.set_parameter("duration", "5 parsecs")
    studio.click_canvas()
    rows = studio.problems.get_by_role("listitem")
    expect(rows.filter(has_text="has_existed_within · where")).to_be_visible()
    expect(rows.filter(has_text="has_existed_within · duration")).to_be_visible()
    expect(studio.run_button).to_be_disabled()
    expect(studio.refusal).to_contain_text(" problems")
    rows.filter(has_text="far_away").get_by_role("button").click()
    expect(studio.page.get_by_test_id("node-name")).to_have_value("far_away")
    wait_until(lambda: is_in_the_middle(studio, "far_away"), 60, studio.wait)


def test_a_value_is_of_the_kind_of_the_field_whenever_that_is_chosen(studio: Studio, ada: Api) -> None:
    """Typed before the field was, it is read again; what cannot be read so is said where it is typed."""
    stream = {"key": "k", "time": "t", "unit": "ms", "fields": {"rung": "number", "name": "text"}}
    ada.call("POST", "streams/", {"name": "rungs", **stream})
    nodes = {
        "at": {"op": "latest_event_to_state", "stream": "rungs"},
        "five": {"op": "equal_to", "inputs": {"of": "at"}},
    }
    drawn = {"version": 1, "name": "Rungs", "nodes": nodes, "layout": {"at": [0, 0], "five": [320, 0]}}
    plan = ada.add_plan(drawn)["id"]
    studio.open(plan)
    studio.select("five")
    studio.set_parameter("value", "5")
    studio.select("at")
    studio.set_parameter("field", "rung")
    studio.expect_saved()
    assert studio.document()["nodes"]["five"]["params"] == {"value": 5}
    expect(studio.problems).to_contain_text("None.")
    studio.set_parameter("field", "name")
    assert studio.document()["nodes"]["five"]["params"] == {"value": "5"}
    studio.set_parameter("field", "rung")
    studio.select("five")
    studio.set_parameter("value", "fifth")
    wrong = studio.page.get_by_test_id("wrong-value")
    expect(wrong).to_have_text("the value 'fifth' is compared with a number: give a number")
    studio.set_parameter("value", "6")
    expect(wrong).not_to_be_attached()


def test_a_wire_of_the_wrong_kind_is_refused_and_says_why(studio: Studio, ada: Api) -> None:
    studio.open(ada.add_plan(START)["id"])
    studio.drop_operator("duration_where", (560, 240))
    start = find_middle(studio.page.get_by_test_id("out-duration_where"))
    target = studio.page.get_by_test_id("port-calm-of")
    mouse = studio.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*find_middle(target), steps=8)
    refusal = studio.node("calm").locator(".port.refuses")
    expect(refusal).to_contain_text("Takes bool; duration_where gives number.")
    mouse.up()
    expect(studio.notice).to_contain_text("Can't connect: Takes bool; duration_where gives number.")
    expect(studio.wire_of("duration_where", "calm")).not_to_be_attached()
    expect(studio.wire_of("seeking", "calm")).to_be_attached()


@pytest.fixture
def another(browser: Browser, stack: Stack) -> Iterator[Page]:
    """Another browser, in which somebody else could be logged in."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_another_persons_plan_can_be_looked_at_but_not_changed(
    studio: Studio, another: Page, ada: Api, stack: Stack
) -> None:
    plan = ada.add_plan(START)["id"]
    add_user(stack, "guest")
    log_in(another, "guest")
    other_page = Studio(another)
    other_page.open(plan)
    expect(other_page.node("calm")).to_be_visible()
    set_parameter(other_page)
    other_page.save()
    expect(other_page.notice).to_contain_text("This plan belongs to undoer;")
    expect(another.get_by_test_id("save")).to_have_text("Not kept")
    for button in ("save", "run", "stop"):
        expect(another.get_by_test_id(button)).to_be_disabled()
    expect(other_page.refusal).to_contain_text("make a copy to change it")
    expect(another.get_by_test_id("foreign")).to_have_text("Plan of undoer")
    drawn = other_page.document()
    another.get_by_test_id("copy-plan").click()
    expect(another).not_to_have_url(re.compile(f"/plans/{plan}/"))
    expect(another.get_by_test_id("foreign")).not_to_be_attached()
    expect(other_page.run_button).to_be_enabled()
    assert other_page.document() == drawn
    result = ada.get(f"plans/{plan}/")
    assert (result["version"], result["running"], result["owner"]) == (1, False, "undoer")
