"""Everything is found from every page, and lists are searched and paged by the server; in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.drawing.engine import say
from tests.browser.finding import Finding, Listing
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, open_page, record_console_errors
from workers.stack import Stack

pytestmark = pytest.mark.browser

PLAN_COUNT = 53
"""More than a page."""


def build_document(name: str) -> dict[str, object]:
    nodes = {"played": build_leaf("has_existed", "seen_here", where='player_state == "play"')}
    return {"version": 1, "name": name, "nodes": nodes, "results": ["played"]}


@pytest.fixture(scope="module")
def fay(stack: Stack) -> Api:
    """Owns many plans, one of which runs and fails."""
    api = add_user(stack, "fay")
    api.declare("seen_here")
    for number in range(PLAN_COUNT):
        api.add_plan(build_document(f"Findable {number:02}"))
    plan = int(api.add_plan(build_document("Findable failing"))["id"])
    api.run(plan)
    say(stack, api.digests(plan)["played"], "failed", "failed: no room", "OSError")
    api.call("POST", "dashboards/", {"name": "Findable wall"})
    return api


@pytest.fixture(params=["light", "dark"])
def themed(browser: Browser, stack: Stack, fay: Api, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "fay") as page:
        page.goto("/")
        yield page


@pytest.fixture
def page(browser: Browser, stack: Stack, fay: Api) -> Iterator[Page]:
    with open_page(browser, stack.url, "light", "fay") as page:
        page.goto("/")
        yield page


def test_everything_is_found_by_keyboard_alone(page: Page) -> None:
    errors = record_console_errors(page)
    finding = Finding(page)
    page.goto("/streams/?q=seen_here")
    expect(Listing(page, "streams").rows).to_have_count(1)
    page.keyboard.press("/")
    expect(finding.text).to_be_focused()
    expect(finding.group("Plans")).to_be_visible()
    finding.type("findable fail")
    expect(finding.group("Plans").get_by_role("option")).to_have_text(
        [re.compile("Findable failing.*running, a node failed.*fay")]
    )
    finding.type(" is:fai")
    expect(finding.active).to_contain_text("is:failing")
    page.keyboard.press("Tab")
    expect(finding.text).to_have_value("findable fail is:failing ")
    expect(finding.status).to_have_text("1 plan")
    expect(finding.active).to_contain_text("Findable failing")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/plans/\d+/"))
    studio = Studio(page)
    expect(studio.node("played")).to_be_visible()
    page.get_by_test_id("search").focus()
    page.keyboard.press("Enter")
    expect(finding.text).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("search")).to_be_focused()
    assert errors == []


def test_what_is_wrong_is_said_at_its_place_and_nothing_says_what_to_do(page: Page) -> None:
    finding = Finding(page)
    page.get_by_test_id("search").click()
    finding.type("findable op:dur")
    expect(finding.option("say op:duration_where")).to_be_visible()
    finding.text.fill("findable op:never ")
    expect(finding.problems.locator("mark")).to_have_text("op:never")
    expect(finding.problems).to_contain_text("There is no operator 'op:never'".replace("op:", ""))
    expect(finding.text).to_have_attribute("aria-invalid", "true")
    finding.text.fill("findable nowhere_at_all")
    expect(page.get_by_test_id("search-nothing")).to_contain_text("findable nowhere_at_all")
    finding.option("less nowhere_at_all").click()
    expect(finding.text).to_have_value("findable")
    finding.option("all plan").click()
    expect(page).to_have_url(re.compile(r"/\?q=findable$"))
    expect(Listing(page, "plans").rows).to_have_count(50)


def test_a_slash_that_is_typed_is_a_slash(page: Page) -> None:
    page.get_by_test_id("list-search").press_sequentially("a/b")
    expect(page.get_by_test_id("list-search")).to_have_value("a/b")
    expect(page.get_by_test_id("search-dialog")).not_to_be_attached()


def test_a_list_is_searched_and_paged_by_the_server_and_its_address_keeps_it(page: Page) -> None:
    plans = Listing(page, "plans")
    page.goto("/?q=findable")
    expect(plans.rows).to_have_count(50)
    expect(plans.shown).to_have_text("First 50 shown.")
    plans.more.click()
    expect(plans.rows).to_have_count(PLAN_COUNT + 1)
    expect(plans.shown).to_have_text(f"{PLAN_COUNT + 1} plans")
    page.get_by_test_id("only-failing").click()
    expect(plans.rows).to_have_text([re.compile("Findable failing.*fay.*running, 1 failed")])
    expect(page).to_have_url(re.compile(r"q=findable\+is%3Afailing"))
    page.reload()
    expect(page.get_by_test_id("only-failing")).to_have_attribute("aria-pressed", "true")
    expect(plans.rows).to_have_count(1)
    plans.search.fill("findable is:odd ")
    expect(page.get_by_test_id("search-problems").locator("mark")).to_have_text("is:odd")
    plans.search.fill("no such thing")
    page.get_by_test_id("no-match").get_by_role("button").click()
    expect(plans.search).to_have_value("")
    page.goto("/nodes/?q=uses:%22Findable+failing%22")
    expect(Listing(page, "nodes").rows).to_have_text(
        [re.compile("played.*fay.*failed: no room.*Findable failing")]
    )


def test_a_list_that_is_open_shows_what_becomes_of_its_things(page: Page, fay: Api) -> None:
    plans = Listing(page, "plans")
    page.goto("/?q=lately")
    expect(page.get_by_test_id("no-match")).to_be_visible()
    plan = int(fay.add_plan(build_document("Made lately"))["id"])
    expect(plans.rows).to_contain_text(["Made lately"])
    fay.run(plan)
    expect(plans.rows).to_contain_text(["running"])
    fay.call("DELETE", f"plans/{plan}/")


def open_transfer(page: Page) -> None:
    page.goto("/?q=findable")
    page.get_by_test_id("choose-shown").check()
    page.get_by_test_id("choose-all").click()
    page.get_by_test_id("transfer-chosen").click()
    expect(page.get_by_test_id("transfer")).to_contain_text("at once, all or none")


def expect_found(page: Page) -> None:
    Finding(page).open("findable fail")
    expect(Finding(page).active).to_contain_text("Findable failing")


def open_proposals(page: Page) -> None:
    Finding(page).open("owner:")
    expect(Finding(page).option("say owner:fay")).to_be_visible()


def open_search_help(page: Page) -> None:
    Finding(page).open("findable is:odd nothing:x ")
    expect(Finding(page).problems).to_be_visible()
    page.get_by_test_id("search-help").locator("summary").click()


def search_nothing(page: Page) -> None:
    Finding(page).open("nowhere at all")
    expect(page.get_by_test_id("search-nothing")).to_be_visible()


def list_of(kind: str) -> Callable[[Page], None]:
    def open_list(page: Page) -> None:
        page.goto("/" if kind == "plans" else f"/{kind}/")
        expect(Listing(page, kind).rows.first).to_be_visible()

    return open_list


SHOWN: dict[str, Callable[[Page], None]] = {
    "found": expect_found,
    "proposed": open_proposals,
    "wrong": open_search_help,
    "none": search_nothing,
    "giving": open_transfer,
    **{kind: list_of(kind) for kind in ("plans", "nodes", "streams", "dashboards")},
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_that_finds_keeps_the_rules_at_any_width(themed: Page, name: str) -> None:
    SHOWN[name](themed)
    assert not (result := find_violations(themed)), "\n".join(result)
    for width in (1024, 320):
        assert not (off := find_overflow(themed, width)), f"{off} run off a page of {width} pixels"


def test_many_are_chosen_and_given_away_at_once(page: Page, stack: Stack, fay: Api) -> None:
    heir = add_user(stack, "heir")
    heir.add_plan(build_document("Findable of another"))
    plans = Listing(page, "plans")
    page.goto('/?q="findable+5"')
    expect(plans.rows).to_have_count(3)
    page.get_by_label("Select Findable 52").focus()
    page.keyboard.press("Space")
    page.get_by_label("Select Findable 51").check()
    expect(plans.chosen).to_have_text("2 plans selected")
    plans.transfer("heir", "He carries on")
    expect(plans.chosen).to_have_text("2 plans belong to heir now.")
    expect(plans.rows.filter(has_text="heir")).to_have_count(2)
    expect(page.get_by_label("Select Findable 52")).to_be_disabled()
    page.goto("/?q=findable+-failing")
    expect(plans.rows).to_have_count(50)
    page.get_by_test_id("choose-shown").check()
    page.get_by_test_id("choose-all").click()
    expect(plans.chosen).to_have_text("All matching plans selected")
    page.get_by_test_id("transfer-chosen").click()
    expect(page.get_by_role("heading", name=f"Change owner of {PLAN_COUNT - 2} plans")).to_be_visible()
    expect(page.get_by_test_id("stays")).to_contain_text("3 are not yours")
    page.keyboard.press("Escape")
    plans.transfer("heir", "All of it")
    expect(plans.chosen).to_have_text(f"{PLAN_COUNT - 2} plans belong to heir now.")
    acts = heir.get("audit/", act="plan.transfer", actor="fay", limit=200)
    assert {act["reason"] for act in acts} == {"He carries on", "All of it"}
