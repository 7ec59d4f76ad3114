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
def shown(page: Page, ada: Api) -> Studio:
    log_in(page, "undoer")
    return Studio(page)


def move(shown: Studio) -> None:
    start = find_middle(shown.node("calm").locator("header"))
    shown.drag(start, (start[0] + 60, start[1] + 90))


def rename(shown: Studio) -> None:
    shown.select("seeking")
    shown.rename("sought")


def rename_on_the_canvas(shown: Studio) -> None:
    shown.node("played").get_by_role("button", name="played").dblclick()
    shown.page.get_by_label("Node name").fill("started")
    shown.page.keyboard.press("Enter")


def set_parameter(shown: Studio) -> None:
    shown.select("played")
    shown.set_parameter("where", 'player_state == "pause"')


def change_stream(shown: Studio) -> None:
    shown.select("played")
    shown.choose_stream("other_calls")


def change_results(shown: Studio) -> None:
    shown.select("seeking")
    shown.page.get_by_label("Output of this plan").click()


def delete_node(shown: Studio) -> None:
    shown.select("seeking")
    shown.page.get_by_test_id("delete-node").click()
    expect(shown.node("seeking")).not_to_be_attached()


def delete_by_key(shown: Studio) -> None:
    shown.select("seeking")
    shown.page.keyboard.press("Delete")
    expect(shown.node("seeking")).not_to_be_attached()


def cut_wire(shown: Studio) -> None:
    shown.select("calm")
    shown.page.get_by_label("Disconnect seeking").click()
    expect(shown.wire_of("seeking", "calm")).not_to_be_attached()


def take_wire_elsewhere(shown: Studio) -> None:
    """Its beginning is dragged from one output to another."""
    grip = shown.wire_of("seeking", "calm").locator(".react-flow__edgeupdater-source")
    shown.drag(*find_middles(grip, shown.page.get_by_test_id("out-played")))
    expect(shown.wire_of("played", "calm")).to_be_attached()


def replace_document(shown: Studio) -> None:
    shown.import_json(SMALL)


def arrange(shown: Studio) -> None:
    """The layout is made beside the page: it has come when the button of the undo can be pressed."""
    shown.page.get_by_test_id("arrange").click()
    expect(shown.page.get_by_test_id("undo")).to_be_enabled()


def rename_plan(shown: Studio) -> None:
    shown.page.get_by_test_id("plan-name").fill("Another name")


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


def read_settled_document(shown: Studio) -> dict[str, Any]:
    """The document, with no field that has the keyboard."""
    shown.click_canvas()
    return shown.document()


def test_every_action_is_undone_and_redone_by_keyboard(shown: Studio, ada: Api) -> None:
    shown.open(ada.add_plan(START)["id"])
    before = read_settled_document(shown)
    for name, action in ACTIONS.items():
        action(shown)
        after = read_settled_document(shown)
        assert after != before, name
        shown.undo()
        assert read_settled_document(shown) == before, name
        shown.redo()
        assert read_settled_document(shown) == after, name
        shown.undo()
    assert read_settled_document(shown) == before


def test_a_long_way_back_and_forth(shown: Studio, ada: Api) -> None:
    shown.open(ada.add_plan(START)["id"])
    states = [read_settled_document(shown)]
    for action in (move, set_parameter, cut_wire, change_stream, rename):
        action(shown)
        states.append(read_settled_document(shown))
    for state in reversed(states[:-1]):
        shown.undo()
        assert read_settled_document(shown) == state
    for state in states[1:]:
        shown.redo()
        assert read_settled_document(shown) == state


def is_in_the_middle(shown: Studio, node: str) -> bool:
    result, wanted = find_middles(shown.node(node), shown.canvas)
    return max(abs(result[0] - wanted[0]), abs(result[1] - wanted[1])) < 5


def test_a_problem_leads_to_its_node(shown: Studio) -> None:
    shown.new()
    shown.drop_operator("not", (40, 40))
    shown.rename("far_away")
    shown.drop_operator("has_existed_within", (400, 150))
    shown.choose_stream("calls")
    shown.set_parameter("where", "player_state = play")
    shown.set_parameter("duration", "5 parsecs")
    shown.click_canvas()
    rows = shown.problems.get_by_role("listitem")
    expect(rows.filter(has_text="has_existed_within · where")).to_be_visible()
    expect(rows.filter(has_text="has_existed_within · duration")).to_be_visible()
    expect(shown.run_button).to_be_disabled()
    expect(shown.refusal).to_contain_text(" problems")
    rows.filter(has_text="far_away").get_by_role("button").click()
    expect(shown.page.get_by_test_id("node-name")).to_have_value("far_away")
    wait_until(lambda: is_in_the_middle(shown, "far_away"), 60, shown.wait)


