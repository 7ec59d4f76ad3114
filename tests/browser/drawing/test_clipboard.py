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
    tab, other_tab = Studio(page), Studio(page.context.new_page())
    tab.open(ada.add_plan(PLAN)["id"])
    other_tab.open(ada.add_plan(OTHER)["id"])
    return tab, other_tab


def expect_pasted(other_tab: Studio) -> None:
    """Under a name of its own where that is taken, and wired as it was."""
    expect(other_tab.wire_of("seeking", "calm_2")).to_be_attached()
    nodes = other_tab.document()["nodes"]
    assert nodes["calm"] == OTHER["nodes"]["calm"]
    assert nodes["seeking"] == PLAN["nodes"]["seeking"]
    assert nodes["calm_2"] == {"op": "not", "inputs": {"of": "seeking"}}


def test_nodes_go_from_tab_to_tab_by_keys(tabs: tuple[Studio, Studio]) -> None:
    tab, other_tab = tabs
    tab.page.bring_to_front()
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.press("Control+c")
    expect(tab.notice).to_contain_text("2 nodes copied.")
    other_tab.page.bring_to_front()
    other_tab.page.keyboard.press("Control+v")
    expect_pasted(other_tab)
    other_tab.undo()
    assert other_tab.document() == OTHER


def test_what_is_cut_is_gone_there_and_comes_here(tabs: tuple[Studio, Studio]) -> None:
    tab, other_tab = tabs
    tab.page.bring_to_front()
    tab.page.keyboard.press("Control+a")
    tab.page.keyboard.press("Control+x")
    expect(tab.node("calm")).not_to_be_attached()
    other_tab.page.bring_to_front()
    other_tab.page.keyboard.press("Control+v")
    expect_pasted(other_tab)


def test_nodes_go_from_tab_to_tab_where_the_clipboard_is_refused(tabs: tuple[Studio, Studio]) -> None:
    tab, other_tab = tabs
    session = tab.page.context.new_cdp_session(tab.page)
    for name in ("clipboard-read", "clipboard-write"):
        permission = {"permission": {"name": name}, "setting": "denied"}
        session.send("Browser.setPermission", permission)
    tab.page.bring_to_front()
    tab.page.keyboard.press("Control+a")
    CommandPalette(tab.page).run("Copy")
    expect(tab.notice).to_contain_text("2 nodes copied")
    other_tab.page.bring_to_front()
    other_tab.click_canvas()
    CommandPalette(other_tab.page).run("Paste")
    expect_pasted(other_tab)


def test_what_is_no_plan_is_not_pasted(tabs: tuple[Studio, Studio]) -> None:
    _, other_tab = tabs
    other_tab.page.bring_to_front()
    name = other_tab.page.get_by_test_id("plan-name")
    name.select_text()
    other_tab.page.keyboard.press("Control+c")
    other_tab.click_canvas()
    other_tab.page.keyboard.press("Control+v")
    expect(other_tab.notice).to_contain_text("The clipboard has no nodes.")
    assert other_tab.document() == OTHER
