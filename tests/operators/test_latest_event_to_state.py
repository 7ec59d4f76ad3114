"""latest_event_to_state: a field's latest value."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.operators.reasons import read_link
from tests.operators.small import STREAM, answer, assert_declared, build_event, build_leaf

STATE = {"state": build_leaf("latest_event_to_state", field="state")}
NUMBER = {"number": build_leaf("latest_event_to_state", field="n")}
FLAG = {"flag": build_leaf("latest_event_to_state", field="on")}
IDS = {**STREAM, "id": "id"}
NUMBERED = {**IDS, "fields": {**STREAM["fields"], "id": "number"}}  # type: ignore[dict-item]


def test_unknown_before_the_first_value_then_the_latest() -> None:
    result = answer(STATE, build_event(1), build_event(2, state="play"), build_event(5, state="buffer"))
    assert result == {"x": [(None, None), (2, "play"), (5, "buffer")]}


def test_an_event_without_the_field_changes_nothing_and_the_same_value_is_no_change() -> None:
    result = answer(
        STATE,
        build_event(2, state="play"),
        build_event(3),
        build_event(4, state=None),
        build_event(5, state="play"),
    )
    assert result == {"x": [(None, None), (2, "play")]}


def test_numbers_bools_and_other_scalars() -> None:
    assert answer(NUMBER, build_event(1, n=2), build_event(2, n=2.5)) == {
        "x": [(None, None), (1, 2.0), (2, 2.5)]
    }
    assert answer(FLAG, build_event(1, on=True), build_event(2, on=False)) == {
        "x": [(None, None), (1, True), (2, False)]
    }
    assert answer(STATE, build_event(1, state=True), build_event(2, state=7)) == {
        "x": [(None, None), (1, "true"), (2, "7")]
    }


@pytest.mark.parametrize(
    ("nodes", "values", "winner"), [(STATE, ["a", "c", "b"], "c"), (NUMBER, [9, 10, -1], 10.0)]
)
def test_without_ids_the_greatest_of_a_tie_wins(
    nodes: dict[str, Any], values: list[Any], winner: object
) -> None:
    field = "n" if nodes is NUMBER else "state"
    for mixed in permutations(values):
        result = answer(nodes, *(build_event(1, **{field: value}) for value in mixed))
        assert result == {"x": [(None, None), (1, winner)]}


def test_of_two_bools_at_once_true_is_the_greater() -> None:
    for mixed in ([True, False], [False, True]):
        assert answer(FLAG, *(build_event(1, on=on) for on in mixed)) == {"x": [(None, None), (1, True)]}


@pytest.mark.parametrize(
    ("stream", "ids"),
    [(IDS, ["a10", "a2"]), (NUMBERED, [2, 10]), (IDS, [2, 10]), (IDS, ["9", "10"]), (IDS, [10, "09"])],
)
def test_with_ids_the_greatest_id_wins_numbers_as_numbers(stream: Any, ids: list[Any]) -> None:
    events = [build_event(1, id=ids[0], state="z"), build_event(1, id=ids[1], state="a")]
    for mixed in permutations(events):
        assert answer(STATE, *mixed, s=stream) == {"x": [(None, None), (1, "a")]}


@pytest.mark.parametrize("stream", [IDS, NUMBERED])
def test_an_event_without_id_gives_way_to_one_with_and_two_without_to_the_greater_value(stream: Any) -> None:
    named, left, right = build_event(1, id=1, state="a"), build_event(1, state="y"), build_event(1, state="z")
    for mixed in permutations([named, left, right]):
        assert answer(STATE, *mixed, s=stream) == {"x": [(None, None), (1, "a")]}
    for pair in permutations([left, right]):
        assert answer(STATE, *pair, s=stream) == {"x": [(None, None), (1, "z")]}


def test_copies_with_one_id_are_one_event_the_latest_then_the_greatest_text() -> None:
    early, late, later = (
        build_event(time, id="e", state=state) for time, state in ((1, "z"), (3, "a"), (3, "b"))
    )
    for mixed in permutations([early, late, later, dict(late)]):
        assert answer(STATE, *mixed, s=IDS) == {"x": [(None, None), (3, "b")]}


def test_ids_are_the_keys_own() -> None:
    result = answer(
        STATE, build_event(1, "a", id="e", state="play"), build_event(2, "b", id="e", state="stop"), s=IDS
    )
    assert result == {"a": [(None, None), (1, "play")], "b": [(None, None), (2, "stop")]}


def test_numbers_that_differ_in_the_last_bit_differ() -> None:
    result = answer(NUMBER, build_event(1, n=0.1 + 0.2), build_event(2, n=0.3))
    assert result == {"x": [(None, None), (1, 0.1 + 0.2), (2, 0.3)]}


def test_minus_zero_is_zero_whoever_comes_first() -> None:
    for mixed in ([0.0, -0.0], [-0.0, 0.0]):
        (_, (_, value)) = answer(NUMBER, *(build_event(1, n=n) for n in mixed))["x"]
        assert str(value) == "0.0"


def test_it_describes_itself() -> None:
    parameters = [("field", "field")]
    assert_declared(
        "latest_event_to_state", category="stream", inputs=[], parameters=parameters, output="any"
    )


def test_what_is_computed_is_the_state() -> None:
    stream = {**STREAM, "fields": {"price": "number", "quantity": "number", "state": "text"}}
    unit = {"unit": build_leaf("latest_event_to_state", field="= price / quantity")}
    events = [
        build_event(1, price=3, quantity=2),
        build_event(2, price=3, quantity=0),
        build_event(5, price=1, quantity=4),
    ]
    assert answer(unit, *events, s=stream) == {"x": [(None, None), (1, 1.5), (5, 0.25)]}
    label = {
        "label": build_leaf("latest_event_to_state", field='= if(price > 2, upper(trim(state)), "cheap")')
    }
    texts = [
        build_event(1, price=3, state=" a "),
        build_event(2, price=1, state="b"),
        build_event(3, price=9),
    ]
    assert answer(label, *texts, s=stream) == {"x": [(None, None), (1, "A"), (2, "cheap")]}


def test_of_computed_values_at_one_instant_the_greatest_counts_and_why_says_so() -> None:
    stream = {**STREAM, "fields": {"state": "text"}}
    nodes = {"last": build_leaf("latest_event_to_state", field="= lower(state)")}
    events = [build_event(1, state="B"), build_event(1, state="c"), build_event(1, state="A")]
    for order in permutations(events):
        assert answer(nodes, *order, s=stream)["x"] == [(None, None), (1, "c")]
    [boundary] = read_link(nodes, 2, *events, stream=stream)["events"]
    assert boundary["rule"].startswith("Several events at this instant, and no ids")
