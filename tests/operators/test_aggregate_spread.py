"""aggregate with variance and stddev: exact for all time, and of what climbs at the multiples of `every`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.reasons import read_chain
from tests.operators.small import answer, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATES = {name: build_leaf("latest_event_to_state", field=name) for name in ("state", "n")}


def build_aggregate(of: str, function: str, by: str | None = None, **params: Any) -> dict[str, Any]:
    inputs = {"of": of} if by is None else {"of": of, "by": by}
    return {"op": "aggregate", "inputs": inputs, "params": {"function": function, **params}}


def test_it_is_that_of_the_population_and_0_of_one_key() -> None:
    events = [build_event(at, f"k{at}", n=value) for at, value in enumerate((2, 4, 4, 4, 5, 5, 7, 9), 1)]
    for function, last in (("variance", 4.0), ("stddev", 2.0)):
        result = answer({**STATES, "all": build_aggregate("n", function)}, *events)["*"]
        assert result[:3] == [(None, None), (1, 0.0), (2, 1.0)]
        assert result[-1] == (8, last)


def test_keys_come_and_go_and_are_left_out_while_they_say_nothing() -> None:
    events = (
        build_event(1, "a", n=1, state="u"),
        build_event(2, "b", state="u"),
        build_event(3, "b", n=4),
        build_event(5, "a", state="v"),
        build_event(6, "b", state="v"),
    )
    assert answer({**STATES, "by": build_aggregate("n", "variance", "state")}, *events) == {
        "u": [(None, None), (1, 0.0), (3, 2.25), (5, 0.0), (6, None)],
        "v": [(None, None), (5, 0.0), (6, 2.25)],
    }


def test_close_numbers_far_from_0_keep_every_digit() -> None:
    events = [build_event(1, f"k{index}", n=1e9 + index / 1e6) for index in range(3)]
    assert answer({**STATES, "all": build_aggregate("n", "variance")}, *events)["*"][-1] == (1, 2e-12 / 3)


def test_of_a_number_that_climbs_it_is_taken_at_the_multiples_of_every() -> None:
    events = build_event(10, "a", on=True), build_event(12, "b"), build_event(25, "b", n=1)
    nodes = {**CLIMBING, "all": build_aggregate("for", "variance")}
    assert answer(nodes, *events) == {"*": [(None, None), (10, 0.0), (20, 25.0), (30, 100.0)]}
    assert answer({**CLIMBING, "all": build_aggregate("for", "stddev", every="15s")}, *events) == {
        "*": [(None, None), (15, 2.5), (30, 10.0)]
    }


def test_only_of_what_climbs_the_interval_means_anything() -> None:
    nodes = {**STATES, **CLIMBING}
    nodes |= {
        f"{of}_{every}": build_aggregate(of, "stddev", every=every)
        for of in ("n", "for")
        for every in ("5s", "10s")
    }
    nodes |= {of: build_aggregate(of, "stddev") for of in ("n_usual", "for_usual")}
    nodes["n_usual"], nodes["for_usual"] = build_aggregate("n", "stddev"), build_aggregate("for", "stddev")
    names = compile_plan(build_plan(nodes), {}).names
    assert names["n_5s"] == names["n_10s"] == names["n_usual"]
    assert names["for_5s"] != names["for_10s"] == names["for_usual"]


def test_outside_three_deviations() -> None:
    nodes = {
        **STATES,
        "spread": build_aggregate("n", "stddev"),
        "mean": build_aggregate("n", "avg"),
        "three": build_node("multiply", "spread", value=3),
    }
    nodes["limit"] = {"op": "add", "inputs": {"of": "mean", "other": "three"}}
    events = build_event(1, "a", n=2), build_event(1, "b", n=4)
    assert answer(nodes, *events) == {"*": [(None, None), (1, 6.0)]}


@pytest.mark.parametrize("function", ["variance", "stddev"])
@pytest.mark.parametrize(("of", "hint"), [("on", "share"), ("state", "distinct"), ("rate", "divide")])
def test_what_is_no_number_is_refused_with_the_hint(of: str, hint: str, function: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**STATES, **CLIMBING, **RATIO, "all": build_aggregate(of, function)}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("all", "function", "wrong_inputs")
    assert hint in problem.hint


def test_why_names_the_mean_and_who_is_furthest_from_it() -> None:
    events = [build_event(at, f"k{at}", n=value) for at, value in enumerate((2, 4, 12), 1)]
    links = read_chain({**STATES, "all": build_aggregate("n", "variance")}, 9, *events, key="*")
    assert links[0]["sentence"] == (
        "`aggregate` is 18.666667, the variance of `n` over all keys: 3 keys count with the mean 6; the furthest from"
        " it `k3` with 12, `k1` with 2 and `k2` with 4."
    )
    assert (links[1]["node"], links[1]["key"]) == ("n", "k3")


def test_why_of_what_climbs_tells_the_multiple() -> None:
    events = build_event(10, "a", on=True), build_event(12, "b"), build_event(25, "b", n=1)
    links = read_chain({**CLIMBING, "all": build_aggregate("for", "stddev")}, 24, *events, key="*")
    assert links[0]["sentence"] == (
        "`aggregate` is 5, the standard deviation of `for` over all keys at 00:00:20, a multiple of 10 s: 2 keys count"
        " with the mean 5; the furthest from it `a` with 10 and `b` with 0."
    )
    assert links[1]["at"] == 20_000_000
