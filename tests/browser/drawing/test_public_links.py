"""A public link is made on the page of a dashboard, and shows it to whoever has it until it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user, build_rebuffering
from tests.browser.studio import Scheme, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

SECOND = 1_000_000
STREAM = "public_links"
KEYS = [f"s{number:03}" for number in range(12)]


@pytest.fixture(scope="module")
def filler(stack: Stack) -> Iterator[Filler]:
    with Filler(stack) as filling:
        yield filling


@pytest.fixture(scope="module")
def wanda(stack: Stack) -> Api:
    user = add_user(stack, "wanda")
    user.declare(STREAM)
    return user


@pytest.fixture(scope="module")
def board(wanda: Api, filler: Filler) -> int:
    plan = int(wanda.add_plan(build_rebuffering(STREAM))["id"])
    wanda.run(plan)
    digests, now = wanda.digests(plan), time.time_ns() // 1000
    begun, final = now - 600 * SECOND, now - 5 * SECOND
    states = [
        [key, begun, None, None, [[None, None], [begun, "play"], [now - (90 + 9 * n) * SECOND, "buffer"]]]
        for n, key in enumerate(KEYS)
    ]
    seconds = [
        [key, begun, None, None, [[None, 0.0, 0.0], [now - 200 * SECOND, float(n), 0.0]]]
        for n, key in enumerate(KEYS)
    ]
    filler.say(digests["state"], states, final)
    filler.say(digests["cirr"], seconds, final)
    charts = [
        build_chart(1, "lane", plan, "state", [0, 0, 12, 3], key=KEYS[3]),
        build_chart(2, "number", plan, "cirr", [0, 3, 3, 4], key=KEYS[5]),
        build_chart(3, "table", plan, "cirr", [3, 3, 4, 7]),
        build_chart(4, "grid", plan, "state", [7, 3, 5, 7]),
        {"id": "c5", "type": "incidents", "plan": 0, "node": "", "place": [0, 7, 3, 3]},
    ]
    document = {"charts": charts, "range": "5m", "key": "", "group": ""}
    return int(wanda.call("POST", "dashboards/", {"name": "Wall of the hall", "document": document})["id"])


def make_link(page: Page, board: int, name: str) -> str:
    """By the menu of the dashboard; its address."""
    log_in(page, "wanda")
    BoardPage(page).open(board)
    page.get_by_test_id("board-menu").click()
    page.get_by_role("menuitem", name="Public links…").click()
    page.get_by_test_id("link-name").fill(name)
    page.get_by_test_id("make-link").click()
    return page.get_by_test_id("public-address").input_value()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_whoever_has_a_link_sees_the_dashboard_until_it_ends(
    page: Page, browser: Browser, stack: Stack, board: int, scheme: Scheme, tmp_path: Path
) -> None:
    page.emulate_media(color_scheme=scheme)
    address = make_link(page, board, f"{scheme} wall")
    assert address.startswith(f"{stack.url.rstrip('/')}/public/#")
    page.screenshot(path=tmp_path / "dialog.png")
    with browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 800}) as nobody:
        wall = nobody.new_page()
        sent: list[str] = []
        wall.on("request", lambda request: sent.append(request.url))
        wall.goto(address)
        shown = BoardPage(wall)
        expect(shown.number("c2")).to_have_text("5")
        expect(shown.chart("c3").get_by_role("row")).to_have_count(10)
        expect(shown.chart("c4").locator(".status-cell")).to_have_count(len(KEYS))
        expect(shown.chart("c5")).to_contain_text("not part of the public link")
        expect(shown.reading("c1")).to_have_text("buffer")
        assert wall.locator("a[href^='/']").count() == 0, "a public link leads nowhere"
        assert not find_violations(wall)
        wall.screenshot(path=tmp_path / "wall.png")
        assert not [one for one in sent if address.partition("#")[2] in one]
        page.reload()
        page.get_by_test_id("board-menu").click()
        page.get_by_role("menuitem", name="Public links…").click()
        expect(page.get_by_test_id("public-links")).to_contain_text(f"{scheme} wall")
        page.get_by_role("button", name=f"End {scheme} wall").click()
        expect(wall.get_by_test_id("cut-off")).to_contain_text("is not valid (any more)")
        expect(wall.locator(".chart")).to_have_count(0)
        wall.screenshot(path=tmp_path / "ended.png")


def test_what_a_link_shows_is_live_and_keeps_its_secret_while_one_zooms(
    page: Page, browser: Browser, board: int, wanda: Api, filler: Filler
) -> None:
    address = make_link(page, board, "live")
    with browser.new_context(viewport={"width": 1200, "height": 800}) as nobody:
        wall = nobody.new_page()
        wall.goto(address)
        shown = BoardPage(wall)
        expect(shown.number("c2")).to_have_text("5")
        plan = wanda.call("GET", f"dashboards/{board}/")["document"]["charts"][0]["plan"]
        now = time.time_ns() // 1000
        filler.say(
            wanda.digests(plan)["cirr"], [[KEYS[5], now, now - SECOND, None, [[now - SECOND, 77.0, 0.0]]]]
        )
        expect(shown.number("c2")).to_have_text("77")
        box = shown.drawn("c1").bounding_box()
        assert box
        middle = box["y"] + box["height"] / 2
        shown.drag((box["x"] + 0.5 * box["width"], middle), (0.2 * box["width"], 0))
        wall.wait_for_function("location.search !== ''")
        assert wall.url.endswith(address[address.index("#") :])
        wall.reload()
        expect(shown.reading("c1")).to_have_text("buffer")
