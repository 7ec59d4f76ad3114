"""A plan without layout gets one when it is opened, in which no wire leads behind a node; the toolbar has room."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.product import Api, Document, add_user, leaf, rebuffering
from tests.browser.studio import Studio, box_of, log_in
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
        "start": leaf("has_existed", "placed", where='player_state == "play"'),
        "other": leaf("has_existed", "placed", where='user_action == "seek"'),
        **ROW,
    },
    "results": ["step_5"],
}
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
    user = add_user(stack, "placer")
    user.declare("placed")
    return user


@pytest.fixture
def shown(page: Page, ada: Api) -> Studio:
    log_in(page, "placer")
    return Studio(page)


@pytest.mark.parametrize("plan", [LONG, rebuffering("placed")], ids=["long wires", "rebuffering"])
def test_no_wire_leads_behind_a_node(shown: Studio, ada: Api, plan: Document) -> None:
    shown.open(ada.add_plan(plan)["id"])
    expect(shown.page.locator(".react-flow__node-operator")).to_have_count(len(plan["nodes"]))
    assert shown.page.evaluate(BEHIND) == []


def test_the_layout_is_the_same_at_every_opening_and_no_edit(shown: Studio, ada: Api) -> None:
    number = ada.add_plan(LONG)["id"]
    shown.open(number)
    first = shown.document()["layout"]
    assert set(first) == set(LONG["nodes"])
    assert all(first[f"step_{i}"][0] < first[f"step_{i + 1}"][0] for i in range(1, 5))
    shown.expect_saved()
    expect(shown.page.get_by_test_id("undo")).to_be_disabled()
    shown.open(number)
    assert shown.document()["layout"] == first
    assert ada.get(f"plans/{number}/")["document"] == LONG


def test_what_is_drawn_then_is_saved_with_its_places(shown: Studio, ada: Api) -> None:
    number = ada.add_plan(LONG)["id"]
    shown.open(number)
    places = shown.document()["layout"]
    shown.page.get_by_test_id("plan-name").fill("Renamed")
    shown.expect_saved()
    saved = ada.get(f"plans/{number}/")["document"]
    assert (saved["name"], saved["layout"]) == ("Renamed", places)


def test_the_plan_opens_in_plain_columns_where_the_layout_fails(shown: Studio, ada: Api) -> None:
    def refuse(route: Route) -> None:
        route.abort()

    shown.page.route(re.compile("elk-worker"), refuse)
    shown.open(ada.add_plan(LONG)["id"])
    expect(shown.page.locator(".react-flow__node-operator")).to_have_count(len(LONG["nodes"]))
    assert box_of(shown.node("start"))["x"] < box_of(shown.node("step_1"))["x"]


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_nothing_of_the_toolbar_overlaps_and_run_is_at_its_end(shown: Studio, ada: Api, width: int) -> None:
    shown.page.set_viewport_size({"width": width, "height": 800})
    shown.open(ada.add_plan(LONG)["id"])
    for view in ("canvas", "text"):
        shown.page.get_by_test_id(f"view-{view}").click()
        boxes = [
            box_of(item) for item in shown.page.locator(".toolbar > :visible:not(.unseen, .spacer)").all()
        ]
        boxes = sorted((box for box in boxes if box["width"] > 1), key=lambda box: box["x"])
        for left, right in itertools.pairwise(boxes):
            assert left["x"] + left["width"] <= right["x"] + 0.5, (view, left, right)
        run = box_of(shown.run_button)
        assert run == boxes[-1]
        assert width - 20 <= run["x"] + run["width"] <= width
