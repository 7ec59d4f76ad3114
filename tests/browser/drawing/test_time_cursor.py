"""One cursor over lanes, overview and canvas; zoom and pan of all lanes in step; a hidden tab costs nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.engine import say
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.still import read_box, read_steady_box
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "watched", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "watched": {"op": "duration_where", "inputs": {"of": "playing"}},
}
PLAN = {"version": 1, "name": "Watched", "nodes": NODES, "results": ["watched"]}


@pytest.fixture(scope="module")
def start() -> int:
    """A minute and forty seconds ago."""
    return compute_now() - 100 * SECOND


@pytest.fixture(scope="module")
def watcher(stack: Stack) -> Api:
    return add_user(stack, "watcher")


@pytest.fixture(scope="module")
def plan(stack: Stack, watcher: Api, start: int) -> int:
    """A plan that runs, whose nodes say something of the key `ann`."""
    user = watcher
    user.declare("watched")
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    fill(stack, user, plan_id, start)
    return plan_id


def fill(stack: Stack, user: Api, plan: int, start: int) -> None:
    log = Log(stack, user.digests(plan))
    at = [start + n * SECOND for n in (0, 20, 40, 60)]
    states = [None, "play", "pause", "play"]
    log.say(
        "state", "ann", [[None, None], *([t, value] for t, value in zip(at[1:], states[1:], strict=True))]
    )
    log.say("playing", "ann", [[None, None], [at[1], True], [at[2], False], [at[3], True]])
    log.say("watched", "ann", [[None, 0.0, 0.0], [at[1], 0.0, 1.0], [at[2], 20.0, 0.0], [at[3], 20.0, 1.0]])
    for node in NODES:
        log.say(node, "zoe", [[None, None]] if node != "watched" else [[None, None, 0.0]], final_until=at[3])
    log.publish()


@pytest.fixture(scope="module")
def digests(stack: Stack, plan: int, watcher: Api) -> list[str]:
    """Those of its nodes."""
    return list(watcher.digests(plan).values())


@pytest.fixture
def lanes(page: Page, plan: int) -> Lanes:
    log_in(page, "watcher")
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.lane("watched")).to_be_visible()
    expect(lanes.value("state")).to_have_text("play")
    for name in NODES:
        lanes.expect_told(name)  # the window is reckoned from all of them
    return lanes


def compute_share(lanes: Lanes, t: int) -> float:
    start, end = lanes.window()
    return (t / 1000 - start) / (end - start)


def test_pointing_at_a_lane_shows_every_nodes_value_there_in_the_lanes_and_on_the_canvas(
    lanes: Lanes, start: int
) -> None:
    lanes.point("playing", compute_share(lanes, start + 50 * SECOND))
    for read_value in (lanes.value, lanes.on_canvas):
        expect(read_value("state")).to_have_text("pause")
        expect(read_value("playing")).to_have_text("false")
        expect(read_value("watched")).to_have_text("20")
    expect(lanes.page.locator(".lane .cursor")).to_have_count(3)
    expect(lanes.page.locator(".node-strip .cursor")).to_have_count(3)
    expect(lanes.page.locator(".overview .cursor")).to_have_count(1)
    tip = lanes.page.get_by_test_id("tip")
    expect(tip).to_contain_text("false")
    expect(tip).to_contain_text("20 s long")
    lanes.page.mouse.move(300, 200)
    expect(lanes.on_canvas("playing")).to_have_text("true")
    expect(lanes.page.locator(".cursor")).to_have_count(0)


def test_arrow_keys_move_the_cursor_from_change_to_change_and_it_stays(lanes: Lanes, start: int) -> None:
    keyboard = lanes.page.keyboard
    lanes.axis.focus()
    keyboard.press("ArrowLeft")
    expect(lanes.cursor_time).to_be_visible()
    for _ in range(3):
        keyboard.press("Shift+ArrowLeft")
    expect(lanes.axis).to_have_attribute("aria-valuenow", str((start + 20 * SECOND) // 1000))
    expect(lanes.on_canvas("state")).to_have_text("play")
    keyboard.press("Shift+ArrowRight")
    expect(lanes.axis).to_have_attribute("aria-valuenow", str((start + 40 * SECOND) // 1000))
    expect(lanes.on_canvas("state")).to_have_text("pause")
    keyboard.press("ArrowLeft")
    expect(lanes.on_canvas("state")).to_have_text("play")
    lanes.point("state", 0.9)
    lanes.page.mouse.move(300, 200)
    expect(lanes.cursor_time).to_be_visible()
    keyboard.press("Escape")
    expect(lanes.cursor_time).not_to_be_attached()


def test_a_stroke_zooms_all_lanes_a_stroke_with_shift_pans_them_and_the_wheel_does_both(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("pause").click()
    start, end = lanes.window()
    label = read_box(lanes.lane("state").locator(".lane-label"))
    lanes.drag((label["x"] + 20, label["y"] + label["height"] - 1), lanes.at("watched", 0.75))
    assert page.evaluate("getSelection().toString()") == "", "a stroke that begins between lanes"
    assert lanes.window() == (start, end)
    lanes.drag(lanes.at("state", 0.5), lanes.at("state", 0.7))
    near = lanes.window()
    assert near[1] - near[0] == pytest.approx((end - start) * 0.2, rel=0.05)
    page.keyboard.down("Shift")
    lanes.drag(lanes.at("watched", 0.25), lanes.at("watched", 0.75))
    page.keyboard.up("Shift")
    moved = lanes.window()
    assert moved[1] - moved[0] == pytest.approx(near[1] - near[0], rel=0.01)
    assert near[0] - moved[0] == pytest.approx((near[1] - near[0]) / 2, rel=0.1)
    lanes.point("playing", 0.5)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 400)
    page.keyboard.up("Control")
    expect(lanes.axis).not_to_have_attribute("aria-valuemin", str(moved[0]))
    wide = lanes.window()
    assert wide[0] < moved[0]
    assert wide[1] > moved[1]
    page.mouse.wheel(120, 0)
    expect(lanes.axis).not_to_have_attribute("aria-valuemin", str(wide[0]))
    assert lanes.window()[0] > wide[0]
    page.get_by_test_id("follow").click()
    expect(page.get_by_test_id("follow")).not_to_be_attached()


def test_the_brush_of_the_overview_moves_and_resizes_what_is_shown(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("window").select_option("1m")
    page.get_by_test_id("pause").click()
    start, end = lanes.window()
    box = read_steady_box(lanes.brush)
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    lanes.drag(middle, (middle[0] - 100, middle[1]))
    moved = lanes.window()
    assert moved[0] < start
    assert moved[1] - moved[0] == pytest.approx(end - start, rel=0.01)
    box = read_steady_box(lanes.brush)
    lanes.drag((box["x"] + 1, middle[1]), (box["x"] + box["width"] / 2, middle[1]))
    shorter = lanes.window()
    assert shorter[1] - shorter[0] == pytest.approx((end - start) / 2, rel=0.1)
    assert shorter[1] == pytest.approx(moved[1], abs=2)
    lanes.brush.focus()
    page.keyboard.press("ArrowLeft")
    expect(lanes.axis).not_to_have_attribute("aria-valuemin", str(shorter[0]))
    page.keyboard.press("0")
    expect(page.get_by_test_id("follow")).not_to_be_attached()


def test_a_paused_page_stands_still_and_a_hidden_one_asks_for_nothing(lanes: Lanes) -> None:
    page = lanes.page
    page.get_by_test_id("pause").click()
    window = lanes.window()
    page.wait_for_timeout(2500)
    assert lanes.window() == window
    page.get_by_test_id("pause").click()
    expect(lanes.axis).not_to_have_attribute("aria-valuemax", str(window[1]))
    hide(page, True)
    expect(page.get_by_test_id("live-state")).to_have_text("paused")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    window = lanes.window()
    page.wait_for_timeout(2500)
    assert (requests, lanes.window()) == ([], window)
    hide(page, False)
    expect(page.get_by_test_id("live-state")).to_have_text("live")
    expect(lanes.axis).not_to_have_attribute("aria-valuemax", str(window[1]))


def hide(page: Page, hidden: bool) -> None:
    """As the browser tells a page whose tab is put away."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_lanes_of_a_plan_that_is_stopped_end_there_and_go_on_when_it_runs_again(
    lanes: Lanes, stack: Stack, digests: list[str]
) -> None:
    page, standing = lanes.page, lanes.page.get_by_test_id("live-state")
    for digest in digests:
        say(stack, digest, "running", "running")
    Studio(page).stop()
    expect(standing).to_have_text("live")
    for digest in digests:
        say(stack, digest, "stopped", "stopped")
    expect(standing).to_contain_text("stopped at")
    expect(page.get_by_test_id("stopped-here")).to_have_count(3)
    window, strip = lanes.window(), lanes.on_canvas("watched").inner_text()
    page.wait_for_timeout(2500)
    assert (lanes.window(), lanes.on_canvas("watched").inner_text()) == (window, strip)
    Studio(page).run()
    expect(standing).to_have_text("live")
    expect(page.get_by_test_id("stopped-here")).not_to_be_attached()
    expect(lanes.axis).not_to_have_attribute("aria-valuemax", str(window[1]))


@pytest.mark.parametrize("width", [1024, 1280, 1400])
def test_the_toolbar_of_the_lanes_is_one_line_and_zooming_moves_nothing(lanes: Lanes, width: int) -> None:
    page = lanes.page
    page.set_viewport_size({"width": width, "height": 900})
    toolbar = page.locator(".lanes-toolbar")
    before = read_steady_box(lanes.lane("state"))
    lanes.drag(lanes.at("state", 0.5), lanes.at("state", 0.7))
    expect(page.get_by_test_id("window")).to_have_value("held")
    assert read_box(lanes.lane("state")) == before
    assert read_box(toolbar)["height"] < 56
    assert toolbar.evaluate("it => it.scrollWidth <= it.clientWidth")
