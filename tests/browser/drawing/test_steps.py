"""The editor of steps: a sequence is drawn with the mouse and the keyboard, and what is wrong is said at its field."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.product import Api, add_user
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAYS = 'player_state == "play"'


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "stepper", streams=["stepped", "stepped_too"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    """A sequence that was dropped on the canvas, selected, with two steps."""
    log_in(page, "stepper")
    studio = Studio(page)
    studio.new()
    studio.drop_operator("sequence", (360, 300))
    add(find_steps(page))
    expect(find_steps(page).get_by_role("listitem")).to_have_count(1)
    add(find_steps(page))
    find_field(page, "step-0-name").fill("start")
    find_field(page, "step-0-stream").select_option("stepped")
    find_field(page, "step-0-where").fill(PLAYS)
    find_field(page, "step-1-name").fill("end")
    find_field(page, "step-1-stream").select_option("stepped")
    return studio


def find_steps(page: Page) -> Locator:
    return page.get_by_test_id("param-steps")


def find_breaks(page: Page) -> Locator:
    return page.get_by_test_id("param-not")


def add(group: Locator) -> None:
    group.get_by_role("button", name="Add", exact=True).click()


def find_field(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def read_params(studio: Studio) -> dict[str, Any]:
    document: dict[str, Any] = studio.document()["nodes"]["sequence"]["params"]
    return document


def build_step(name: str, stream: str = "stepped", **others: str) -> dict[str, str]:
    return {"name": name, "stream": stream, **others}


START = build_step("start", where=PLAYS)


def test_two_steps_are_a_plan_that_may_run(studio: Studio) -> None:
    assert read_params(studio)["steps"] == [START, build_step("end")]
    expect(studio.page.get_by_test_id("step-0-within")).to_have_count(0)
    expect(studio.run_button).to_be_enabled()


def test_a_third_step_reads_another_stream_within_a_limit(studio: Studio) -> None:
    add(find_steps(studio.page))
    find_field(studio.page, "step-2-name").fill("paid")
    find_field(studio.page, "step-2-stream").select_option("stepped_too")
    find_field(studio.page, "step-2-within").fill("5min")
    studio.set_parameter("within", "1h")
    studio.set_parameter("again", "latest")
    assert read_params(studio) == {
        "steps": [START, build_step("end"), build_step("paid", "stepped_too", within="5min")],
        "within": "1h",
        "again": "latest",
    }
    expect(studio.run_button).to_be_enabled()


def test_steps_change_places_and_go(studio: Studio) -> None:
    add(find_steps(studio.page))
    find_field(studio.page, "step-1-within").fill("3s")
    studio.page.get_by_role("button", name="Move step 2 up").click()
    assert [item["name"] for item in read_params(studio)["steps"]] == ["end", "start", "step_3"]
    assert "within" not in read_params(studio)["steps"][0]
    studio.page.get_by_role("button", name="Remove step 1").click()
    assert read_params(studio)["steps"] == [START, build_step("step_3")]
    studio.click_canvas()
    studio.undo()
    assert [item["name"] for item in read_params(studio)["steps"]] == ["end", "start", "step_3"]


def test_what_breaks_a_run_stands_anywhere_or_between_two_steps(studio: Studio) -> None:
    add(find_breaks(studio.page))
    find_field(studio.page, "break-0-stream").select_option("stepped")
    find_field(studio.page, "break-0-where").fill('player_state == "stop"')
    assert read_params(studio)["not"] == [{"stream": "stepped", "where": 'player_state == "stop"'}]
    find_breaks(studio.page).get_by_label("Anywhere").uncheck()
    assert read_params(studio)["not"][0]["between"] == ["start", "end"]
    find_field(studio.page, "step-1-name").fill("done")
    assert read_params(studio)["not"][0]["between"] == ["start", "done"]
    studio.page.get_by_role("button", name="Remove condition 1").click()
    assert "not" not in read_params(studio)


def test_what_is_wrong_is_said_and_run_is_refused(studio: Studio) -> None:
    find_field(studio.page, "step-1-within").fill("soon")
    expect(studio.problems).to_contain_text("'soon' is not a duration")
    expect(studio.run_button).to_be_disabled()
    expect(find_field(studio.page, "step-1-within")).to_have_attribute("aria-invalid", "true")
    find_field(studio.page, "step-1-within").fill("")
    find_field(studio.page, "step-1-name").fill("start")
    expect(studio.problems).to_contain_text("2 steps are called 'start'")
    find_field(studio.page, "step-1-name").fill("end")
    find_field(studio.page, "step-0-where").fill('player_state = "play"')
    expect(studio.problems).to_contain_text("1 (start)")
    find_field(studio.page, "step-0-where").fill(PLAYS)
    expect(studio.run_button).to_be_enabled()
