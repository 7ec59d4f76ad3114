"""Nodes are copied between tabs and plans by the clipboard of the system, and where the browser refuses it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.palette import CommandPalette
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAN: Document = {
    "version": 1,
    "name": "Copied",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "copied", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [360, 0]},
}
OTHER: Document = {
    "version": 1,
    "name": "Other",
    "nodes": {"calm": build_leaf("has_existed", "copied", where='user_action == "stop"')},
    "results": ["calm"],
    "layout": {"calm": [0, 0]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "copyist")
    user.declare("copied")
    return user


@pytest.fixture
def tabs(page: Page, ada: Api) -> tuple[Studio, Studio]:
    """Two tabs of one browser, with a plan each."""
    log_in(page, "copyist")
    here, there = Studio(page), Studio(page.context.new_page())
    here.open(ada.add_plan(PLAN)["id"])
    there.open(ada.add_plan(OTHER)["id"])
    return here, there


def expect_pasted(there: Studio) -> None:
    """Under a name of its own where that is taken, and wired as it was."""
    expect(there.wire_of("seeking", "calm_2")).to_be_attached()
    nodes = there.document()["nodes"]
    assert nodes["calm"] == OTHER["nodes"]["calm"]
    assert nodes["seeking"] == PLAN["nodes"]["seeking"]
    assert nodes["calm_2"] == {"op": "not", "inputs": {"of": "seeking"}}


def test_nodes_go_from_tab_to_tab_by_keys(tabs: tuple[Studio, Studio]) -> None:
    here, there = tabs
    here.page.bring_to_front()
    here.page.keyboard.press("Control+a")
    here.page.keyboard.press("Control+c")
    expect(here.notice).to_contain_text("2 nodes copied.")
    there.page.bring_to_front()
    there.page.keyboard.press("Control+v")
    expect_pasted(there)
    there.undo()
    assert there.document() == OTHER


def test_what_is_cut_is_gone_there_and_comes_here(tabs: tuple[Studio, Studio]) -> None:
    here, there = tabs
    here.page.bring_to_front()
    here.page.keyboard.press("Control+a")
    here.page.keyboard.press("Control+x")
    expect(here.node("calm")).not_to_be_attached()
    there.page.bring_to_front()
    there.page.keyboard.press("Control+v")
    expect_pasted(there)


def test_nodes_go_from_tab_to_tab_where_the_clipboard_is_refused(tabs: tuple[Studio, Studio]) -> None:
    here, there = tabs
    session = here.page.context.new_cdp_session(here.page)
    for name in ("clipboard-read", "clipboard-write"):
        wanted = {"permission": {"name": name}, "setting": "denied"}
        session.send("Browser.setPermission", wanted)
    here.page.bring_to_front()
    here.page.keyboard.press("Control+a")
    CommandPalette(here.page).run("Copy")
    expect(here.notice).to_contain_text("2 nodes copied")
    there.page.bring_to_front()
    there.click_canvas()
    CommandPalette(there.page).run("Paste")
    expect_pasted(there)


def test_what_is_no_plan_is_not_pasted(tabs: tuple[Studio, Studio]) -> None:
    _, there = tabs
    there.page.bring_to_front()
    name = there.page.get_by_test_id("plan-name")
    name.select_text()
    there.page.keyboard.press("Control+c")
    there.click_canvas()
    there.page.keyboard.press("Control+v")
    expect(there.notice).to_contain_text("The clipboard has no nodes.")
    assert there.document() == OTHER
