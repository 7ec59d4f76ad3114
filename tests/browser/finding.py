"""The search over everything, and the lists, as a person uses them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


class Finding:
    """Opened from the header of every page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dialog = page.get_by_test_id("search-dialog")
        self.text = page.get_by_test_id("search-text")
        self.status = page.get_by_test_id("search-status")
        self.problems = self.dialog.get_by_test_id("search-problems")
        self.active = self.dialog.get_by_role("option", selected=True)

    def open(self, text: str) -> None:
        self.page.get_by_test_id("search").click()
        self.type(text)

    def type(self, text: str) -> None:
        expect(self.text).to_be_focused()
        self.page.keyboard.type(text)

    def group(self, title: str) -> Locator:
        return self.dialog.get_by_role("group", name=title)

    def option(self, name: str) -> Locator:
        return self.dialog.get_by_test_id(f"option-{name}")


class Listing:
    """A page with a list."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.table = page.get_by_test_id(name)
        self.rows = self.table.locator("tbody tr")
        self.search = page.get_by_test_id("list-search")
        self.shown = page.get_by_test_id("shown")
        self.more = page.get_by_test_id("more")
        self.chosen = page.get_by_test_id("chosen-words")

    def transfer(self, to: str, reason: str) -> None:
        """What is chosen."""
        self.page.get_by_test_id("transfer-chosen").click()
        self.page.get_by_test_id("holder-search").fill(to)
        self.page.get_by_test_id(f"holder-{to}").click()
        self.page.get_by_test_id("reason").fill(reason)
        self.page.get_by_test_id("transfer-go").click()
