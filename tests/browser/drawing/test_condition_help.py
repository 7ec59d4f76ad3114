"""Conditions in the inspector are completed as in the text editor, and functions say what they are."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "completer", streams=["completed_stream"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "completer")
    studio = Studio(page)
    studio.new()
    studio.drop_operator("has_existed", (360, 300))
    page.get_by_role("combobox", name="Stream").select_option("completed_stream")
    return studio


def test_fields_and_functions_are_completed_by_keyboard(studio: Studio) -> None:
    page = studio.page
    where, proposed = page.get_by_test_id("param-where"), page.get_by_test_id("param-where-completion")
    where.click()
    page.keyboard.type("low")
    expect(proposed.get_by_role("option")).to_have_text(["lower(text)"])
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/light.png")
        page.emulate_media(color_scheme="dark")
        page.screenshot(path=f"{folder}/dark.png")
        page.emulate_media(color_scheme="light")
    page.keyboard.press("Tab")
    expect(where).to_have_value("lower(text)")
    page.keyboard.type("pl")
    expect(proposed.get_by_role("option").first).to_contain_text("player_state")
    page.keyboard.press("Enter")
    expect(where).to_have_value("lower(player_state)")
    expect(page.get_by_test_id("param-where-help")).to_contain_text("lower(text)")
    page.keyboard.press("End")
    page.keyboard.type(' == "play" and ')
    page.keyboard.press("Control+Space")
    expect(proposed.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(proposed.get_by_role("option", selected=True)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(proposed).not_to_be_attached()
    expect(where, "the node stays selected").to_be_visible()


def test_an_unknown_function_is_told_with_the_nearest(studio: Studio) -> None:
    where = studio.page.get_by_test_id("param-where")
    where.fill('lowr(player_state) == "play"')
    expect(studio.page.get_by_test_id("wrong-where")).to_contain_text("did you mean lower")
