"""A node that two people's plans have in common is one Spark query, and runs as long as either plan does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.product import Api, Document, add_user, build_leaf, list_spark_queries, wait_until
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAYING = build_leaf("latest_event_to_state", "shared", field="player_state")
FIRST: Document = {
    "version": 1,
    "name": "What players do",
    "nodes": {
        "state": PLAYING,
        "joined": build_leaf("has_existed", "shared", where='player_state == "init"'),
    },
}
SECOND: Document = {
    "version": 1,
    "name": "The same under another name",
    "nodes": {"doing": PLAYING | {"params": {"field": "player_state"}}},
}


@pytest.fixture
def two(stack: Stack) -> Iterator[tuple[Api, Api]]:
    """Two people, whose plans are stopped in the end."""
    people = add_user(stack, "ada"), add_user(stack, "bob")
    people[0].declare("shared")
    yield people
    for person in people:
        for plan in person.get("plans/", owner="me"):
            person.stop(plan["id"])


def test_an_equal_node_of_another_user_joins_the_running_query(
    two: tuple[Api, Api], page: Page, stack: Stack
) -> None:
    ada, bob = two
    first, second = ada.add_plan(FIRST)["id"], bob.add_plan(SECOND)["id"]
    ada.run(first)
    digests = ada.digests(first)
    wait_until(lambda: {ada.observed(digest) for digest in digests.values()} == {"running"}, 120)
    before = list_spark_queries(stack)
    assert {name for name, _, _ in before} >= set(digests.values())

    studio = Studio(page)
    log_in(page, "bob")
    studio.open(second)
    studio.run()
    studio.expect_running("doing")
    shared = bob.digests(second)["doing"]
    assert shared == digests["state"]
    users = [(use["owner"], use["name"]) for use in bob.get(f"nodes/{shared}/")["users"]]
    assert users == [("ada", "state"), ("bob", "doing")]
    assert list_spark_queries(stack) == before

    studio.stop()
    wait_until(lambda: [use["owner"] for use in ada.get(f"nodes/{shared}/")["users"]] == ["ada"], 60)
    assert list_spark_queries(stack) == before

    ada.stop(first)
    wait_until(lambda: not {name for name, _, _ in list_spark_queries(stack)} & set(digests.values()), 60)
    wait_until(lambda: ada.observed(shared) == "stopped", 60)
