"""Each chart type on a dashboard: what it shows of many keys or of one, in both schemes."""

from __future__ import annotations

import base64
import csv
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.boards import BoardPage, build_chart
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user, build_rebuffering, wait_until
from tests.browser.still import read_box
from tests.browser.studio import Scheme, log_in, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser

SECOND = 1_000_000
STREAM = "chart_types"
KEYS = [f"s{number:03}" for number in range(200)]
STATES = ("play", "buffer", "failed")
Make = Callable[..., int]


@pytest.fixture(scope="module")
def tilda(stack: Stack) -> Api:
    user = add_user(stack, "tilda")
    user.declare(STREAM)
    return user


@pytest.fixture(scope="module")
def plan(stack: Stack, tilda: Api) -> Iterator[int]:
    """Of session sN: N seconds of rebuffering; each changes its state once, sN at N seconds, 250 s ago at first."""
    number = int(tilda.add_plan(build_rebuffering(STREAM))["id"])
    tilda.run(number)
    digests, now = tilda.digests(number), time.time_ns() // 1000
    start, final = now - 600 * SECOND, now - 30 * SECOND
    lately = now - 250 * SECOND
    states = [
        [key, start, None, None, [[None, None], [start, "play"], [lately + n * SECOND, STATES[n % 3]]]]
        for n, key in enumerate(KEYS)
    ]
    seconds = [
        [key, start, None, None, [[None, 0.0, 0.0], [lately, float(n), 0.0]]] for n, key in enumerate(KEYS)
    ]
    groups = [
        [f"CDN{n}", start, None, None, [[None, 0.0, 0.0], [lately, 100.0 * n, 0.1 * n]]] for n in (1, 2, 3)
    ]
    with Filler(stack) as filling:
        filling.say(digests["state"], states, final)
        filling.say(digests["cirr"], seconds, final)
        filling.say(digests["cirr_by_cdn"], groups, final)
        yield number


@pytest.fixture
def board_page(page: Page, plan: int) -> BoardPage:
    log_in(page, "tilda")
    return BoardPage(page)


@pytest.fixture
def make(tilda: Api, plan: int) -> Make:
    def create_board(*charts: tuple[Any, ...], **more: Any) -> int:
        drawn = [
            build_chart(n, kind, plan, node, number, **rest)
            for n, (kind, node, number, rest) in enumerate(charts, 1)
        ]
        document = {"charts": drawn, "range": "5m", "key": KEYS[5], "group": "", **more}
        return int(tilda.call("POST", "dashboards/", {"name": "Types", "document": document})["id"])

    return create_board


def test_all_keys_are_rows_sorted_as_chosen_and_lead_to_their_lanes(
    board_page: BoardPage, make: Make, plan: int
) -> None:
    by_time = {"sort": "held", "state": "failed"}
    board_page.open(
        make(("states", "state", [0, 0, 12, 8], by_time), ("states", "cirr", [0, 8, 12, 5], {"sort": "name"}))
    )
    rows, named = (
        board_page.chart("c1").locator(".key-row-name"),
        board_page.chart("c2").locator(".key-row-name"),
    )
    expect(rows.first).to_have_text("s002")
    assert rows.all_inner_texts()[:3] == ["s002", "s005", "s008"], "those that have failed for longest"
    expect(named.first).to_have_text("s000")
    assert rows.count() < 40, "only rows in sight are drawn"
    board_page.chart("c1").locator(".rows-scroll").evaluate("it => it.scrollTop = it.scrollHeight")
    expect(board_page.chart("c1").get_by_role("link", name="s199")).to_be_visible()
    expect(board_page.chart("c1").get_by_test_id("all-keys-legend")).to_contain_text("failed")
    strip = board_page.chart("c2").locator(".key-row canvas").first
    box = read_box(strip)
    board_page.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 4)
    expect(board_page.chart("c2").locator(".key-rows-cursor .cursor")).to_be_visible()
    named.first.click()
    expect(board_page.page).to_have_url(re.compile(rf"/plans/{plan}/\?key=s000$"))


