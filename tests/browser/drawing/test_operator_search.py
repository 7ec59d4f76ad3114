"""The search of the palette answers the words of the field; a recipe is added with one press."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user
from tests.browser.studio import Studio, log_in
from tests.operators.test_recipes import WORDS
from workers.stack import Stack

pytestmark = pytest.mark.browser
FIRST = {
    "latest value": "latest_event_to_state",
    "latest event to state": "latest_event_to_state",
    "ever happened": "has_existed",
    "moving average": "mean_within",
    "ratio": "divide",
    "if": "when",
    "previous": "previous_value",
    "debounce": "held_for",
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "searcher", streams=["searched"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "searcher")
    studio = Studio(page)
    studio.new()
    return studio


def test_no_word_that_people_search_by_stays_without_an_answer(studio: Studio) -> None:
    field = studio.page.get_by_label("Search operators")
    for word in WORDS:
        field.fill(word)
        expect(studio.page.locator(".palette-item").first, word).to_be_visible()
        expect(studio.page.get_by_text("No operator or recipe matches"), word).to_have_count(0)


@pytest.mark.parametrize(("words", "name"), FIRST.items())
def test_enter_adds_what_is_meant(studio: Studio, words: str, name: str) -> None:
    field = studio.page.get_by_label("Search operators")
    field.fill(words)
    field.press("Enter")
    expect(studio.node(name)).to_be_visible()


def test_what_nothing_answers_is_said(studio: Studio) -> None:
    studio.page.get_by_label("Search operators").fill("xyzzy")
    expect(studio.page.get_by_text("No operator or recipe matches")).to_be_visible()
    expect(studio.page.locator(".palette-item")).to_have_count(0)


def test_a_recipe_is_added_to_the_plan_and_undone_in_one_step(studio: Studio) -> None:
    studio.drop_operator("event_count", (300, 80))
    studio.choose_stream("searched")
    studio.click_canvas()
    studio.page.get_by_label("Search operators").fill("share of time")
    recipes = studio.page.get_by_test_id("recipes")
    recipes.get_by_role("button", name="Share of time in a state over the last hour").click()
    expect(studio.wire_of("state", "failed")).to_be_attached()
    expect(studio.wire_of("failed", "failed_share")).to_be_attached()
    expect(studio.notice).to_contain_text("Added “Share of time in a state over the last hour”")
    document = studio.document()
    assert document["nodes"]["failed_share"] == {
        "op": "mean_within",
        "inputs": {"of": "failed"},
        "params": {"duration": "1h"},
    }
    assert document["nodes"]["state"] == {"op": "latest_event_to_state", "stream": "searched"}
    studio.click_canvas()
    studio.undo()
    expect(studio.node("failed_share")).not_to_be_attached()
    expect(studio.node("event_count")).to_be_visible()


def test_a_recipe_keeps_the_fields_that_the_stream_has(studio: Studio, ada: Api) -> None:
    machine = {"name": "machine", "key": "k", "time": "t", "unit": "ms", "fields": {"state": "text"}}
    ada.call("POST", "streams/", machine)
    studio.new()
    studio.drop_operator("event_count", (300, 80))
    studio.choose_stream("machine")
    studio.click_canvas()
    studio.page.get_by_label("Search operators").fill("followed by")
    expect(studio.page.get_by_test_id("recipes")).to_contain_text("A followed by B within ten minutes")
    studio.page.get_by_label("Search operators").fill("time since the last change")
    studio.page.get_by_test_id("recipes").get_by_role("button").first.click()
    expect(studio.wire_of("state", "seconds_in_state")).to_be_attached()
    assert studio.document()["nodes"]["state"] == {
        "op": "latest_event_to_state",
        "stream": "machine",
        "params": {"field": "state"},
    }
