"""Variance and deviation are those of exact sums: the nearest floats, whatever the order and whatever came and went."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.spread import _take_roots, compute_deviation, compute_variance, square
from timeline_app.algebra.sums import WIDTH, Amounts

decimals = st.integers(-(10**15), 10**15).map(lambda micro: micro / 1e6)
near = st.integers(0, 10**6).map(lambda micro: (10**15 - micro) / 1e6)
anything = st.floats(-1e15, 1e15, allow_nan=False)


def build_rows(values: list[float]) -> Amounts:
    return square(np.ones(len(values), dtype=bool), np.array(values))


def add_rows(rows: Amounts) -> Amounts:
    return np.asarray(rows.sum(axis=0, keepdims=True))


def compute_exact(values: list[float]) -> Fraction:
    numbers = [Fraction(repr(value)) for value in values]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / len(numbers)


def compute_nearest_root(value: Fraction) -> float:
    with localcontext(prec=200):
        return float((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


@given(st.lists(st.one_of(decimals, near), min_size=1, max_size=20))
def test_of_decimals_they_are_the_floats_nearest_to_the_truth(values: list[float]) -> None:
    summed = add_rows(build_rows(values))
    assert compute_variance(summed)[0] == float(compute_exact(values))
    assert compute_deviation(summed)[0] == compute_nearest_root(compute_exact(values))


@given(st.lists(anything, min_size=1, max_size=20), st.randoms())
def test_the_order_of_numbers_never_matters(values: list[float], random: Random) -> None:
    mixed = sorted(values, key=lambda _: random.random())
    assert (add_rows(build_rows(values)) == add_rows(build_rows(mixed))).all()


@given(st.lists(anything, max_size=10), st.lists(decimals, min_size=1, max_size=3))
def test_what_comes_and_goes_leaves_nothing(gone: list[float], kept: list[float]) -> None:
    rows = add_rows(np.concatenate((build_rows([*kept, *gone]), -build_rows(gone))))
    assert compute_variance(rows)[0] == float(compute_exact(kept))


@given(anything, st.integers(1, 5))
def test_of_values_that_are_the_same_both_are_nothing(value: float, size: int) -> None:
    rows = add_rows(build_rows([value] * size))
    assert (compute_variance(rows)[0], compute_deviation(rows)[0]) == (0.0, 0.0)


@given(st.lists(anything, min_size=2, max_size=10))
def test_of_any_numbers_they_are_right_to_a_few_digits_beyond_the_microunit(values: list[float]) -> None:
    numbers = [Fraction(value) for value in values]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    true = float(sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / len(numbers))
    spread = max(values) - min(values)
    assert compute_variance(add_rows(build_rows(values)))[0] == pytest.approx(
        true, rel=1e-12, abs=spread * 1e-12 + 1e-24
    )


def test_a_million_large_numbers_do_not_overflow() -> None:
    values = np.where(np.arange(1_000_000) % 2 == 0, 9e15, -9e15)
    rows = square(np.ones(len(values), dtype=bool), values)
    assert compute_variance(add_rows(rows))[0] == 81e30
    assert compute_deviation(add_rows(rows))[0] == 9e15


def test_with_none_that_is_known_they_are_unknown() -> None:
    rows = add_rows(square(np.array([False, False]), np.array([np.nan, np.nan])))
    assert rows[0, 0] == 2
    assert np.isnan([compute_variance(rows)[0], compute_deviation(rows)[0]]).all()
    assert len(compute_variance(np.zeros((0, WIDTH), dtype=np.int64))) == 0


@given(st.integers(2**52, 2**53), st.sampled_from([-1, 0, 1]), st.integers(0, 40))
def test_a_root_that_lies_beside_the_middle_of_two_floats_is_rounded_as_the_truth_says(
    odd_number: int, beside: int, shift: int
) -> None:
    middle = 2 * odd_number + 1
    over, under = middle * middle + beside, 4**shift
    roots = _take_roots(np.array([over], dtype=object), np.array([under], dtype=object))
    assert roots.tolist() == [compute_nearest_root(Fraction(over, under))]
