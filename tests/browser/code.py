"""The text and JSON views of a plan, as a person types in them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.still import read_steady_box


class Code:
    """One of the two text editors of the studio."""

    def __init__(self, page: Page, view: str) -> None:
        self.page, self.view = page, view
        self.pane = page.get_by_test_id(f"{view}-text")
        self.content = self.pane.locator(".cm-content")
        self.status = page.get_by_test_id("code-status")
        self.problem = page.get_by_test_id("code-problem")
        self.marks = self.pane.locator(".cm-lintRange-error, .cm-lintRange-warning")
        self.options = page.locator(".cm-tooltip-autocomplete li")

    def show(self, *, beside: bool = False) -> None:
        self.page.get_by_test_id(f"view-{self.view}").click()
        if beside:
            self.page.get_by_test_id("view-beside").click()
        self.expect_in_step()

    def expect_in_step(self) -> None:
        expect(self.status).to_have_text("Synced")

    def line(self, text: str) -> Locator:
        """The first line that has this text."""
        return self.pane.locator(".cm-line").filter(has_text=text).first

    def lines(self) -> list[str]:
        """What the editor shows; of a long text only a part."""
        return [line.rstrip("\n") for line in self.pane.locator(".cm-line").all_inner_texts()]

    def write(self, text: str) -> None:
        """All of it anew, in one go."""
        self.content.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def accept(self) -> None:
        """Take the chosen completion; a person has read it before."""
        expect(self.options.first).to_be_visible()
        self.page.wait_for_timeout(120)
        self.page.keyboard.press("Enter")

    def append(self, text: str) -> None:
        """At the end, in one go."""
        self.content.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.insert_text(text)

    def replace(self, old: str, new: str) -> None:
        """A word of the text that is coloured by itself: its end is clicked, and it is deleted."""
        word = self.pane.get_by_text(old, exact=True).first
        box = read_steady_box(word)
        self.page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
        for _ in old:
            self.page.keyboard.press("Backspace")
        self.page.keyboard.insert_text(new)
