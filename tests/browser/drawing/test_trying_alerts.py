"""While an alert is drawn the form shows what it would have done, and its limit is dragged over the values."""

from __future__ import annotations

import math
import os
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.drawing.log import SECOND, compute_now
from tests.browser.drawing.looking import SeenBy
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio
from workers.stack import Stack

pytestmark = pytest.mark.browser
STREAM = {
    "name": "tried_ovens",
    "key": "oven",
    "time": "t",
    "unit": "ms",
    "fields": {"temperature": "number"},
}


@pytest.fixture(scope="module")
def maker(stack: Stack) -> Api:
    return add_user(stack, "alert_trier")


@pytest.fixture(scope="module")
def plan(maker: Api) -> int:
    """A number whose events came two hours long; an end of `east` came late."""
    maker.call("POST", "streams/", STREAM)
    start = (compute_now() - 7_200 * SECOND) // 1000
    waves = {"east": 0.0, "west": 2.0, "north": 4.0}
    events: list[Any] = [
        {"oven": key, "t": start + 30_000 * step, "temperature": 70 + 20 * math.sin(step / 12 + phase)}
        for step in range(240)
        for key, phase in waves.items()
    ]
    late = {"oven": "east", "t": start + 30_000 * 12 + 1, "temperature": 20}
    maker.push("tried_ovens", events)
    maker.push("tried_ovens", [late])
    nodes = {"temperature": build_leaf("latest_event_to_state", "tried_ovens", field="temperature")}
    return int(maker.add_plan({"version": 1, "name": "Tried ovens", "nodes": nodes})["id"])


def open_form(page: Page, plan: int) -> Any:
    studio = Studio(page)
    studio.open(plan)
    studio.select("temperature")
    page.get_by_test_id("alert-node").click()
    return page.get_by_test_id("back-test")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_says_what_would_have_fired(seen_by: SeenBy, plan: int, scheme: str) -> None:
    page = seen_by("alert_trier", scheme)
    panel = open_form(page, plan)
    expect(panel).to_contain_text("Enter a limit")
    page.get_by_test_id("alert-limit").fill("80")
    totals = page.get_by_test_id("tested-totals")
    expect(totals).to_contain_text("of 3 keys", timeout=20_000)
    expect(totals).to_contain_text("because of late events")
    expect(panel.locator(".tested-keys li")).to_have_count(3)
    line = page.get_by_test_id("limit-line")
    expect(line).to_have_attribute("aria-valuenow", "80", timeout=20_000)
    assert find_violations(page, "dialog") == []
    if folder := os.environ.get("SEEN"):
        page.screenshot(path=f"{folder}/back_test_{scheme}.png")
    line.focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(totals).to_contain_text("would not have fired", timeout=20_000)
    assert float(page.get_by_test_id("alert-limit").input_value()) > 90


def test_the_limit_is_dragged_over_the_values(seen_by: SeenBy, plan: int) -> None:
    page = seen_by("alert_trier")
    open_form(page, plan)
    page.get_by_test_id("alert-limit").fill("85")
    line, lane = page.get_by_test_id("limit-line"), page.get_by_test_id("limit-lane")
    expect(line).to_be_visible(timeout=20_000)
    line.scroll_into_view_if_needed()
    box, around = line.bounding_box(), lane.bounding_box()
    assert box
    assert around
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(around["x"] + 40, around["y"] + around["height"] / 2, steps=4)
    page.mouse.up()
    moved = float(page.get_by_test_id("alert-limit").input_value())
    assert 50 < moved < 75
    expect(line).to_have_attribute("aria-valuenow", str(moved).removesuffix(".0"))
    page.get_by_test_id("alert-for").fill("3h")
    expect(page.get_by_test_id("tested-totals")).to_contain_text("would not have fired", timeout=20_000)
