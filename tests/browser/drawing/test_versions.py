"""Versions on the page: kept, named, compared on the canvas and in a list, and restored; none is lost."""

from __future__ import annotations

import copy

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drafting import wait_until_saved_as
from tests.browser.drawing.test_undo_and_problems import START, read_settled_document
from tests.browser.product import Api, Document, add_user
from tests.browser.studio import Studio, log_in
from tests.browser.versions import Versions
from workers.stack import Stack

pytestmark = pytest.mark.browser

LATER: Document = copy.deepcopy(START)
LATER["nodes"]["played"]["params"]["where"] = 'player_state == "pause"'
LATER["nodes"]["held"] = {"op": "held_for", "inputs": {"of": "calm"}, "params": {"duration": "5s"}}
LATER["nodes"]["calm"]["inputs"]["of"] = "played"
LATER["layout"] = {"played": [0, 0], "calm": [360, 120], "held": [720, 60]}
LATER["results"] = ["held"]
del LATER["nodes"]["seeking"]


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "keeper")


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "keeper")
    return Studio(page)


def put(ada: Api, plan: int, document: Document) -> None:
    version = ada.get(f"plans/{plan}/")["version"]
    ada.call("PUT", f"plans/{plan}/", {"document": document, "version": version})


def test_a_version_is_kept_named_and_compared_with_the_draft(studio: Studio, ada: Api) -> None:
    plan, versions = ada.add_plan(START)["id"], Versions(studio.page)
    studio.open(plan)
    versions.open()
    expect(versions.empty).to_be_visible()
    versions.make("Before the talk")
    expect(versions.row(1)).to_contain_text("Before the talk")
    expect(versions.row(1)).to_contain_text("The first version: 3 nodes.")
    expect(versions.changes).to_contain_text("Nothing changed.")
    put(ada, plan, LATER)
    versions.close()
    expect(studio.node("held")).to_be_visible()
    versions.open()
    expect(versions.changes.get_by_role("heading").first).to_have_text(
        "Added held; removed seeking; changed where of played; rewired calm; moved calm; changed the results."
    )
    for node, did in {
        "held": "added",
        "seeking": "removed",
        "played": "changed",
        "calm": "rewired moved",
    }.items():
        expect(versions.node(node)).to_have_attribute("data-did", did)
    expect(versions.wire("removed")).to_have_count(1)
    expect(versions.wire("added")).to_have_count(2)
    expect(versions.change("played").get_by_role("row").nth(1)).to_have_text(
        'whereplayer_state == "play"player_state == "pause"'
    )
    versions.rename(1, "After the talk")
    expect(versions.row(1)).to_contain_text("After the talk")


def test_any_two_are_compared_in_either_direction(studio: Studio, ada: Api) -> None:
    plan, versions = ada.add_plan(START)["id"], Versions(studio.page)
    for document in (START, LATER, START):
        put(ada, plan, document)
        ada.call("POST", f"plans/{plan}/versions/", {})
    studio.open(plan)
    versions.open()
    expect(versions.changes).to_contain_text("Nothing changed.")
    versions.compare("from", "1")
    versions.compare("to", "2")
    expect(versions.node("held")).to_have_attribute("data-did", "added")
    studio.page.get_by_role("button", name="Swap").click()
    expect(versions.node("held")).to_have_attribute("data-did", "removed")
    expect(versions.changes).to_contain_text("Added seeking; removed held")


def test_restoring_can_be_undone_and_destroys_nothing(studio: Studio, ada: Api) -> None:
    plan, versions = ada.add_plan(START)["id"], Versions(studio.page)
    ada.call("POST", f"plans/{plan}/versions/", {"name": "First"})
    put(ada, plan, LATER)
    studio.open(plan)
    versions.open()
    versions.restore(1)
    expect(studio.notice).to_contain_text("Restored “First”.")
    expect(studio.node("seeking")).to_be_visible()
    assert read_settled_document(studio) == START == ada.get(f"plans/{plan}/")["document"]
    studio.undo()
    expect(studio.node("held")).to_be_visible()
    wait_until_saved_as(ada, plan, LATER)
    versions.open()
    expect(versions.row(2)).to_contain_text("before a restore")
    expect(versions.changes).to_contain_text("Nothing changed.")


def test_by_keyboard_alone(studio: Studio, ada: Api) -> None:
    plan, versions = ada.add_plan(START)["id"], Versions(studio.page)
    ada.call("POST", f"plans/{plan}/versions/", {"name": "First"})
    put(ada, plan, LATER)
    studio.open(plan)
    studio.page.get_by_test_id("versions-open").focus()
    studio.page.keyboard.press("Enter")
    expect(versions.row(1)).to_be_visible()
    rename = versions.row(1).get_by_role("button", name="Rename")
    expect(rename).to_be_enabled()
    rename.focus()
    studio.page.keyboard.press("Enter")
    expect(studio.page.get_by_test_id("version-name")).to_be_focused()
    studio.page.keyboard.press("Control+a")
    studio.page.keyboard.type("By hand")
    studio.page.keyboard.press("Enter")
    expect(versions.row(1)).to_contain_text("By hand")
    studio.page.keyboard.press("Escape")
    expect(versions.page).not_to_be_attached()
    expect(studio.page.get_by_test_id("versions-open")).to_be_focused()


def test_others_look_but_do_not_touch(studio: Studio, ada: Api, stack: Stack) -> None:
    plan, versions = ada.add_plan(START)["id"], Versions(studio.page)
    ada.call("POST", f"plans/{plan}/versions/", {"name": "First"})
    add_user(stack, "passer")
    studio.page.context.clear_cookies()
    log_in(studio.page, "passer")
    studio.open(plan)
    versions.open()
    expect(versions.row(1)).to_be_visible()
    expect(versions.row(1).get_by_test_id("restore")).to_be_disabled()
    expect(studio.page.get_by_test_id("make-version")).to_be_disabled()
