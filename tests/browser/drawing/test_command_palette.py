"""The command palette knows every act: those of the menus and toolbars, every node, and the other plans."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.palette import CommandPalette
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.still import read_steady
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAN: Document = {
    "version": 1,
    "name": "Palette",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "called", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
    },
    "results": ["calm"],
    "layout": {"seeking": [0, 0], "calm": [360, 0]},
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "caller")
    user.declare("called")
    user.add_plan({**PLAN, "name": "Another of mine"})
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "caller")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    expect(studio.run_button).to_be_enabled()
    return studio


def is_seen(test_id: str) -> Callable[[Page], None]:
    return lambda page: expect(page.get_by_test_id(test_id).first).to_be_visible()


def has_keyboard(test_id: str) -> Callable[[Page], None]:
    return lambda page: expect(page.get_by_test_id(test_id)).to_be_focused()


def is_pressed(test_id: str) -> Callable[[Page], None]:
    return lambda page: expect(page.get_by_test_id(test_id)).to_have_attribute("aria-pressed", "true")


ACTS: dict[str, Callable[[Page], None]] = {
    "Select all": lambda page: expect(page.locator(".react-flow__node.selected")).to_have_count(2),
    "Add a node": is_seen("quick-add"),
    "Add a comment": is_seen("comment-text"),
    "Search the operators": lambda page: expect(page.get_by_label("Search operators")).to_be_focused(),
    "Run, or apply": is_seen("consequences"),
    "Versions": is_seen("versions"),
    "Import a plan": is_seen("import-text"),
    "Rename the plan": has_keyboard("plan-name"),
    "Show the plan as text": is_pressed("view-text"),
    "Show the plan as JSON": is_pressed("view-json"),
    "Test on a sample": is_pressed("testing"),
    "Record or upload": lambda page: expect(page.get_by_role("dialog")).to_contain_text("sample"),
    "Show all keyboard shortcuts": is_seen("key-sheet"),
    "Save": lambda page: expect(page.get_by_test_id("notice")).to_contain_text("Saved."),
    "Take the tour": lambda page: expect(page.get_by_test_id("take-tour")).not_to_be_attached(),
    "Go to the streams": lambda page: expect(page).to_have_url(re.compile("/streams/$")),
    "New plan": lambda page: expect(page).to_have_url(re.compile("/plans/new/$")),
    "Log out": lambda page: expect(page).to_have_url(re.compile("/login/")),
}


@pytest.mark.parametrize("words", ACTS)
def test_an_act_is_done_by_its_name(studio: Studio, words: str) -> None:
    CommandPalette(studio.page).run(words)
    ACTS[words](studio.page)


def test_the_plan_is_exported(studio: Studio) -> None:
    for words, ending in (("Export as JSON", ".json"), ("Export as text", ".txt")):
        with studio.page.expect_download() as download:
            CommandPalette(studio.page).run(words)
        assert download.value.suggested_filename == f"palette{ending}"


def test_every_button_of_the_toolbar_is_there_by_name(studio: Studio) -> None:
    """The words of the buttons, not of the table of commands: a new button must be thought of here."""
    by_button = {
        "save": "Save",
        "undo": "Undo",
        "redo": "Redo",
        "arrange": "Lay out the plan",
        "view-canvas": "Show the plan as canvas",
        "view-text": "Show the plan as text",
        "view-json": "Show the plan as JSON",
        "view-beside": "Show or hide the split view",
        "testing": "Test on a sample",
        "versions-open": "Versions",
        "run": "Run, or apply",
        "stop": "Stop",
        "export-json": "Export as JSON",
        "export-text": "Export as text",
        "export-tests": "Export with its tests",
        "copy-text": "Copy as text",
        "import": "Import a plan",
        "share-thing": "Share the plan",
        "execution": "Change the execution",
        "transfer-thing": "Change the owner of the plan",
        "activity-of-thing": "Activity of the plan",
    }
    page = studio.page
    page.get_by_test_id("plan-menu").click()
    expect(page.get_by_test_id("import")).to_be_visible()
    buttons = read_steady(
        page,
        lambda: page.locator(".toolbar button[data-testid]").evaluate_all(
            "all => all.map(it => it.dataset.testid)"
        ),
    )
    assert set(buttons) - {"plan-menu"} == set(by_button) - {"view-beside"}, "that is there beside a text"
    page.keyboard.press("Escape")
    palette = CommandPalette(page)
    for words in by_button.values():
        expect(palette.offers(words).filter(has_text=words).first).to_be_attached()
        palette.close()


def test_a_group_gets_its_colour_by_name(studio: Studio) -> None:
    palette = CommandPalette(studio.page)
    studio.select("calm")
    expect(palette.offers("Colour the group green").first).to_contain_text("Select a group first.")
    palette.close()
    palette.run("Group")
    palette.run("Colour the group orange")
    assert [(group["nodes"], group["colour"]) for group in studio.document()["groups"]] == [
        (["calm"], "orange")
    ]
    studio.undo()
    assert studio.document()["groups"][0]["colour"] != "orange"


def test_a_node_is_pinned_by_name(studio: Studio) -> None:
    studio.select("calm")
    CommandPalette(studio.page).run("Pin the selected node")
    dialog = studio.page.get_by_role("dialog")
    expect(dialog).to_contain_text("calm")
    studio.page.keyboard.press("Escape")
    expect(dialog).not_to_be_attached()


def test_a_node_is_gone_to_by_name(studio: Studio) -> None:
    CommandPalette(studio.page).run("calm")
    expect(studio.page.locator('.react-flow__node[data-id="calm"]')).to_be_focused()
    expect(studio.page.get_by_test_id("node-name")).to_have_value("calm")
    expect(CommandPalette(studio.page).find("go to node seek")).to_contain_text("seeking")


def test_another_plan_is_opened_and_nothing_is_lost(studio: Studio, ada: Api) -> None:
    here = studio.plan
    studio.page.get_by_test_id("plan-name").fill("Renamed just before")
    CommandPalette(studio.page).run("Another of mine")
    expect(studio.page).not_to_have_url(re.compile(f"/plans/{here}/"))
    expect(studio.page.get_by_test_id("plan-name")).to_have_value("Another of mine")
    assert ada.get(f"plans/{here}/")["name"] == "Renamed just before"


def test_what_cannot_be_done_says_why_and_is_not_taken(studio: Studio) -> None:
    palette = CommandPalette(studio.page)
    studio.click_canvas()
    item = palette.offers("Align left").first
    expect(item).to_contain_text("Select two or more first.")
    expect(item).to_have_attribute("aria-disabled", "true")
    palette.close()
    expect(palette.offers("no such thing at all")).to_have_count(0)
    expect(palette.dialog).to_contain_text("No matching command.")
