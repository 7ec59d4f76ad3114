"""Drafts save themselves; two pages on one plan lose nothing, and each keeps its own way back."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.drafting import Draft, wait_until_saved_as
from tests.browser.drawing.test_undo_and_problems import START, read_settled_document
from tests.browser.product import Api, add_user
from tests.browser.still import find_middle
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "drafter")


@pytest.fixture
def mine(page: Page, ada: Api) -> Studio:
    log_in(page, "drafter")
    return Studio(page)


@pytest.fixture
def theirs(browser: Browser, stack: Stack, ada: Api) -> Iterator[Studio]:
    """Another browser, in which the same person, or staff, is on the same plan."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    log_in(page, "drafter")
    yield Studio(page)
    context.close()


def change_parameter(studio: Studio, node: str, value: str) -> None:
    studio.select(node)
    studio.set_parameter("where", value)
    studio.click_canvas()


def drag(studio: Studio, node: str) -> None:
    start = find_middle(studio.node(node).locator("header"))
    studio.drag(start, (start[0] + 40, start[1] + 60))


def test_an_edit_saves_itself_and_so_does_its_undo(mine: Studio, ada: Api) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    mine.open(plan)
    draft.expect("saved")
    change_parameter(mine, "played", 'player_state == "pause"')
    draft.expect("unsaved")
    draft.expect("saved")
    changed = read_settled_document(mine)
    assert ada.get(f"plans/{plan}/")["document"] == changed
    mine.undo()
    wait_until_saved_as(ada, plan, START)
    mine.redo()
    wait_until_saved_as(ada, plan, changed)
    draft.expect("saved")
    assert draft.kept() == []


def test_a_new_plan_saves_itself_and_gets_its_address(mine: Studio, ada: Api) -> None:
    mine.new()
    mine.drop_operator("has_existed", (200, 200))
    expect(mine.page).to_have_url(re.compile(r"/plans/\d+/"))
    Draft(mine.page).expect("saved")
    assert mine.plan is not None
    wait_until_saved_as(ada, mine.plan, read_settled_document(mine))


def test_who_only_looks_at_a_new_plan_leaves_none_behind(mine: Studio, ada: Api) -> None:
    before = [item["id"] for item in ada.get("plans/")]
    mine.new()
    expect(mine.draft).to_have_text("New")
    mine.draft.click()
    expect(mine.notice).to_contain_text("Nothing to save yet")
    mine.save()
    mine.page.get_by_test_id("view-text").click()
    mine.page.get_by_test_id("view-canvas").click()
    mine.page.wait_for_timeout(2500)
    mine.page.goto("/")
    assert [item["id"] for item in ada.get("plans/")] == before


def test_what_was_drawn_when_the_page_was_closed_is_saved(mine: Studio, ada: Api) -> None:
    plan = ada.add_plan(START)["id"]
    mine.open(plan)
    mine.select("played")
    mine.set_parameter("where", "closed at once")
    mine.page.close(run_before_unload=True)
    expected = copy.deepcopy(START)
    expected["nodes"]["played"]["params"]["where"] = "closed at once"
    wait_until_saved_as(ada, plan, expected)
    assert ada.get(f"plans/{plan}/")["document"] == expected


def test_what_was_drawn_offline_is_sent_later(mine: Studio, ada: Api) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    mine.open(plan)
    mine.page.context.set_offline(True)
    change_parameter(mine, "played", "drawn offline")
    draft.expect("offline")
    assert len(draft.kept()) == 1
    drag(mine, "calm")
    after = read_settled_document(mine)
    assert ada.get(f"plans/{plan}/")["document"] == START
    mine.page.context.set_offline(False)
    draft.expect("saved", 20)
    assert ada.get(f"plans/{plan}/")["document"] == after
    assert draft.kept() == []


