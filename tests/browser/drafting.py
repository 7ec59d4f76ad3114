"""The draft of a plan as a person sees it: saved by itself, shared with others, kept when the network is away."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.product import Api, wait_until


class Draft:
    """What a studio page says of its draft."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.status = page.get_by_test_id("save")
        self.news = page.get_by_test_id("news")
        self.people = page.get_by_test_id("people").locator(".person")
        self.conflict_dialog = page.get_by_role("dialog", name="Edit conflict")

    def expect(self, standing: str, seconds: float = 5) -> None:
        expect(self.status).to_have_attribute("data-standing", standing, timeout=seconds * 1000)

    def conflict(self, words: str) -> Locator:
        return self.page.get_by_test_id("conflict").filter(has_text=words)

    def take(self, words: str, side: str) -> None:
        self.conflict(words).get_by_test_id(f"take-{side}").click()

    def kept(self) -> list[str]:
        """What is kept in the browser because it is not saved yet."""
        names: list[str] = self.page.evaluate(
            "Object.keys(localStorage).filter(it => it.startsWith('timelines.kept.'))"
        )
        return names


def wait_until_saved_as(api: Api, plan: int, expected: Any, seconds: float = 5) -> None:
    """Wait until the server's draft is this."""

    def read_draft() -> Any:
        return api.get(f"plans/{plan}/")["document"]

    wait_until(lambda: read_draft() == expected, seconds, words=read_draft)
