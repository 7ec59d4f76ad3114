"""aggregate with min, max and percentiles: exact at the multiples of `every`, held in between."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.small import STREAM, answer, build_event, build_leaf, build_node, build_plan
from timeline_app.algebra import samples
from timeline_app.algebra.limits import TooFine
from timeline_app.algebra.samples import MAX_SAMPLED_POINTS
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NUMBER = {"n": build_leaf("latest_event_to_state", field="n")}
BRIEF = {**STREAM, "retention": "5s"}
"""A stream for which an `every` of a microsecond may be chosen."""
STATE = {"state": build_leaf("latest_event_to_state", field="state")}


def build_aggregate(
    of: str, function: str, by: str | None = None, every: str | None = None
) -> dict[str, Any]:
    inputs = {"of": of} if by is None else {"of": of, "by": by}
    params = {"function": function} if every is None else {"function": function, "every": every}
    return {"op": "aggregate", "inputs": inputs, "params": params}


@pytest.mark.parametrize(
    ("function", "points"),
    [("min", [(None, None), (10, 2.0), (30, 1.0)]), ("max", [(None, None), (10, 2.0), (20, 5.0)])],
)
def test_what_holds_at_every_tenth_second_from_the_first_birth_to_just_after_the_last_event(
    function: str, points: list[Any]
) -> None:
    events = build_event(1, "a", n=2), build_event(13, "b", n=5), build_event(25, "a", n=1)
    assert answer({**NUMBER, "all": build_aggregate("n", function)}, *events) == {"*": points}


def test_what_comes_and_goes_between_two_marks_is_not_seen() -> None:
    events = build_event(1, "a", n=2), build_event(4, "a", n=9), build_event(8, "a", n=3)
    assert answer({**NUMBER, "all": build_aggregate("n", "max")}, *events) == {"*": [(None, None), (10, 3.0)]}
    assert answer({**NUMBER, "all": build_aggregate("n", "max", every="4s")}, *events) == {
        "*": [(None, None), (4, 9.0), (8, 3.0)]
    }


def test_a_birth_on_a_mark_is_there_at_once_and_a_last_event_on_a_mark_is_followed_by_one_more() -> None:
    nodes = {**CLIMBING, "all": build_aggregate("for", "max")}
    assert answer(nodes, build_event(10, on=True)) == {"*": [(None, None), (10, 0.0), (20, 10.0)]}
    assert answer(nodes, build_event(10, on=True), build_event(19)) == {
        "*": [(None, None), (10, 0.0), (20, 10.0)]
    }
    assert answer(nodes, build_event(10, on=True), build_event(20)) == {
        "*": [(None, None), (10, 0.0), (20, 10.0), (30, 20.0)]
    }


def test_marks_are_multiples_since_the_epoch_also_before_it() -> None:
    result = answer(
        {**NUMBER, "all": build_aggregate("n", "min", every="3s")}, build_event(-4, n=1), build_event(-1, n=2)
    )
    assert result == {"*": [(None, None), (-3, 1.0), (0, 2.0)]}


@pytest.mark.parametrize(("function", "rank"), [("min", 1), ("p50", 5), ("p90", 9), ("p99", 10), ("max", 10)])
def test_nearest_rank_of_ten(function: str, rank: int) -> None:
    events = [build_event(1, f"key {value}", n=value) for value in (7, 3, 10, 1, 9, 5, 8, 2, 6, 4)]
    result = answer({**NUMBER, "all": build_aggregate("n", function)}, *events)
    assert result == {"*": [(None, None), (10, float(rank))]}


@pytest.mark.parametrize(
    ("size", "median", "p90", "p99"),
    [(1, 1, 1, 1), (2, 1, 2, 2), (3, 2, 3, 3), (11, 6, 10, 11), (20, 10, 18, 20)],
)
def test_nearest_rank_of_any_number(size: int, median: int, p90: int, p99: int) -> None:
    events = [build_event(1, f"key {value}", n=value) for value in range(1, size + 1)]
    for function, value in (("p50", median), ("p90", p90), ("p99", p99)):
        result = answer({**NUMBER, "all": build_aggregate("n", function)}, *events)
        assert result == {"*": [(None, None), (10, float(value))]}


@pytest.mark.parametrize(
    ("function", "rank"),
    [("p33.4", 4), ("p30", 3), ("p30.000001", 4), ("p0.000001", 1), ("p99.9", 10), ("p100", 10), ("p10.0", 1)],
)  # fmt: skip
def test_any_percentile_of_ten(function: str, rank: int) -> None:
    events = [build_event(1, f"key {value}", n=value) for value in (7, 3, 10, 1, 9, 5, 8, 2, 6, 4)]
    result = answer({**NUMBER, "all": build_aggregate("n", function)}, *events)
    assert result == {"*": [(None, None), (10, float(rank))]}


@pytest.mark.parametrize(
    "function", ["p0", "p0.0", "p100.1", "p", "p-1", "p1e1", "50", "p0.0000001", "p٣", "P50"]
)
def test_what_is_no_percentile_is_refused_with_the_hint(function: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**NUMBER, "all": build_aggregate("n", function)}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("all", "function", "bad_parameter")
    assert "p99.9" in problem.message + problem.hint


def test_percentiles_that_mean_the_same_are_one_node() -> None:
    functions = ("max", "p100", "p100.0", "p50", "p50.0", "p050")
    result = compile_plan(
        build_plan({**NUMBER, **{name.replace(".", "_"): build_aggregate("n", name) for name in functions}}),
        {},
    )
    assert len({result.names[name] for name in ("max", "p100", "p100_0")}) == 1
    assert len({result.names[name] for name in ("p50", "p50_0", "p050")}) == 1


def test_the_ninetieth_of_a_hundred_is_the_ninetieth() -> None:
    events = [build_event(1, f"key {value}", n=value) for value in range(1, 101)]
    for function, value in (("p50", 50.0), ("p90", 90.0), ("p99", 99.0)):
        assert answer({**NUMBER, "all": build_aggregate("n", function)}, *events)["*"][-1] == (10, value)


def test_keys_whose_value_or_group_is_unknown_are_left_out_and_nobody_is_unknown() -> None:
    events = (
        build_event(1, "a", n=4, state="u"),
        build_event(2, "b", state="u"),
        build_event(3, "c", n=1),
        build_event(12, "a", state="v"),
        build_event(14, "b", n=7),
    )
    result = answer({**NUMBER, **STATE, "by": build_aggregate("n", "min", "state")}, *events)
    assert result == {"u": [(None, None), (10, 4.0), (20, 7.0)], "v": [(None, None), (20, 4.0)]}


def test_a_group_that_is_empty_again_is_unknown() -> None:
    events = build_event(1, "a", n=4, state="u"), build_event(12, "a", state="v")
    result = answer({**NUMBER, **STATE, "by": build_aggregate("n", "max", "state")}, *events)
    assert result == {"u": [(None, None), (10, 4.0), (20, None)], "v": [(None, None), (20, 4.0)]}


def test_a_group_between_two_marks_is_there_and_unknown() -> None:
    events = build_event(1, "a", n=4, state="u"), build_event(2, "a", state="v")
    result = answer({**NUMBER, **STATE, "by": build_aggregate("n", "max", "state")}, *events)
    assert result == {"u": [(None, None)], "v": [(None, None), (10, 4.0)]}


def test_the_last_event_is_that_of_any_key_in_any_stream_below() -> None:
    nodes = {
        **CLIMBING,
        "ever": build_leaf("has_existed", "r", where="n > 0"),
        "of": {},
        "all": build_aggregate("of", "max"),
    }
    nodes["of"] = {"op": "when", "inputs": {"if": "ever", "of": "for", "otherwise": "for"}}
    events = build_event(10, "a", on=True), build_event(31, "b", _="r")
    assert answer(nodes, *events, s=STREAM, r=STREAM) == {
        "*": [(None, None), (10, 0.0), (20, 10.0), (30, 20.0), (40, 30.0)]
    }


def test_a_late_event_moves_the_first_mark() -> None:
    result = answer({**NUMBER, "all": build_aggregate("n", "min")}, build_event(15, n=2), build_event(5, n=3))
    assert result == {"*": [(None, None), (10, 3.0), (20, 2.0)]}


def test_ratios_are_counted_and_ranked_by_their_values() -> None:
    """At 20 key a has had 2 events in 10 s, key b one in 5 s; at 30: 2 in 20 s, one in 15 s."""
    events = (
        build_event(10, "a", on=True),
        build_event(12, "a"),
        build_event(15, "b", on=True),
        build_event(21, "b", n=1),
    )
    nodes = {**RATIO, "count": build_leaf("event_count", where="n is missing")}
    assert answer({**nodes, "all": build_aggregate("rate", "max")}, *events) == {
        "*": [(None, None), (20, 0.2), (30, 0.1)]
    }
    assert answer({**nodes, "all": build_aggregate("rate", "min")}, *events)["*"][1:] == [
        (20, 0.2),
        (30, 1 / 15),
    ]
    assert answer({**nodes, "all": build_aggregate("rate", "count")}, *events) == {
        "*": [(None, 0.0), (10.000001, 1.0), (15.000001, 2.0)]
    }


@pytest.mark.parametrize("function", ["sum", "min", "max", "p50", "p90", "p99"])
def test_bools_are_not_ranked(function: str) -> None:
    nodes = {"on": CLIMBING["on"], "all": build_aggregate("on", function)}
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(nodes), {})
    assert [problem.node for problem in refused.value.problems] == ["all"]


@pytest.mark.parametrize("function", ["sum", "avg"])
def test_ratios_are_neither_summed_nor_averaged(function: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**RATIO, "all": build_aggregate("rate", function)}), {})
    assert [problem.node for problem in refused.value.problems] == ["all"]


def test_what_is_ranked_stands_still_so_that_equality_can_be_asked() -> None:
    nodes = {
        **CLIMBING,
        "longest": build_aggregate("for", "max"),
        "ten": build_node("equal_to", "longest", value=10),
    }
    assert answer(nodes, build_event(10, on=True)) == {"*": [(None, None), (10, False), (20, True)]}


def test_aggregates_of_groups() -> None:
    nodes = {
        **NUMBER,
        **STATE,
        "by": build_aggregate("n", "sum", "state"),
        "top": build_aggregate("by", "max"),
    }
    events = (
        build_event(1, "a", n=4, state="u"),
        build_event(2, "b", n=3, state="v"),
        build_event(12, "c", n=2, state="v"),
    )
    assert answer(nodes, *events) == {"*": [(None, None), (10, 4.0), (20, 5.0)]}


def test_steady_numbers_are_looked_at_only_where_they_change() -> None:
    nodes = {**NUMBER, "x": build_aggregate("n", "max", every="1us")}
    assert answer(nodes, build_event(1, n=3), build_event(1_000_000, n=5), s=BRIEF) == {
        "*": [(None, None), (1.0, 3.0), (1_000_000.0, 5.0)]
    }


def test_too_many_multiples_are_refused_in_words() -> None:
    nodes = {**CLIMBING, "x": build_aggregate("for", "max", every="1us")}
    with pytest.raises(TooFine, match="choose a longer one"):
        answer(nodes, build_event(1, on=True), build_event(1_000_000, on=True), s=BRIEF)


def test_the_refusal_counts_the_points_of_each_group_and_the_limit() -> None:
    nodes = {**CLIMBING, **STATE, "x": build_aggregate("for", "max", "state", every="1us")}
    with pytest.raises(TooFine) as refused:
        answer(
            nodes, build_event(1, "a", on=True, state="u"), build_event(7, "b", on=True, state="v"), s=BRIEF
        )
    # One point at each multiple of a microsecond, over 6 s of the one group, and two of the other.
    assert (refused.value.count, refused.value.limit) == (6_000_004, MAX_SAMPLED_POINTS)


def test_values_that_are_ranked_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MAX_SAMPLED_VALUES", 42)
    keys = [build_event(0, f"k{index}", on=True) for index in range(10)]
    nodes = {**CLIMBING, "x": build_aggregate("for", "max", every="10s")}
    assert len(answer(nodes, *keys, build_event(20, on=True))["*"]) > 2
    with pytest.raises(TooFine, match=r"62 values at the multiples of `every`, and at most 42"):
        answer(nodes, *keys, build_event(40, on=True))


@pytest.mark.parametrize(("first", "last"), [(1, 20), (-62_000_000_000, 200_000_000_000), (0, 100_000_000)])
def test_no_span_is_too_long_to_count(first: int, last: int) -> None:
    nodes = {**CLIMBING, "x": build_aggregate("for", "p50", every="1us")}
    with pytest.raises(TooFine):
        answer(
            nodes,
            *(build_event(first, f"k{index}", on=True) for index in range(50)),
            build_event(last, on=True),
            s=BRIEF,
        )


@pytest.mark.parametrize(
    ("every", "retention", "points", "least"),
    [
        ("1us", "7d", "604,800,000,000", "120960us"),
        ("1us", "36500d", "31,536,000,000,000", "6307200us"),
        ("100ms", "7d", "6,048,000", "120960us"),
        ("1us", "6s", "6,000,000", "2us"),
    ],
)
@pytest.mark.parametrize("function", ["min", "p50", "p99"])
def test_an_interval_too_short_for_the_retention_is_refused_before_it_runs(
    every: str, retention: str, points: str, least: str, function: str
) -> None:
    nodes = {**CLIMBING, "x": build_aggregate("for", function, every=every)}
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(nodes, s={**STREAM, "retention": retention}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code, problem.severity) == (
        "x", "every", "too_many_points", "error",
    )  # fmt: skip
    assert points in problem.message
    assert f"{MAX_SAMPLED_POINTS:,}" in problem.message
    assert least in problem.hint
    mended = {**CLIMBING, "x": build_aggregate("for", function, every=least)}
    compile_plan(build_plan(mended, s={**STREAM, "retention": retention}), {})


@pytest.mark.parametrize("function", ["sum", "count", "avg"])
def test_the_interval_of_an_exact_function_means_nothing(function: str) -> None:
    compile_plan(build_plan({**NUMBER, "x": build_aggregate("n", function, every="1us")}), {})


def test_the_usual_interval_fits_every_retention() -> None:
    compile_plan(
        build_plan({**CLIMBING, "x": build_aggregate("for", "p90")}, s={**STREAM, "retention": "36500d"}), {}
    )