def test_what_was_drawn_offline_outlives_its_page(mine: Studio, ada: Api, stack: Stack) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    mine.open(plan)
    mine.page.route("**/api/plans/**", lambda route: route.abort())
    change_parameter(mine, "played", "kept here")
    draft.expect("offline")
    mine.page.close()
    ada.call("PUT", f"plans/{plan}/", {"document": START | {"name": "Meanwhile"}, "version": 1})
    reopened = Studio(next(iter(mine.page.context.pages), None) or mine.page.context.new_page())
    reopened.open(plan)
    expect(reopened.notice).to_contain_text("Restored unsaved changes.")
    Draft(reopened.page).expect("saved")
    expect(reopened.page.get_by_test_id("plan-name")).to_have_value("Meanwhile")
    result = ada.get(f"plans/{plan}/")["document"]
    assert (result["name"], result["nodes"]["played"]["params"]["where"]) == ("Meanwhile", "kept here")
    assert Draft(reopened.page).kept() == []


def test_disjoint_changes_of_two_pages_come_together_and_each_undoes_its_own(
    mine: Studio, theirs: Studio, ada: Api
) -> None:
    plan = ada.add_plan(START)["id"]
    for studio in (mine, theirs):
        studio.open(plan)
        Draft(studio.page).expect("saved")
    change_parameter(mine, "played", "mine")
    change_parameter(theirs, "seeking", "theirs")
    expect(Draft(mine.page).news).to_contain_text("drafter: Changed where of seeking.")
    drag(theirs, "calm")
    expect(Draft(mine.page).news).to_contain_text("drafter: Moved calm.")
    for studio in (mine, theirs):
        expect(studio.node("played")).to_contain_text("mine")
        expect(studio.node("seeking")).to_contain_text("theirs")
        Draft(studio.page).expect("saved")
    assert (
        read_settled_document(mine) == read_settled_document(theirs) == ada.get(f"plans/{plan}/")["document"]
    )

    mine.undo()
    expect(mine.node("played")).to_contain_text("play")
    expect(mine.node("seeking")).to_contain_text("theirs")
    expect(theirs.node("played")).to_contain_text('"play"')
    theirs.undo()
    theirs.undo()
    expect(theirs.node("seeking")).to_contain_text('"seek"')
    wait_until_saved_as(ada, plan, START)
    expect(mine.node("seeking")).to_contain_text('"seek"')
    mine.redo()
    expect(theirs.node("played")).to_contain_text("mine")


def test_a_page_that_was_away_while_others_drew_loses_nothing(mine: Studio, theirs: Studio, ada: Api) -> None:
    plan = ada.add_plan(START)["id"]
    for studio in (mine, theirs):
        studio.open(plan)
    mine.page.context.set_offline(True)
    change_parameter(mine, "played", "mine, offline")
    mine.drop_operator("event_count", (300, 420))
    Draft(mine.page).expect("offline")
    theirs.select("seeking")
    theirs.rename("sought")
    change_parameter(theirs, "sought", "theirs")
    Draft(theirs.page).expect("saved")
    mine.page.context.set_offline(False)
    Draft(mine.page).expect("saved", 20)
    expect(mine.node("sought")).to_contain_text("theirs")
    expect(theirs.node("event_count")).to_be_visible()
    expect(theirs.node("played")).to_contain_text("mine, offline")
    assert read_settled_document(mine) == read_settled_document(theirs)


def make_conflict(mine: Studio, theirs: Studio, plan: int) -> None:
    """Both change one parameter while one of them is offline."""
    for studio in (mine, theirs):
        studio.open(plan)
        Draft(studio.page).expect("saved")
    mine.page.context.set_offline(True)
    change_parameter(mine, "played", "mine")
    change_parameter(mine, "seeking", "mine too")
    drag(mine, "calm")
    Draft(mine.page).expect("offline")
    change_parameter(theirs, "played", "theirs")
    change_parameter(theirs, "seeking", "theirs too")
    Draft(theirs.page).expect("saved")
    mine.page.context.set_offline(False)
    Draft(mine.page).expect("conflict", 20)


def test_the_same_changed_by_both_is_shown_side_by_side_with_a_choice_for_each(
    mine: Studio, theirs: Studio, ada: Api
) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    make_conflict(mine, theirs, plan)
    expect(draft.conflict_dialog).to_be_visible()
    expect(draft.conflict("where of played")).to_contain_text("theirs")
    expect(draft.conflict("where of played")).to_contain_text('It was: player_state == "play"')
    choose = mine.page.get_by_test_id("conflict-save")
    expect(choose).to_be_disabled()
    expect(choose).to_contain_text("2 left")
    draft.take("where of played", "mine")
    draft.take("where of seeking", "theirs")
    choose.click()
    draft.expect("saved")
    result = ada.get(f"plans/{plan}/")["document"]
    assert result["nodes"]["played"]["params"]["where"] == "mine"
    assert result["nodes"]["seeking"]["params"]["where"] == "theirs too"
    assert result["layout"]["calm"] != START["layout"]["calm"]
    expect(theirs.node("played")).to_contain_text("mine")
    assert read_settled_document(mine) == read_settled_document(theirs) == result


