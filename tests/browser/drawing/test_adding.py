"""A plan from outside is added to the one that is drawn; tests that were exported with a plan come along."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.product import Api, Document, Event, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAN: Document = {
    "version": 1,
    "name": "Held",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "added", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [320, 0]},
}
OTHER: Document = {
    "version": 1,
    "name": "Brought",
    "nodes": {
        "calm": build_leaf("has_existed", "added", where='user_action == "stop"'),
        "noisy": {"op": "not", "inputs": {"of": "calm"}},
    },
    "results": ["calm", "noisy"],
}
EVENTS: list[Event] = [
    {"event_id": f"e{i}", "session_id": "s1", "t": 1_700_000_000_000 + 1000 * i, "user_action": action}
    for i, action in enumerate(("play", "stop", "seek"))
]


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "adder")
    user.declare("added")
    return user


@pytest.fixture(scope="module")
def exported(ada: Api) -> dict[str, Any]:
    """The other plan with a test that passes, as it is downloaded."""
    plan = ada.add_plan(OTHER)["id"]
    sample = ada.call("POST", "samples/", {"name": "Stopped once", "events": {"added": EVENTS}})["id"]
    ada.call("POST", f"plans/{plan}/tests/", {"name": "It stops", "sample": sample, "take": {}})
    document: dict[str, Any] = ada.get(f"plans/{plan}/tests/export/")
    assert ada.call("POST", f"plans/{plan}/tests/run/", {})["ok"]
    return document


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "adder")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    return studio


def find_part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(f"import-{name}")


def choose_file(studio: Studio, content: object) -> None:
    """As a file."""
    studio.choose_from_menu("import")
    held = json.dumps(content).encode()
    file = FilePayload(name="plan.json", mimeType="application/json", buffer=held)
    find_part(studio.page, "file").set_input_files(file)
    expect(find_part(studio.page, "preview")).to_contain_text("“Brought”, 2 nodes, read as JSON")


def test_a_plan_is_added_under_new_names_after_a_preview(studio: Studio) -> None:
    before = studio.document()
    choose_file(studio, OTHER)
    find_part(studio.page, "add").check()
    expect(find_part(studio.page, "added")).to_contain_text("calm_2")
    expect(find_part(studio.page, "renamed")).to_contain_text("calm becomes calm_2")
    assert studio.node("noisy").count() == 0, "nothing has happened yet"
    find_part(studio.page, "take").click()
    expect(studio.wire_of("calm_2", "noisy")).to_be_attached()
    after = studio.document()
    assert after["nodes"] == {
        **PLAN["nodes"],
        "calm_2": OTHER["nodes"]["calm"],
        "noisy": {"op": "not", "inputs": {"of": "calm_2"}},
    }
    assert after["name"] == "Held"
    assert sorted(after["results"]) == ["calm", "calm_2", "noisy"]
    assert {name: after["layout"][name] for name in PLAN["nodes"]} == PLAN["layout"]
    assert all(after["layout"][name][1] > 100 for name in ("calm_2", "noisy")), "below what was there"
    studio.click_canvas()
    studio.undo()
    expect(studio.node("noisy")).not_to_be_attached()
    assert studio.document() == before


def test_the_tests_of_a_plan_come_along_and_follow_the_new_names(
    studio: Studio, ada: Api, exported: dict[str, Any]
) -> None:
    choose_file(studio, exported)
    find_part(studio.page, "add").check()
    expect(find_part(studio.page, "tests")).to_contain_text("It stops")
    find_part(studio.page, "take").click()
    expect(studio.notice).to_contain_text("Its test is kept.")
    [test] = ada.get(f"plans/{studio.plan}/tests/")
    assert (test["name"], test["sample_name"]) == ("It stops", "Stopped once")
    assert {item["node"] for item in test["expected"]} == {"calm_2", "noisy"}
    assert ada.call("POST", f"plans/{studio.plan}/tests/run/", {})["ok"]


def test_a_copy_has_the_tests_too(studio: Studio, ada: Api, exported: dict[str, Any]) -> None:
    here = studio.plan
    choose_file(studio, exported)
    find_part(studio.page, "copy").check()
    find_part(studio.page, "take").click()
    expect(studio.page).not_to_have_url(re.compile(f"/plans/{here}/"))
    expect(studio.node("noisy")).to_be_visible()
    assert ada.get(f"plans/{here}/tests/") == []
    assert ada.call("POST", f"plans/{studio.plan}/tests/run/", {})["passed"] == 1
    assert "streams" not in studio.document(), "these are the server's own"


def test_what_cannot_be_kept_of_the_tests_is_said_and_the_plan_comes(
    studio: Studio, ada: Api, exported: dict[str, Any]
) -> None:
    samples = {name: {"nobody": EVENTS} for name in exported["samples"]}
    choose_file(studio, {**exported, "samples": samples})
    find_part(studio.page, "add").check()
    find_part(studio.page, "take").click()
    expect(studio.notice).to_contain_text("Not all of its tests could be kept: “It stops”")
    expect(studio.node("noisy")).to_be_visible()
    assert ada.get(f"plans/{studio.plan}/tests/") == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"export": 7}, "by another version"),
        ({"tests": "none"}, "Its tests cannot be read"),
        ({"tests": [{"name": "a"}]}, "Its tests cannot be read"),
        ({"samples": []}, "Its samples cannot be read"),
        ({"samples": {}}, "the sample of “It stops” is missing"),
    ],
)
def test_a_plan_whose_tests_cannot_be_read_comes_without_them(
    studio: Studio, exported: dict[str, Any], wrong: dict[str, Any], words: str
) -> None:
    choose_file(studio, {**exported, **wrong})
    expect(find_part(studio.page, "preview")).to_contain_text(words)
    expect(find_part(studio.page, "take")).to_be_enabled()
