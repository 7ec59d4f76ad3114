"""A new plan from a template: found, looked at, created with its streams and events, and seen to answer."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.product import Api, add_user
from tests.browser.studio import Studio, log_in
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser
TRAVEL = "Card used in two countries within an hour"
FUNNEL = "Funnel from visit to purchase"


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "templater")
    user.declare("web")  # with another key than the template's
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "templater")
    studio = Studio(page)
    studio.new()
    page.get_by_test_id("choose-template").click()
    return studio


def choose_template(studio: Studio, words: str, title: str) -> Locator:
    """Search for it and press it; answers what is shown of it."""
    dialog = studio.page.get_by_role("dialog", name="New plan from a template")
    dialog.get_by_label("Search templates").fill(words)
    dialog.get_by_role("button", name=title).click()
    return dialog.get_by_test_id("template-detail")


def create_plan(studio: Studio) -> Testing:
    """Make a plan of what is chosen; it opens with the sample below."""
    studio.page.get_by_test_id("create-from-template").click()
    expect(studio.page).to_have_url(re.compile(r"/plans/\d+/\?tests=1"))
    return Testing(studio.page)


def test_a_template_shows_its_lanes_at_once(studio: Studio, ada: Api) -> None:
    detail = choose_template(studio, "impossible travel", TRAVEL)
    expect(detail).to_contain_text("Which cards were used in two countries")
    expect(detail).to_contain_text("values_within(payment.country, 1h, distinct)")
    expect(detail).to_contain_text("a sample of 13 events")
    testing = create_plan(studio)
    expect(testing.lane("impossible")).to_have_attribute("data-points", re.compile("true"))
    expect(studio.node("countries")).to_be_visible()
    expect(studio.page.get_by_test_id("problems")).not_to_contain_text("error")
    assert ada.call("GET", "streams/payment/")["fields"] == {"country": "text"}


def test_streams_have_another_name_where_theirs_is_taken(studio: Studio) -> None:
    choose_template(studio, "funnel visit", FUNNEL)
    testing = create_plan(studio)
    expect(testing.lane("conversions")).to_have_attribute("data-points", re.compile(r"2\.0|\b2\b"))
    steps = studio.document()["nodes"]["way"]["params"]["steps"]
    assert [step["stream"] for step in steps] == ["web_2"] * 3


def test_nothing_is_created_before_a_template_is_chosen(studio: Studio) -> None:
    page = studio.page
    page.get_by_label("Search templates").fill("xyzzy")
    expect(page.get_by_text("No template matches")).to_be_visible()
    page.get_by_test_id("create-from-template").click(force=True)
    expect(page.get_by_role("alert").filter(has_text="Choose a template first.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("templates")).to_have_count(0)
