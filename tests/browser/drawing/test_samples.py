"""Test on a sample: what every node says at once, and tests of a plan whose expected spans are painted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, Document, add_user, build_leaf, wait_until
from tests.browser.studio import Studio, log_in
from tests.browser.testing import Testing
from workers.stack import Stack

pytestmark = pytest.mark.browser

START = 1_719_835_421_000  # 12:03:41
US = START * 1_000
SECOND = 1_000_000
STATES = [(0, "play"), (9, "buffer"), (12, "play"), (20, "stopped")]
EVENTS: list[Document] = [
    {
        "session_id": key,
        "event_id": f"{key}{at}",
        "t": START + at * 1_000 + late,
        "player_state": state,
        "cdn": cdn,
    }
    for key, cdn, late in (("s1", "CDN1", 0), ("s2", "CDN2", 500))
    for at, state in STATES
]


def build_document(stream: str) -> Document:
    """Seconds of buffering, by network."""
    nodes = {
        "played": build_leaf("has_existed", stream, where='player_state == "play"'),
        "state": build_leaf("latest_event_to_state", stream, field="player_state"),
        "cdn": build_leaf("latest_event_to_state", stream, field="cdn"),
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        "seconds": {"op": "duration_where", "inputs": {"of": "buffering"}},
        "by_cdn": {
            "op": "aggregate",
            "inputs": {"of": "seconds", "by": "cdn"},
            "params": {"function": "sum"},
        },
    }
    places = [[0, 0], [0, 180], [0, 360], [320, 180], [640, 180], [960, 240]]
    layout = dict(zip(nodes, places, strict=True))
    return {"version": 1, "name": "Buffering", "nodes": nodes, "results": ["by_cdn"], "layout": layout}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "sampler")
    user.declare("clips")
    user.push("clips", EVENTS)
    user.declare("quiet")
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "sampler")
    return Studio(page)


def open_plan(studio: Studio, ada: Api, stream: str = "clips") -> Testing:
    """A new plan, with the dock."""
    plan = ada.add_plan(build_document(stream))
    studio.open(plan["id"])
    testing = Testing(studio.page)
    testing.open()
    return testing


def keep_sample(ada: Api, name: str) -> int:
    return int(ada.call("POST", "samples/", {"name": name, "streams": ["clips"], "last": 100})["id"])


def test_every_node_answers_at_once_on_the_last_events(studio: Studio, ada: Api) -> None:
    before = {node["digest"] for node in ada.get("nodes/")}
    testing = open_plan(studio, ada)
    testing.record("last", 100, name="Eight events")
    expect(testing.page.get_by_test_id("sample-facts")).to_have_text("8 events, 2 keys")
    for node in build_document("clips")["nodes"]:
        expect(testing.lane(node)).to_be_visible()
    expect(testing.page.get_by_test_id("sample-events-clips")).to_have_attribute("data-count", "4")
    assert testing.points("buffering") == [
        {"t": None, "value": None},
        {"t": US, "value": False},
        {"t": US + 9 * SECOND, "value": True},
        {"t": US + 12 * SECOND, "value": False},
    ]
    testing.page.get_by_test_id("sample-key").select_option("s2")
    expect(testing.lane("played")).to_have_attribute("data-key", "s2")
    assert testing.points("played")[1] == {"t": US + SECOND // 2, "value": True}
    testing.page.get_by_test_id("sample-group").select_option("CDN2")
    expect(testing.lane("by_cdn")).to_have_attribute("data-key", "CDN2")
    assert {node["digest"] for node in ada.get("nodes/")} == before, "nothing was started"


def test_a_click_fills_the_stretch_between_two_changes(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For filling")
    testing = open_plan(studio, ada)
    expect(testing.lane("played")).to_be_visible()
    testing.make_test()
    testing.fill("buffering", "true", 0.1)
    testing.expect_status("Test 1", "failed")
    assert testing.spans("buffering") == [{"value": True, "from": US, "to": US + 9 * SECOND}]


def test_the_answer_follows_what_is_drawn(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For drawing")
    testing = open_plan(studio, ada)
    expect(testing.lane("buffering")).to_be_visible()
    studio.select("buffering")
    studio.set_parameter("value", "stopped")
    wait_until(
        lambda: testing.points("buffering")[-1] == {"t": US + 20 * SECOND, "value": True}, 60, studio.wait
    )
    studio.set_parameter("value", "")
    expect(testing.dock).to_contain_text("Not computed, because these nodes or their inputs have problems")
    expect(testing.lane("seconds")).not_to_be_attached()
    expect(testing.lane("state")).to_be_visible()


def test_a_test_is_taken_painted_undone_and_says_where_it_differs(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For painting")
    testing = open_plan(studio, ada)
    expect(testing.lane("played")).to_be_visible()
    testing.make_test()
    expect(studio.page.get_by_test_id("test-Test 1")).to_contain_text("expects nothing yet")
    expect(studio.page.get_by_test_id("new-test")).to_be_in_viewport(ratio=1)
    testing.expected("played").get_by_role("button", name="Use actual").click()
    testing.expect_status("Test 1", "passed")
    assert [span["value"] for span in testing.spans("played")] == [False, True]

    testing.paint("played", "unknown", 0.5, 0.9)
    testing.expect_status("Test 1", "failed")
    expect(testing.differences).to_contain_text("node played, key s1: expected unknown from 12:03:5")
    expect(testing.differences).to_contain_text("got true")
    expect(testing.saving).to_have_text("saved")
    studio.page.get_by_test_id("run-tests").click()
    expect(testing.summary).to_have_text("1 failed")
    testing.expect_status("Test 1", "failed")

    testing.canvas_of("played").focus()
    studio.undo()
    testing.expect_status("Test 1", "passed")
    studio.redo()
    testing.expect_status("Test 1", "failed")
    answer = ada.get(f"plans/{studio.plan}/tests/")[0]["expected"][0]
    assert (answer["node"], answer["key"], len(answer["spans"])) == ("played", "s1", 4)
    studio.page.reload()
    testing.expect_status("Test 1", "failed")


def test_painting_works_by_keyboard_and_by_table(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For keys")
    testing = open_plan(studio, ada)
    expect(testing.lane("buffering")).to_be_visible()
    testing.make_test()
    page, strip = studio.page, testing.canvas_of("buffering")
    strip.focus()
    for key in ("Home", "ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert testing.spans("buffering") == [{"value": True, "from": US, "to": US + 9 * SECOND}]
    testing.expect_status("Test 1", "failed")
    testing.expected("buffering").get_by_role("button", name="Table").click()
    page.get_by_label("Span 1 value").fill("false")
    page.get_by_label("Span 1 value").press("Enter")
    testing.expect_status("Test 1", "passed")
    page.get_by_label("Span 1 to").fill("12:03:51")
    page.get_by_label("Span 1 to").press("Enter")
    testing.expect_status("Test 1", "failed")
    words = "node buffering, key s1: expected false from 12:03:50 to 12:03:51, got true"
    expect(testing.differences).to_contain_text(words)
    page.get_by_label("Edges may be off by").select_option("1s")
    testing.expect_status("Test 1", "passed")
    strip.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Delete")
    wait_until(lambda: testing.spans("buffering") == [], 60, studio.wait)


def test_numbers_are_painted_with_a_slope_and_a_tolerance(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For numbers")
    testing = open_plan(studio, ada)
    expect(testing.lane("seconds")).to_be_visible()
    testing.make_test()
    testing.paint("seconds", "a number", 0.6, 0.95)
    testing.expect_status("Test 1", "failed")
    expect(testing.differences).to_contain_text("node seconds, key s1: expected 0 from")
    testing.expected("seconds").get_by_role("button", name="Table").click()
    studio.page.get_by_label("Numbers may differ by").fill("3")
    testing.expect_status("Test 1", "passed")


def test_a_renamed_node_is_followed_and_a_deleted_one_told(studio: Studio, ada: Api) -> None:
    keep_sample(ada, "For names")
    testing = open_plan(studio, ada)
    expect(testing.lane("played")).to_be_visible()
    testing.make_test()
    testing.expected("played").get_by_role("button", name="Use actual").click()
    testing.expect_status("Test 1", "passed")
    expect(testing.saving).to_have_text("saved")
    studio.select("played")
    studio.rename("started")
    testing.expect_status("Test 1", "broken")
    expect(testing.differences).to_contain_text("node played is now called started")
    studio.page.get_by_test_id("follow-names").click()
    testing.expect_status("Test 1", "passed")
    studio.select("started")
    studio.page.get_by_test_id("delete-node").click()
    testing.expect_status("Test 1", "broken")
    expect(testing.differences).to_contain_text("node started is no longer in the plan")


def test_events_to_come_are_recorded_while_one_looks(studio: Studio, ada: Api) -> None:
    ada.declare("tomorrow")
    testing = open_plan(studio, ada, "tomorrow")
    testing.record("next", 4, keys="s1", name="To come")
    expect(testing.page.get_by_test_id("recording")).to_contain_text("recording: 0 of 4 events")
    ada.push("tomorrow", EVENTS[:2] + EVENTS[4:])
    expect(testing.page.get_by_test_id("recording")).to_contain_text("recording: 2 of 4 events")
    expect(testing.lane("played")).to_be_visible()
    ada.push("tomorrow", EVENTS[2:4])
    expect(testing.page.get_by_test_id("sample-facts")).to_have_text("4 events, 1 key")


def test_a_file_is_uploaded_and_a_bad_one_refused_by_line(studio: Studio, ada: Api) -> None:
    testing = open_plan(studio, ada)
    testing.upload("clips", "odd.jsonl", b'{"session_id": "s1"}\n')
    dialog = testing.page.get_by_role("dialog", name="New sample")
    expect(dialog.get_by_role("alert")).to_contain_text("clips, line 1: the time 't' is missing")
    dialog.get_by_role("button", name="Cancel").click()
    lines: Any = "\n".join(map(json.dumps, EVENTS)).encode()
    testing.upload("clips", "good.jsonl", lines)
    expect(testing.page.get_by_test_id("sample-facts")).to_have_text("8 events, 2 keys")
    expect(testing.page.get_by_test_id("sample").locator("option:checked")).to_have_text("good.jsonl")


def test_fields_of_a_file_are_mapped_and_seen_before_and_after(studio: Studio, ada: Api) -> None:
    testing = open_plan(studio, ada)
    others = [{**event, "Sitzung": event["session_id"]} for event in EVENTS]
    body = "\n".join(json.dumps({n: v for n, v in event.items() if n != "session_id"}) for event in others)
    testing.upload("clips", "others.jsonl", body.encode())
    dialog = testing.page.get_by_role("dialog", name="New sample")
    expect(dialog.get_by_role("alert")).to_contain_text("the key 'session_id' is missing")
    dialog.get_by_test_id("add-rule").click()
    dialog.get_by_label("Field of rule 1", exact=True).fill("session_id")
    dialog.get_by_label("Source field of rule 1").fill("Sitzung")
    first = dialog.get_by_role("region", name="Event 1")
    expect(first.get_by_role("columnheader", name="session_id")).to_be_visible(timeout=30_000)
    expect(first.get_by_role("row", name="After")).to_contain_text("s1")
    dialog.get_by_test_id("keep-sample").click()
    expect(testing.page.get_by_test_id("sample-facts")).to_have_text("8 events, 2 keys")


def test_others_see_the_tests_and_cannot_change_them(studio: Studio, ada: Api, stack: Stack) -> None:
    sample = keep_sample(ada, "For others")
    plan = ada.add_plan(build_document("clips"))["id"]
    ada.call("POST", f"plans/{plan}/tests/", {"name": "Now", "sample": sample, "take": {"keys": ["s1"]}})
    add_user(stack, "looker")
    studio.page.context.clear_cookies()
    log_in(studio.page, "looker")
    studio.open(plan)
    testing = Testing(studio.page)
    testing.open()
    testing.expect_status("Now", "passed")
    testing.test("Now").click()
    expect(testing.expected("played")).to_be_visible()
    expect(testing.expected("played").get_by_role("button", name="Use actual")).not_to_be_attached()
    expect(testing.page.get_by_test_id("new-test")).to_be_disabled()
