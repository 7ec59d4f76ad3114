"""What is written as code is drawn letter by letter, in each place where one writes or reads it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.code import Code
from tests.browser.product import add_user
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

LOOKS = "it => [getComputedStyle(it).fontFamily.includes('Mono'), getComputedStyle(it).fontVariantLigatures]"


def expect_letters(locator: Locator) -> None:
    expect(locator).to_be_visible()
    assert locator.evaluate(LOOKS) == [True, "none"]


def test_no_code_field_draws_a_ligature(page: Page, stack: Stack) -> None:
    add_user(stack, "liga", streams=["lettered"])
    log_in(page, "liga")
    studio = Studio(page)
    studio.new()
    studio.drop_operator("has_existed", (360, 300))
    expect_letters(page.get_by_test_id("param-where"))
    for view in ("text", "json"):
        code = Code(page, view)
        code.show()
        expect_letters(code.content)
