"""Canvas, text and JSON are views of one plan: what is done in one moves the others, and undo knows all of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.code import Code
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser
PLAN: Document = {
    "version": 1,
    "name": "Views",
    "nodes": {
        "seeking": build_leaf("has_existed_within", "views", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}, "comment": "not just after a seek"},
        "state": build_leaf("latest_event_to_state", "views", field="player_state"),
    },
    "results": ["calm", "state"],
    "layout": {"seeking": [0, 0], "calm": [320, 0], "state": [0, 200]},
    "groups": [{"title": "Seeks", "nodes": ["seeking", "calm"]}],
    "comments": ["What players do."],
}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "viewer")
    user.declare("views")
    return user


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    log_in(page, "viewer")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    return studio


@pytest.fixture
def text(page: Page) -> Code:
    return Code(page, "text")


def test_the_text_editor_is_loaded_when_a_text_is_first_shown(page: Page, ada: Api, text: Code) -> None:
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    log_in(page, "viewer")
    Studio(page).open(ada.add_plan(PLAN)["id"])
    assert not [url for url in loaded if "CodePane" in url]
    text.show()
    assert [url for url in loaded if "CodePane" in url]


def test_what_is_typed_is_on_the_canvas_and_one_undo_takes_it_back(studio: Studio, text: Code) -> None:
    before = studio.document()
    text.show(beside=True)
    text.append("\nnoisy = not calm\n")
    text.expect_in_step()
    studio.fit()
    expect(studio.node("noisy")).to_be_visible()
    text.expect_in_step()
    after = studio.document()
    assert after == before | {"nodes": before["nodes"] | {"noisy": {"op": "not", "inputs": {"of": "calm"}}}}

    text.content.click()
    studio.undo()
    expect(studio.node("noisy")).not_to_be_attached()
    text.expect_in_step()
    assert studio.document() == before
    expect(studio.draft).to_have_text("Saved")
    text.content.click()
    studio.redo()
    expect(studio.node("noisy")).to_be_visible()
    expect(text.line("noisy")).to_be_visible()
    assert studio.document() == after


def test_what_is_done_on_the_canvas_is_in_the_text_as_it_was_typed(studio: Studio, text: Code) -> None:
    text.show(beside=True)
    text.append("\nnoisy   =   not  calm  # as I like it\n")
    text.expect_in_step()
    studio.fit()
    expect(studio.node("noisy")).to_be_visible()
    studio.select("state")
    studio.rename("now")
    expect(text.line("now = latest_event_to_state(views.player_state)")).to_be_visible()
    expect(text.line("noisy   =   not  calm  # as I like it")).to_be_visible()
    text.expect_in_step()
    document = studio.document()
    assert document["nodes"]["noisy"]["comment"] == "as I like it"
    assert document["nodes"]["calm"]["comment"] == "not just after a seek"
    assert document["groups"] == PLAN["groups"]
    assert document["comments"] == PLAN["comments"]
    assert document["layout"]["now"] == [0, 200]


def test_a_text_that_cannot_be_read_is_marked_at_its_place_and_leaves_the_plan_alone(
    studio: Studio, text: Code
) -> None:
    before = studio.document()
    text.show(beside=True)
    text.append("\nbad = nott(calm\n")
    expect(text.status).to_have_text("Has errors – not applied")
    expect(text.problem).to_contain_text(re.compile(r"line \d+, column \d+"))
    expect(text.marks.first).to_be_visible()
    expect(studio.run_button).to_be_disabled()
    expect(studio.refusal).to_have_text("The text has errors.")
    row = studio.problems.get_by_role("listitem").first
    expect(row).to_contain_text("line ")
    row.get_by_role("button").click()
    expect(text.content).to_be_focused()
    assert studio.document() == before

    text.content.press("Control+End")
    studio.undo()
    text.expect_in_step()
    expect(text.line("bad =")).not_to_be_attached()
    assert studio.document() == before
    expect(studio.draft).to_have_text("Saved")


def test_unreadable_text_waits_while_another_view_is_shown_and_takes_in_what_happens_there(
    studio: Studio, text: Code
) -> None:
    text.show()
    text.append("\nnoisy = not(calm\n")
    expect(text.status).to_have_text("Has errors – not applied")
    studio.page.get_by_test_id("view-canvas").click()
    expect(studio.page.get_by_test_id("view-text").get_by_label("not applied")).to_be_visible()
    studio.select("state")
    studio.rename("now")
    studio.page.get_by_test_id("view-text").click()
    expect(text.line("noisy = not(calm")).to_be_visible()
    expect(text.line("now = latest_event_to_state")).to_be_visible()
    expect(text.status).to_have_text("Has errors – not applied")
    studio.page.get_by_test_id("code-discard").click()
    text.expect_in_step()
    expect(text.line("noisy")).not_to_be_attached()
    assert set(studio.document()["nodes"]) == {"seeking", "calm", "now"}


def test_what_the_check_finds_is_marked_in_the_text_where_it_is(studio: Studio, text: Code) -> None:
    text.show()
    text.append("\nodd = duration_where(state)\n")
    expect(text.marks).to_have_text(["state"])
    expect(text.problem).to_contain_text("column 22")
    studio.problems.get_by_role("button").first.click()
    expect(studio.page.get_by_test_id("node-name")).to_have_value("odd")


def test_operators_are_completed_with_their_signatures_then_streams_and_fields(
    studio: Studio, text: Code
) -> None:
    page = studio.page
    text.show(beside=True)
    text.append("\nfresh = ")
    page.keyboard.type("has_existed_w")
    expect(text.options).to_have_count(1)
    expect(text.options).to_contain_text(
        "has_existed_within(stream.field == value, duration, [at|before], [while])"
    )
    expect(page.get_by_test_id("code-help")).to_contain_text("duration")
    text.accept()
    expect(text.line("fresh = has_existed_within(condition, duration)")).to_be_visible()
    expect(page.get_by_test_id("code-signature").locator("b")).to_have_text("stream.field == value")

    page.keyboard.type("vi")
    expect(text.options.first).to_have_text("viewsstream")
    text.accept()
    page.keyboard.type(".")
    expect(text.options).to_have_text(["cdntext", "player_statetext", "user_actiontext"])
    page.keyboard.type("pl")
    expect(text.options).to_have_count(1)
    text.accept()
    page.keyboard.type(' == "play"')
    page.keyboard.press("Tab")
    page.keyboard.type("5s")
    expect(page.get_by_test_id("code-signature").locator("b")).to_have_text("duration")
    expect(text.line('fresh = has_existed_within(views.player_state == "play", 5s)')).to_be_visible()
    text.expect_in_step()
    assert studio.document()["nodes"]["fresh"] == build_leaf(
        "has_existed_within", "views", where='player_state == "play"', duration="5s"
    )


def test_nodes_and_directives_are_completed(studio: Studio, text: Code) -> None:
    page = studio.page
    text.show()
    text.append("\nlast = not ")
    page.keyboard.type("see")
    expect(text.options.first).to_have_text("seekingnode")
    text.accept()
    page.keyboard.press("Enter")
    page.keyboard.type("lay")
    expect(text.options.first).to_contain_text("layout")


def test_an_operator_under_the_mouse_says_what_it_is(studio: Studio, text: Code) -> None:
    text.show()
    text.pane.get_by_text("has_existed_within", exact=True).hover()
    card = studio.page.get_by_test_id("code-help")
    expect(card).to_contain_text(
        "has_existed_within(stream.field == value, duration, [at|before], [while]) → bool"
    )
    expect(card.locator("dt")).to_contain_text(["where", "duration", "side", "while"])


def test_the_cursor_selects_the_node_and_a_selected_node_is_marked_in_the_text(
    studio: Studio, text: Code
) -> None:
    text.show(beside=True)
    text.line("state = latest_event_to_state").click()
    expect(studio.page.get_by_test_id("node-name")).to_have_value("state")
    expect(studio.node("state")).to_have_class(re.compile("selected"))
    studio.select("seeking")
    expect(text.pane.locator(".cm-shown")).to_contain_text("has_existed_within")


def test_saving_while_one_types_saves_what_is_typed(studio: Studio, text: Code, ada: Api) -> None:
    text.show()
    text.append("\nlast = not calm")
    studio.save()
    expect(studio.notice).to_have_text(re.compile("^Saved."))
    assert "last" in ada.get(f"plans/{studio.plan}/")["document"]["nodes"]
    expect(text.content).to_be_focused()


def test_json_is_a_view_as_well_with_its_mistakes_at_their_places(studio: Studio) -> None:
    json = Code(studio.page, "json")
    json.show(beside=True)
    json.replace('"5s"', '"10s"')
    json.expect_in_step()
    assert studio.document()["nodes"]["seeking"]["params"]["duration"] == "10s"
    json.replace('"10s"', '"5 parsecs"')
    expect(json.marks).to_have_text(['"duration"'])
    expect(json.problem).to_contain_text("parsecs")
    json.content.click()
    studio.undo()
    expect(json.marks).to_have_count(0)
    before = studio.document()
    json.replace('"views"', '"views""')
    expect(json.status).to_have_text("Has errors – not applied")
    expect(json.problem).to_contain_text("line 7, column 24")
    assert studio.document() == before
    json.content.click()
    studio.undo()
    json.expect_in_step()
    studio.select("state")
    studio.rename("now")
    expect(json.line('"now": {')).to_be_visible()


def test_the_address_keeps_the_view(studio: Studio, text: Code) -> None:
    page = studio.page
    text.show(beside=True)
    expect(page).to_have_url(re.compile(r"view=text&beside=1"))
    page.reload()
    expect(text.line("seeking = ")).to_be_visible()
    expect(studio.canvas).to_be_visible()
    page.keyboard.press("Alt+1")
    expect(text.pane).not_to_be_attached()
    page.keyboard.press("Alt+3")
    expect(Code(page, "json").line('"nodes": {')).to_be_visible()
