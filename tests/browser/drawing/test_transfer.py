"""A plan goes out as JSON or text and comes in from a file, a drop or the clipboard, with a preview, or not at all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Studio, enter, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAN: Document = {
    "version": 1,
    "name": "Vor & zurück",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "moves", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}, "comment": "not just after a seek"},
        "gone": build_leaf("event_count", "moves"),
    },
    "results": ["calm", "gone"],
    "layout": {"seeking": [0, 0], "calm": [320, 0], "gone": [0, 200]},
    "groups": [{"title": "Seeks", "nodes": ["seeking", "calm"]}],
}
OTHER = """
seeking = has_existed_within(moves.user_action == "seek", 10s)
calm = not seeking
noisy = not calm
"""


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "mover")
    user.declare("moves")
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "mover")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    return studio


def find_part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(f"import-{name}")


def export_plan(studio: Studio, item: str) -> tuple[str, str]:
    with studio.page.expect_download() as download:
        studio.choose_from_menu(item)
    return download.value.suggested_filename, download.value.path().read_text()


@pytest.mark.parametrize(("item", "ending"), [("export-json", "json"), ("export-text", "txt")])
def test_what_is_exported_comes_in_again_as_it_was(studio: Studio, item: str, ending: str) -> None:
    before = studio.document()
    assert before == PLAN
    name, content = export_plan(studio, item)
    assert name == f"vor-zurück.{ending}"
    page = studio.page
    page.goto("/plans/new/")
    expect(studio.canvas).to_be_visible()
    studio.choose_from_menu("import")
    find_part(page, "file").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
    )
    expect(find_part(page, "added")).to_contain_text("seeking")
    find_part(page, "replace").check()
    find_part(page, "take").click()
    expect(studio.node("calm")).to_be_visible()
    assert studio.document() == before


def test_before_an_import_it_is_said_what_it_adds_changes_and_takes_away(studio: Studio) -> None:
    page = studio.page
    before = studio.document()
    studio.choose_from_menu("import")
    find_part(page, "text").fill(OTHER)
    expect(find_part(page, "preview")).to_contain_text("3 nodes, read as text")
    find_part(page, "replace").check()
    expect(find_part(page, "added")).to_contain_text("noisy")
    expect(find_part(page, "changed")).to_contain_text("duration: 5s → 10s")
    expect(find_part(page, "changed")).to_contain_text("its comment")
    expect(find_part(page, "removed")).to_contain_text("gone")
    assert studio.node("gone").is_visible(), "nothing has happened yet"
    find_part(page, "take").click()
    expect(studio.node("noisy")).to_be_visible()
    expect(studio.node("gone")).not_to_be_attached()
    expect(studio.notice).to_contain_text("Undo restores the plan.")
    assert studio.document()["name"] == PLAN["name"], "a text without a name leaves the plan its own"
    studio.click_canvas()
    studio.undo()
    expect(studio.node("gone")).to_be_visible()
    assert studio.document() == before


def test_an_import_may_become_a_plan_of_its_own(studio: Studio, ada: Api) -> None:
    page = studio.page
    here = studio.plan
    studio.choose_from_menu("import")
    find_part(page, "text").fill('plan "Second"\n' + OTHER)
    find_part(page, "copy").check()
    expect(find_part(page, "nodes")).to_contain_text("noisy")
    find_part(page, "take").click()
    expect(page).not_to_have_url(re.compile(f"/plans/{here}/"))
    expect(studio.node("noisy")).to_be_visible()
    assert studio.document()["name"] == "Second"
    assert ada.get(f"plans/{here}/")["document"] == PLAN


def test_a_plan_is_imported_from_the_list_of_plans(page: Page, ada: Api) -> None:
    enter(page, "mover")
    page.get_by_test_id("import").click()
    expect(find_part(page, "replace")).not_to_be_attached()
    find_part(page, "text").fill(json.dumps({"id": 4, "document": PLAN}))
    expect(find_part(page, "preview")).to_contain_text("“Vor & zurück”, 3 nodes, read as JSON")
    find_part(page, "take").click()
    expect(page).to_have_url(re.compile(r"/plans/\d+/"))
    assert Studio(page).document() == PLAN


def test_a_file_that_is_dragged_onto_the_page_is_previewed(studio: Studio, tmp_path: Path) -> None:
    page = studio.page
    transfer = page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "dragged.txt", { type: "text/plain" }));
            return transfer;
        }""",
        OTHER,
    )
    studio.canvas.dispatch_event("dragover", {"dataTransfer": transfer})
    expect(page.get_by_test_id("file-drop")).to_be_visible()
    studio.canvas.dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.get_by_test_id("file-drop")).not_to_be_attached()
    expect(page.get_by_role("dialog", name="Import a plan")).to_contain_text("dragged.txt")
    expect(find_part(page, "preview")).to_contain_text("3 nodes")


BAD = {
    "a broken statement": ("a = has_existed(moves.x == 1\nb = not a", "line 1", "close it"),
    "an unknown operator": ("a = nott(b)", "line 1, column 5", "did you mean not"),
    "prose": ("Dear reader, this is no plan.", "line 1", "write cirr"),
    "a comment alone": ("# nothing", "It has no nodes.", "Choose a plan"),
    "a comma that is missing": ('{\n "version": 1\n "nodes": {}}', "line 3, column 2", "A comma"),
    "another JSON": ("[1, 2]", "A plan document is a JSON object.", ""),
    "another version": ('{"version": 7, "nodes": {}}', "line 1, column 2", ""),
    "a node without operator": ('{"version": 1, "nodes": {"a": {}}}', 'needs "op"', ""),
    "an empty plan": ('{"version": 1, "nodes": {}}', "It has no nodes.", "Choose a plan"),
    "a place that is none": ('{"version":1,"nodes":{"a":{"op":"not"}},"layout":{"a":[1]}}', '"a"', ""),
}


def test_what_is_no_plan_is_refused_with_place_and_hint(studio: Studio) -> None:
    page = studio.page
    studio.choose_from_menu("import")
    for bad, (text, words, hint) in BAD.items():
        find_part(page, "text").fill(text)
        expect(find_part(page, "refused"), bad).to_contain_text(words)
        expect(find_part(page, "refused"), bad).to_contain_text(hint)
        expect(find_part(page, "take"), bad).to_be_disabled()
    find_part(page, "text").fill(OTHER)
    expect(find_part(page, "take")).to_be_enabled()


def test_a_file_that_is_too_long_or_no_text_is_refused(studio: Studio) -> None:
    page = studio.page
    studio.choose_from_menu("import")
    long = FilePayload(name="long.txt", mimeType="text/plain", buffer=b"# x\n" * 300_000)
    find_part(page, "file").set_input_files(long)
    expect(find_part(page, "refused")).to_contain_text("at most 1,048,576 are read")
    find_part(page, "file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": b"\x89PNG\0\0"}
    )
    expect(find_part(page, "refused")).to_contain_text("It is not text.")


def test_a_plan_with_problems_comes_in_and_says_them(studio: Studio) -> None:
    page = studio.page
    studio.choose_from_menu("import")
    find_part(page, "text").fill("odd = has_existed_within(nobody.x == 1, 5s)")
    expect(find_part(page, "preview")).to_contain_text("1 problem to fix")
    expect(find_part(page, "preview")).to_contain_text("nobody")
    expect(find_part(page, "take")).to_be_enabled()


def test_the_menu_is_used_by_keyboard_alone(studio: Studio) -> None:
    page = studio.page
    page.get_by_test_id("plan-menu").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("export-json")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_test_id("activity-of-thing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("plan-menu")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Activity of")).to_be_visible()
