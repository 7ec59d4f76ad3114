"""A plan without layout gets one when it is opened, in which no wire leads behind a node; the toolbar has room."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.code import Code
from tests.browser.product import Api, Document, add_user, build_leaf, build_rebuffering, wait_until
from tests.browser.still import read_box, read_steady
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

# Long wires: each reader reads the first node, and the one before it.
ROW = {
    f"step_{i}": {"op": "and", "inputs": {"of": ["start", f"step_{i - 1}" if i > 1 else "other"]}}
    for i in range(1, 6)
}
LONG: Document = {
    "version": 1,
    "name": "Long wires",
    "nodes": {
        "start": build_leaf("has_existed", "placed", where='player_state == "play"'),
        "other": build_leaf("has_existed", "placed", where='user_action == "seek"'),
        **ROW,
    },
    "results": ["step_5"],
}
TYPED = [
    'start = has_existed(placed.player_state == "play")',
    'other = has_existed(placed.user_action == "seek")',
    "step_1 = start and other",
    *(f"step_{i} = start and step_{i - 1}" for i in range(2, 6)),
]
BEHIND = """
() => [...document.querySelectorAll('.react-flow__edge')].flatMap(edge => {
  const path = edge.querySelector('.react-flow__edge-path');
  const [from, rest] = edge.dataset.id.split('>');
  const to = rest.split('.')[0];
  const toScreen = path.getScreenCTM();
  const length = path.getTotalLength();
  const points = Array.from({ length: 200 }, (_, i) =>
    path.getPointAtLength((i / 199) * length).matrixTransform(toScreen));
  return [...document.querySelectorAll('.react-flow__node-operator')]
    .filter(node => node.dataset.id !== from && node.dataset.id !== to)
    .filter(node => {
      const box = node.getBoundingClientRect();
      return points.some(({ x, y }) =>
        x > box.left + 2 && x < box.right - 2 && y > box.top + 2 && y < box.bottom - 2);
    })
    .map(node => `${edge.dataset.id} behind ${node.dataset.id}`);
})
"""


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "placer", streams=["placed"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "placer")
    return Studio(page)


def count_wires(plan: Document) -> int:
    ports = [port for node in plan["nodes"].values() for port in node.get("inputs", {}).values()]
    return sum(1 if isinstance(port, str) else len(port) for port in ports)


def expect_no_wire_behind_a_node(studio: Studio, wires: int) -> None:
    expect(studio.page.locator(".react-flow__edge-path")).to_have_count(wires)
    assert read_steady(studio.page, lambda: studio.page.evaluate(BEHIND)) == []


@pytest.mark.parametrize("plan", [LONG, build_rebuffering("placed")], ids=["long wires", "rebuffering"])
def test_no_wire_leads_behind_a_node(studio: Studio, ada: Api, plan: Document) -> None:
    studio.open(ada.add_plan(plan)["id"])
    expect(studio.page.locator(".react-flow__node-operator")).to_have_count(len(plan["nodes"]))
    expect_no_wire_behind_a_node(studio, count_wires(plan))


def test_the_layout_is_the_same_at_every_opening_and_no_edit(studio: Studio, ada: Api) -> None:
    number = ada.add_plan(LONG)["id"]
    studio.open(number)
    first = studio.document()["layout"]
    assert set(first) == set(LONG["nodes"])
    assert all(first[f"step_{i}"][0] < first[f"step_{i + 1}"][0] for i in range(1, 5))
    studio.expect_saved()
    expect(studio.page.get_by_test_id("undo")).to_be_disabled()
    studio.open(number)
    assert studio.document()["layout"] == first
    assert ada.get(f"plans/{number}/")["document"] == LONG


def test_the_layout_is_the_same_where_the_machine_takes_long_for_it(studio: Studio, ada: Api) -> None:
    number = ada.add_plan(LONG)["id"]
    studio.open(number)
    first = studio.document()["layout"]

    def delay_route(route: Route) -> None:
        studio.page.wait_for_timeout(4000)
        route.continue_()

    studio.page.route(re.compile("elk-worker"), delay_route)
    studio.open(number)
    assert studio.document()["layout"] == first


def test_a_plan_of_hundreds_of_nodes_is_laid_out_as_well(studio: Studio, ada: Api) -> None:
    leaf_of = dict(LONG["nodes"]["start"])
    steps = {
        f"n{i}": {"op": "not", "inputs": {"of": f"n{i // 2}" if i > 1 else "start"}} for i in range(1, 300)
    }
    plan = {**LONG, "nodes": {"start": leaf_of, **steps}, "results": ["n299"]}
    studio.open(ada.add_plan(plan)["id"])
    wait_until(lambda: "layout" in studio.document(), 60, words=lambda: "it is not laid out")
    places = studio.document()["layout"]
    assert set(places) == set(plan["nodes"])
    assert all(places[f"n{i // 2}"][0] < places[f"n{i}"][0] for i in range(2, 300))


def test_a_plan_that_was_typed_is_laid_out_when_it_is_seen_as_a_canvas(studio: Studio, ada: Api) -> None:
    text = Code(studio.page, "text")
    studio.new()
    text.show()
    text.append("\n" + "\n".join(TYPED))
    text.expect_in_step()
    places = text.pane.locator(".cm-line").filter(has_text=re.compile(r"\bstart -?\d+ -?\d+"))
    expect(places).not_to_be_attached()
    studio.page.get_by_test_id("view-canvas").click()
    studio.fit()
    expect(studio.page.locator(".react-flow__node-operator")).to_have_count(len(TYPED))
    text.show()
    expect(places).to_be_visible()
    studio.page.get_by_test_id("view-canvas").click()
    studio.fit()
    expect_no_wire_behind_a_node(studio, count_wires(LONG))
    studio.click_canvas()
    studio.undo()
    expect(studio.page.locator(".react-flow__node-operator")).to_have_count(0)


def test_what_is_drawn_then_is_saved_with_its_places(studio: Studio, ada: Api) -> None:
    number = ada.add_plan(LONG)["id"]
    studio.open(number)
    places = studio.document()["layout"]
    studio.page.get_by_test_id("plan-name").fill("Renamed")
    studio.expect_saved()
    saved = ada.get(f"plans/{number}/")["document"]
    assert (saved["name"], saved["layout"]) == ("Renamed", places)


def test_the_plan_opens_in_plain_columns_where_the_layout_fails(studio: Studio, ada: Api) -> None:
    def refuse(route: Route) -> None:
        route.abort()

    studio.page.route(re.compile("elk-worker"), refuse)
    studio.open(ada.add_plan(LONG)["id"])
    expect(studio.page.locator(".react-flow__node-operator")).to_have_count(len(LONG["nodes"]))
    assert read_box(studio.node("start"))["x"] < read_box(studio.node("step_1"))["x"]


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_nothing_of_the_toolbar_overlaps_and_run_is_at_its_end(studio: Studio, ada: Api, width: int) -> None:
    studio.page.set_viewport_size({"width": width, "height": 800})
    studio.open(ada.add_plan(LONG)["id"])
    for view in ("canvas", "text"):
        studio.page.get_by_test_id(f"view-{view}").click()
        boxes = [
            read_box(item) for item in studio.page.locator(".toolbar > :visible:not(.unseen, .spacer)").all()
        ]
        boxes = sorted((box for box in boxes if box["width"] > 1), key=lambda box: box["x"])
        for left, right in itertools.pairwise(boxes):
            assert left["x"] + left["width"] <= right["x"] + 0.5, (view, left, right)
        run = read_box(studio.run_button)
        assert run == boxes[-1]
        assert width - 20 <= run["x"] + run["width"] <= width


SMALLEST = """
all => Math.min(...[...document.querySelectorAll('.react-flow__node-operator :is(' + all + ')')]
  .map(it => parseFloat(getComputedStyle(it).fontSize) * it.getBoundingClientRect().height / it.offsetHeight))
