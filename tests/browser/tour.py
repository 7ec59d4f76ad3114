"""The tour as a reader takes it."""

from __future__ import annotations

from playwright.sync_api import Page, expect


class Tour:
    """The words that stand beside what they are about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.words = page.get_by_test_id("tour")
        self.offer = page.get_by_test_id("tour-offer")
        self.take = page.get_by_test_id("take-tour")

    def expect_step(self, number: int, title: str) -> None:
        expect(self.words.get_by_role("heading", name=title)).to_be_visible()
        expect(self.words).to_contain_text(f"{number} of 13")

    def press(self, button: str) -> None:
        self.words.get_by_role("button", name=button).click()

    def declare_the_sample(self) -> str:
        """From the offer to the page of one's own stream, whose name is the answer."""
        self.offer.get_by_role("button", name="Take the tour").click()
        self.expect_step(1, "Events first")
        self.press("Next")
        self.expect_step(2, "Paste some events")
        self.press("Use sample")
        self.expect_step(3, "Check the detected settings and name it")
        self.press("Name it for me")
        name = self.page.get_by_test_id("stream-name").input_value()
        self.page.get_by_test_id("declare").click()
        self.expect_step(4, "Your stream is ready")
        return name

    def draw_the_node(self, stream: str) -> None:
        """From the page of the stream to a plan that can be run."""
        self.press("Next")
        self.expect_step(5, "An operator reads the events")
        self.page.get_by_test_id("palette-latest_event_to_state").click()
        self.expect_step(6, "Choose its input")
        expect(self.words).to_contain_text(f"“{stream}”")
        self.page.get_by_test_id("stream-select").select_option(stream)
        self.page.get_by_test_id("param-field").fill("player_state")
        self.expect_step(7, "Run it")
