"""Expected spans against what came out: where they differ, exactly, and in words."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.evaluate.expectations import build_expectation, read_expected
from timeline_app.evaluate.expected import find_differences
from timeline_app.evaluate.pieces import build_from_points, build_from_spans
from timeline_app.problems.problem import Refused

S = 1_000_000
T = 1_719_835_421 * S  # 2024-07-01 12:03:41


def build_point(t: int | None, value: Any, slope: float | None = None) -> dict[str, Any]:
    return {"t": t, "value": value} | ({} if slope is None else {"slope": slope})


def build_span(start: int | None, end: int | None, value: Any, **more: Any) -> dict[str, Any]:
    return {"from": start, "to": end, "value": value, **more}


STATE = [build_point(None, None), build_point(T, True), build_point(T + 9 * S, False)]


def list_differing_stretches(
    expected: list[dict[str, Any]], points: list[dict[str, Any]], **how: Any
) -> list[tuple[Any, Any]]:
    """The stretches that differ."""
    differences = find_differences(build_from_spans(expected), build_from_points(points), **how)
    return [(item.document()["from"], item.document()["to"]) for item in differences]


def test_what_was_taken_passes() -> None:
    ratio: list[dict[str, Any]] = [
        {"t": None, "num": None, "den": None},
        {"t": T, "num": {"value": 1.0, "slope": 1.0}, "den": {"value": 2.0, "slope": 1.0}},
    ]
    for points in (STATE, [build_point(None, 0.0, 0.0), build_point(T, 0.0, 1.0)], ratio):
        [taken] = build_expectation([{"node": "n", "key": "k", "points": points}], {"n": "d"})
        assert find_differences(build_from_spans(taken["spans"]), build_from_points(points)) == []
        assert read_expected([taken])[0].digest == "d"


def test_the_words_of_the_issue() -> None:
    points = [build_point(None, None), build_point(T + 9 * S, False)]
    [result] = find_differences(build_from_spans([build_span(T, T + 9 * S, True)]), build_from_points(points))
    words = "node induced, key s1: expected true from 12:03:41 to 12:03:50, got unknown"
    assert result.words("induced", "s1") == words


@pytest.mark.parametrize(
    ("expected", "stretches"),
    [
        ([build_span(T, T + 9 * S, True)], []),
        ([build_span(T, T + 10 * S, True)], [(T + 9 * S, T + 10 * S)]),
        ([build_span(None, T, False)], [(None, T)]),
        ([build_span(None, T, None), build_span(T, None, True)], [(T + 9 * S, None)]),
        ([build_span(T - 5 * S, T - 3 * S, None)], []),
        ([build_span(T, T + 2 * S, "true")], [(T, T + 2 * S)]),
        ([build_span(T + 2 * S, T + 3 * S, 1)], [(T + 2 * S, T + 3 * S)]),
        ([], []),
    ],
)
def test_states_differ_exactly_where_they_do(
    expected: list[dict[str, Any]], stretches: list[tuple[Any, Any]]
) -> None:
    assert list_differing_stretches(expected, STATE) == stretches


CLIMB = [build_point(None, 0.0, 0.0), build_point(T, 0.0, 1.0), build_point(T + 10 * S, 10.0, 0.0)]


@pytest.mark.parametrize(
    ("expected", "tolerance", "stretches"),
    [
        ([build_span(T, T + 10 * S, 0.0, slope=1.0)], 0.0, []),
        ([build_span(T, T + 10 * S, 0.5, slope=1.0)], 0.5, []),
        ([build_span(T, T + 10 * S, 0.5, slope=1.0)], 0.4, [(T, T + 10 * S)]),
        ([build_span(T, T + 10 * S, 5.0)], 1.0, [(T, T + 4 * S), (T + 6 * S + 1, T + 10 * S)]),
        ([build_span(T, T + 10 * S, 0.0, slope=2.0)], 3.0, [(T + 3 * S + 1, T + 10 * S)]),
        ([build_span(None, T, 0)], 0.0, []),
        ([build_span(None, T, 1)], 0.5, [(None, T)]),
        ([build_span(T + 10 * S, None, 10.0)], 0.0, []),
        ([build_span(T + 12 * S, None, 10.0, slope=1.0)], 1.0, [(T + 13 * S + 1, None)]),
        ([build_span(T, T + S, None)], 9.0, [(T, T + S)]),
    ],
)
def test_numbers_differ_where_they_leave_the_tolerance(
    expected: list[dict[str, Any]], tolerance: float, stretches: list[tuple[Any, Any]]
) -> None:
    assert list_differing_stretches(expected, CLIMB, tolerance=tolerance) == stretches


def test_an_edge_may_be_a_little_off() -> None:
    expected = [build_span(T - S // 10, T + 9 * S, True)]
    assert list_differing_stretches(expected, STATE) == [(T - S // 10, T)]
    assert list_differing_stretches(expected, STATE, slack=S // 10) == []


def test_a_ratio_is_compared_with_a_plain_value() -> None:
    half: list[dict[str, Any]] = [
        {"t": None, "num": None, "den": None},
        {"t": T, "num": {"value": 1.0, "slope": 1.0}, "den": {"value": 2.0, "slope": 2.0}},
    ]
    assert list_differing_stretches([build_span(T, T + 60 * S, 0.5)], half) == []
    assert list_differing_stretches([build_span(T, T + 60 * S, 0.6)], half) == [(T, T + 60 * S)]
    assert list_differing_stretches([build_span(None, T, None)], half) == []


BAD: dict[str, Any] = {
    "no list": {},
    "no object": ["x"],
    "no node": [{"key": "k", "spans": []}],
    "no key": [{"node": "n", "spans": []}],
    "no spans": [{"node": "n", "key": "k"}],
    "spans that are no list": [{"node": "n", "key": "k", "spans": {}}],
    "an unknown word": [{"node": "n", "key": "k", "spans": [], "slak": "1s"}],
    "a span that is none": [{"node": "n", "key": "k", "spans": [1]}],
    "a span without a value": [{"node": "n", "key": "k", "spans": [{"from": 1, "to": 2}]}],
    "a value that is a list": [{"node": "n", "key": "k", "spans": [build_span(1, 2, [])]}],
    "a span that ends before it begins": [{"node": "n", "key": "k", "spans": [build_span(2, 1, True)]}],
    "a time that is text": [{"node": "n", "key": "k", "spans": [build_span("x", 1, True)]}],  # type: ignore[arg-type]
    "a time of no year": [{"node": "n", "key": "k", "spans": [build_span(2**62, None, True)]}],
    "spans that overlap": [
        {"node": "n", "key": "k", "spans": [build_span(1, 3, True), build_span(2, 4, False)]}
    ],
    "a tolerance below zero": [{"node": "n", "key": "k", "spans": [], "tolerance": -1}],
    "a slack that is no duration": [{"node": "n", "key": "k", "spans": [], "slack": "soon"}],
    "half a ratio": [{"node": "n", "key": "k", "spans": [{"from": 1, "to": 2, "num": {}}]}],
    "a slope that is no number": [{"node": "n", "key": "k", "spans": [build_span(1, 2, 1, slope="up")]}],
    "one key twice": [{"node": "n", "key": "k", "spans": []}, {"node": "n", "key": "k", "spans": []}],
    "too many spans": [{"node": "n", "key": "k", "spans": [build_span(i, i + 1, i) for i in range(10_001)]}],
}


@pytest.mark.parametrize("raw", BAD.values(), ids=BAD.keys())
def test_what_cannot_be_expected_is_refused_with_its_place(raw: Any) -> None:
    with pytest.raises(Refused) as refused:
        read_expected(raw)
    assert all(problem.message and problem.hint for problem in refused.value.problems)


def test_of_very_many_faults_the_first_hundred_are_told() -> None:
    with pytest.raises(Refused) as refused:
        read_expected([1] * 500_000)
    assert len(refused.value.problems) == 100


def test_many_expectations_are_compared_by_their_names_once() -> None:
    """40,000 of them: each with each would be 1.6 thousand million comparisons."""
    many = [{"node": "n", "key": str(index), "spans": []} for index in range(40_000)]
    assert len(read_expected(many)) == 40_000
    with pytest.raises(Refused, match="key 7 is there twice"):
        read_expected([*many, many[7]])
