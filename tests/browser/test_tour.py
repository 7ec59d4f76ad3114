"""The tour to its end: the reader's own node produces data."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import add_user
from tests.browser.studio import START_SECONDS, Studio, enter
from tests.browser.tour import Tour
from workers.stack import Stack

pytestmark = pytest.mark.browser


def test_the_tour_ends_with_a_node_of_ones_own_that_produces_data(page: Page, stack: Stack) -> None:
    add_user(stack, "traveller")
    enter(page, "traveller")
    tour, studio = Tour(page), Studio(page)
    tour.draw_the_node(tour.declare_the_sample())
    studio.run()
    # Where the first key was there before the page had looked, it is chosen already.
    expect(tour.words).to_contain_text(re.compile("[89] of 9"), timeout=START_SECONDS)
    studio.choose("key", "s1")
    expect(tour.words).to_contain_text("9 of 9", timeout=START_SECONDS)
    expect(tour.words).to_contain_text("Your own node produces data")
    states = [value for _, value in studio.lanes()["latest_event_to_state"].points]
    assert {"play", "buffer"} <= set(states)
    tour.press("Finish")
    expect(tour.words).not_to_be_attached()