"""
TYPE = "header, .node-name, .node-said, .port > span"


def expect_readable(studio: Studio, names: Iterable[str]) -> None:
    """All words of nodes have eleven pixels, and these nodes are in view."""
    assert read_steady(studio.page, lambda: studio.page.evaluate(SMALLEST, TYPE)) >= 10.9
    canvas = read_box(studio.canvas)
    for name in names:
        node = read_box(studio.node(name))
        assert canvas["x"] <= node["x"] < node["x"] + node["width"] <= canvas["x"] + canvas["width"]
        assert canvas["y"] <= node["y"] < node["y"] + node["height"] <= canvas["y"] + canvas["height"]


@pytest.mark.parametrize("width", [1280, 1440])
def test_a_plan_opens_whole_or_where_that_is_too_small_readable_and_from_its_beginning(
    studio: Studio, ada: Api, width: int
) -> None:
    """Nine nodes with a group, and forty: all that a node says can be read, and the sources are in view."""
    page = studio.page
    page.set_viewport_size({"width": width, "height": 800})
    grouped = {**build_rebuffering("placed"), "groups": [{"name": "Sources", "nodes": ["played", "seeking"]}]}
    rows = {f"n{i}": f"n{i - 4}" if i > 4 else "played" for i in range(1, 40)}
    steps = {name: {"op": "not", "inputs": {"of": read}} for name, read in rows.items()}
    forty = {
        **LONG,
        "nodes": {"played": build_rebuffering("placed")["nodes"]["played"], **steps},
        "results": ["n39"],
    }
    for plan in (grouped, forty):
        studio.open_at_beginning(ada.add_plan(plan)["id"])
        expect(studio.node("played")).to_be_visible()
        expect_readable(studio, ["played"])
        page.keyboard.press("Shift+Digit1")
        expect(page.locator(".react-flow__node-operator")).to_have_count(len(plan["nodes"]))


def test_a_small_plan_opens_whole(studio: Studio, ada: Api) -> None:
    small = {**LONG, "nodes": {"start": LONG["nodes"]["start"]}, "results": ["start"]}
    studio.open_at_beginning(ada.add_plan(small)["id"])
    before = read_steady(studio.page, lambda: read_box(studio.node("start")))
    studio.page.keyboard.press("Shift+Digit1")
    assert read_steady(studio.page, lambda: read_box(studio.node("start"))) == pytest.approx(before, abs=1)
