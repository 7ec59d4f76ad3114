"""constant: a value that never changes, for each key of the stream."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import STREAM, answer, assert_declared, build_event, build_leaf, build_node
from timeline_app.compiler import compile_plan
from timeline_app.plan.text import read_text, write_text


@pytest.mark.parametrize("value", [2.5, 0.0, -1.0, "play", "", True, False])
def test_it_holds_since_ever_for_every_key(value: Any) -> None:
    result = answer({"limit": build_leaf("constant", value=value)}, build_event(5), build_event(1, "y"))
    assert result == {"x": [(None, value)], "y": [(None, value)]}


def test_a_stream_without_events_has_no_key() -> None:
    assert answer({"limit": build_leaf("constant", value=1)}) == {}


def test_it_is_compared_and_added_like_what_is_known() -> None:
    nodes = {
        "n": build_leaf("latest_event_to_state", field="n"),
        "limit": build_leaf("constant", value=2.5),
        "over": build_node("greater_than", "n", "limit"),
    }
    assert answer(nodes, build_event(1, n=2), build_event(3, n=3))["x"] == [
        (None, None),
        (1, False),
        (3, True),
    ]
    assert answer({**nodes, "sum": build_node("add", "n", "limit")}, build_event(1, n=2))["x"] == [
        (None, None),
        (1, 4.5),
    ]


def test_a_text_may_stand_for_what_is_unknown() -> None:
    nodes = {
        "begun": build_leaf("has_existed", where="state is not missing"),
        "state": build_leaf("latest_event_to_state", field="state"),
        "none": build_leaf("constant", value="none"),
        "shown": {"op": "when", "inputs": {"if": "begun", "of": "state", "otherwise": "none"}},
    }
    assert answer(nodes, build_event(1), build_event(4, state="play"))["x"] == [(None, "none"), (4, "play")]


def test_a_number_may_stand_for_another_one() -> None:
    nodes = {
        "live": build_leaf("has_existed", where="n > 1"),
        "count": build_leaf("event_count"),
        "limit": build_leaf("constant", value=0.5),
        "shown": {"op": "when", "inputs": {"if": "live", "of": "count", "otherwise": "limit"}},
    }
    assert answer(nodes, build_event(1), build_event(4, n=2))["x"] == [(None, 0.5), (4, 2.0)]


def test_a_truth_counts_from_birth() -> None:
    nodes = {"on": build_leaf("constant", value=True), "lasted": build_node("duration_where", "on")}
    assert answer(nodes, build_event(3))["x"] == [(None, 0.0), (3, 0.0, 1.0)]


def test_why_says_that_it_is_always_so() -> None:
    assert explain_at({"limit": build_leaf("constant", value=2.5)}, 3, build_event(1))[:2] == (
        "`constant` is always 2.5.",
        "never ends",
    )


def test_in_text_it_names_the_stream_and_the_value() -> None:
    text = 'stream s(key = k, time = t)\na = constant(s, 2.5)\nb = constant(s, "a")\nc = constant(s, true)'
    document = read_text(text)
    assert [node["params"]["value"] for node in document["nodes"].values()] == [2.5, "a", True]
    assert read_text(write_text(document)) == document
    assert len(set(compile_plan(document, {}).names.values())) == 3


def test_it_describes_itself() -> None:
    assert_declared("constant", category="stream", inputs=[], parameters=[("value", "value")], output="any")


def test_a_key_without_events_of_its_stream_says_it_too() -> None:
    nodes = {
        "group": build_leaf("constant", "ads", value="play"),
        "sum": build_leaf("event_sum", field="n"),
        "all": {"op": "aggregate", "inputs": {"of": "sum", "by": "group"}, "params": {"function": "sum"}},
        "lasted": build_node("duration_in_current_state", "all"),
    }
    events = [build_event(1, n=0), build_event(2, "y", n=3), build_event(2, "y", _="ads")]
    result = answer(nodes, *events, s=STREAM, ads=STREAM)
    assert result == {"play": [(None, None), (1, 0.0, 1.0), (2, 0.0, 1.0)]}
