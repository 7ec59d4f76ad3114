"""A value is drawn letter by letter: whoever pushes events writes no markup into the pages of others."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.busy import build_busy_plan
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import add_user
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

VALUES = ["<b>bold</b> & <i>x</i>", "a<b and c>d", '<a href="https://evil.example/">in</a>', "&lt;b&gt;"]


def test_values_are_drawn_as_they_are(page: Page, stack: Stack) -> None:
    user = add_user(stack, "literal")
    user.declare("literal")
    plan = int(user.add_plan(build_busy_plan("literal", "Literal"))["id"])
    user.run(plan)
    log, start = Log(stack, user.digests(plan)), compute_now() - 280 * SECOND
    points = [[start + 70 * SECOND * n, value] for n, value in enumerate(VALUES)]
    log.say("state", "ann", [[None, None], *points], final_until=compute_now())
    log.publish()
    document = {"charts": [build_chart(1, "lane", plan, "state", [0, 0, 12, 4])], "range": "5m", "key": "ann"}
    board = int(user.call("POST", "dashboards/", {"name": "Literal", "document": document})["id"])

    log_in(page, "literal")
    Studio(page).open(plan, key="ann")
    drawn = Lanes(page).lane("state").locator("svg text")
    for value in VALUES:
        expect(drawn.get_by_text(value, exact=True).or_(drawn.filter(has_text=value)).first).to_be_attached()
    expect(page.locator("svg a")).to_have_count(0)

    board_page = BoardPage(page)
    board_page.open(board)
    for value in VALUES[:3]:
        expect(board_page.chart("c1").locator("svg text").filter(has_text=value).first).to_be_attached()
    expect(page.locator("svg a")).to_have_count(0)
