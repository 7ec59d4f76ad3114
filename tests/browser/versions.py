"""The versions of a plan as a person uses them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


class Versions:
    """The page of all versions, above the studio."""

    def __init__(self, page: Page) -> None:
        self.whole = page
        self.page = page.get_by_test_id("versions")
        self.empty = page.get_by_test_id("no-versions")
        self.changes = page.get_by_test_id("changes")

    def open(self) -> None:
        self.whole.get_by_test_id("versions-open").click()
        expect(self.page).to_be_visible()

    def close(self) -> None:
        self.whole.get_by_test_id("versions-close").click()
        expect(self.page).not_to_be_attached()

    def make(self, name: str) -> None:
        self.whole.get_by_test_id("make-name").fill(name)
        self.whole.get_by_test_id("make-version").click()

    def row(self, number: int) -> Locator:
        return self.whole.get_by_test_id(f"version-{number}")

    def rename(self, number: int, name: str) -> None:
        self.row(number).get_by_role("button", name="Rename").click()
        self.whole.get_by_test_id("version-name").fill(name)
        self.whole.keyboard.press("Enter")

    def restore(self, number: int) -> None:
        self.row(number).get_by_test_id("restore").click()
        expect(self.page).not_to_be_attached()

    def compare(self, side: str, version: str) -> None:
        self.whole.get_by_test_id(f"compare-{side}").select_option(version)

    def node(self, name: str) -> Locator:
        return self.whole.get_by_test_id(f"compared-{name}")

    def wire(self, did: str) -> Locator:
        return self.whole.locator(f".compared-wire.{did}")

    def change(self, name: str) -> Locator:
        return self.whole.get_by_test_id(f"change-{name}")
