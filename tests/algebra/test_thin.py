"""A thinned timeline has no more points than pixels, none that was not there, and says what is left out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import OPEN, SECOND, Kind
from timeline_app.algebra.thin import (
    MAX_POINTS_KEPT_WHOLE,
    Buckets,
    compute_buckets,
    find_differences,
    thin_by_buckets,
)

VALUES: dict[Kind, st.SearchStrategy[list[Any]]] = {
    Kind.BOOL: st.sampled_from([[True], [False], [None]]),
    Kind.TEXT: st.sampled_from([["a"], ["b"], ["c"], ["d"], ["e"], ["f"], [None]]),
    Kind.NUMBER: st.sampled_from([[0.0, 0.0], [1.5, 0.0], [2.0, 1.0], [-7.0, -0.5], [None, 0.0]]),
    Kind.RATIO: st.sampled_from([[1.0, 0.0, 2.0, 0.0], [3.0, 1.0, 4.0, 0.0], [None, 0.0, None, 0.0]]),
}


@st.composite
def draw_timelines(draw: st.DrawFn) -> tuple[Kind, list[Point]]:
    kind = draw(st.sampled_from(sorted(VALUES)))
    times = sorted(draw(st.sets(st.integers(-2_000, 20_000), max_size=120)))
    values = [draw(VALUES[kind]) for _ in range(len(times) + 1)]
    return kind, [[t, *value] for t, value in zip([None, *times], values, strict=True)]


MANY = st.integers(1, 40)


@given(draw_timelines(), MANY)
def test_every_point_that_stays_was_there_in_its_order(drawn: tuple[Kind, list[Point]], many: int) -> None:
    kind, points = drawn
    thinned, _ = thin_by_buckets(kind, points, compute_buckets(points, many, None, None))
    places = [points.index(item) for item in thinned]
    assert places == sorted(set(places))


@given(draw_timelines(), MANY)
def test_what_is_left_out_is_said_and_nothing_else_is_missing(
    drawn: tuple[Kind, list[Point]], many: int
) -> None:
    kind, points = drawn
    thinned, left_out = thin_by_buckets(kind, points, compute_buckets(points, many, None, None))
    removed = [item for item in points if item not in thinned]
    assert sum(item["changes"] for item in left_out) == len(removed)
    for point in removed:
        assert any(item["from"] < point[0] < item["to"] for item in left_out)
    assert all(item["to"] <= other["from"] for item, other in pairwise(left_out))


@given(draw_timelines(), MANY)
def test_there_are_no_more_points_than_pixels_can_show(drawn: tuple[Kind, list[Point]], many: int) -> None:
    kind, points = drawn
    thinned, left_out = thin_by_buckets(kind, points, compute_buckets(points, many, None, None))
    # A bucket at either end may be cut.
    assert len(thinned) <= 1 + MAX_POINTS_KEPT_WHOLE * (many + 2)
    assert len(left_out) <= many + 2


@given(draw_timelines(), MANY)
def test_the_shares_are_the_seconds_that_the_values_held(drawn: tuple[Kind, list[Point]], many: int) -> None:
    kind, points = drawn
    for bucket in thin_by_buckets(kind, points, compute_buckets(points, many, None, None))[1]:
        inside = [
            (a, b) for a, b in pairwise(points) if a[0] is not None and bucket["from"] <= a[0] < bucket["to"]
        ]
        if kind.is_line:
            starts = [a[1] if kind is Kind.NUMBER else a[1] and a[1] / a[3] for a, _ in inside]
            known_items = [value for value in starts if value is not None]
            if known_items:
                assert bucket["low"] <= min(known_items)
                assert bucket["high"] >= max(known_items)
            continue
        held: dict[Any, float] = {}
        for a, b in inside:
            held[a[1]] = held.get(a[1], 0.0) + (b[0] - a[0]) / SECOND
        assert all(seconds == pytest.approx(held[value]) for value, seconds in bucket["shares"])
        assert sum(s for _, s in bucket["shares"]) + bucket["others"] == pytest.approx(sum(held.values()))


@given(draw_timelines(), MANY, st.integers(-100, 15_000), st.integers(1, 4_000))
def test_what_is_looked_at_closely_has_buckets_of_its_own(
    drawn: tuple[Kind, list[Point]], many: int, low: int, length: int
) -> None:
    kind, points = drawn
    by = Buckets(5_000, low, low + length, max(1, length // many))
    for bucket in thin_by_buckets(kind, points, by)[1]:
        first, last = bucket["from"], bucket["to"]
        assert by.begin(first) <= first <= last < by.end(last + 1)
        assert by.begin(first) == by.begin(last)
        assert by.end(first + 1) == by.end(last + 1)
        assert low <= first <= last < low + length or last < low or first >= low + length


def test_numbers_keep_their_extremes() -> None:
    points: list[Point] = [[None, 0.0, 0.0], *([t, float(t * 37 % 101), 0.0] for t in range(100))]
    thinned, [gone] = thin_by_buckets(Kind.NUMBER, points, Buckets(1_000))
    assert {item[1] for item in thinned} >= {
        0.0,
        100.0 if [27, 100.0, 0.0] in points else max(p[1] for p in points),
    }
    assert (gone["low"], gone["high"]) == (0.0, max(p[1] for p in points))


@given(draw_timelines(), draw_timelines())
def test_differences_are_where_the_values_differ(
    entry: tuple[Kind, list[Point]], other: tuple[Kind, list[Point]]
) -> None:
    kind, left = entry
    right = [point for index, point in enumerate(left) if index % 7 != 3 or index == 0]
    result = list(find_differences(kind, left, right))
    assert list(find_differences(kind, left, left)) == []
    assert all(low < high for low, high in result)
    assert all(a[1] < b[0] for a, b in pairwise(result))
    removed = [point[0] for point in left if point not in right]
    assert all(low in removed for low, _ in result)
    assert all(high == OPEN or any(point[0] == high for point in left) for _, high in result)
