"""The laws of the algebra, on timelines of any shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import is_same
from timeline_app.algebra.align import align, evaluate_at
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind, Labels
from timeline_app.algebra.logic import apply_and, apply_or, is_equal, is_equal_to_value, negate
from timeline_app.algebra.states import measure_time_true
from timeline_app.algebra.timelines import Timelines, build_timelines

NAMES: Labels = np.array(["a", "b"], dtype=object)
FALSE, UNKNOWN, TRUE = 0, 1, 2


@st.composite
def bools(draw: st.DrawFn) -> Timelines:
    """Bools of two keys with the same births, which change at few instants and hence often together."""
    key, time, value = [], [], []
    for index in range(len(NAMES)):
        changes = sorted(draw(st.sets(st.integers(-3, 12).map(lambda step: step * 500_000), max_size=5)))
        for instant in (BEGINNING, *changes):
            key.append(index)
            time.append(instant)
            value.append(draw(st.sampled_from([FALSE, UNKNOWN, TRUE])))
    return make_bools(key, time, value)


def make_bools(key: list[int], time: list[int], value: list[int], birth: int = 0) -> Timelines:
    births = np.full(len(NAMES), birth, dtype=np.int64)
    columns = np.array(key, dtype=np.int64), np.array(time, dtype=np.int64), np.array(value, dtype=np.int8)
    return build_timelines(Kind.BOOL, NAMES, births, *columns)


def make_constant(value: int) -> Timelines:
    return make_bools([0, 1], [BEGINNING, BEGINNING], [value, value])


@pytest.mark.parametrize(
    ("number", "other", "both", "either"),
    [
        (TRUE, TRUE, TRUE, TRUE),
        (TRUE, FALSE, FALSE, TRUE),
        (TRUE, UNKNOWN, UNKNOWN, TRUE),
        (FALSE, FALSE, FALSE, FALSE),
        (FALSE, UNKNOWN, FALSE, UNKNOWN),
        (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    ],
)
def test_and_and_or_are_kleenes(number: int, other: int, both: int, either: int) -> None:
    for left, right in ((number, other), (other, number)):
        assert is_same(apply_and(make_constant(left), make_constant(right)), make_constant(both))
        assert is_same(apply_or(make_constant(left), make_constant(right)), make_constant(either))


@pytest.mark.parametrize(("value", "negated"), [(TRUE, FALSE), (FALSE, TRUE), (UNKNOWN, UNKNOWN)])
def test_not_is_kleenes(value: int, negated: int) -> None:
    assert is_same(negate(make_constant(value)), make_constant(negated))


@given(bools(), bools(), bools())
def test_and_and_or_commute_associate_absorb_and_repeat_for_nothing(
    x: Timelines, y: Timelines, z: Timelines
) -> None:
    for join, dual in ((apply_and, apply_or), (apply_or, apply_and)):
        assert is_same(join(x, y), join(y, x))
        assert is_same(join(x, join(y, z)), join(join(x, y), z))
        assert is_same(join(x, y, z), join(x, join(y, z)))
        assert is_same(join(x, x), x)
        assert is_same(join(x, dual(x, y)), x)
        assert is_same(join(x, dual(y, z)), dual(join(x, y), join(x, z)))


@given(bools(), bools())
def test_not_not_is_nothing_and_de_morgan_holds(x: Timelines, y: Timelines) -> None:
    assert is_same(negate(negate(x)), x)
    assert is_same(negate(apply_and(x, y)), apply_or(negate(x), negate(y)))
    assert is_same(negate(apply_or(x, y)), apply_and(negate(x), negate(y)))


@given(bools())
def test_true_and_false_and_unknown_time_add_up_to_the_time_since_birth(x: Timelines) -> None:
    unknown = is_equal_to_value(
        make_bools(list(x.key), list(x.time), [2 * int(value == UNKNOWN) for value in x.value]), True
    )
    parts = [measure_time_true(x), measure_time_true(negate(x)), measure_time_true(unknown)]
    whole = measure_time_true(make_constant(TRUE))
    aligned = align(whole, *parts)
    rows = np.flatnonzero(aligned.time >= 0)
    values = [
        evaluate_at(item, place[rows], aligned.time[rows])
        for item, place in zip((whole, *parts), aligned.rows, strict=True)
    ]
    assert np.allclose(values[0], sum(values[1:]), rtol=0, atol=1e-9)
    slopes = [item.slope[place[rows]] for item, place in zip((whole, *parts), aligned.rows, strict=True)]
    assert np.array_equal(slopes[0], sum(slopes[1:]))


@given(bools())
def test_a_state_is_equal_to_itself_wherever_it_is_known(x: Timelines) -> None:
    result = is_equal(x, x)
    assert set(result.value) <= {UNKNOWN, TRUE}
    assert is_same(apply_and(result, x), apply_and(x, apply_or(x, negate(x))))
    assert is_same(is_equal(x, make_constant(TRUE)), x)
    assert is_same(is_equal_to_value(x, True), x)
    assert is_same(is_equal_to_value(x, False), negate(x))


def test_time_before_birth_does_not_count_and_a_key_without_birth_never_does() -> None:
    names: Labels = np.array(["born", "never"], dtype=object)
    births = np.array([2_000_000, OPEN], dtype=np.int64)
    since_ever = np.full(2, BEGINNING, dtype=np.int64)
    always = build_timelines(
        Kind.BOOL, names, births, np.arange(2), since_ever, np.array([TRUE, TRUE], dtype=np.int8)
    )
    time_true = measure_time_true(always)
    assert list(time_true.points(0)) == [(None, 0.0, 0.0), (2_000_000, 0.0, 1.0)]
    assert list(time_true.points(1)) == [(None, 0.0, 0.0)]


def test_no_key_at_all_is_fine_everywhere() -> None:
    nothing = make_constant(TRUE).take(np.empty(0, dtype=np.int64))
    for item in (
        negate(nothing),
        apply_and(nothing, nothing),
        measure_time_true(nothing),
        is_equal(nothing, nothing),
    ):
        assert item.size == 0
