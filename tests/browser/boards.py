"""The page of a dashboard as a person uses it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.still import read_box, read_steady


class BoardPage:
    """One dashboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.notice = page.get_by_test_id("notice")
        self.key = page.get_by_test_id("board-key")
        self.range = page.get_by_test_id("range")
        self.save_button = page.get_by_test_id("save-board")

    def open(self, board: int, rest: str = "") -> None:
        self.page.goto(f"/dashboards/{board}/{rest}")
        expect(self.page.locator(".chart").first).to_be_visible()

    def chart(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"chart-{name}")

    def number(self, name: str) -> Locator:
        return self.chart(name).locator(".number-value")

    def reading(self, name: str) -> Locator:
        return self.chart(name).locator(".reading")

    def keys(self, name: str) -> Locator:
        return self.chart(name).locator("tbody th")

    def plot(self, name: str) -> Locator:
        return self.chart(name).locator(".time-chart")

    def drawn(self, name: str) -> Locator:
        """A chart over time, once it is drawn: before, there is no time to point at."""
        plot = self.plot(name)
        plot.scroll_into_view_if_needed()
        expect(plot.locator(".main-svg").first).to_be_attached()
        return plot

    def edit(self) -> None:
        self.page.get_by_test_id("edit").click()
        expect(self.save_button).to_be_visible()

    def save(self) -> None:
        self.page.keyboard.press("Control+s")
        expect(self.notice).to_contain_text("Saved as version")

    def places(self) -> dict[str, tuple[int, int, int, int]]:
        """Left, top, width and height of each chart on the page."""
        result = {}
        for chart in self.page.locator(".chart").all():
            box = read_box(chart)
            name = (chart.get_attribute("data-testid") or "").removeprefix("chart-")
            result[name] = tuple(round(box[side]) for side in ("x", "y", "width", "height"))
        return result  # type: ignore[return-value]

    def settled(self) -> dict[str, tuple[int, int, int, int]]:
        """The same, once nothing glides any more."""
        return read_steady(self.page, self.places, 150)

    def drag(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0] + by[0] / 2, start[1] + by[1] / 2, steps=4)
        mouse.move(start[0] + by[0], start[1] + by[1], steps=4)
        mouse.up()


def record_messages(page: Page) -> list[str]:
    """The messages that the page sends from now on."""
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    return sent


def build_chart(
    number: int, kind: str, plan: int, node: str, place: list[int], **more: Any
) -> dict[str, Any]:
    return {
        "id": f"c{number}", "type": kind, "plan": plan, "node": node, "title": "", "key": None, "place": place, **more
    }  # fmt: skip


def parse_path(link: str) -> str:
    """A link without its beginning."""
    return re.sub(r"^https?://[^/]+", "", link)
