"""What operators need of a key's history when it is folded: leaves some events, others what they have come to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.events import UNTIL, Column, Events
from timeline_app.algebra.kinds import BEGINNING, FALSE, NO_LABELS, OPEN, TRUE, Ints, Kind
from timeline_app.algebra.logic import negate
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.steps import turn_true
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.operators import operators
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.ports import Bool
from timeline_app.predicates import parse

SECOND = 1_000_000
KEY = np.array([0, 0, 0, 0, 0, 1])
TIME = np.array([1, 2, 3, 4, 6, 2]) * SECOND
NUMBER = np.array([5.0, 7.0, np.nan, 7.0, 7.0, 1.0])
ENDS = np.array([8 * SECOND, 9 * SECOND, 4 * SECOND, 9 * SECOND - 1, OPEN, OPEN])
EVENTS = Events(
    np.array(["x", "y"], dtype=object),
    np.array([1, 2]) * SECOND,
    KEY,
    TIME,
    {"n": Column(Kind.NUMBER, NUMBER, NO_LABELS), UNTIL: Column(Kind.NUMBER, ENDS, NO_LABELS)},
    None,
)
AT = np.array([4, 4]) * SECOND
SEVEN = parse("n == 7")


def list_kept(name: str, **params: Any) -> list[int]:
    keeps = operators()[name].keeps
    assert keeps is not None
    return np.flatnonzero(keeps(EVENTS, AT, **params)).tolist()


def read(name: str, *inputs: Any, at: Ints = AT, carried: Carried | None = None, **params: Any) -> Any:
    memory = operators()[name].memory
    assert memory is not None
    result = memory.read(*inputs, at=at, carried=carried, **params)
    assert result.shape == (2, memory.width)
    return result[:, 0].tolist() if memory.width == 1 else result.tolist()


def build_true_since(*times: int) -> Timelines:
    """False, then true from so many seconds on; 0: since ever; the keys are born at 1 s."""
    key = np.concatenate(([0, 1], np.flatnonzero(times)))
    start = np.array([BEGINNING, BEGINNING, *(at * SECOND for at in times if at)])
    value = np.array([*(FALSE if at else TRUE for at in times), *(TRUE for at in times if at)])
    order = np.lexsort((start, key))
    birth = np.full(2, SECOND)
    return build_timelines(Kind.BOOL, EVENTS.names, birth, key[order], start[order], value[order])


def test_the_latest_value_needs_the_last_event_that_has_the_field() -> None:
    assert list_kept("latest_event_to_state", field="n") == [3, 5]


def test_whether_there_was_one_needs_the_first_match() -> None:
    assert list_kept("has_existed", where=SEVEN) == [1]
    assert list_kept("has_existed", where=parse("n > 7")) == []


def test_whether_there_was_one_lately_needs_the_last_match_while_it_counts() -> None:
    assert list_kept("has_existed_within", where=SEVEN, duration=1) == [3]
    assert list_kept("has_existed_within", where=parse("n == 5"), duration=3 * SECOND) == []
    assert list_kept("has_existed_within", where=parse("n == 5"), duration=3 * SECOND + 1) == [0]


def test_whether_a_row_holds_needs_the_one_that_ends_last_and_an_open_one_stays() -> None:
    assert list_kept("is_during") == [1, 5]
    assert list_kept("is_during", where=parse("n == 5")) == [0]
    assert list_kept("is_during", where=parse("n is missing")) == []


def test_counts_and_sums_go_on_from_what_they_had_come_to() -> None:
    assert read("event_count", EVENTS) == [4, 1]
    before = Carried(np.array([2 * SECOND, BEGINNING]), np.array([[10], [99]]))
    assert read("event_count", EVENTS, carried=before, where=SEVEN) == [11, 0]
    assert read("event_sum", EVENTS, field="n") == [[0, 19 * SECOND, 0], [0, SECOND, 0]]
    counted = operators()["event_count"].apply(EVENTS, carried=before)
    assert [value for _, value, _ in counted.points(0)] == [10.0, 11.0, 12.0, 13.0]
    assert [value for _, value, _ in counted.points(1)] == [0.0, 1.0]


def test_a_duration_remembers_microseconds_and_a_state_since_when_it_holds() -> None:
    item = build_true_since(3, 0)
    assert read("duration_where", item) == [SECOND, 3 * SECOND]
    assert read("duration_in_current_state", item) == [3 * SECOND, BEGINNING]
    assert read("held_for", item, duration=5) == [3 * SECOND, BEGINNING]
    assert read("changed_to", item, value=True) == [1, 0]


@pytest.mark.parametrize(
    ("name", "amounts", "params"),
    [
        ("duration_where", [SECOND, 3 * SECOND], {}),
        ("duration_in_current_state", [3 * SECOND, BEGINNING], {}),
        ("held_for", [3 * SECOND, BEGINNING], {"duration": 2 * SECOND}),
        ("changed_to", [1, 0], {"value": True}),
    ],
)
def test_what_is_remembered_stands_for_everything_before(
    name: str, amounts: list[int], params: dict[str, Any]
) -> None:
    carried = Carried(AT, np.array(amounts)[:, np.newaxis])
    apply = operators()[name].apply
    whole, again = (
        apply(build_true_since(3, 0), **params),
        apply(build_true_since(2, 0), carried=carried, **params),
    )
    assert read(name, build_true_since(2, 0), at=AT + 1, carried=carried, **params) == read(
        name, build_true_since(3, 0), at=AT + 1, **params
    )
    later = np.full(2, 9 * SECOND)
    assert list_last_values(again, later) == list_last_values(whole, later)


def list_last_values(item: Timelines, at: Ints) -> list[Any]:
    rows = item.offsets[1:] - 1
    value = evaluate_at(item, rows, at) if item.kind.is_line else item.value[rows]
    return list(value.tolist())


def test_a_leaf_that_does_not_say_what_it_needs_is_refused_with_the_hint() -> None:
    def seen(events: Events) -> Bool:
        """Whether there was an event."""
        return turn_true(events, np.ones(events.size, dtype=bool))

    old = operators()["has_existed"]
    with pytest.raises(
        TypeError, match=r"seen does not say what it needs beyond the retention; give @operator keeps="
    ):
        operator("Seen", category="stream", why=old.why, example=old.example)(seen)


def test_a_memory_that_is_not_taken_is_refused_with_the_hint() -> None:
    def forgetful(of: Bool) -> Bool:
        """The opposite."""
        return negate(of)

    old, memory = operators()["not"], Memory(lambda of, at, carried: at[:, np.newaxis])
    with pytest.raises(
        TypeError, match=r"forgetful must take what it remembers; give .* `carried: Before = None`"
    ):
        operator("Forgetful", category="timelines", why=old.why, example=old.example, memory=memory)(
            forgetful
        )


def test_a_key_that_was_never_born_is_not_counted() -> None:
    item = replace(build_true_since(3, 0), birth=np.array([SECOND, OPEN]))
    assert read("duration_where", item) == [SECOND, 0]
