"""Before Run, Apply and Stop it is said what happens; while nodes start, how far each is, and what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.engine import say
from tests.browser.drawing.log import Log
from tests.browser.lanes import Lanes
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


def build_document(name: str, **nodes: Any) -> Document:
    return {"version": 1, "name": name, "nodes": nodes}


STATE = build_leaf("latest_event_to_state", "runs", field="player_state")
NEVER = {"op": "not", "inputs": {"of": "played"}}


def build_played(state: str) -> Document:
    """A node that no other plan has."""
    return build_leaf("has_existed", "runs", where=f'player_state == "{state}"')


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "runner")
    user.declare("runs")
    user.push("runs", [{"session_id": "s1", "t": n, "event_id": f"e{n}"} for n in range(3)])
    return user


@pytest.fixture(scope="module")
def bob(stack: Stack, ada: Api) -> Api:
    """Somebody whose plan runs already."""
    user = add_user(stack, "neighbour")
    plan = user.add_plan(build_document("His own", state=STATE))
    user.run(plan["id"])
    return user


@pytest.fixture
def studio(page: Page, ada: Api, bob: Api) -> Studio:
    log_in(page, "runner")
    return Studio(page)


def find_fate(page: Page, name: str) -> Any:
    return page.get_by_test_id(f"fate-{name}")


def test_before_a_run_it_is_said_what_is_new_what_runs_already_and_what_is_computed_anew(
    studio: Studio, ada: Api
) -> None:
    page = studio.page
    studio.open(
        ada.add_plan(build_document("Before", played=build_played("before"), never=NEVER, state=STATE))["id"]
    )
    dialog = studio.ask_to_run()
    expect(dialog).to_contain_text("2 nodes start, 1 is running already (shared).")
    expect(dialog).to_contain_text("Replays 3 stored events from runs.")
    expect(find_fate(page, "new")).to_contain_text("reads runs from the beginning")
    expect(find_fate(page, "joined")).to_contain_text("neighbour's")
    expect(find_fate(page, "joined")).to_contain_text("used by neighbour's “His own”")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_attached()
    expect(page.get_by_test_id("stop")).to_be_disabled()

    studio.run_button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("confirm")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("running")).to_contain_text("0 of 3 run")


def test_before_changes_are_applied_it_is_said_what_begins_anew_and_what_stops(
    studio: Studio, ada: Api
) -> None:
    plan = ada.add_plan(build_document("Edit", kept=STATE, gone=build_played("edit")))["id"]
    ada.run(plan)
    studio.open(plan)
    studio.select("gone")
    studio.set_parameter("where", 'player_state == "pause"')
    studio.click_canvas()
    dialog = studio.ask_to_run()
    expect(dialog).to_contain_text("1 node starts, 1 stays as it is, 1 stops.")
    expect(find_fate(studio.page, "changed")).to_contain_text("gone")
    expect(find_fate(studio.page, "stopped")).to_contain_text("gone")
    expect(find_fate(studio.page, "kept")).to_contain_text("used by neighbour's “His own”")
    studio.confirm()
    studio.expect_saved()
    expect(studio.run_button).to_be_disabled()
    expect(studio.run_button).to_have_attribute("title", "No changes to apply")


def test_a_new_plan_that_nobody_saved_is_told_its_consequences_too(studio: Studio) -> None:
    studio.new()
    studio.drop_operator("event_count", (300, 200))
    studio.choose_stream("runs")
    expect(studio.ask_to_run()).to_contain_text("1 node starts.")
    studio.confirm()
    expect(studio.page.get_by_test_id("running-event_count")).to_be_visible()
    assert studio.plan is not None


def test_before_a_stop_it_is_said_what_goes_on_for_whom(studio: Studio, ada: Api) -> None:
    plan = ada.add_plan(build_document("Leave", state=STATE, ended=build_played("leave")))["id"]
    ada.run(plan)
    studio.open(plan)
    dialog = studio.ask_to_stop()
    expect(find_fate(studio.page, "stopped")).to_contain_text("ended")
    expect(find_fate(studio.page, "left")).to_contain_text("state")
    expect(find_fate(studio.page, "left")).to_contain_text("for neighbour's “His own”")
    studio.page.get_by_role("button", name="Keep it running").click()
    expect(dialog).not_to_be_attached()
    assert ada.get(f"plans/{plan}/")["running"]
    studio.stop()
    assert not ada.get(f"plans/{plan}/")["running"]
    expect(studio.page.get_by_test_id("running")).not_to_be_attached()
    expect(studio.page.get_by_test_id("still-running")).to_have_text("keeps running for others: state")


def test_what_ran_for_the_first_time_is_shown_on_after_it_was_stopped(
    studio: Studio, ada: Api, stack: Stack
) -> None:
    plan = ada.add_plan(build_document("Once", once=build_played("once")))["id"]
    studio.open(plan, key="s1")
    studio.run()
    log, lanes = Log(stack, ada.digests(plan)), Lanes(studio.page)
    log.say("once", "s1", [[None, False]])
    log.publish()
    expect(lanes.value("once")).to_have_text("false")
    studio.stop()
    lanes.expect_told("once")
    expect(lanes.value("once")).to_have_text("false")


def test_while_nodes_start_each_says_how_far_it_is_and_what_is_wrong_with_it(
    studio: Studio, ada: Api, stack: Stack
) -> None:
    page = studio.page
    nodes = {
        "counted": build_leaf("event_count", "runs", where='player_state == "count"'),
        "full": build_leaf("has_existed", "runs", where='player_state == "full"'),
        "quick": build_leaf("has_existed", "runs", where='player_state == "quick"'),
    }
    plan = ada.add_plan(build_document("Progress", **nodes))["id"]
    ada.run(plan)
    digests = ada.digests(plan)
    studio.open(plan)
    row = {name: page.get_by_test_id(f"running-{name}") for name in nodes}
    expect(row["counted"]).to_contain_text("starting")
    say(stack, digests["counted"], "running", "catching up", backlog=1000, lag=570, events_per_second=1204.0)
    say(stack, digests["quick"], "running", "running")
    say(stack, digests["full"], "failed", "failed", "java.io.IOException: No space left on device")
    expect(row["counted"]).to_contain_text("43 % · 1,204 events/s")
    expect(row["counted"]).to_contain_text("s left")
    expect(row["counted"].get_by_role("progressbar")).to_have_js_property("value", 0.43)
    expect(row["full"]).to_contain_text("The disk is full.")
    expect(row["full"]).to_contain_text("press Apply")
    expect(page.get_by_test_id("running")).to_contain_text("2 of 3 run · 1 failing · 1 catching up")
    names = page.get_by_test_id("running").get_by_role("listitem").locator("b:not(.bad)")
    expect(names, "what needs a person comes first").to_have_text(["full", "counted", "quick"])
    row["full"].get_by_text("Reported problem").click()
    expect(row["full"]).to_contain_text("java.io.IOException")
    row["full"].get_by_role("button").click()
    expect(page.get_by_test_id("node-name")).to_have_value("full")


def test_what_is_drawn_but_not_applied_is_marked_at_the_button_and_at_the_node(
    studio: Studio, ada: Api
) -> None:
    """An undo takes the marks away: by what is computed, not by how often it was changed."""
    page = studio.page
    plan = ada.add_plan(build_document("Marks", kept=build_played("kept"), other=build_played("other")))["id"]
    ada.run(plan)
    studio.open(plan)
    expect(studio.run_button).to_have_text("Apply")
    studio.select("kept")
    studio.set_parameter("where", 'player_state == "changed"')
    expect(studio.run_button).to_have_text("Apply changes")
    expect(studio.run_button).to_have_attribute("data-changes", "1")
    expect(page.get_by_test_id("status-kept")).to_contain_text("changed, not applied")
    expect(page.get_by_test_id("status-other")).not_to_contain_text("not applied")
    studio.undo()
    expect(studio.run_button).to_have_text("Apply")
    expect(page.get_by_test_id("status-kept")).not_to_contain_text("not applied")


def test_what_is_refused_meanwhile_says_why_and_leads_to_its_node(studio: Studio, ada: Api) -> None:
    """The page believes the plan to be right: the stream was there when it looked."""
    ada.declare("passing")
    studio.open(ada.add_plan(build_document("Refused", lost=build_leaf("event_count", "passing")))["id"])
    expect(studio.run_button).to_be_enabled()
    ada.call("DELETE", "streams/passing/")
    studio.run_button.click()
    refused = studio.page.get_by_test_id("run-refused")
    expect(refused).to_contain_text("cannot run")
    expect(studio.page.get_by_test_id("confirm")).to_be_disabled()
    refused.get_by_role("button", name="lost").click()
    expect(studio.page.get_by_test_id("node-name")).to_have_value("lost")
