"""The tour points at real things, goes on when they are done, can be left and taken up again; all by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user
from tests.browser.still import read_box, read_steady_box
from tests.browser.studio import enter
from tests.browser.tour import Tour
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture
def newcomer(stack: Stack, request: pytest.FixtureRequest) -> Api:
    return add_user(stack, request.node.name[:60])


@pytest.fixture
def tour(page: Page, newcomer: Api, request: pytest.FixtureRequest) -> Tour:
    enter(page, request.node.name[:60])
    return Tour(page)


def test_from_a_few_events_to_a_plan_that_can_be_run(tour: Tour, newcomer: Api) -> None:
    name = tour.declare_the_sample()
    assert newcomer.get(f"streams/{name}/")["events"] == 48
    tour.draw_the_node(name)
    expect(tour.page.get_by_test_id("run")).to_be_enabled()


def test_it_points_at_what_it_speaks_of_and_hides_none_of_it(tour: Tour) -> None:
    tour.offer.get_by_role("button", name="Take the tour").click()
    for number, target in ((1, 'nav a[href="/streams/"]'), (2, "[data-testid=sample]")):
        expect(tour.words).to_contain_text(f"{number} of 13")
        ring, place = tour.page.locator(".tour-ring"), tour.page.locator(target)
        expect(ring).to_be_visible()
        read_steady_box(ring)
        outer, inner = read_box(ring), read_box(place)
        assert outer["x"] <= inner["x"] <= inner["x"] + inner["width"] <= outer["x"] + outer["width"]
        words = read_box(tour.words)
        apart = words["y"] >= inner["y"] + inner["height"] or words["y"] + words["height"] <= inner["y"]
        assert apart, (words, inner)
        tour.press("Next" if number == 1 else "Leave")


def test_it_is_left_and_taken_up_again_where_it_was(tour: Tour) -> None:
    tour.offer.get_by_role("button", name="Take the tour").click()
    tour.press("Next")
    tour.expect_step(2, "Paste some events")
    tour.page.keyboard.press("Escape")
    expect(tour.words).not_to_be_attached()
    tour.page.goto("/")
    expect(tour.offer).not_to_be_attached()
    expect(tour.take).to_have_text("Tour (2 of 13)")
    tour.take.click()
    expect(tour.words).to_contain_text("This step is on another page")
    tour.words.get_by_role("link", name="Go there").click()
    tour.expect_step(2, "Paste some events")
    tour.press("Back")
    tour.expect_step(1, "Events first")


def test_by_the_keyboard_alone(tour: Tour) -> None:
    keyboard = tour.page.keyboard
    tour.offer.get_by_role("button", name="Take the tour").focus()
    keyboard.press("Enter")
    expect(tour.words).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    tour.expect_step(2, "Paste some events")
    expect(tour.words).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    tour.expect_step(3, "Check the detected settings and name it")
    keyboard.press("Escape")
    expect(tour.words).not_to_be_attached()


def test_who_does_not_want_it_is_asked_once(tour: Tour) -> None:
    tour.offer.get_by_role("button", name="Dismiss").click()
    tour.page.reload()
    expect(tour.page.get_by_role("heading", name="Plans", exact=True)).to_be_visible()
    expect(tour.take).to_have_text("Tour")
    expect(tour.offer).not_to_be_attached()
