"""Dashboards: live charts of any nodes, arranged by hand, that open the same for others and say what keeps them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.boards import BoardPage, build_chart, parse_path, record_messages
from tests.browser.choosing import Chooser
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user, build_leaf, build_rebuffering, wait_until
from tests.browser.still import find_middle, read_steady, read_steady_box
from tests.browser.studio import Studio, log_in, record_sockets
from workers.stack import Stack

pytestmark = pytest.mark.browser

SECOND = 1_000_000
KEYS = [f"s{number:03}" for number in range(120)]
Make = Callable[..., int]


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "boarder")
    user.declare("played")
    return user


@pytest.fixture(scope="module")
def plan(ada: Api) -> int:
    number = int(ada.add_plan(build_rebuffering("played"))["id"])
    ada.run(number)
    return number


@pytest.fixture(scope="module")
def digests(ada: Api, plan: int) -> dict[str, str]:
    return ada.digests(plan)


@pytest.fixture(scope="module")
def filler(stack: Stack, digests: dict[str, str]) -> Iterator[Filler]:
    """Ten minutes of history: of session sN, N seconds of rebuffering; it plays since two minutes."""
    now = time.time_ns() // 1000
    start, lately, final = now - 600 * SECOND, now - 120 * SECOND, now - 30 * SECOND
    with Filler(stack) as filling:
        seconds = [
            [key, start, None, None, [[None, 0.0, 0.0], [lately, float(number), 0.0]]]
            for number, key in enumerate(KEYS)
        ]
        states = [
            [key, start, None, None, [[None, None], [start, "buffer"], [lately, "play"]]] for key in KEYS[-5:]
        ]
        groups = [
            [f"CDN{n}", start, None, None, [[None, 0.0, 0.0], [lately, 100.0 * n, 0.0]]] for n in (1, 2, 3)
        ]
        filling.say(digests["cirr"], seconds, final)
        filling.say(digests["state"], states, final)
        filling.say(digests["cirr_by_cdn"], groups, final)
        yield filling


@pytest.fixture
def board_page(page: Page, filler: Filler) -> BoardPage:
    log_in(page, "boarder")
    return BoardPage(page)


@pytest.fixture
def make(ada: Api, plan: int) -> Make:
    def create_board(*charts: tuple[Any, ...], key: str = KEYS[-1], **more: Any) -> int:
        drawn = [
            build_chart(n, kind, plan, node, number, **rest)
            for n, (kind, node, number, rest) in enumerate(charts, 1)
        ]
        document = {"charts": drawn, "range": "5m", "key": key}
        return int(ada.call("POST", "dashboards/", {"name": "Board", "document": document, **more})["id"])

    return create_board


ALL: tuple[tuple[Any, ...], ...] = (
    ("number", "cirr_by_cdn", [0, 0, 4, 3], {"key": "CDN2", "unit": "s", "change": "5m"}),
    ("stack", "cirr_by_cdn", [0, 3, 8, 7], {"unit": "s"}),
    ("table", "cirr", [8, 0, 4, 10], {"top": 5, "unit": "s"}),
    ("line", "cirr", [0, 10, 6, 5], {"unit": "s"}),
    ("lane", "state", [6, 10, 6, 5], {}),
)


def publish_seconds(filler: Filler, digests: dict[str, str], key: str, value: float) -> None:
    now = time.time_ns() // 1000
    filler.say(
        digests["cirr"], [[key, now - 600 * SECOND, now, None, [[now, value, 0.0]]]], now - 30 * SECOND
    )


def test_every_chart_tells_what_is_known_and_follows_it(
    board_page: BoardPage, make: Make, filler: Filler, digests: dict[str, str]
) -> None:
    opened, messages = record_sockets(board_page.page), record_messages(board_page.page)
    board_page.open(make(*ALL))
    expect(board_page.number("c1")).to_have_text("200 s")
    expect(board_page.chart("c1").locator(".number-change")).to_have_text("+200 in 5 min")
    expect(board_page.chart("c2").locator(".legend-key")).to_have_text(["CDN3", "CDN2", "CDN1"])
    expect(board_page.keys("c3")).to_have_text(list(reversed(KEYS))[:5])
    expect(board_page.chart("c3").locator(".table-foot")).to_have_text("5 of 120")
    expect(board_page.reading("c4")).to_have_text("119 s")
    expect(board_page.reading("c5")).to_have_text("play")
    publish_seconds(filler, digests, "s003", 700.0)
    expect(board_page.keys("c3").first).to_have_text("s003")
    board_page.chart("c3").get_by_role("button", name="s003").click()
    expect(board_page.reading("c4")).to_have_text("700 s")
    expect(board_page.key).to_have_value("s003")
    expect(board_page.page.get_by_test_id("kiosk")).to_have_attribute(
        "href", re.compile(r"/kiosk/\?key=s003$")
    )
    types = [json.loads(message)["type"] for message in messages]
    assert len(opened) == 1
    assert types.count("rank") == 2
    assert types.count("subscribe") < 12, "a table of 120 keys follows none of them by itself"
    publish_seconds(filler, digests, "s003", 3.0)
    expect(board_page.keys("c3").first).to_have_text(KEYS[-1])


def test_charts_are_arranged_with_the_mouse_and_it_is_kept(board_page: BoardPage, make: Make) -> None:
    board = make(("lane", "state", [0, 0, 6, 4], {}), ("line", "cirr", [6, 0, 6, 4], {}))
    board_page.open(board)
    before = board_page.settled()
    board_page.edit()
    head = read_steady_box(board_page.chart("c1").locator(".chart-head h2"))
    board_page.drag((head["x"] + 20, head["y"] + 8), (0, 320))
    moved = board_page.settled()
    assert moved["c1"][0] == before["c1"][0]
    corner = read_steady_box(
        board_page.page.locator(".react-grid-item", has=board_page.chart("c2")).locator(
            ".react-resizable-handle"
        )
    )
    board_page.drag((corner["x"] + 10, corner["y"] + 10), (-200, 100))
    after = board_page.settled()
    assert after["c2"][2] < moved["c2"][2]
    assert after["c2"][3] > moved["c2"][3]
    board_page.page.keyboard.press("Control+z")
    assert board_page.settled()["c2"][2:] == moved["c2"][2:]
    board_page.page.keyboard.press("Control+Shift+z")
    assert board_page.settled() == after
    board_page.save()
    wide = {name: place[2:] for name, place in after.items()}
    board_page.open(board)
    assert {name: place[2:] for name, place in board_page.settled().items()} == wide


def test_charts_are_arranged_by_keyboard_alone(board_page: BoardPage, make: Make, ada: Api) -> None:
    board = make(("lane", "state", [0, 0, 12, 3], {}), ("number", "cirr", [0, 3, 3, 3], {}))
    board_page.open(board)
    board_page.edit()
    keyboard = board_page.page.keyboard
    board_page.chart("c2").focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "ArrowUp"):
        keyboard.press(key)
    expect(board_page.page.locator("[aria-live=polite]").last).to_contain_text("column 3")
    board_page.save()
    charts = ada.get(f"dashboards/{board}/")["document"]["charts"]
    places = {chart["id"]: chart["place"] for chart in charts}
    assert places["c2"][0] == 2
    assert places["c2"][2:] == [4, 4]
    assert {place[1] for place in places.values()} >= {0}
    board_page.chart("c1").focus()
    keyboard.press("Delete")
    expect(board_page.chart("c1")).not_to_be_attached()
    keyboard.press("Control+z")
    expect(board_page.chart("c1")).to_be_visible()


def test_a_dashboard_is_made_with_its_name_and_a_chart_is_added_on_the_page(
    board_page: BoardPage, ada: Api, plan: int
) -> None:
    board_page.page.goto("/dashboards/")
    board_page.page.get_by_test_id("new-dashboard").click()
    board_page.page.get_by_role("button", name="Cancel").click()
    assert ada.call("GET", "dashboards/?q=Handmade")["results"] == []
    board_page.page.get_by_test_id("new-dashboard").click()
    board_page.page.get_by_test_id("new-dashboard-name").fill("Handmade")
    board_page.page.keyboard.press("Enter")
    expect(board_page.page.get_by_role("heading", name="Handmade")).to_be_visible()
    board_page.page.get_by_role("main").get_by_role("button", name="Add a chart").click()
    dialog = board_page.page.get_by_role("dialog", name="Add a chart")
    Chooser(dialog, "chart-plan").take("Rebuff", "Rebuffering")
    nodes = Chooser(dialog, "chart-node")
    nodes.take("latest", "state")
    expect(dialog.get_by_role("radio", name=re.compile("^Line(?!s)"))).to_be_disabled()
    nodes.take("by_cdn", "cirr_by_cdn")
    dialog.get_by_role("radio", name="Stacked area by group").check()
    dialog.get_by_label("Title").fill("By network")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(board_page.chart("c1").get_by_role("heading", name="By network")).to_be_visible()
    expect(board_page.chart("c1").locator(".legend-key")).to_have_text(["CDN3", "CDN2", "CDN1"])
    board_page.save()
    board_page.page.get_by_test_id("done").click()
    expect(board_page.page.locator(".board-name")).not_to_contain_text("unsaved")


def test_a_plan_is_searched_for_on_the_server_by_the_keyboard(
    board_page: BoardPage, make: Make, ada: Api, plan: int
) -> None:
    other = {
        "version": 1,
        "name": "Zebra crossing",
        "nodes": {"crossed": build_leaf("has_existed", "played")},
    }
    ada.add_plan(other)
    board, requests = make(), []
    board_page.page.on("request", lambda request: requests.append(request.url))
    board_page.page.goto(f"/dashboards/{board}/")
    board_page.page.get_by_role("main").get_by_role("button", name="Add a chart").click()
    dialog = board_page.page.get_by_role("dialog", name="Add a chart")
    plans, keyboard = Chooser(dialog, "chart-plan"), board_page.page.keyboard
    expect(plans.field).to_have_value("Rebuffering")
    plans.field.focus()
    keyboard.press("ArrowDown")
    expect(plans.said).to_contain_text("plans")
    keyboard.type("zebra owner:m")
    expect(plans.option("say owner:me")).to_be_visible()
    keyboard.press("Enter")
    expect(plans.field).to_have_value("zebra owner:me ")
    expect(plans.title("Zebra crossing")).to_be_visible()
    keyboard.press("Enter")
    expect(plans.field).to_have_value("Zebra crossing")
    expect(Chooser(dialog, "chart-node").field).to_have_value("crossed")
    keyboard.type("zebra is:wrong")
    expect(plans.list.get_by_role("alert")).to_contain_text("'wrong' is no state")
    plans.field.fill("zebra is:failing")
    expect(plans.said).to_have_text("No plans match “zebra is:failing”.")
    plans.title("Without is:failing").click()
    expect(plans.title("Zebra crossing")).to_be_visible()
    keyboard.press("Escape")
    expect(plans.list).not_to_be_attached()
    expect(plans.field).to_have_value("Zebra crossing")
    assert f"{board_page.page.url.split('/dashboards')[0]}/api/plans/{plan}/" in requests
    assert not [url for url in requests if "/api/plans/?" in url or "/api/streams/?" in url]


def test_a_node_is_pinned_from_its_plan(board_page: BoardPage, make: Make, plan: int) -> None:
    board = make(("lane", "state", [0, 0, 12, 3], {}), name="Where things are pinned")
    studio = Studio(board_page.page)
    studio.open(plan, key=KEYS[-1])
    studio.select("cirr")
    board_page.page.get_by_test_id("pin-node").click()
    dialog = board_page.page.get_by_role("dialog", name="Pin cirr to a dashboard")
    Chooser(dialog, "pin-board").take("are pinned", "Where things are pinned")
    dialog.get_by_test_id("pin-type").select_option("number")
    dialog.get_by_test_id("pin-confirm").click()
    dialog.get_by_role("link", name="the dashboard").click()
    expect(board_page.page).to_have_url(f"{board_page.page.url.split('/dashboards/')[0]}/dashboards/{board}/")
    expect(board_page.number("c2")).to_have_text("119")


@pytest.fixture
def another(browser: Browser, stack: Stack) -> Iterator[Page]:
    context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


def test_a_link_opens_the_same_for_somebody_else(
    board_page: BoardPage, another: Page, make: Make, ada: Api, stack: Stack
) -> None:
    board = make(*ALL, key="")
    board_page.open(board, f"?key={KEYS[-2]}")
    plot = read_steady_box(board_page.drawn("c4"))
    board_page.drag((plot["x"] + 200, plot["y"] + 60), (200, 0))
    expect(board_page.page.get_by_test_id("follow")).to_be_visible()
    board_page.drawn("c5").click(position={"x": 200, "y": 40})
    expect(board_page.page.get_by_test_id("cursor")).to_be_visible()
    board_page.page.mouse.move(2, 2)
    expect(board_page.page.get_by_test_id("at-cursor").first).to_have_text(
        re.compile(r"^at \d\d:\d\d:\d\d UTC$")
    )
    answer = read_steady(
        board_page.page, lambda: {name: board_page.reading(name).inner_text() for name in ("c4", "c5")}, 300
    )
    board_page.page.get_by_test_id("share").click()
    expect(board_page.page.get_by_test_id("share-link")).to_have_value(re.compile("version=1"))
    link = board_page.page.get_by_test_id("share-link").input_value()
    document = ada.get(f"dashboards/{board}/")["document"]
    ada.call(
        "PUT",
        f"dashboards/{board}/",
        {"name": "Changed", "document": document | {"charts": []}, "version": 1},
    )

    add_user(stack, "onlooker")
    log_in(another, "onlooker")
    other_page = BoardPage(another)
    another.goto(parse_path(link))
    expect(another.get_by_test_id("old-version")).to_contain_text("version 1; the newest is 2")
    for name, text in answer.items():
        expect(other_page.reading(name)).to_have_text(text)
    expect(other_page.key).to_have_value(KEYS[-2])
    expect(other_page.range.locator("option:checked")).to_have_text(
        board_page.range.locator("option:checked").inner_text()
    )
    expect(another.get_by_test_id("edit")).not_to_be_attached()
    another.get_by_test_id("copy-board").click()
    expect(another.locator(".board-name")).to_contain_text("Board (copy)")
    expect(another.get_by_test_id("edit")).to_be_visible()


def test_a_pause_holds_what_is_seen(
    board_page: BoardPage, make: Make, filler: Filler, digests: dict[str, str]
) -> None:
    board_page.open(make(("number", "cirr", [0, 0, 4, 3], {}), key="s010"))
    expect(board_page.number("c1")).to_have_text("10")
    board_page.page.get_by_test_id("pause").click()
    board_page.page.wait_for_timeout(300)
    publish_seconds(filler, digests, "s010", 77.0)
    board_page.page.wait_for_timeout(1500)
    expect(board_page.number("c1")).to_have_text("10")
    board_page.page.get_by_test_id("pause").click()
    expect(board_page.number("c1")).to_have_text("77")


def test_two_who_save_at_once_lose_nothing(board_page: BoardPage, another: Page, make: Make) -> None:
    board = make(("lane", "state", [0, 0, 12, 3], {}))
    log_in(another, "boarder")
    other_page = BoardPage(another)
    for item in (board_page, other_page):
        item.open(board)
        item.edit()
    other_page.page.get_by_test_id("board-name").fill("Theirs")
    other_page.save()
    board_page.chart("c1").focus()
    board_page.page.keyboard.press("Shift+ArrowDown")
    board_page.page.keyboard.press("Control+s")
    dialog = board_page.page.get_by_role("dialog", name="This dashboard changed in the meantime")
    dialog.get_by_test_id("conflict-reload").click()
    expect(board_page.page.get_by_test_id("board-name")).to_have_value("Theirs")
    board_page.page.get_by_role("button", name="Undo").click()
    board_page.save()
    expect(board_page.notice).to_contain_text("version 3")


def test_what_keeps_a_chart_from_being_live_is_told(board_page: BoardPage, ada: Api) -> None:
    ada.declare("troubled")
    drawn: dict[str, Any] = {
        "version": 1,
        "name": "Troubled",
        "nodes": {"begun": build_leaf("has_existed", "troubled", where='player_state == "play"')},
    }
    plan = int(ada.add_plan(drawn)["id"])
    ada.run(plan)
    digest = ada.digests(plan)["begun"]
    charts = [
        build_chart(n, "lane", plan, node, [0, 3 * n, 12, 3], digest=digest, key="k")
        for n, node in ((1, "begun"), (2, "x"))
    ]
    body = {"name": "Trouble", "document": {"charts": charts[:1], "range": "5m", "key": ""}}
    board = int(ada.call("POST", "dashboards/", body)["id"])
    board_page.open(board)
    expect(board_page.chart("c1")).to_have_attribute("data-state", "running")
    ada.stop(plan)
    expect(board_page.chart("c1")).to_contain_text("The plan is stopped")
    renamed = {**drawn, "nodes": {"started": drawn["nodes"]["begun"]}}
    ada.call("PUT", f"plans/{plan}/", {"name": "Troubled", "document": renamed, "version": 1})
    ada.run(plan)
    expect(board_page.chart("c1").get_by_role("heading", name="started")).to_be_visible()
    expect(board_page.chart("c1")).to_have_attribute("data-state", "running")
    ada.stop(plan)
    ada.call("DELETE", f"plans/{plan}/")
    expect(board_page.chart("c1")).to_contain_text("The plan was deleted")


def test_a_screen_on_the_wall_says_when_it_is_cut_off_and_comes_back(
    board_page: BoardPage, make: Make, stack: Stack, filler: Filler, digests: dict[str, str]
) -> None:
    board = make(("number", "cirr", [0, 0, 6, 4], {}), key="s020")
    board_page.page.goto(f"/dashboards/{board}/kiosk/")
    expect(board_page.number("c1")).to_have_text("20")
    expect(board_page.page.get_by_test_id("updated")).to_contain_text("Last updated")
    expect(board_page.page.get_by_role("navigation")).not_to_be_attached()
    stack.kill("web")
    expect(board_page.page.get_by_test_id("cut-off")).to_contain_text("Disconnected since")
    publish_seconds(filler, digests, "s020", 55.0)
    expect(board_page.page.get_by_test_id("cut-off")).not_to_be_attached(timeout=60_000)
    expect(board_page.number("c1")).to_have_text("55")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900), (1920, 1080)])
def test_a_wall_shows_every_chart_whole_on_as_many_screens_as_it_takes(
    board_page: BoardPage, make: Make, width: int, height: int
) -> None:
    page = board_page.page
    page.set_viewport_size({"width": width, "height": height})
    more: list[tuple[Any, ...]] = [("line", "cirr", [0, 15 + 7 * n, 12, 7], {}) for n in range(3)]
    for charts in (ALL, (*ALL, *more)):
        page.goto(f"/dashboards/{make(*charts)}/kiosk/")
        expect(page.locator(".chart").first).to_be_visible()
        turn, seen = page.get_by_test_id("screen-turn"), set()
        for _ in range(4):
            places = board_page.settled()
            seen |= set(places)
            assert all(x >= 0 and y >= 0 for x, y, _, _ in places.values())
            assert all(y + high <= height and x + wide <= width for x, y, wide, high in places.values()), (
                places
            )
            assert min(high for _, _, _, high in places.values()) >= 100
            if not turn.count():
                break
            before = turn.inner_text()
            page.keyboard.press("PageDown")
            expect(turn).not_to_have_text(before)
        assert seen == {f"c{n}" for n in range(1, len(charts) + 1)}
        wait_until(
            lambda: page.evaluate("document.documentElement.scrollHeight <= innerHeight"),
            10,
            Studio(page).wait,
        )


def test_a_chart_of_which_nothing_is_known_says_so_and_has_no_scale(
    board_page: BoardPage, make: Make, filler: Filler, digests: dict[str, str]
) -> None:
    now = time.time_ns() // 1000
    unknown = [["u1", now - 600 * SECOND, None, None, [[None, None, 0.0]]]]
    filler.say(digests["cirr"], unknown, now - 30 * SECOND)
    board_page.open(
        make(
            ("line", "cirr", [0, 0, 4, 6], {"key": "nobody"}),
            ("line", "cirr", [4, 0, 4, 6], {"key": "u1"}),
            ("line", "cirr", [8, 0, 4, 6], {"key": KEYS[7]}),
        )
    )
    expect(board_page.chart("c1").get_by_text("No data yet", exact=True)).to_be_visible()
    expect(board_page.chart("c2").get_by_text("No values in this time range.")).to_be_visible()
    expect(board_page.chart("c3").locator(".ytick").first).to_be_attached()
    expect(board_page.chart("c3").locator(".chart-empty")).not_to_be_visible()
    for name in ("c1", "c2"):
        expect(board_page.chart(name).locator(".xtick").first).to_be_attached()
        expect(board_page.chart(name).locator(".ytick")).to_have_count(0)


def test_a_chart_that_is_not_seen_follows_nothing(board_page: BoardPage, make: Make) -> None:
    sent_messages = record_messages(board_page.page)
    board_page.open(make(*(("line", "cirr", [0, 6 * n, 12, 6], {"key": KEYS[n]}) for n in range(20))))
    expect(board_page.reading("c1")).to_have_text("0")

    def list_subscribed_keys() -> set[str]:
        messages = [json.loads(message) for message in sent_messages]
        return {message["key"] for message in messages if message["type"] == "subscribe"}

    assert KEYS[0] in list_subscribed_keys()
    assert KEYS[15] not in list_subscribed_keys()
    board_page.chart("c16").scroll_into_view_if_needed()
    expect(board_page.reading("c16")).to_have_text("15")
    assert find_middle(board_page.chart("c16"))
