"""Windows over events say what the referee says, to the bit: with ids and without, late, at once, with gaps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import judge_plan, run
from tests.laws.facts import few
from tests.referee import JsonEvent

DURATIONS = st.sampled_from(["500ms", "1s", "2500ms", "1us", "333ms", "1h"])
FIELDS = {"n": "number", "b": "bool"}
STREAM: dict[str, Any] = {"key": "k", "time": "t", "unit": "us", "fields": FIELDS}
OF_NUMBERS = ("mean", "min", "max", "deviation")
QUESTIONS = [
    ("count_within", {}),
    ("sum_within", {"field": "n"}),
    *(
        ("values_within", {"field": "n", "function": name})
        for name in (*OF_NUMBERS, "distinct", "first", "last")
    ),
    *(
        ("values_within", {"field": field, "function": name})
        for field in ("b", "s")
        for name in ("distinct", "first", "last")
    ),
]
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "k": st.sampled_from(["x", "y"]),
            "t": st.one_of(st.integers(0, 12).map(lambda half: half * 500_000), st.integers(0, 6_000_000)),
        },
        optional={
            "n": st.sampled_from([0, 1, 2, 0.1, 0.3, -1.5, 1e-6, 123456.789, 123456789]),
            "b": st.booleans(),
            "s": st.sampled_from(["a", "b", "ü"]),
            "id": st.sampled_from(["1", "2", "10", "x"]),
        },
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(("op", "params"), QUESTIONS)
@few
@given(EVENTS, DURATIONS)
def test_a_window_over_events_is_the_referees(
    op: str, params: dict[str, Any], named: bool, delivered: list[JsonEvent], duration: str
) -> None:
    stream = {**STREAM, "id": "id"} if named else STREAM
    last = {"op": op, "stream": "s", "params": {**params, "duration": duration}}
    plan = {"version": 1, "nodes": {"last": last}, "streams": {"s": stream}}
    assert run(plan, {"s": delivered}) == judge_plan(plan, {"s": delivered})
