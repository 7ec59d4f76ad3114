"""Who only looks sees what is shared as it is: no false problems, and no button that is refused."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Page, expect

from tests.browser.drawing.looking import SeenBy, Story, run_story
from tests.browser.product import add_user
from workers.stack import Stack

pytestmark = pytest.mark.browser
STREAM = "seen_by_lender"
LOOKS = "Your role, viewer, lets you look only. Ask an administrator for another."


@pytest.fixture(scope="module")
def story(stack: Stack) -> Story:
    """What the lender has, which all may look at; a line of its stream was refused; and a viewer."""
    new_story = run_story(stack, "lender")
    with suppress(urllib.error.HTTPError):
        new_story.api.call("POST", f"streams/{STREAM}/events/", [{"t": 1}])
    add_user(stack, "viewer_only")
    new_story.api.call("PUT", "people/viewer_only/", {"role": "viewer"})
    return new_story


@pytest.fixture
def closed(story: Story) -> Iterator[Story]:
    """The stream is the lender's alone."""
    address = f"streams/{STREAM}/sharing/"
    story.api.call("PUT", address, {"open_to_all": False, "shares": []})
    yield story
    story.api.call("PUT", address, {"open_to_all": True, "shares": []})


@pytest.fixture
def looker(seen_by: SeenBy, story: Story, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The viewer's page; nothing that it asks for may be refused."""
    page = seen_by("viewer_only", getattr(request, "param", "light"))
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
    yield page
    assert not refused


@pytest.mark.parametrize("looker", ["light", "dark"], indirect=True)
def test_a_plan_is_right_though_its_stream_is_not_shared(looker: Page, closed: Story) -> None:
    looker.goto(f"/plans/{closed.plan}/?key=ann")
    expect(looker.get_by_test_id("lane-watched")).to_be_visible()
    row = looker.get_by_test_id(f"events-{STREAM}")
    expect(row).to_contain_text("The events of this stream are not shared with you.")
    expect(row.locator(".bad")).to_have_count(0)
    expect(looker.get_by_test_id("problems")).to_contain_text("None.")
    expect(looker.get_by_test_id("node-state").locator(".port.out")).to_have_text("not shared")
    looker.get_by_test_id("node-state").click()
    expect(looker.get_by_test_id("stream-select")).to_contain_text(f"{STREAM} (not shared)")
    looker.get_by_test_id("view-text").click()
    expect(looker.get_by_test_id("problems")).to_contain_text("None.")


def test_on_a_plan_there_is_no_button_that_would_be_refused(looker: Page, story: Story) -> None:
    looker.goto(f"/plans/{story.plan}/?key=ann")
    expect(looker.get_by_test_id("lane-watched")).to_be_visible()
    whose = f"This plan belongs to lender. {LOOKS}"
    for button, words in (("run", whose), ("stop", whose), ("copy-plan", LOOKS)):
        expect(looker.get_by_test_id(button)).to_be_disabled()
        expect(looker.get_by_test_id(button)).to_have_attribute("title", words)
    expect(looker.get_by_test_id("pin-lane-watched")).to_have_count(0)
    looker.get_by_test_id("node-watched").click()
    expect(looker.get_by_test_id("node-name")).to_be_visible()
    expect(looker.get_by_test_id("pin-node")).to_have_count(0)
    looker.get_by_test_id("testing").click()
    for button in ("record", "new-test"):
        expect(looker.get_by_test_id(button)).to_be_disabled()


def test_of_a_stream_everything_is_read_and_nothing_can_be_pushed(looker: Page, story: Story) -> None:
    looker.goto(f"/streams/{STREAM}/")
    rejected = looker.get_by_test_id("rejected-events")
    expect(rejected.locator("tbody tr")).to_have_count(1)
    expect(rejected).to_contain_text("The whole request was rejected.")
    expect(rejected).to_contain_text("line 1")
    names = rejected.get_by_role("button").all_inner_texts()
    assert names == ["Rejected", "Too late", "Download"]
    expect(looker.get_by_role("button", name="Make a token")).to_have_count(0)
    words = f"You may view this stream, but not push events to it. {LOOKS}"
    expect(looker.get_by_test_id("no-pushing")).to_have_text(words)


def test_lists_dashboards_and_nodes_offer_nothing_to_make(looker: Page, story: Story) -> None:
    for place, row, button in (
        ("/", f"plan-{story.plan}", "new-plan"),
        ("/streams/", f"stream-{STREAM}", "new-stream"),
        ("/dashboards/", "dashboards", "new-dashboard"),
    ):
        looker.goto(place)
        expect(looker.get_by_test_id(row)).to_be_visible()
        for item in (button, "import", "take-tour", "tour-offer"):
            expect(looker.get_by_test_id(item)).to_have_count(0)
    looker.goto("/streams/declare-new/")
    expect(looker.get_by_text(LOOKS)).to_be_visible()
    expect(looker.get_by_test_id("by-hand")).to_have_count(0)
    looker.goto(f"/dashboards/{story.board}/")
    expect(looker.get_by_test_id("copy-board")).to_be_disabled()
    digest = story.api.digests(story.plan)["watched"]
    looker.goto(f"/nodes/{digest}/?key=ann")
    for button in ("node-restart", "node-stop", "node-transfer", "add-sink"):
        expect(looker.get_by_test_id(button)).to_be_disabled()


def test_mending_is_in_sight_however_long_the_lines_are(seen_by: SeenBy, story: Story) -> None:
    """At the width of most screens."""
    page = seen_by("lender")
    page.set_viewport_size({"width": 1440, "height": 900})
    with suppress(urllib.error.HTTPError):
        story.api.call("POST", f"streams/{STREAM}/events/", [{"t": 2, "player_state": "long " * 80}])
    page.goto(f"/streams/{STREAM}/")
    rows = page.get_by_test_id("rejected-events").locator("tbody tr")
    expect(rows).to_have_count(2)
    mend = rows.nth(0).get_by_role("button", name="Fix")
    mend.scroll_into_view_if_needed()
    edges = "it => [it.getBoundingClientRect().right, it.closest('.scroll').getBoundingClientRect().right]"
    right, edge = mend.evaluate(edges)
    assert right <= edge
    mend.click()
    expect(page.get_by_role("dialog", name="Fix the line")).to_be_visible()