def test_a_choice_can_wait_and_the_work_goes_on_and_outlives_the_page(
    mine: Studio, theirs: Studio, ada: Api
) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    make_conflict(mine, theirs, plan)
    mine.page.get_by_test_id("conflict-later").click()
    expect(draft.conflict_dialog).not_to_be_attached()
    mine.drop_operator("event_count", (300, 420))
    draft.expect("conflict")
    mine.page.reload()
    draft.expect("conflict", 10)
    expect(mine.node("event_count")).to_be_visible()
    mine.page.get_by_role("button", name="Save all of ").last.click()
    expect(draft.conflict_dialog).not_to_be_attached()
    draft.expect("saved")
    expect(theirs.node("event_count")).to_be_visible()
    expect(mine.node("played")).to_contain_text("theirs")
    mine.undo()


def test_who_else_is_here_and_what_they_look_at(mine: Studio, theirs: Studio, ada: Api) -> None:
    plan = ada.add_plan(START)["id"]
    mine.open(plan)
    expect(Draft(mine.page).people).to_have_count(0)
    theirs.open(plan)
    expect(Draft(mine.page).people).to_have_count(1)
    expect(Draft(theirs.page).people).to_have_count(1)
    theirs.select("seeking")
    expect(mine.page.get_by_test_id("person-at-seeking")).to_have_text("drafter")
    expect(Draft(mine.page).people).to_have_attribute("title", "You, on another page: seeking")
    theirs.page.goto("/")
    expect(Draft(mine.page).people).to_have_count(0)
    expect(mine.page.get_by_test_id("person-at-seeking")).not_to_be_attached()


def test_a_plan_deleted_under_the_hand_says_so(mine: Studio, ada: Api) -> None:
    plan = ada.add_plan(START)["id"]
    mine.open(plan)
    Draft(mine.page).expect("saved")
    ada.call("DELETE", f"plans/{plan}/")
    Draft(mine.page).expect("refused")
    expect(Draft(mine.page).status).to_have_attribute("title", re.compile("This plan was deleted"))


def test_what_is_drawn_on_a_deleted_plan_is_kept_as_a_new_one(mine: Studio, ada: Api) -> None:
    plan, draft = ada.add_plan(START)["id"], Draft(mine.page)
    mine.open(plan)
    draft.expect("saved")
    ada.call("DELETE", f"plans/{plan}/")
    draft.expect("refused")
    change_parameter(mine, "played", 'player_state == "rest"')
    expect(mine.run_button).to_be_disabled()
    expect(mine.refusal).to_have_text("The plan was deleted.")
    mine.page.get_by_test_id("keep-as-new").click()
    expect(mine.page).not_to_have_url(re.compile(f"/plans/{plan}/"))
    draft.expect("saved")
    assert mine.plan is not None
    stored = ada.get(f"plans/{mine.plan}/")["document"]["nodes"]["played"]["params"]
    assert stored == {"where": 'player_state == "rest"'}
    assert draft.kept() == []


def test_why_a_draft_is_refused_stands_on_the_page(mine: Studio, ada: Api) -> None:
    mine.open(ada.add_plan(START)["id"])
    Draft(mine.page).expect("saved")
    mine.page.route(
        "**/api/plans/*/", lambda response: response.fulfill(status=400, json={"message": "It is odd."})
    )
    change_parameter(mine, "played", 'player_state == "odd"')
    Draft(mine.page).expect("refused")
    expect(mine.page.get_by_test_id("not-saved")).to_have_text("Not saved. It is odd.")
    mine.page.unroute("**/api/plans/*/")
    mine.save()
    Draft(mine.page).expect("saved")
    expect(mine.page.get_by_test_id("not-saved")).not_to_be_attached()
