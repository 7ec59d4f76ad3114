"""The demo as a visitor finds it, without a complaint in the console; with PICTURES=1 also the README's picture."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, Rows, wait_until
from tests.browser.still import find_middle
from tests.browser.studio import Studio, log_in, record_console_errors
from workers.stack import Stack, health
from workers.stack.layout import ROOT

pytestmark = pytest.mark.browser

PICTURE = ROOT / "docs" / "img" / "studio.png"
TELLING = ("cirr", "cdn", "seeking", "state", "induced")
SHOTS = Path(__file__).parent / "shots"
PALETTE = """all => [...new Set(all.flatMap(it => [it.style.fill, it.style.stroke]))]
    .filter(colour => colour && colour !== "none" && !colour.startsWith("url"))"""


def choose_telling_key(api: Api, digests: dict[str, str]) -> str | None:
    """Who still watches, buffered a few times on more than one network, and rebuffered last of all."""
    items = []
    for key in api.keys(digests["cirr"]):
        try:
            lines = {name: api.timeline(digests[name], key) for name in TELLING}
        except HTTPError:  # each node goes at its own pace: not all of them know the key yet
            continue
        least = min(len(line) for line in lines.values())
        if least >= 4 and lines["state"][-1][1] != "stopped":
            items.append((find_last_start(lines["induced"]), key))
    return max(items)[1] if items else None


def find_last_start(line: Rows) -> int:
    """When the newest span of the value true began that has an end, µs; 0 without one."""
    return max((t for t, true in line[:-1] if true), default=0)


def push_late(api: Api, digest: str, key: str) -> None:
    """A seek that becomes known late: the last time of rebuffering was not induced by the connection."""
    start = find_last_start(api.timeline(digest, key))
    event = {"session_id": key, "event_id": f"{key}-late", "t": start // 1000 + 200, "user_action": "seek"}
    api.push("player", [event])


def show_more_lanes(studio: Studio) -> None:
    """A higher dock, scrolled to its end, below a canvas that shows the whole plan."""
    edge = find_middle(studio.page.get_by_role("separator", name="Height of the lanes"))
    studio.drag(edge, (edge[0], edge[1] - 110))
    studio.page.get_by_test_id("lanes").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    studio.page.get_by_role("button", name="Fit View").click()


def take(page: Page, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    page.mouse.move(2, 2)
    page.screenshot(path=path, animations="disabled")


@pytest.mark.parametrize("stack", [True], indirect=True)
def test_the_demo_looks_as_the_readme_shows_it(stack: Stack, page: Page) -> None:
    login = health.read_login(stack.layout.data)
    api = Api(stack.url, login["token"])
    errors = record_console_errors(page)
    log_in(page, login["username"], login["password"])
    page.get_by_role("link", name="Connection-induced rebuffering").click()
    studio = Studio(page)
    names = set(studio.document()["nodes"])
    studio.expect_running(*names)
    assert studio.plan
    plan, digests = studio.plan, api.digests(studio.plan)
    result: list[str | None] = []

    def choose_key() -> str | None:
        result.append(choose_telling_key(api, digests))
        return result[-1]

    wait_until(choose_key, 240, studio.wait)
    key = result[-1] or ""
    studio.open(plan, key=key, group="CDN1")
    window = page.get_by_test_id("window")
    window.select_option("5m")
    wait_until(lambda: set(studio.lanes()) == names, 120, studio.wait)
    wait_until(lambda: all(len(lane.points) > 1 for lane in studio.lanes().values()), 120, studio.wait)
    show_more_lanes(studio)
    push_late(api, digests["induced"], key)
    wait_until(lambda: studio.lanes()["cirr"].corrections, 60, studio.wait)
    window.select_option("1m")

    bars = page.get_by_test_id("lane-state").locator(".bars path")
    wait_until(lambda: len(bars.evaluate_all(PALETTE)) > 1, 120, studio.wait)
    expect(page.get_by_test_id("lane-cirr").locator(".scatterlayer path.js-line").first).to_be_attached()
    take(page, SHOTS / "studio-light.png")
    if os.environ.get("PICTURES") == "1":
        take(page, PICTURE)
    light = bars.evaluate_all(PALETTE)
    page.emulate_media(color_scheme="dark")
    wait_until(lambda: bars.evaluate_all(PALETTE) != light, 120, studio.wait)
    take(page, SHOTS / "studio-dark.png")
    assert errors == []
