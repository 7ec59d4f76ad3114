"""The lanes, the overview above them and what the canvas says of them, as a person uses them."""

from __future__ import annotations

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.still import Place, read_box, read_steady_box

LEFT, RIGHT = 64, 16
"""Pixels of a chart beside its window."""


class Lanes:
    """The lanes of an open plan."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cursor_time = page.get_by_test_id("cursor-time")
        self.axis = page.get_by_test_id("time-cursor")
        self.brush = page.get_by_test_id("brush")
        self.overview = page.get_by_test_id("overview")

    def lane(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"lane-{name}")

    def chart(self, name: str) -> Locator:
        return self.lane(name).locator(".lane-chart")

    def width(self, name: str) -> float:
        """How many pixels of a lane its window takes."""
        return read_box(self.chart(name))["width"] - LEFT - RIGHT

    def value(self, name: str) -> Locator:
        """What the lane says at the cursor."""
        return self.lane(name).locator(".lane-value")

    def on_canvas(self, name: str) -> Locator:
        """What the node on the canvas says at the cursor."""
        return self.page.get_by_test_id(f"value-{name}")

    def expect_told(self, name: str) -> None:
        """Each lane hears of its node for itself; an empty one has no reason to tell, and asks none."""
        expect(self.lane(name).get_by_role("button", name=f"Why is {name} so?")).to_be_attached()

    def at(self, name: str, share: float) -> Place:
        """A place of a lane, at a share of its window, once the lane says something and stands still."""
        self.expect_told(name)
        return _compute_place(read_steady_box(self.chart(name)), share)

    def point(self, name: str, share: float) -> None:
        self.page.mouse.move(*self.at(name, share))

    def drag(self, start: Place, end: Place) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, start[1], steps=3)
        mouse.move(*end, steps=3)
        mouse.up()

    def window(self) -> tuple[int, int]:
        """The first and the last millisecond that is shown, as the axis tells them to a reader."""
        expect(self.axis).to_be_visible()
        answer = (self.axis.get_attribute(name) for name in ("aria-valuemin", "aria-valuemax"))
        start, end = (int(item or 0) for item in answer)
        return start, end


def _compute_place(box: FloatRect, share: float) -> Place:
    return (
        box["x"] + LEFT + share * (box["width"] - LEFT - RIGHT),
        box["y"] + box["height"] * 0.4,
    )