def test_all_keys_of_the_studio_are_not_cut_off(board_page: BoardPage, plan: int) -> None:
    board_page.page.goto(f"/plans/{plan}/?key=s000")
    board_page.page.get_by_test_id("all-keys").first.click()
    board_page.page.get_by_test_id("all-keys-node").select_option("state")
    expect(board_page.page.get_by_test_id("all-keys-count")).to_have_text("200 keys")
    assert read_box(board_page.page.locator(".key-row-list"))["height"] == 200 * 24


def test_numbers_of_groups_and_keys_are_lines_bars_a_gauge_and_sparklines(
    board_page: BoardPage, make: Make
) -> None:
    board_page.open(
        make(
            ("lines", "cirr_by_cdn", [0, 0, 6, 5], {"unit": "s"}),
            ("bars", "cirr_by_cdn", [6, 0, 6, 5], {"unit": "s", "top": 2}),
            ("gauge", "cirr", [0, 5, 3, 4], {"key": "s050", "low": 0, "high": 200, "unit": "s"}),
            ("table", "cirr", [3, 5, 9, 6], {"sparkline": True, "top": 3}),
        )
    )
    expect(board_page.drawn("c1")).to_be_visible()
    expect(board_page.chart("c1").locator(".legend-key")).to_have_text(["CDN3", "CDN2", "CDN1"])
    expect(board_page.keys("c2")).to_have_text(["CDN3", "CDN2"])
    bars = board_page.chart("c2").locator(".table-bar")
    wide, narrow = (read_box(bars.nth(n))["width"] for n in (0, 1))
    assert 0.6 < narrow / wide < 0.72, "two thirds of the greatest"
    expect(board_page.chart("c3").locator(".gauge-words")).to_have_text("50 s")
    expect(board_page.chart("c3").locator(".gauge-bound")).to_have_text(["0", "200"])
    expect(board_page.chart("c3").locator(".gauge-value")).to_have_attribute(
        "stroke-dasharray", re.compile("^25 ")
    )
    expect(board_page.chart("c4").locator(".sparkline canvas")).to_have_count(3)


def test_a_chart_is_repeated_for_each_selected_key(board_page: BoardPage, make: Make) -> None:
    board = make(
        ("number", "cirr", [0, 0, 4, 3], {"unit": "s", "repeat": True}),
        ("lane", "state", [0, 3, 12, 3], {"repeat": True}),
        ("line", "cirr_by_cdn", [0, 6, 6, 5], {"repeat": True}),
        more_keys=[KEYS[7], KEYS[9]],
        group="CDN1",
    )
    board_page.open(board)
    for copy, value in (("c1", "5"), ("c1~1", "7"), ("c1~2", "9")):
        expect(board_page.number(copy)).to_have_text(re.compile(rf"^{value}\b"))
    expect(board_page.page.locator(".chart-lane")).to_have_count(3)
    places = board_page.settled()
    assert places["c1"][1] == places["c1~1"][1] == places["c1~2"][1], "one beside the other"
    assert places["c2"][1] < places["c2~1"][1] < places["c2~2"][1] < places["c3"][1], "one below the other"
    board_page.page.get_by_test_id("board-key-more").click()
    dialog = board_page.page.get_by_role("dialog")
    dialog.get_by_role("button", name=f"Remove {KEYS[5]}").click()
    dialog.get_by_test_id("selection-add").fill(KEYS[150])
    dialog.get_by_role("option", name=KEYS[150]).click()
    expect(dialog.get_by_test_id("selection").locator("li")).to_have_count(3)
    assert not find_violations(board_page.page)
    dialog.get_by_role("button", name="Done").click()
    expect(board_page.number("c1~2")).to_have_text(re.compile(r"^150\b"))
    expect(board_page.page).to_have_url(re.compile(rf"key={KEYS[7]}&key={KEYS[9]}&key={KEYS[150]}"))
    board_page.page.reload()
    expect(board_page.number("c1~2")).to_have_text(re.compile(r"^150\b"))
    board_page.page.get_by_test_id("board-key-more").click()
    board_page.page.get_by_role("button", name="Make it the default").click()
    expect(board_page.page.locator(".chart-lane")).to_have_count(1)
    board_page.save()
    board_page.open(board)
    expect(board_page.number("c1")).to_have_text(re.compile(r"^7\b"))
    expect(board_page.page.locator(".chart-lane")).to_have_count(3)


