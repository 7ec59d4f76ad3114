"""The pictures of the guides have the colours of the page."""

from __future__ import annotations

import pytest

from docs.operators_figures import DARK, GROUND, INK
from docs.page_colours import LIGHT, VALUES, VARIABLES, colour_texts, find_meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("failed", "bad"),
        ("running_with_errors", "bad"),
        ("inProgress", None),
        ("buffer", "warning"),
        ("play", "running"),
        ("not ok", None),
        ("CDN1", None),
    ],
)
def test_a_value_means_in_a_picture_what_it_means_on_the_page(text: str, meaning: str | None) -> None:
    assert find_meaning(text) == meaning


def test_values_with_a_meaning_have_its_colour_and_others_a_hue_of_their_own() -> None:
    colours = colour_texts(["error", "failed", "play", "CDN1", "CDN2"])
    assert colours["play"] == LIGHT["meanings"]["running"][0]
    assert {colours["error"], colours["failed"]} == set(LIGHT["meanings"]["bad"][:2])
    assert {colours["CDN1"], colours["CDN2"]} <= set(VALUES)
    assert len(set(colours.values())) == len(colours)


def test_a_picture_has_the_ink_and_the_ground_of_the_page_in_both_themes() -> None:
    assert (VARIABLES["ink"][0], VARIABLES["surface"][0]) == (INK, GROUND)
    assert DARK[LIGHT["line"]] == VARIABLES["accent"][1]
    assert {colour for colour in VALUES if colour not in DARK} == set()
