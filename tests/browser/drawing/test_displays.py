"""Colours, labels, thresholds, formats: chosen in legend, inspector and the stream's page; seen everywhere."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, Document, add_user, build_leaf
from tests.browser.studio import Scheme, Studio, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

STREAM: Document = {
    "name": "pumps_shown",
    "key": "pump",
    "time": "t",
    "unit": "ms",
    "id": "event_id",
    "fields": {"mode": "text", "load": "number"},
    "allowed_lateness": "30s",
    "retention": "7d",
}
NODES = {
    "mode": build_leaf("latest_event_to_state", "pumps_shown", field="mode"),
    "load": build_leaf("latest_event_to_state", "pumps_shown", field="load"),
}
CHARTS = (("lane", "mode", [0, 0, 6, 3]), ("number", "load", [6, 0, 6, 3]), ("line", "load", [0, 3, 6, 4]),
          ("table", "load", [6, 3, 6, 4]))  # fmt: skip
RED: dict[Scheme, str] = {"light": "rgb(192, 39, 31)", "dark": "rgb(216, 68, 60)"}


@pytest.fixture(scope="module")
def greta(stack: Stack) -> Api:
    user = add_user(stack, "greta")
    user.call("POST", "streams/", STREAM)
    return user


@pytest.fixture(scope="module")
def plan(stack: Stack, greta: Api) -> int:
    """Pump `P1` is in `mode_b`, and its load is 0.9312."""
    plan = int(
        greta.add_plan({"version": 1, "name": "Shown", "nodes": NODES, "results": ["mode", "load"]})["id"]
    )
    greta.run(plan)
    log, start = Log(stack, greta.digests(plan)), compute_now() - 200 * SECOND
    half = start + 100 * SECOND
    log.say("mode", "P1", [[None, None], [start, "mode_a"], [half, "mode_b"]])
    log.say("load", "P1", [[None, None, 0], [start, 0.25, 0], [half, 0.9312, 0]])
    log.publish()
    return plan


@pytest.fixture(scope="module")
def board(greta: Api, plan: int) -> int:
    charts = [build_chart(n, kind, plan, node, number) for n, (kind, node, number) in enumerate(CHARTS, 1)]
    document = {"charts": charts, "range": "5m", "key": "P1"}
    return int(greta.call("POST", "dashboards/", {"name": "Shown", "document": document})["id"])


def reset(greta: Api, plan: int) -> None:
    greta.call("PATCH", "streams/pumps_shown/display/", {"display": {"mode": None, "load": None}})
    greta.call("PATCH", f"plans/{plan}/display/", {"display": {"mode": None, "load": None}})


def find_dialog(page: Page) -> Locator:
    return page.get_by_test_id("display-form")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_colour_is_chosen_in_the_legend_and_is_the_same_everywhere(
    browser: Browser, stack: Stack, greta: Api, plan: int, board: int, scheme: Scheme
) -> None:
    reset(greta, plan)
    with open_page(browser, stack.url, scheme, "greta") as page:
        Studio(page).open(plan, key="P1")
        lanes = Lanes(page)
        expect(lanes.lane("mode")).to_contain_text("mode_b")
        page.get_by_test_id("legend-open").click()
        legend = page.get_by_test_id("legend-mode")
        legend.get_by_role("button", name="mode_b").click()
        form = find_dialog(page)
        form.get_by_label("Colour of mode_b").select_option("bad")
        form.get_by_label("Label of mode_b").fill("Overheated")
        assert not (result := find_violations(page)), "\n".join(result)
        page.get_by_test_id("display-save").click()
        expect(form).not_to_be_attached()
        for place in (lanes.lane("mode"), lanes.on_canvas("mode"), legend):
            expect(place).to_contain_text("Overheated")
            expect(place.locator(".swatch").last).to_have_css("background-color", RED[scheme])
        BoardPage(page).open(board)
        reading = page.locator(".reading").first
        expect(reading).to_contain_text("Overheated")
        expect(reading.locator(".swatch")).to_have_css("background-color", RED[scheme])
        assert greta.call("GET", "streams/pumps_shown/")["display"]["mode"]["values"]["mode_b"] == {
            "colour": "bad", "label": "Overheated",
        }  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_format_and_thresholds_are_chosen_in_the_inspector_for_one_plan(
    browser: Browser, stack: Stack, greta: Api, plan: int, board: int, scheme: Scheme
) -> None:
    reset(greta, plan)
    with open_page(browser, stack.url, scheme, "greta") as page:
        studio = Studio(page)
        studio.open(plan, key="P1")
        studio.node("load").click()
        page.get_by_test_id("display").click()
        form = find_dialog(page)
        form.get_by_label("Format", exact=True).select_option("percent")
        form.get_by_label("Decimals").select_option("1")
        expect(form.get_by_test_id("display-example")).to_contain_text("93.1 %")
        form.get_by_role("button", name="Add threshold").click()
        form.get_by_label("Threshold 1", exact=True).fill("0.9")
        form.get_by_label("Colour of threshold 1").select_option("bad")
        form.get_by_label("Only load in this plan").check()
        assert not (result := find_violations(page)), "\n".join(result)
        page.get_by_test_id("display-save").click()
        lanes = Lanes(page)
        expect(lanes.lane("load")).to_contain_text("93.1 %")
        expect(lanes.lane("load").locator(".lane-value .swatch")).to_have_css("background-color", RED[scheme])
        expect(lanes.on_canvas("load")).to_contain_text("93.1 %")
        expect(page.get_by_text("unsaved")).not_to_be_attached()
        BoardPage(page).open(board)
        expect(page.locator(".number-value")).to_have_text("93.1 %")
        expect(page.locator(".number-reached")).to_have_css("background-color", RED[scheme])
        expect(page.locator(".table-value")).to_have_text("93.1 %")
        assert greta.call("GET", "streams/pumps_shown/")["display"] == {}


def test_a_choice_for_all_ends_that_of_the_plan_and_defaults_come_back(
    browser: Browser, stack: Stack, greta: Api, plan: int
) -> None:
    reset(greta, plan)
    own_values = {"mode": {"values": {"mode_b": {"label": "Mine"}}}}
    greta.call("PATCH", f"plans/{plan}/display/", {"display": own_values})
    with open_page(browser, stack.url, "light", "greta") as page:
        studio = Studio(page)
        studio.open(plan, key="P1")
        lane = Lanes(page).lane("mode")
        expect(lane).to_contain_text("Mine")
        studio.node("mode").click()
        page.get_by_test_id("display").click()
        find_dialog(page).get_by_label("Label of mode_b").fill("Ours")
        find_dialog(page).get_by_label("Every plan and dashboard").check()
        page.get_by_test_id("display-save").click()
        expect(lane).to_contain_text("Ours")
        assert greta.call("GET", f"plans/{plan}/")["display"] == {}
        page.get_by_test_id("display").click()
        page.get_by_test_id("display-reset").click()
        expect(lane).to_contain_text("mode_b")
        assert greta.call("GET", "streams/pumps_shown/")["display"] == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_stream_has_the_colours_and_formats_of_its_fields(
    browser: Browser, stack: Stack, greta: Api, plan: int, scheme: Scheme
) -> None:
    reset(greta, plan)
    with open_page(browser, stack.url, scheme, "greta") as page:
        page.goto(f"{stack.url}streams/pumps_shown/")
        card = page.get_by_test_id("stream-display")
        card.get_by_label("Edit display of mode").click()
        form = find_dialog(page)
        form.get_by_label("Another value").fill("mode_c")
        form.get_by_role("button", name="Add value").click()
        form.get_by_label("Colour of mode_c").select_option("bad")
        page.get_by_test_id("display-save").click()
        row = card.get_by_role("row").filter(has_text="mode_c")
        expect(row.locator(".swatch")).to_have_css("background-color", RED[scheme])
        card.get_by_label("Edit display of load").click()
        form.get_by_label("Format", exact=True).select_option("currency")
        form.get_by_label("Currency").fill("eur")
        page.get_by_test_id("display-save").click()
        expect(card.get_by_role("row").filter(has_text="load")).to_contain_text("EUR")


def test_who_only_looks_sees_the_colours_and_changes_none(
    browser: Browser, stack: Stack, greta: Api, plan: int
) -> None:
    reset(greta, plan)
    display = {"mode": {"values": {"mode_b": {"label": "Overheated", "colour": "bad"}}}}
    greta.call("PATCH", "streams/pumps_shown/display/", {"display": display})
    add_user(stack, "otto")
    with open_page(browser, stack.url, "light", "otto") as page:
        studio = Studio(page)
        studio.open(plan, key="P1")
        expect(Lanes(page).lane("mode")).to_contain_text("Overheated")
        page.get_by_test_id("legend-open").click()
        expect(page.get_by_test_id("legend-mode").get_by_role("button", name="Overheated")).to_be_disabled()
        studio.node("mode").click()
        expect(page.get_by_test_id("display")).not_to_be_attached()