def test_many_keys_are_a_heat_map_cells_and_a_histogram(board_page: BoardPage, make: Make, plan: int) -> None:
    board_page.open(
        make(
            ("heat", "cirr", [0, 0, 6, 6], {"sort": "held", "unit": "s"}),
            ("grid", "state", [6, 0, 6, 6], {}),
            ("histogram", "state", [0, 6, 6, 5], {}),
            ("histogram", "cirr", [6, 6, 6, 5], {"unit": "s"}),
        )
    )
    expect(board_page.chart("c1").locator(".key-row-name").first).to_have_text("s199")
    expect(board_page.chart("c1").locator(".heat-legend")).to_contain_text("199 s")
    cells = board_page.chart("c2").locator(".status-cell")
    expect(cells).to_have_count(200)
    expect(cells.first).to_have_text("s000play")
    red, blue = (cells.nth(n).evaluate("it => getComputedStyle(it).backgroundColor") for n in (2, 0))
    assert red != blue
    counts = board_page.chart("c3").locator(".bin-count")
    expect(counts).to_have_text(["67", "67", "66"])
    labels = board_page.chart("c3").locator(".bin-label").all_inner_texts()
    assert sorted(labels) == ["buffer", "failed", "play"]
    bins = [int(text) for text in board_page.chart("c4").locator(".bin-count").all_inner_texts() if text]
    assert sum(bins) == 200
    cells.first.click()
    expect(board_page.page).to_have_url(re.compile(rf"/plans/{plan}/\?key=s000$"))


def test_a_scale_has_the_ends_that_were_chosen(board_page: BoardPage, make: Make) -> None:
    bounds = {"low": -50, "high": 500}
    board_page.open(
        make(
            ("line", "cirr", [0, 0, 6, 6], {"key": "s050", **bounds}),
            ("stack", "cirr_by_cdn", [6, 0, 6, 6], {"high": 300}),
        )
    )
    expect_range(board_page, "c1", [-50, 500])
    expect_range(board_page, "c2", [0, 300])


def expect_range(board_page: BoardPage, chart: str, ends: list[int]) -> None:
    plot = board_page.chart(chart).locator(".js-plotly-plot")
    expect(plot).to_be_visible()

    def is_reached() -> bool:
        return bool(plot.evaluate("it => it._fullLayout.yaxis.range") == ends)

    wait_until(is_reached, 20, lambda seconds: board_page.page.wait_for_timeout(seconds * 1000))


def test_the_event_log_lists_the_newest_changes_first(board_page: BoardPage, make: Make, plan: int) -> None:
    board_page.open(
        make(("changes", "state", [0, 0, 6, 6], {}), ("changes", "cirr", [6, 0, 6, 6], {"unit": "s"}))
    )
    rows = board_page.chart("c1").locator(".changes tbody tr")
    expect(rows.first).to_contain_text(re.compile(r"s199.*buffer"))
    expect(rows.nth(1)).to_contain_text(re.compile(r"s198.*play"))
    expect(rows).to_have_count(200)
    expect(board_page.chart("c1")).to_contain_text("The newest 200 changes")
    expect(board_page.chart("c2").locator(".changes tbody tr").first).to_contain_text(
        re.compile(r"s000.*0 s")
    )
    rows.nth(1).get_by_role("link", name="s198").click()
    expect(board_page.page).to_have_url(re.compile(rf"/plans/{plan}/\?key=s198$"))


def test_gauges_cells_and_histograms_have_the_colours_and_labels_that_were_chosen(
    board_page: BoardPage, make: Make, tilda: Api, plan: int
) -> None:
    state = {"values": {"play": {"label": "Plays", "colour": "bad"}}}
    cirr = {"format": "percent", "thresholds": [{"start": 40, "colour": "bad"}]}
    tilda.call("PATCH", f"plans/{plan}/display/", {"display": {"state": state, "cirr": cirr}})
    board_page.open(
        make(
            ("gauge", "cirr", [0, 0, 3, 4], {"key": "s050", "low": 0, "high": 200}),
            ("grid", "state", [3, 0, 6, 4], {}),
            ("histogram", "state", [0, 4, 6, 5], {}),
        )
    )
    expect(board_page.chart("c1").locator(".gauge-words")).to_have_text("5,000 %")
    expect(board_page.chart("c1").locator(".gauge-bound")).to_have_text(["0 %", "20,000 %"])
    expect(board_page.chart("c2").locator(".status-cell").first).to_have_text("s000Plays")
    expect(board_page.chart("c3").locator(".bin-label", has_text="Plays")).to_have_count(1)
    arc = board_page.chart("c1").locator(".gauge-value").evaluate("it => getComputedStyle(it).stroke")
    cell = board_page.chart("c2").locator(".status-cell").first
    assert arc == cell.evaluate("it => getComputedStyle(it).backgroundColor")
    tilda.call("PATCH", f"plans/{plan}/display/", {"display": {"state": None, "cirr": None}})


