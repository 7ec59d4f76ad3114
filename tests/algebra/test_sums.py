"""Sums over keys are exact: in any order, after corrections, for large numbers, long times and many keys."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.groups import NOBODY, Deltas, add, compress, subtract
from timeline_app.algebra.sums import compute_amounts, compute_totals

Floats = npt.NDArray[np.float64]
YEAR = 31_556_952_000_000
NOW = 1_719_820_800_000_000

decimals = st.integers(-(10**12), 10**12).map(lambda micro: micro / 1e6)
anything = st.floats(-1e12, 1e12, allow_nan=False)
times = st.integers(-60 * YEAR, 2_000 * YEAR)
slopes = st.sampled_from([0.0, 1.0, 2.0, -1.0])


def compute_total(
    values: list[float], slopes: list[float] | None = None, start: list[int] | None = None, at: int = NOW
) -> tuple[float, float]:
    """The sum of lines, each from its start on, at one time."""
    size = len(values)
    time = np.array(start or [NOW] * size, dtype=np.int64)
    rows = compute_amounts(
        np.ones(size, dtype=bool), np.array(values), np.array(slopes or [0.0] * size), time
    )
    value, slope = compute_totals(rows.sum(axis=0, keepdims=True), np.array([at]))
    return float(value[0]), float(slope[0])


@given(st.lists(decimals, min_size=1, max_size=20))
def test_the_sum_of_decimals_is_the_float_nearest_to_the_true_sum(values: list[float]) -> None:
    assert compute_total(values)[0] == float(sum((Fraction(repr(value)) for value in values), Fraction(0)))


@given(st.lists(anything, min_size=1, max_size=20), st.randoms())
def test_the_order_of_numbers_never_matters(values: list[float], random: Random) -> None:
    mixed = sorted(values, key=lambda _: random.random())
    assert compute_total(values) == compute_total(mixed)


@given(st.lists(anything, min_size=1, max_size=20))
def test_any_numbers_are_summed_to_the_last_digit_or_a_few_beyond_the_microunit(values: list[float]) -> None:
    assert math.isclose(
        compute_total(values)[0], math.fsum(values), rel_tol=1e-15, abs_tol=len(values) * 1e-9
    )


@given(st.lists(anything, max_size=10), decimals)
def test_what_comes_and_goes_leaves_nothing(values: list[float], kept: float) -> None:
    assert compute_total([kept, *values, *(-value for value in values)])[0] == kept


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=30))
def test_whole_numbers_are_exact_as_far_as_a_float_can_hold_them(values: list[int]) -> None:
    assert compute_total([float(value) for value in values])[0] == float(sum(values))


@pytest.mark.parametrize(
    ("values", "truth"),
    [
        ([1e15, 1e-6, -1e15], 1e-6),
        ([0.1] * 10, 1.0),
        ([0.1, 0.2], 0.3),
        ([1234567890123.0] * 3, 3703703670369.0),
        ([2891354070.0, 0.845927], 2891354070.845927),
    ],
)
def test_cancellation_and_tenths(values: list[float], truth: float) -> None:
    assert compute_total(values)[0] == truth


@given(st.lists(st.tuples(decimals, slopes, times), min_size=1, max_size=12), times)
def test_climbing_lines_add_up_at_any_time(lines: list[tuple[float, float, int]], at: int) -> None:
    values, climbs, starts = (list(column) for column in zip(*lines, strict=True))
    truth = sum(Fraction(repr(v)) + Fraction(s) * (at - t) / 1_000_000 for v, s, t in lines)
    assert compute_total(values, climbs, starts, at) == (float(truth), sum(climbs))


@pytest.mark.parametrize("slope", [1 / 3, 2 / 7, 0.1, -1 / 3])
def test_a_fractional_slope_keeps_its_digits(slope: float) -> None:
    assert compute_total([0.0], [slope]) == (0.0, slope)
    assert math.isclose(compute_total([0.0], [slope], [NOW - YEAR])[0], slope * YEAR / 1e6, rel_tol=1e-14)


def test_a_million_keys_that_climb_for_years_do_not_overflow() -> None:
    row = compute_amounts(np.array([True]), np.array([0.0]), np.array([1.0]), np.array([NOW]))
    value, slope = compute_totals(row * 1_000_000, np.array([NOW + 50 * YEAR]))
    assert (float(value[0]), float(slope[0])) == (50 * YEAR, 1e6)


@st.composite
def draw_deltas(draw: st.DrawFn) -> Deltas:
    """What some keys contribute to some groups at few instants."""
    lines = st.tuples(st.integers(0, 2), st.integers(0, 4), anything, slopes, st.sampled_from([1, -1]))
    drawn = draw(st.lists(lines, max_size=8))
    if not drawn:
        return NOBODY
    group, time, value, slope, sign = (np.array(column) for column in zip(*drawn, strict=True))
    time = NOW + time * 1_000_000
    rows = compute_amounts(np.ones(len(time), dtype=bool), value, slope, time) * sign[:, np.newaxis]
    return compress(np.array(["a", "b", "c"], dtype=object), group, time, rows)


def list_content(item: Deltas) -> list[tuple[object, ...]]:
    rows = zip(item.names[item.group], item.time.tolist(), item.amounts.tolist(), strict=True)
    return [(name, time, tuple(row)) for name, time, row in rows]


@given(draw_deltas(), draw_deltas(), draw_deltas())
def test_deltas_add_in_any_order_and_subtract_to_nothing(item: Deltas, two: Deltas, three: Deltas) -> None:
    assert list_content(add(item, two)) == list_content(add(two, item))
    assert list_content(add(add(item, two), three)) == list_content(add(item, add(two, three)))
    assert list_content(add(item, subtract(two, item))) == list_content(two)
    assert list_content(subtract(item, item)) == []
