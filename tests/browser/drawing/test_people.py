"""Who may see what: shared, taken back, given away, read about, and administered; in light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.drawing.looking import SeenBy
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {"played": build_leaf("has_existed", "owned", where='player_state == "play"')}


def build_document(name: str) -> dict[str, object]:
    return {"version": 1, "name": name, "nodes": NODES, "results": ["played"]}


@pytest.fixture(scope="module")
def mary(stack: Stack) -> Api:
    """Owns things."""
    return add_user(stack, "mary", streams=["owned"])


@pytest.fixture(scope="module")
def chief(stack: Stack) -> Api:
    """An administrator."""
    return add_user(stack, "chief", staff=True)


@pytest.fixture(scope="module")
def nils(stack: Stack) -> Api:
    """Somebody else."""
    return add_user(stack, "nils")


@pytest.fixture
def marys(seen_by: SeenBy, mary: Api) -> Page:
    return seen_by("mary")


@pytest.fixture
def nilss(seen_by: SeenBy, nils: Api) -> Page:
    return seen_by("nils")


@pytest.fixture
def chiefs(seen_by: SeenBy, chief: Api) -> Page:
    return seen_by("chief")


def open_studio(page: Page, plan: int) -> Studio:
    studio = Studio(page)
    studio.open(plan)
    expect(studio.node("played")).to_be_visible()
    return studio


def test_what_is_shared_off_goes_from_an_open_page_and_comes_back(
    marys: Page, nilss: Page, mary: Api
) -> None:
    plan = int(mary.add_plan(build_document("Shown and hidden"))["id"])
    open_studio(marys, plan).choose_from_menu("share-thing")
    open_studio(nilss, plan)
    marys.get_by_test_id("open-to-all").uncheck()
    marys.get_by_test_id("share-save").click()
    expect(marys.get_by_test_id("access")).not_to_be_attached()
    expect(nilss.get_by_test_id("notice")).to_contain_text("no longer shared with you")
    expect(nilss.get_by_test_id("node-played")).not_to_be_attached()
    Studio(marys).choose_from_menu("share-thing")
    marys.get_by_test_id("holder-search").fill("nil")
    marys.get_by_test_id("holder-nils").click()
    marys.get_by_label("nils may change").check()
    marys.get_by_test_id("share-save").click()
    expect(marys.get_by_test_id("access")).not_to_be_attached()
    open_studio(nilss, plan)
    expect(nilss.get_by_test_id("foreign")).not_to_be_attached()
    expect(nilss.get_by_test_id("run")).to_be_disabled()


def test_who_does_not_own_a_plan_sees_with_whom_it_is_shared_and_cannot_change_it(
    nilss: Page, mary: Api, nils: Api
) -> None:
    plan = int(mary.add_plan(build_document("Only looked at"))["id"])
    studio = open_studio(nilss, plan)
    nilss.get_by_test_id("plan-menu").click()
    expect(nilss.get_by_test_id("transfer-thing")).to_be_disabled()
    expect(nilss.get_by_test_id("transfer-thing")).to_contain_text(
        "Only mary or an administrator can change that"
    )
    nilss.keyboard.press("Escape")
    studio.choose_from_menu("share-thing")
    expect(nilss.get_by_test_id("open-to-all")).to_be_disabled()
    expect(nilss.get_by_test_id("share-save")).not_to_be_attached()


def test_a_plan_is_given_away_with_a_reason_that_is_read_later(marys: Page, mary: Api, nils: Api) -> None:
    plan = int(mary.add_plan(build_document("Given away"))["id"])
    studio = open_studio(marys, plan)
    studio.choose_from_menu("transfer-thing")
    expect(marys.get_by_test_id("transfer-go")).to_be_disabled()
    marys.get_by_test_id("transfer-go").press("Enter")
    expect(marys.get_by_role("dialog").get_by_role("alert")).to_have_text("Choose the new owner.")
    marys.get_by_test_id("holder-search").fill("nils")
    expect(marys.get_by_test_id("holder-nils")).to_be_visible()
    marys.get_by_test_id("holder-search").fill("mary")
    expect(marys.get_by_test_id("holder-nils")).not_to_be_attached()
    expect(marys.get_by_test_id("holder-mary")).not_to_be_attached()
    marys.get_by_test_id("holder-search").fill("nils")
    marys.get_by_test_id("holder-nils").click()
    marys.get_by_test_id("reason").fill("He carries on")
    marys.get_by_test_id("transfer-go").click()
    expect(marys.get_by_test_id("foreign")).to_have_text("Plan of nils")
    studio.choose_from_menu("activity-of-thing")
    act = marys.get_by_test_id("act-plan.transfer")
    expect(act).to_contain_text("mary transferred the plan")
    expect(act).to_contain_text("He carries on")
    expect(act).to_contain_text("It went from mary to nils.")


def test_the_activity_of_all_is_searched_and_downloaded(marys: Page, mary: Api) -> None:
    mary.add_plan(build_document("To be found"))
    marys.goto("/audit/")
    marys.get_by_test_id("audit-search").fill("To be found")
    act = marys.get_by_test_id("act-plan.create")
    expect(act).to_have_count(1)
    marys.get_by_test_id("audit-kind").select_option("stream")
    expect(act).to_have_count(0)
    marys.get_by_test_id("audit-kind").select_option("plan")
    with marys.expect_download() as result:
        marys.get_by_test_id("audit-csv").click()
    lines = result.value.path().read_text().splitlines()
    assert len(lines) == 2
    assert "To be found" in lines[1]
    act.get_by_role("link", name="To be found").click()
    expect(marys).to_have_url(re.compile(r"/plans/\d+/"))


def test_a_node_has_a_page_for_those_who_may_see_it(marys: Page, nilss: Page, mary: Api, nils: Api) -> None:
    plan = int(mary.add_plan(build_document("Runs"))["id"])
    mary.run(plan)
    open_studio(marys, plan).select("played")
    marys.get_by_test_id("node-link").click()
    expect(marys.get_by_test_id("node-users")).to_contain_text("Runs as played of mary")
    expect(marys.get_by_test_id("node-stop")).to_be_enabled()
    nilss.goto(marys.url)
    expect(nilss.get_by_test_id("node-stop")).to_be_disabled()
    expect(nilss.get_by_test_id("node-stop")).to_have_attribute("title", re.compile("mary owns it"))
    marys.get_by_test_id("node-stop").click()
    marys.get_by_test_id("reason").fill("Not needed")
    marys.get_by_test_id("node-stop-go").click()
    expect(marys.get_by_test_id("node-users")).to_contain_text("– (unused)")
    expect(marys.get_by_test_id("activity")).to_contain_text("Not needed")


def test_the_page_of_a_node_shows_its_timeline_of_a_key_live_and_why(
    nilss: Page, mary: Api, stack: Stack
) -> None:
    plan = int(mary.add_plan(build_document("Has a timeline"))["id"])
    mary.run(plan)
    log, start = Log(stack, mary.digests(plan)), compute_now() - 100 * SECOND
    event = {"session_id": "ann", "t": start // 1000, "event_id": "a", "player_state": "play"}
    mary.push("owned", [event])
    log.say_all("played", {"ann": [[None, False], [start, True]], "bob": [[None, False]]})
    log.publish()
    lanes = Lanes(nilss)
    open_studio(nilss, plan).select("played")
    nilss.get_by_test_id("key-input").fill("ann")
    nilss.keyboard.press("Enter")
    nilss.get_by_test_id("node-link").click()
    expect(nilss).to_have_url(re.compile(r"/nodes/\w+/\?key=ann"))
    expect(lanes.value("played")).to_have_text("true")
    nilss.get_by_role("button", name="Why is played so?").click()
    expect(nilss.get_by_test_id("why-panel")).to_contain_text('player_state: "play"')
    nilss.get_by_test_id("key-input").fill("bo")
    expect(nilss.get_by_role("listbox").get_by_role("option")).to_have_text(["bob"])
    nilss.keyboard.press("ArrowDown")
    nilss.keyboard.press("Enter")
    expect(nilss).to_have_url(re.compile(r"\?key=bob"))
    expect(lanes.value("played")).to_have_text("false")
    log.say("played", "bob", [[None, False], [start + 50 * SECOND, True]])
    log.publish()
    expect(lanes.value("played")).to_have_text("true")
    nilss.get_by_test_id("then").click()
    nilss.get_by_role("button", name="Earlier change").click()
    expect(lanes.value("played")).to_have_text("false")


def test_the_first_page_of_the_administration_fits_a_small_window(chiefs: Page) -> None:
    chiefs.set_viewport_size({"width": 1024, "height": 768})
    chiefs.goto("/admin/")
    expect(chiefs.get_by_role("heading", name="What was done last")).to_be_in_viewport(ratio=0)
    assert chiefs.evaluate("document.documentElement.scrollWidth") <= 1024


def test_an_administrator_makes_a_person_who_chooses_a_password(
    chiefs: Page, browser: Browser, stack: Stack
) -> None:
    chiefs.goto("/")
    chiefs.get_by_test_id("account").click()
    chiefs.get_by_test_id("account-people").click()
    chiefs.get_by_test_id("new-person").click()
    chiefs.get_by_test_id("person-name").fill("olga")
    chiefs.get_by_test_id("make-person").click()
    password = chiefs.get_by_test_id("password").inner_text().strip()
    context = browser.new_context(base_url=stack.url)
    page = context.new_page()
    page.goto("/login/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Your password")).to_be_visible()
    assert not (result := find_violations(page)), "\n".join(result)
    page.goto("/plans/new/")
    page.get_by_label("New password").fill("purple horses run")
    page.get_by_label("The same again").fill("purple horses run")
    page.get_by_role("button", name="Change it").click()
    expect(page).to_have_url(re.compile("/plans/new/$"))
    context.close()


def test_a_person_is_deleted_together_with_whom_everything_goes_to(
    chiefs: Page, stack: Stack, nils: Api
) -> None:
    leaver = add_user(stack, "leaver")
    plan = int(leaver.add_plan(build_document("Left behind"))["id"])
    chiefs.goto("/people/")
    row = chiefs.get_by_test_id("person-leaver")
    expect(row).to_contain_text("1 plan")
    row.get_by_label("Role of leaver").select_option("viewer")
    chiefs.reload()
    expect(row.get_by_label("Role of leaver")).to_have_value("viewer")
    chiefs.get_by_test_id("more-leaver").click()
    chiefs.get_by_test_id("person-delete").click()
    chiefs.get_by_test_id("holder-search").fill("nils")
    chiefs.get_by_test_id("holder-nils").click()
    chiefs.get_by_test_id("transfer-go").click()
    expect(row).not_to_be_attached()
    assert nils.get(f"plans/{plan}/")["owner"] == "nils"


def test_a_team_is_made_by_keyboard_and_filled(chiefs: Page, nils: Api) -> None:
    chiefs.goto("/people/")
    chiefs.get_by_test_id("team-name").fill("night shift")
    chiefs.keyboard.press("Enter")
    chiefs.get_by_role("button", name="Members of night shift").click()
    chiefs.get_by_test_id("holder-search").fill("nils")
    chiefs.get_by_test_id("holder-nils").press("Enter")
    chiefs.get_by_test_id("members-save").click()
    expect(chiefs.get_by_test_id("teams")).to_contain_text("night shift nils")


def test_others_have_no_page_of_people(nilss: Page) -> None:
    nilss.goto("/people/")
    expect(nilss.get_by_test_id("notice")).to_contain_text("Only administrators can manage users")


def open_share_dialog(page: Page, plan: int) -> None:
    open_studio(page, plan).choose_from_menu("share-thing")
    page.get_by_test_id("holder-search").fill("nils")
    page.get_by_test_id("holder-nils").click()
    expect(page.get_by_test_id("share-nils")).to_be_visible()


def transfer_dialog(page: Page, plan: int) -> None:
    open_studio(page, plan).choose_from_menu("transfer-thing")
    page.get_by_test_id("holder-search").fill("nils")
    expect(page.get_by_test_id("holder-nils")).to_be_visible()


def open_activity(page: Page, plan: int) -> None:
    open_studio(page, plan).choose_from_menu("activity-of-thing")
    expect(page.get_by_test_id("act-plan.create")).to_be_visible()


def open_audit(page: Page, _plan: int) -> None:
    page.goto("/audit/")
    expect(page.get_by_test_id("activity")).to_contain_text("made the plan")


def open_people(page: Page, _plan: int) -> None:
    page.goto("/people/")
    expect(page.get_by_test_id("person-nils")).to_be_visible()


def open_node(page: Page, plan: int) -> None:
    open_studio(page, plan).select("played")
    page.get_by_test_id("node-link").click()
    expect(page.get_by_test_id("node-figures")).to_be_visible()


def create_person(page: Page, plan: int) -> None:
    open_people(page, plan)
    page.get_by_test_id("new-person").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def open_stop_dialog(page: Page, plan: int) -> None:
    open_node(page, plan)
    page.get_by_test_id("node-stop").click()
    expect(page.get_by_test_id("node-stop-go")).to_be_visible()


SHOWN: dict[str, Callable[[Page, int], None]] = {
    "share": open_share_dialog,
    "transfer": transfer_dialog,
    "activity": open_activity,
    "audit": open_audit,
    "people": open_people,
    "node": open_node,
    "a person to be made": create_person,
    "a node to be stopped": open_stop_dialog,
}


@pytest.fixture(scope="module")
def running(chief: Api, mary: Api, nils: Api) -> int:
    plan = int(chief.add_plan(build_document("Administered"))["id"])
    chief.run(plan)
    return plan


@pytest.fixture(scope="module", params=["light", "dark"])
def themed(browser: Browser, stack: Stack, chief: Api, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "chief") as page:
        yield page


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_about_people_keeps_the_rules(themed: Page, running: int, name: str) -> None:
    SHOWN[name](themed, running)
    assert not (result := find_violations(themed)), "\n".join(result)
    if name in ("audit", "people", "node"):
        assert not (off := find_overflow(themed)), off