def test_a_text_is_written_on_the_page_and_runs_nothing(board_page: BoardPage, make: Make) -> None:
    board_page.page.goto(f"/dashboards/{make()}/")
    board_page.page.get_by_role("main").get_by_role("button", name="Add a chart").click()
    dialog = board_page.page.get_by_role("dialog", name="Add a chart")
    dialog.get_by_role("radio", name=re.compile("^Text")).check()
    expect(dialog.get_by_test_id("chart-plan")).to_have_count(0)
    dialog.get_by_label("Text, in Markdown").fill(
        "**Call** Ada. <img src=x onerror=alert(1)>\n\n[No](javascript:alert)"
    )
    dialog.get_by_role("button", name="Add", exact=True).click()
    text = board_page.chart("c1").locator(".text-chart")
    expect(text.locator("strong")).to_have_text("Call")
    expect(text).to_contain_text("<img src=x onerror=alert(1)>")
    expect(text.locator("img, a")).to_have_count(0)
    board_page.save()
    board_page.page.reload()
    expect(text.locator("strong")).to_have_text("Call")


def save_by(page: Page, press: Callable[[], None]) -> tuple[str, str]:
    """The name and the text of the file that a press saves."""
    with page.expect_download() as saved:
        press()
    return saved.value.suggested_filename, Path(saved.value.path()).read_text()


def test_a_chart_is_downloaded_as_csv_with_just_what_it_shows(board_page: BoardPage, make: Make) -> None:
    board_page.open(
        make(
            ("line", "cirr", [0, 0, 6, 4], {"key": "s007", "title": "Seconds of s007"}),
            ("bars", "cirr_by_cdn", [6, 0, 6, 4], {"top": 2}),
            ("states", "state", [0, 4, 12, 5], {}),
        )
    )
    expect(board_page.keys("c2")).to_have_text(["CDN3", "CDN2"])

    def download_csv(name: str) -> tuple[str, list[list[str]]]:
        board_page.chart(name).get_by_role("button", name=re.compile("^Actions of")).click()
        file, text = save_by(
            board_page.page, board_page.page.get_by_role("menuitem", name="Download CSV").click
        )
        return file, list(csv.reader(text.splitlines()))

    file, [head, *rows] = download_csv("c1")
    assert (file, head[:4]) == ("seconds-of-s007.csv", ["key", "from", "to", "value"])
    assert [(row[0], float(row[3])) for row in rows][-1] == ("s007", 7.0)
    assert {row[0] for row in download_csv("c2")[1][1:]} == {"CDN3", "CDN2"}
    assert len({row[0] for row in download_csv("c3")[1][1:]}) == 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chart_over_time_is_downloaded_as_a_picture(
    browser: Browser, stack: Stack, make: Make, scheme: Scheme, tmp_path: Path
) -> None:
    with open_page(browser, stack.url, scheme, "tilda") as page:
        board_page = BoardPage(page)
        board_page.open(
            make(
                ("line", "cirr", [0, 0, 6, 4], {"title": "Seconds <b>"}),
                ("stack", "cirr_by_cdn", [6, 0, 6, 5], {"unit": "s"}),
                ("number", "cirr", [0, 5, 3, 3], {"repeat": True}),
                more_keys=KEYS[6:8],
            )
        )
        for name, file in (("c1", "seconds-b-s005.png"), ("c2", "cirr-by-cdn.png")):
            box = read_box(board_page.drawn(name))
            board_page.chart(name).get_by_role("button", name=re.compile("^Actions of")).click()
            with page.expect_download() as saved:
                page.get_by_role("menuitem", name="Download PNG").click()
            assert saved.value.suggested_filename == file
            path = tmp_path / file
            saved.value.save_as(path)
            width, high, colours = read_picture(page, path)
            assert width == 2 * round(box["width"])
            assert high > 2 * box["height"], "there is room for the title and the time range"
            assert colours > 3, "the ground, the type, and what is drawn"
        board_page.chart("c3").get_by_role("button", name=re.compile("^Actions of")).click()
        expect(page.get_by_role("menuitem", name="Download CSV")).to_be_visible()
        expect(page.get_by_role("menuitem", name="Download PNG")).to_have_count(0)


