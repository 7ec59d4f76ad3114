"""A field that names one thing, for which the server is searched."""

from __future__ import annotations

from playwright.sync_api import Locator, expect


class Chooser:
    """The field, and the list below it while it is open."""

    def __init__(self, where: Locator, name: str) -> None:
        self.field = where.get_by_test_id(name)
        self.list = where.get_by_test_id(f"{name}-list")
        self.said = self.field.locator("xpath=ancestor::*[contains(@class, 'choose-field')]").get_by_role(
            "status"
        )

    def option(self, name: str) -> Locator:
        return self.list.get_by_test_id(f"option-{name}")

    def title(self, title: str) -> Locator:
        return self.list.get_by_role("option").filter(has_text=title)

    def take(self, text: str, title: str) -> None:
        """Search for the text, and choose what is called so."""
        self.field.fill(text)
        self.title(title).first.click()
        expect(self.field).to_have_value(title)
