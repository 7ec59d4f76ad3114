"""The run panel on a product that runs: what it says before is what happens, and what is left to others goes on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Document, add_user, build_leaf, wait_until
from tests.browser.studio import START_SECONDS, Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
STATE = build_leaf("latest_event_to_state", "panel", field="player_state")


def build_document(name: str, **nodes: Document) -> Document:
    return {"version": 1, "name": name, "nodes": nodes}


def test_what_the_panel_says_before_is_what_happens(page: Page, stack: Stack) -> None:
    hedy, alan = add_user(stack, "hedy"), add_user(stack, "alan")
    hedy.declare("panel")
    states = ("init", "play", "buffer", "play")
    events = [
        {"session_id": f"s{n % 50}", "t": 1_000 * n, "event_id": f"e{n}", "player_state": states[n % 4]}
        for n in range(2_000)
    ]
    hedy.push("panel", events)
    his = alan.add_plan(build_document("His own", state=STATE))["id"]
    alan.run(his)
    shared = alan.digests(his)["state"]
    wait_until(lambda: alan.observed(shared) == "running", START_SECONDS / 1000)

    log_in(page, "hedy")
    studio = Studio(page)
    buffering = {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}}
    studio.open(hedy.add_plan(build_document("Hers", state=STATE, buffering=buffering))["id"])
    dialog = studio.ask_to_run()
    expect(dialog).to_contain_text("1 node starts, 1 is running already (shared).")
    expect(dialog).to_contain_text("Replays 2,000 stored events from panel.")
    expect(page.get_by_test_id("fate-joined")).to_contain_text("alan's · running since")
    studio.confirm()
    expect(page.get_by_test_id("running")).to_contain_text("2 of 2 run", timeout=START_SECONDS)
    plan = studio.plan
    assert plan is not None
    digests = hedy.digests(plan)
    assert digests["state"] == shared
    wait_until(lambda: len(hedy.keys(digests["buffering"])) == 50, 60)

    expect(studio.ask_to_stop()).to_contain_text("1 node stops, 1 keeps running for others")
    expect(page.get_by_test_id("fate-left")).to_contain_text("for alan's “His own”")
    studio.confirm()
    wait_until(lambda: hedy.observed(digests["buffering"]) == "stopped", 60)
    assert alan.observed(shared) == "running"