def read_picture(page: Page, path: Path) -> tuple[int, int, int]:
    """Width and height of a picture, and the number of colours that cover more than 200 pixels of it."""
    data = base64.b64encode(path.read_bytes()).decode()
    read = """async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const ink = canvas.getContext("2d");
        ink.drawImage(image, 0, 0);
        const seen = new Map();
        const pixels = new Uint32Array(ink.getImageData(0, 0, image.width, image.height).data.buffer);
        for (const pixel of pixels) seen.set(pixel, (seen.get(pixel) ?? 0) + 1);
        return [image.width, image.height, [...seen.values()].filter((many) => many > 200).length];
    }"""
    width, high, colours = page.evaluate(read, data)
    return int(width), int(high), int(colours)


def test_a_dashboard_is_exported_and_imported(board_page: BoardPage, make: Make, tmp_path: Path) -> None:
    board_page.open(make(("lines", "cirr_by_cdn", [0, 0, 6, 4], {"unit": "s"})))
    board_page.page.get_by_test_id("board-menu").click()
    name, text = save_by(
        board_page.page, board_page.page.get_by_role("menuitem", name="Export as JSON").click
    )
    assert name == "types.json"
    changed = tmp_path / "wall.json"
    changed.write_text(text.replace('"name": "Types"', '"name": "Imported wall"'))
    board_page.page.goto("/dashboards/")
    board_page.page.get_by_test_id("import-dashboard-file").set_input_files(changed)
    expect(board_page.page.get_by_role("heading", name="Imported wall")).to_be_visible()
    expect(board_page.chart("c1").locator(".legend-key")).to_have_text(["CDN3", "CDN2", "CDN1"])
    broken = tmp_path / "plan.json"
    broken.write_text('{"version": 1, "nodes": {}}')
    board_page.page.goto("/dashboards/")
    board_page.page.get_by_test_id("import-dashboard-file").set_input_files(broken)
    expect(board_page.page.get_by_role("dialog")).to_contain_text("The file is not a dashboard")


ALL: tuple[tuple[Any, ...], ...] = (
    ("gauge", "cirr", [0, 0, 3, 4], {"key": "s050"}),
    ("lines", "cirr_by_cdn", [3, 0, 5, 4], {}),
    ("bars", "cirr_by_cdn", [8, 0, 4, 4], {}),
    ("states", "state", [0, 4, 6, 5], {}),
    ("heat", "cirr", [6, 4, 6, 5], {}),
    ("grid", "state", [0, 9, 4, 4], {}),
    ("grid", "cirr", [4, 9, 4, 4], {}),
    ("histogram", "cirr", [8, 9, 4, 4], {}),
    ("table", "cirr", [0, 13, 6, 4], {"sparkline": True}),
    ("changes", "state", [0, 17, 6, 6], {}),
    ("text", "", [6, 13, 6, 4], {"text": "# Words\n\nand [a link](/plans/)"}),
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_type_can_be_read_by_all(browser: Browser, stack: Stack, make: Make, scheme: Scheme) -> None:
    board = make(*ALL)
    with open_page(browser, stack.url, scheme, "tilda") as page:
        page.set_viewport_size({"width": 1440, "height": 1200})
        board_page = BoardPage(page)
        board_page.open(board)
        expect(board_page.chart("c4").locator(".key-row").first).to_be_visible()
        expect(board_page.chart("c7").locator(".status-cell").first).to_be_visible()
        expect(board_page.chart("c11").locator(".text-chart a")).to_be_visible()
        assert find_violations(page) == []
