"""What a node has not seen yet is never shown as known: until when it has, and why no farther, stands beside it."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.engine import say
from tests.browser.drawing.log import SECOND
from tests.browser.filling import Filler
from tests.browser.lanes import Lanes
from tests.browser.product import add_user, build_rebuffering
from tests.browser.shell import run_in_django
from tests.browser.still import read_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


def mark(stack: Stack, until: int) -> None:
    """So far all nodes that have said anything have come, as the publisher notes it."""
    code = (
        "from timeline_app.web.models import Node\n"
        "from timeline_app.compiler.program import Program\n"
        "for node in Node.objects.filter(version__gte=0, owner__username='honest'):\n"
        "    sources = Program.from_document(node.program).sources\n"
        f"    node.horizons = dict.fromkeys(sources, {until})\n"
        "    node.save(update_fields=['horizons'])\n"
    )
    run_in_django(stack, code)


def expect_room_to_ask_why(lane: Locator) -> None:
    """Beside until when it is known."""
    lane.hover()
    head, button = (
        read_box(item) for item in (lane.locator(".lane-head"), lane.get_by_role("button", name="Why is"))
    )
    assert button["x"] + button["width"] <= head["x"] + head["width"]


def test_what_was_not_seen_yet_is_no_knowledge(page: Page, stack: Stack) -> None:
    """Two minutes behind: a line that would have climbed on is told as it was then; it is known again once seen."""
    ada = add_user(stack, "honest")
    ada.declare("unseen")
    plan = int(ada.add_plan(build_rebuffering("unseen"))["id"])
    ada.run(plan)
    digests = ada.digests(plan)
    now = int(time.time()) * SECOND
    seen, lateness = now - 120 * SECOND, 30 * SECOND
    start = seen - 100 * SECOND
    with Filler(stack) as filler:
        climbing: list[Any] = [[None, 0.0, 0.0], [start, 0.0, 1.0]]
        for node, key in (("cirr_by_cdn", "CDN1"), ("cirr", "s1")):
            filler.say(digests[node], [[key, start, None, None, climbing]], seen - lateness)
        mark(stack, seen - lateness)
        ada.push("unseen", [{"session_id": "s1", "t": now // 1000, "event_id": "e", "player_state": "play"}])
        for digest in set(digests.values()):
            say(stack, digest, "starting", "starting: Spark is away")
        charts = [
            build_chart(1, "number", plan, "cirr_by_cdn", [0, 0, 4, 4], key="CDN1", unit="s", change="1m"),
            build_chart(2, "table", plan, "cirr", [4, 0, 4, 4], top=5, unit="s"),
            build_chart(3, "line", plan, "cirr", [0, 4, 8, 5], key="s1", unit="s"),
            build_chart(4, "lane", plan, "state", [8, 0, 4, 4]),
        ]
        document = {"charts": charts, "range": "5m", "key": ""}
        board = int(ada.call("POST", "dashboards/", {"name": "Honest", "document": document})["id"])
        log_in(page, "honest")
        board_page = BoardPage(page)
        board_page.open(board)
        expect(board_page.number("c1")).to_have_text("100.0 s")
        expect(board_page.chart("c1").locator(".number-change")).to_have_text("+60 in 1 min")
        expect(board_page.chart("c2").locator(".table-value")).to_have_text([re.compile("^100(.0)? s$")])
        until = f"data up to {time.strftime('%H:%M:%S UTC', time.gmtime(seen // SECOND))}"
        for name in ("c1", "c2", "c3"):
            expect(board_page.chart(name).get_by_test_id("known-until")).to_have_text(until)
        live = page.get_by_test_id("live-state")
        expect(live).to_have_text(f"{until} · starting: Spark is away")
        expect(live.locator(".dot.amber")).to_be_visible()

        page.goto(f"/dashboards/{board}/kiosk/")
        expect(page.get_by_test_id("updated")).to_contain_text("starting: Spark is away")
        expect(page.get_by_test_id("updated").locator(".dot.amber")).to_be_visible()
        expect(board_page.chart("c4")).not_to_contain_text("above")

        Studio(page).open(plan, key="s1", group="CDN1")
        lanes = Lanes(page)
        expect(lanes.value("cirr")).to_contain_text("100")
        expect(lanes.lane("cirr").locator(".until")).to_have_text(until)
        page.set_viewport_size({"width": 1024, "height": 768})
        expect_room_to_ask_why(lanes.lane("cirr"))
        page.set_viewport_size({"width": 1280, "height": 720})

        for digest in set(digests.values()):
            say(stack, digest, "running", "running")
        filler.say(digests["cirr"], [["s1", start, seen, None, [[seen, 100.0, 0.0]]]], now - lateness)
        filler.say(
            digests["cirr_by_cdn"], [["CDN1", start, seen, None, [[seen, 100.0, 0.0]]]], now - lateness
        )
        mark(stack, now - lateness)
        board_page.open(board)
        expect(board_page.number("c1")).to_have_text("100 s")
        expect(board_page.chart("c1").get_by_test_id("known-until")).not_to_be_attached()
