"""The pages of streams as a person uses them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from playwright.sync_api import FilePayload, Locator, Page, expect


class Wizard:
    """The page on which a stream is declared."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.preview = page.get_by_test_id("preview")
        self.refused = page.get_by_test_id("sample-refused")
        self.lateness = page.get_by_test_id("sample-lateness")
        self.failure = page.get_by_test_id("sample-failure")
        self.refusal = page.get_by_test_id("declare-refusal")

    def open(self) -> None:
        self.page.goto("/streams/declare-new/")
        expect(self.page.get_by_test_id("sample")).to_be_visible()

    def paste(self, text: str) -> None:
        self.page.get_by_test_id("sample").fill(text)
        self.page.get_by_test_id("look").click()

    def paste_events(self, events: Iterable[Mapping[str, Any]]) -> None:
        self.paste("\n".join(map(json.dumps, events)))
        expect(self.preview).to_be_visible()

    def choose_file(self, name: str, body: bytes) -> None:
        file = FilePayload(name=name, mimeType="application/octet-stream", buffer=body)
        self.page.get_by_test_id("sample-file").set_input_files(file)

    def field(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"stream-{name}")

    def guess(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"guess-{name}")

    def declare(self, name: str) -> None:
        """Under that name; its page opens."""
        self.field("name").fill(name)
        self.page.get_by_test_id("declare").click()
        expect(self.page.locator(f"main[data-testid=stream-{name}]")).to_be_visible()
