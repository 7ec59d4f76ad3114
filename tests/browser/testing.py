"""The dock of samples and tests, as a person uses it."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.still import read_steady_box

LEFT, RIGHT = 64, 16
"""Beside the chart of a lane: its scale, and some room."""


class Testing:
    """Below the canvas."""

    __test__ = False

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dock = page.get_by_role("region", name="Samples and tests")
        self.summary = page.get_by_test_id("tests-summary")
        self.differences = page.get_by_test_id("differences")
        self.saving = page.get_by_test_id("test-saving")

    def open(self) -> None:
        self.page.get_by_test_id("testing").click()
        expect(self.dock).to_be_visible()

    def lane(self, node: str) -> Locator:
        return self.page.get_by_test_id(f"sample-lane-{node}")

    def expected(self, node: str) -> Locator:
        return self.page.get_by_test_id(f"expected-{node}")

    def canvas_of(self, node: str) -> Locator:
        return self.expected(node).get_by_role("slider")

    def points(self, node: str) -> Any:
        """What the node says, as its lane shows it."""
        return json.loads(self.lane(node).get_attribute("data-points") or "null")

    def spans(self, node: str) -> Any:
        """What is expected of it."""
        return json.loads(self.expected(node).get_attribute("data-spans") or "null")

    def test(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"test-{name}")

    def expect_status(self, name: str, status: str) -> None:
        expect(self.test(name)).to_have_attribute("data-status", status)

    def make_test(self) -> None:
        self.page.get_by_test_id("new-test").click()
        expect(self.page.get_by_test_id("test-name")).to_be_visible()

    def paint(self, node: str, value: str, start: float, end: float) -> None:
        """Drag over a part of the strip, from one share of its width to another."""
        self.expected(node).get_by_label(f"What to paint on {node}").select_option(label=value)
        self._drag(self.canvas_of(node), start, end)

    def fill(self, node: str, value: str, at: float) -> None:
        """Click on the strip."""
        self.paint(node, value, at, at)

    def _drag(self, chart: Locator, start: float, end: float) -> None:
        chart.scroll_into_view_if_needed()
        box = read_steady_box(chart)
        width = box["width"] - LEFT - RIGHT
        places = [box["x"] + LEFT + share * width for share in (start, end)]
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(places[0], y)
        self.page.mouse.down()
        self.page.mouse.move((places[0] + places[1]) / 2, y, steps=4)
        self.page.mouse.move(places[1], y, steps=4)
        self.page.mouse.up()

    def record(self, way: str, count: int, keys: str = "", name: str = "") -> None:
        """`last` or `next`."""
        self.page.get_by_test_id("record").click()
        dialog = self.page.get_by_role("dialog", name="New sample")
        dialog.get_by_role("button", name=f"The {way} events").click()
        dialog.get_by_label("Events per stream").fill(str(count))
        dialog.get_by_label("Keys").fill(keys)
        dialog.get_by_label("Name").fill(name)
        dialog.get_by_test_id("keep-sample").click()
        expect(dialog).not_to_be_visible()

    def upload(self, stream: str, name: str, body: bytes) -> None:
        self.page.get_by_test_id("record").click()
        dialog = self.page.get_by_role("dialog", name="New sample")
        dialog.get_by_role("button", name="A file").click()
        file: Any = {"name": name, "mimeType": "text/plain", "buffer": body}
        dialog.get_by_label(f"Events of {stream}").set_input_files(file)
        dialog.get_by_test_id("keep-sample").click()
