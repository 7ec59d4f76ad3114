"""A name is a label: what runs goes on being shown under another one, and applying that restarts nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.engine import say
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "labels", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "never": {"op": "not", "inputs": {"of": "playing"}},
}
SAMPLE = """() => {
    window.seen = [];
    const look = () => {
        const lane = document.querySelector('[data-lane="playing"], [data-lane="watching"]');
        window.seen.push([lane?.dataset.lane, lane?.querySelector(".lane-value")?.textContent, lane?.dataset.points]);
        window.looking = requestAnimationFrame(look);
    };
    look();
}"""
SEEN = "() => { cancelAnimationFrame(window.looking); return window.seen; }"


@pytest.fixture(scope="module")
def user(stack: Stack) -> Api:
    user_api = add_user(stack, "labeller")
    user_api.declare("labels")
    return user_api


def run_plan_of_ann(stack: Stack, user: Api) -> int:
    """It says of the key `ann` that she plays, since a while."""
    document = {"version": 1, "name": "Labelled", "nodes": NODES, "results": ["never"]}
    plan = int(user.add_plan(document)["id"])
    user.run(plan)
    digests, start = user.digests(plan), compute_now() - 100 * SECOND
    event = {"session_id": "ann", "t": start // 1000, "event_id": "a", "player_state": "play"}
    user.push("labels", [event])
    log, until = Log(stack, digests), start + 90 * SECOND
    log.say("state", "ann", [[None, None], [start, "play"]], final_until=until)
    log.say("playing", "ann", [[None, None], [start, True]], final_until=until)
    log.say("never", "ann", [[None, None], [start, False]], final_until=until)
    log.publish()
    for digest in digests.values():
        say(stack, digest, "running", "running")
    return plan


def test_a_renamed_node_that_runs_is_shown_on_without_a_gap_and_applying_restarts_nothing(
    stack: Stack, page: Page, user: Api
) -> None:
    plan = run_plan_of_ann(stack, user)
    digests = user.digests(plan)
    lane = build_chart(1, "lane", plan, "playing", [0, 0, 12, 3], digest=digests["playing"], key="ann")
    document = {"charts": [lane], "range": "5m", "key": ""}
    board = int(user.call("POST", "dashboards/", {"name": "Labels", "document": document})["id"])
    log_in(page, "labeller")
    studio, lanes = Studio(page), Lanes(page)
    studio.open(plan, key="ann")
    expect(lanes.value("playing")).to_have_text("true")
    expect(studio.run_button).to_have_text("Apply")
    studio.select("playing")
    page.evaluate(SAMPLE)
    studio.rename("watching")
    expect(lanes.value("watching")).to_have_text("true")
    expect(lanes.on_canvas("watching")).to_have_text("true")
    status = page.get_by_test_id("status-watching")
    expect(status).to_contain_text("playing until applied")
    expect(status).to_contain_text("running")
    expect(page.get_by_test_id("status-never")).not_to_contain_text("not applied")
    expect(page.get_by_test_id("running-watching")).to_contain_text("playing until applied")
    expect(page.get_by_test_id("running-node")).to_contain_text("Used by 1 plan node")
    expect(studio.run_button).to_have_attribute("data-changes", "1")
    page.wait_for_timeout(1500)  # the check has answered by now, and the live state was told again
    read_values = page.evaluate(SEEN)
    assert {name for name, _, _ in read_values} == {"playing", "watching"}
    assert {value for _, value, _ in read_values} == {"true"}
    assert {points for _, _, points in read_values} == {read_values[0][2]}

    page.mouse.click(*lanes.at("watching", 0.9))
    expect(page.get_by_test_id("why-watching")).to_contain_text("true")
    expect(page.locator(".node.lit")).to_have_count(2)
    page.keyboard.press("Escape")

    before = [user.get(f"nodes/{digest}/")["status"] for digest in digests.values()]
    dialog = studio.ask_to_run()
    expect(dialog).to_contain_text("Only a name changes: every node goes on, nothing is restarted.")
    expect(page.get_by_test_id("fate-renamed")).to_contain_text("called playing until now")
    page.evaluate(SAMPLE)
    studio.confirm()
    expect(status).not_to_contain_text("until applied")
    page.wait_for_timeout(1500)
    assert {value for _, value, _ in page.evaluate(SEEN)} == {"true"}
    assert user.digests(plan)["watching"] == digests["playing"]
    assert [user.get(f"nodes/{digest}/")["status"] for digest in digests.values()] == before

    board_page = BoardPage(page)
    board_page.open(board)
    answer = board_page.chart("c1")
    expect(answer).to_have_attribute("data-state", "running")
    expect(answer.get_by_role("heading", name="watching")).to_have_attribute(
        "title", "watching of Labelled, formerly playing"
    )
    expect(board_page.reading("c1")).to_have_text("true")
    board_page.edit()
    page.get_by_test_id("board-name").fill("Labels kept")
    board_page.save()
    saved = user.get(f"dashboards/{board}/")["document"]["charts"][0]
    assert (saved["node"], saved["digest"]) == ("watching", digests["playing"])
    expect(board_page.reading("c1")).to_have_text("true")
