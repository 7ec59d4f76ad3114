"""A running plan is put together by a choice beside Apply: one query instead of many, and the same timelines."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.palette import CommandPalette
from tests.browser.product import Document, add_user, build_leaf, list_spark_queries, wait_until
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAN: Document = {
    "version": 1,
    "name": "What players do",
    "nodes": {
        "state": build_leaf("latest_event_to_state", "placed", field="player_state"),
        "joined": build_leaf("has_existed", "placed", where='player_state == "init"'),
    },
}


def test_a_running_plan_is_put_together_and_shows_the_same_timelines(page: Page, stack: Stack) -> None:
    grace = add_user(stack, "grace")
    grace.declare("placed")
    plan = grace.add_plan(PLAN)["id"]
    events = [
        {"session_id": "s1", "t": 1_000 * n, "event_id": f"e{n}", "player_state": state}
        for n, state in enumerate(("init", "play", "buffer"))
    ]
    grace.push("placed", events)
    studio = Studio(page)
    log_in(page, "grace")
    studio.open(plan)
    studio.run()
    studio.expect_running("state", "joined")
    digests = grace.digests(plan)
    wait_until(lambda: len(grace.timeline(digests["state"], "s1")) == 4, 60)
    before = {name: grace.timeline(digest, "s1") for name, digest in digests.items()}

    CommandPalette(page).run("Change the execution")
    page.get_by_test_id("placement").select_option("together")
    expect(page.get_by_test_id("consequences")).to_contain_text("2 nodes move.")
    studio.confirm()
    expect(studio.run_button).to_be_disabled()
    expect(studio.run_button).to_have_attribute("title", "No changes to apply")
    wait_until(
        lambda: (
            len({grace.get(f"nodes/{digest}/")["status"]["query_id"] for digest in digests.values()}) == 1
        ),
        120,
    )
    studio.expect_running("state", "joined")
    assert not {name for name, _, _ in list_spark_queries(stack)} & set(digests.values())
    grace.push("placed", [{"session_id": "s1", "t": 500, "event_id": "late", "player_state": "seek"}])
    wait_until(lambda: len(grace.timeline(digests["state"], "s1")) == 5, 60)
    after = {name: grace.timeline(digest, "s1") for name, digest in digests.items()}
    assert after["joined"] == before["joined"]
    assert [row for row in after["state"] if row in before["state"]] == before["state"]
    studio.stop()
