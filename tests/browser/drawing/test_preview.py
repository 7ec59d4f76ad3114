"""While a plan is drawn, its nodes say what they say of the newest events of its streams; nothing is started."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.test_samples import EVENTS, SECOND, US, build_document
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, wait_until
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def eva(stack: Stack) -> Api:
    user = add_user(stack, "previewer")
    user.declare("previewed")
    user.push("previewed", EVENTS)
    return user


@pytest.fixture
def studio(page: Page, eva: Api) -> Studio:
    log_in(page, "previewer")
    return Studio(page)


def read_points(lanes: Lanes, name: str) -> Any:
    return json.loads(lanes.lane(name).get_attribute("data-points") or "null")


def test_what_is_drawn_is_seen_before_it_runs(studio: Studio, eva: Api) -> None:
    before = {node["digest"] for node in eva.get("nodes/")}
    studio.open(eva.add_plan(build_document("previewed"))["id"])
    lanes = Lanes(studio.page)
    buffered = [[None, None], [US, False], [US + 9 * SECOND, True], [US + 12 * SECOND, False]]
    wait_until(lambda: read_points(lanes, "buffering") == buffered, 60, studio.wait)
    expect(lanes.lane("buffering")).to_contain_text("preview")
    expect(lanes.on_canvas("seconds")).to_contain_text("3")
    expect(lanes.lane("by_cdn")).to_be_visible()
    expect(lanes.lane("buffering").get_by_role("button", name="Why is buffering so?")).to_have_count(0)

    studio.select("buffering")
    studio.set_parameter("value", "stopped")
    wait_until(lambda: read_points(lanes, "buffering")[-1] == [US + 20 * SECOND, True], 60, studio.wait)
    studio.choose("key", "s2")
    wait_until(lambda: read_points(lanes, "played")[1] == [US + SECOND // 2, True], 60, studio.wait)
    assert {node["digest"] for node in eva.get("nodes/")} == before, "nothing was started"


def test_a_condition_that_none_of_the_newest_events_meets_is_told_at_once(studio: Studio, eva: Api) -> None:
    document = build_document("previewed")
    document["nodes"]["played"]["params"]["where"] = 'player_state == "plays"'
    studio.open(eva.add_plan(document)["id"])
    expect(studio.page.get_by_test_id("problems")).to_contain_text("did you mean 'play'", timeout=60_000)