def test_a_value_is_of_the_kind_of_the_field_whenever_that_is_chosen(shown: Studio, ada: Api) -> None:
    """Typed before the field was, it is read again; what cannot be read so is said where it is typed."""
    stream = {"key": "k", "time": "t", "unit": "ms", "fields": {"rung": "number", "name": "text"}}
    ada.call("POST", "streams/", {"name": "rungs", **stream})
    nodes = {
        "at": {"op": "latest_event_to_state", "stream": "rungs"},
        "five": {"op": "equal_to", "inputs": {"of": "at"}},
    }
    drawn = {"version": 1, "name": "Rungs", "nodes": nodes, "layout": {"at": [0, 0], "five": [320, 0]}}
    plan = ada.add_plan(drawn)["id"]
    shown.open(plan)
    shown.select("five")
    shown.set_parameter("value", "5")
    shown.select("at")
    shown.set_parameter("field", "rung")
    shown.expect_saved()
    assert shown.document()["nodes"]["five"]["params"] == {"value": 5}
    expect(shown.problems).to_contain_text("None.")
    shown.set_parameter("field", "name")
    assert shown.document()["nodes"]["five"]["params"] == {"value": "5"}
    shown.set_parameter("field", "rung")
    shown.select("five")
    shown.set_parameter("value", "fifth")
    wrong = shown.page.get_by_test_id("wrong-value")
    expect(wrong).to_have_text("the value 'fifth' is compared with a number: give a number")
    shown.set_parameter("value", "6")
    expect(wrong).not_to_be_attached()


def test_a_wire_of_the_wrong_kind_is_refused_and_says_why(shown: Studio, ada: Api) -> None:
    shown.open(ada.add_plan(START)["id"])
    shown.drop_operator("duration_where", (560, 240))
    start = find_middle(shown.page.get_by_test_id("out-duration_where"))
    target = shown.page.get_by_test_id("port-calm-of")
    mouse = shown.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*find_middle(target), steps=8)
    refusal = shown.node("calm").locator(".port.refuses")
    expect(refusal).to_contain_text("Takes bool; duration_where gives number.")
    mouse.up()
    expect(shown.notice).to_contain_text("Can't connect: Takes bool; duration_where gives number.")
    expect(shown.wire_of("duration_where", "calm")).not_to_be_attached()
    expect(shown.wire_of("seeking", "calm")).to_be_attached()


@pytest.fixture
def another(browser: Browser, stack: Stack) -> Iterator[Page]:
    """Another browser, in which somebody else could be logged in."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_another_persons_plan_can_be_looked_at_but_not_changed(
    shown: Studio, another: Page, ada: Api, stack: Stack
) -> None:
    plan = ada.add_plan(START)["id"]
    add_user(stack, "guest")
    log_in(another, "guest")
    theirs = Studio(another)
    theirs.open(plan)
    expect(theirs.node("calm")).to_be_visible()
    set_parameter(theirs)
    theirs.save()
    expect(theirs.notice).to_contain_text("This plan belongs to undoer;")
    expect(another.get_by_test_id("save")).to_have_text("Not kept")
    for button in ("save", "run", "stop"):
        expect(another.get_by_test_id(button)).to_be_disabled()
    expect(theirs.refusal).to_contain_text("make a copy to change it")
    expect(another.get_by_test_id("foreign")).to_have_text("Plan of undoer")
    drawn = theirs.document()
    another.get_by_test_id("copy-plan").click()
    expect(another).not_to_have_url(re.compile(f"/plans/{plan}/"))
    expect(another.get_by_test_id("foreign")).not_to_be_attached()
    expect(theirs.run_button).to_be_enabled()
    assert theirs.document() == drawn
    result = ada.get(f"plans/{plan}/")
    assert (result["version"], result["running"], result["owner"]) == (1, False, "undoer")
