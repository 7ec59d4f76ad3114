"""Dashboards, streams and nodes of several people: shared, given away, taken away, not stopped under others."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.drawing.looking import SeenBy
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def carol(stack: Stack) -> Api:
    """Owns things."""
    return add_user(stack, "carol", streams=["dealt"])


@pytest.fixture(scope="module")
def dora(stack: Stack) -> Api:
    """Somebody else."""
    return add_user(stack, "dora")


@pytest.fixture(scope="module")
def chair(stack: Stack) -> Api:
    """An administrator."""
    return add_user(stack, "chair", staff=True)


@pytest.fixture
def carols(seen_by: SeenBy, carol: Api) -> Page:
    return seen_by("carol")


@pytest.fixture
def doras(seen_by: SeenBy, dora: Api) -> Page:
    return seen_by("dora", "dark")


def run_plan(user: Api, name: str, where: str = 'player_state == "play"') -> int:
    nodes = {"played": build_leaf("has_existed", "dealt", where=where)}
    plan = int(user.add_plan({"version": 1, "name": name, "nodes": nodes, "results": ["played"]})["id"])
    user.run(plan)
    return plan


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_test_id(menu).click()
    page.get_by_test_id(item).click()


def find(page: Page, name: str) -> None:
    page.get_by_test_id("holder-search").fill(name)
    page.get_by_test_id(f"holder-{name}").click()


def share_with_one(page: Page, menu: str, name: str, right: str) -> None:
    """Close it to all, and open it to one."""
    choose(page, menu, "share-thing")
    page.get_by_test_id("open-to-all").uncheck()
    find(page, name)
    page.get_by_label(f"{name} may {right}").check()
    page.get_by_test_id("share-save").click()
    expect(page.get_by_test_id("access")).not_to_be_attached()


def give(page: Page, menu: str, name: str, reason: str) -> None:
    choose(page, menu, "transfer-thing")
    find(page, name)
    page.get_by_test_id("reason").fill(reason)
    page.get_by_test_id("transfer-go").click()
    expect(page.get_by_test_id("transfer")).not_to_be_attached()


def check_acts(page: Page, menu: str, kind: str) -> None:
    """What was done is told, with whom and why."""
    choose(page, menu, "activity-of-thing")
    shared = page.get_by_test_id(f"act-{kind}.share")
    expect(shared).to_contain_text("It is not open to all any more.")
    expect(shared).to_contain_text("dora may")
    transfer_entry = page.get_by_test_id(f"act-{kind}.transfer")
    expect(transfer_entry).to_contain_text("It went from carol to dora.")
    expect(transfer_entry).to_contain_text("She carries on")
    assert not (result := find_violations(page)), "\n".join(result)


def test_a_dashboard_is_shared_with_one_and_given_away(carols: Page, doras: Page, carol: Api) -> None:
    plan = run_plan(carol, "On a board")
    document = {"charts": [build_chart(1, "lane", plan, "played", [0, 0, 6, 5])], "range": "5m", "key": "ann"}
    board = int(carol.call("POST", "dashboards/", {"name": "Hers", "document": document})["id"])
    BoardPage(carols).open(board)
    share_with_one(carols, "board-menu", "dora", "change")
    BoardPage(doras).open(board)
    doras.get_by_test_id("edit").click()
    doras.get_by_test_id("board-name").fill("Hers, by dora")
    doras.keyboard.press("Control+s")
    expect(doras.get_by_test_id("notice")).to_contain_text("Saved as version")
    doras.get_by_test_id("done").click()
    doras.get_by_test_id("board-menu").click()
    expect(doras.get_by_test_id("transfer-thing")).to_be_disabled()
    doras.keyboard.press("Escape")
    carols.reload()
    give(carols, "board-menu", "dora", "She carries on")
    doras.reload()
    check_acts(doras, "board-menu", "dashboard")
    carols.reload()
    expect(carols.get_by_test_id("notice")).to_contain_text(
        "no dashboard of this number that you may look at"
    )


def test_a_stream_is_shared_with_one_and_given_away(carols: Page, doras: Page, carol: Api, dora: Api) -> None:
    carol.declare("given")
    carols.goto("/streams/given/")
    share_with_one(carols, "stream-menu", "dora", "run and stop")
    event = {"session_id": "s", "t": 1, "event_id": "e", "player_state": "play"}
    dora.push("given", [event])
    doras.goto("/streams/given/")
    expect(doras.locator("main[data-testid=stream-given]")).to_be_visible()
    give(carols, "stream-menu", "dora", "She carries on")
    doras.reload()
    check_acts(doras, "stream-menu", "stream")


def test_a_chart_of_a_plan_that_is_not_shared_any_more_goes_from_an_open_dashboard(
    carols: Page, doras: Page, carol: Api, dora: Api, stack: Stack
) -> None:
    plan = run_plan(carol, "Closed later", 'player_state == "pause"')
    digest = carol.digests(plan)["played"]
    log, start = Log(stack, {"played": digest}), compute_now() - 100 * SECOND
    log.say("played", "ann", [[None, False], [start, True]])
    log.publish()
    charts = [
        build_chart(1, "lane", plan, "played", [0, 0, 6, 5]),
        build_chart(2, "table", plan, "played", [6, 0, 6, 5], key="ann"),
    ]
    document = {"charts": charts, "range": "5m", "key": "ann"}
    board = int(dora.call("POST", "dashboards/", {"name": "Of dora", "document": document})["id"])
    board_page, lanes = BoardPage(doras), Lanes(carols)
    board_page.open(board)
    expect(board_page.reading("c1")).to_contain_text("true")
    expect(board_page.keys("c2")).to_have_text(["ann"])
    carols.goto(f"/nodes/{digest}/?key=ann")
    expect(lanes.value("played")).to_have_text("true")
    carol.call("PUT", f"plans/{plan}/sharing/", {"open_to_all": False, "shares": []})
    for name in ("c1", "c2"):
        expect(board_page.chart(name)).to_contain_text("no plan that uses it is shared with you")
    expect(board_page.reading("c1")).not_to_contain_text("true")
    expect(board_page.keys("c2")).to_have_count(0)
    expect(lanes.value("played")).to_have_text("true")
    doras.wait_for_timeout(4000)  # it is asked again meanwhile, in vain, and says the same
    expect(board_page.chart("c1")).to_contain_text("no plan that uses it is shared with you")
    carol.call("PUT", f"plans/{plan}/sharing/", {"open_to_all": True, "shares": []})
    expect(board_page.reading("c1")).to_contain_text("true")


def test_a_node_is_not_stopped_under_others_whose_plans_are_named(
    carols: Page, browser: Browser, stack: Stack, carol: Api, dora: Api, chair: Api
) -> None:
    own_plan = run_plan(carol, "Of carol", 'player_state == "stop"')
    run_plan(dora, "Of dora too", 'player_state == "stop"')
    digest = carol.digests(own_plan)["played"]
    carols.goto(f"/nodes/{digest}/")
    expect(carols.get_by_test_id("node-figures")).to_be_visible()
    carols.context.set_offline(True)
    expect(carols.get_by_test_id("node-stale")).to_contain_text("The server is unreachable")
    expect(carols.get_by_test_id("node-figures")).to_be_visible()
    carols.context.set_offline(False)
    expect(carols.get_by_test_id("node-stale")).not_to_be_attached()
    carols.get_by_test_id("node-stop").click()
    carols.get_by_test_id("node-stop-go").click()
    refused = carols.get_by_role("dialog").get_by_role("alert")
    expect(refused).to_contain_text("dora uses it in “Of dora too”")
    carols.keyboard.press("Escape")
    expect(carols.get_by_test_id("node-users")).to_contain_text("Of carol")
    with open_page(browser, stack.url, "light", "chair") as page:
        page.goto(f"/admin/web/node/?q={digest}")
        page.locator("input.action-select").check()
        page.locator("select[name=action]").select_option("stop")
        page.get_by_role("button", name="Go", exact=True).click()
        page.get_by_label("Reason").fill("too dear")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".messagelist .error")).to_contain_text("dora uses it in “Of dora too”")
        dora.stop(
            int(next(item["id"] for item in dora.get("plans/", owner="me") if item["name"] == "Of dora too"))
        )
        page.locator("input.action-select").check()
        page.locator("select[name=action]").select_option("stop")
        page.get_by_role("button", name="Go", exact=True).click()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".messagelist .success")).to_contain_text("1 node stopped.")
    carols.reload()
    stop = carols.get_by_test_id("act-node.stop")
    expect(stop).to_contain_text("Stopped with it: “Of carol”.")
    expect(stop.get_by_role("link", name="Of carol")).to_have_attribute("href", f"/plans/{own_plan}/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_after_five_wrong_passwords_the_door_says_until_when_it_is_shut(
    browser: Browser, stack: Stack, dora: Api, scheme: str
) -> None:
    context = browser.new_context(base_url=stack.url, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/login/")
    for _ in range(5):
        page.get_by_label("Name").fill(f"guesser-{scheme}")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text(
        re.compile(r"Try again at\s+\d\d:\d\d UTC, in 1[45] minutes")
    )
    assert not (result := find_violations(page)), "\n".join(result)
    context.close()
