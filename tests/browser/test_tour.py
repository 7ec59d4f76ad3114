"""The tour to its end: the reader's own node produces data."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lanes import Lanes
from tests.browser.product import add_user
from tests.browser.studio import START_SECONDS, Studio, enter
from tests.browser.tour import Tour
from workers.stack import Stack

pytestmark = pytest.mark.browser


def test_the_tour_ends_with_a_node_of_ones_own_that_produces_data(page: Page, stack: Stack) -> None:
    traveller = add_user(stack, "traveller")
    enter(page, "traveller")
    tour, studio = Tour(page), Studio(page)
    stream = tour.declare_the_sample()
    tour.draw_the_node(stream)
    studio.run()
    # Where the first key was there before the page had looked, it is chosen already.
    expect(tour.words).to_contain_text(re.compile("[89] of 13"), timeout=START_SECONDS)
    studio.choose("key", "s1")
    expect(tour.words).to_contain_text("9 of 13", timeout=START_SECONDS)
    expect(tour.words).to_contain_text("Your own node produces data")
    states = [value for _, value in studio.lanes()["latest_event_to_state"].points]
    assert {"play", "buffer"} <= set(states)
    tour.press("Send a late event")
    tour.expect_step(10, "Ask why")
    page.mouse.click(*Lanes(page).at("latest_event_to_state", 0.5))
    tour.expect_step(11, "Put it on a dashboard")
    tour.press("Next")
    tour.expect_step(12, "Let it call you")
    tour.press("Next")
    tour.expect_step(13, "That is all")
    tour.press("Delete plan and stream")
    expect(tour.words).not_to_be_attached()
    assert traveller.get(f"streams/?q={stream}") == []
    assert traveller.get("plans/?q=owner:me") == []
