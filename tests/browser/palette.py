"""The command palette, as a person uses it: Ctrl K, a few words, Enter."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


class CommandPalette:
    """Every command, node and plan by its name."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dialog = page.get_by_test_id("command-palette")
        self.field = self.dialog.get_by_role("combobox")

    def find(self, words: str) -> Locator:
        """Open it and type, wherever the keyboard is; what Enter would take."""
        self.page.keyboard.press("Control+k")
        expect(self.field).to_be_focused()
        self.page.keyboard.type(words)
        expect(self.field).to_have_value(words)
        return self.dialog.locator("[cmdk-item][data-selected=true]")

    def offers(self, words: str) -> Locator:
        """The items that are left of all when this is typed."""
        self.find(words)
        return self.dialog.get_by_role("option")

    def run(self, words: str) -> None:
        """Do what is called so."""
        expect(self.find(words)).to_contain_text(words)
        self.page.keyboard.press("Enter")
        expect(self.dialog).not_to_be_attached()

    def close(self) -> None:
        self.page.keyboard.press("Escape")
        expect(self.dialog).not_to_be_attached()
