"""While a plan runs: each node says how it is, the wires say their rate, and a reason lights up its path."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.engine import say
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.still import find_middle, read_box, read_steady
from tests.browser.studio import Studio, log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "state": build_leaf("latest_event_to_state", "told", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "muted": build_leaf("has_existed", "told", where='user_action == "mute"'),
    "both": {"op": "and", "inputs": {"of": ["playing", "muted"]}},
}
PLAN = {"version": 1, "name": "Told", "nodes": NODES, "results": ["both"]}


@pytest.fixture(scope="module")
def user(stack: Stack) -> Api:
    user_api = add_user(stack, "teller")
    user_api.declare("told")
    return user_api


@pytest.fixture(scope="module")
def plan(stack: Stack, user: Api) -> int:
    """A plan that runs; its stream has what its nodes say of the key `ann`: never muted, so both is false."""
    plan_id = int(user.add_plan(PLAN)["id"])
    user.run(plan_id)
    start = compute_now() - 100 * SECOND
    ms = start // 1000
    events = [
        {"session_id": "ann", "t": ms, "event_id": "a", "player_state": "play"},
        {"session_id": "ann", "t": ms + 40_000, "event_id": "b", "player_state": "pause"},
    ]
    user.push("told", events)
    log, until = Log(stack, user.digests(plan_id)), start + 90 * SECOND
    log.say(
        "state", "ann", [[None, None], [start, "play"], [start + 40 * SECOND, "pause"]], final_until=until
    )
    log.say("playing", "ann", [[None, None], [start, True], [start + 40 * SECOND, False]], final_until=until)
    log.say("muted", "ann", [[None, False]], final_until=until)
    log.say("both", "ann", [[None, False]], final_until=until)
    log.publish()
    return plan_id


@pytest.fixture
def studio(page: Page, plan: int) -> Studio:
    log_in(page, "teller")
    studio = Studio(page)
    studio.open(plan, key="ann")
    expect(Lanes(page).value("state")).to_have_text("pause")
    return studio


def test_a_node_says_how_it_is_whose_it_is_how_fast_and_what_was_late(
    stack: Stack, studio: Studio, user: Api, plan: int
) -> None:
    digests = user.digests(plan)
    rates: dict[str, Any] = {"events_per_second": 120.0, "lag": 1204, "state_bytes": 4_200_000}
    log = Log(stack, digests)
    log.say("state", "eve", [[None, None]], late=12, duplicates=3, too_late=1)
    log.publish()
    say(stack, digests["state"], "running", "running", **rates)
    status = studio.page.get_by_test_id("status-state")
    for words in ("running", "teller", "120 events/s in ·", "updates/s out", "4.2 MB"):
        expect(status).to_contain_text(words)
    for words in ("1,204 wait", "12 late", "3 duplicates", "1 too late"):
        expect(status).to_contain_text(words)
    expect(status).to_have_attribute("title", re.compile("1 too late and left out"))
    expect(studio.page.get_by_test_id("status-both")).to_contain_text("no late events")


def test_a_wire_says_how_many_revisions_go_over_it_while_there_are_any(
    stack: Stack, studio: Studio, user: Api, plan: int
) -> None:
    page, log = studio.page, Log(stack, user.digests(plan))
    page.wait_for_timeout(1500)
    log.say_all("playing", {f"k{n}": [[None, True]] for n in range(40)})
    log.publish()
    rate = page.get_by_test_id("rate-playing")
    expect(rate).to_have_text(re.compile(r"[1-9].*/s"))
    expect(page.get_by_test_id("status-playing")).to_contain_text(re.compile(r"· [1-9][\d.]* updates/s out"))
    expect(page.get_by_test_id("rate-muted")).not_to_be_attached()
    expect(rate).not_to_be_attached()
    expect(page.get_by_test_id("status-playing")).to_contain_text("· 0 updates/s out")


def test_clicking_a_span_says_why_and_lights_up_the_path_on_the_canvas(studio: Studio) -> None:
    page, lanes = studio.page, Lanes(studio.page)
    page.mouse.click(*lanes.at("playing", 0.95))
    panel = page.get_by_test_id("why-panel")
    expect(panel).to_be_focused()
    expect(page.get_by_test_id("why-playing")).to_contain_text("false")
    expect(page.get_by_test_id("why-state")).to_contain_text("pause")
    for name in ("playing", "state"):
        expect(studio.node(name)).to_have_class(re.compile(r"\blit\b"))
    expect(page.locator(".node.lit")).to_have_count(2)
    expect(studio.wire_of("state", "playing")).to_have_class(re.compile(r"\blit\b"))
    expect(page.locator(".react-flow__edge.lit")).to_have_count(1)
    for name in ("playing", "state"):
        find_middle(studio.node(name))  # it stands still now
        node, canvas = read_box(studio.node(name)), read_box(studio.canvas)
        assert node["x"] + node["width"] <= canvas["x"] + canvas["width"] <= read_box(panel)["x"] + 1
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    expect(page.locator(".lit")).to_have_count(0)


def test_what_is_shown_while_the_server_is_away_is_as_of_then(
    stack: Stack, studio: Studio, user: Api, plan: int
) -> None:
    """No green light and no clock goes on for what nobody can know; both are back with the connection."""
    page, lanes = studio.page, Lanes(studio.page)
    for digest in user.digests(plan).values():
        say(stack, digest, "running", "running")
    running, status = page.get_by_test_id("running"), page.get_by_test_id("status-state")
    expect(running).to_contain_text("4 of 4 run")
    expect(running.locator(".dot.green")).to_have_count(4)
    studio.select("state")
    page.context.set_offline(True)
    expect(running).to_contain_text(re.compile(r"as of \d\d:\d\d:\d\d UTC · 4 of 4 run"))
    expect(running).to_contain_text("Disconnected since")
    expect(running.locator(".dot.green")).not_to_be_attached()
    expect(status).to_contain_text(re.compile(r"as of \d\d:\d\d:\d\d UTC: running"))
    expect(status.locator(".dot.grey")).to_be_attached()
    expect(page.get_by_test_id("running-node")).to_contain_text("Disconnected since")
    window = lanes.window()
    page.wait_for_timeout(2500)
    assert lanes.window() == window, "lanes end where it was lost"
    page.context.set_offline(False)
    expect(running.locator(".dot.green")).to_have_count(4)
    expect(running).not_to_contain_text("as of")
    expect(status.locator(".dot.green")).to_be_attached()
    expect(lanes.axis).not_to_have_attribute("aria-valuemax", str(window[1]))


OVERLAPS = """
() => {
  const boxes = [...document.querySelectorAll('.react-flow__node-operator, .react-flow__node-comment')]
    .map(it => [it.dataset.id, it.getBoundingClientRect()]);
  return boxes.flatMap(([a, one], i) => boxes.slice(i + 1)
    .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1
      && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(([b]) => `${a} and ${b}`));
}
"""


def test_nodes_that_were_drawn_close_together_do_not_overlap_once_they_run(
    stack: Stack, page: Page, user: Api
) -> None:
    """Each says as much of itself as there is room for, down to a light; what was placed stays where it was placed."""
    places = {"state": [0, 0], "playing": [0, 112], "muted": [0, 280], "both": [360, 0]}
    beside = {f"not_{n}": {"op": "not", "inputs": {"of": "both"}} for n in range(3)}
    nodes = {**NODES, **beside}
    places |= {"not_0": [720, 0], "not_1": [720, 160], "not_2": [720, 328]}
    comments = [{"text": "Below", "at": [360, 176], "size": [224, 64]}]
    drawn = {**PLAN, "name": "Close", "nodes": nodes, "layout": places, "comments": comments}
    plan_id = int(user.add_plan(drawn)["id"])
    user.run(plan_id)
    digests = user.digests(plan_id)
    log = Log(stack, digests)
    for name in nodes:
        log.say(name, "ann", [[None, "play" if name == "state" else True]], late=12, duplicates=3, too_late=1)
    log.publish()
    words = "catching up, 40 %, 1,200 events/s, 20 s left, with words that need more than one line of a node"
    for digest in digests.values():
        say(stack, digest, "running", words, lag=1204)
    log_in(page, "teller")
    studio = Studio(page)
    studio.open(plan_id, key="ann")
    expect(Lanes(page).value("state")).to_have_text("play")
    for name in nodes:
        expect(page.get_by_test_id(f"status-{name}")).to_have_attribute(
            "title", re.compile("too late and left out")
        )
    assert read_steady(page, lambda: page.evaluate(OVERLAPS)) == []
    assert studio.document()["layout"] == places
    expect(page.get_by_test_id("status-both")).to_contain_text("catching up")
    expect(page.get_by_test_id("status-state")).to_have_role("img")
    expect(page.get_by_test_id("strip-not_2")).to_be_visible()
    expect(page.get_by_test_id("status-not_2")).to_contain_text("too late")
