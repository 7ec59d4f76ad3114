"""The search of the palette finds operators by what others call them."""

from __future__ import annotations

import pytest

from timeline_app.operators import operators


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("uptime", "duration_where"),
        ("debounce", "held_for"),
        ("rolling maximum", "max_within"),
        ("moving average", "mean_within"),
        ("energy", "integral"),
        ("schmitt trigger", "hysteresis"),
        ("keep firing for", "alert"),
        ("gauge", "latest_event_to_state"),
        ("percentile", "aggregate"),
    ],
)
def test_a_word_of_others_finds_the_operator_and_no_other_one(word: str, name: str) -> None:
    called = {op.name: [item.lower() for item in op.describe()["synonyms"]] for op in operators().values()}
    assert [result for result, words in called.items() if word in words] == [name]
