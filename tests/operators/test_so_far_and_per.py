"""so_far and per: what has come since a period began, and the total of the last complete one."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.operators.reasons import explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.algebra import limits
from timeline_app.algebra.calendars import compute_period_totals, compute_since_period
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.timelines import build_timelines
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.operators.accumulated import make_calendar
from timeline_app.plan import Refused
from timeline_app.plan.text import read_text, write_text
from timeline_app.testing.points import build_batches, group_points

COPENHAGEN = "Europe/Copenhagen"
MINUTE, HOUR, SECOND = 60, 3600, 1_000_000
COUNT = {"count": build_leaf("event_count")}
RUN = {"on": build_leaf("latest_event_to_state", field="on"), "run": build_node("duration_where", "on")}


def convert_local_time(text: str, zone: str = COPENHAGEN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


def build_over_periods(op: str, below: dict[str, Any], every: str = "1min", **params: Any) -> dict[str, Any]:
    return {**below, "x": build_node(op, list(below)[-1], every=every, **params)}


def test_it_begins_anew_at_each_boundary_and_is_unknown_after_the_first_that_has_not_come() -> None:
    events = build_event(10), build_event(50), build_event(70), build_event(190)
    assert answer(build_over_periods("so_far", COUNT), *events)["x"] == [
        (None, 0.0), (10, 1.0), (50, 2.0), (60, 0.0), (70, 1.0), (120, 0.0), (190, 1.0), (240, None),
    ]  # fmt: skip
    assert answer(build_over_periods("per", COUNT), *events)["x"] == [
        (None, None), (60, 2.0), (120, 1.0), (180, 0.0), (240, None),
    ]  # fmt: skip


def test_an_event_exactly_at_the_boundary_belongs_to_the_new_period() -> None:
    events = build_event(10), build_event(60), build_event(120)
    assert answer(build_over_periods("so_far", COUNT), *events)["x"] == [(None, 0.0), (10, 1.0), (180, None)]
    assert answer(build_over_periods("per", COUNT), *events)["x"] == [(None, None), (60, 1.0), (180, None)]
    assert answer(build_over_periods("per", COUNT), build_event(60), build_event(120))["x"] == [
        (None, None),
        (120, 1.0),
        (180, None),
    ]


def test_what_climbs_over_a_boundary_is_parted_there() -> None:
    events = build_event(30, on=True), build_event(150, on=False), build_event(200)
    assert answer(build_over_periods("so_far", RUN), *events)["x"] == [
        (None, 0.0), (30, 0.0, 1.0), (60, 0.0, 1.0), (120, 0.0, 1.0), (150, 30.0), (180, 0.0), (240, None),
    ]  # fmt: skip
    assert answer(build_over_periods("per", RUN), *events)["x"] == [
        (None, None),
        (60, 30.0),
        (120, 60.0),
        (180, 30.0),
        (240, None),
    ]


def test_local_days_have_23_and_25_hours() -> None:
    for first, hours in (("2026-03-28T12:00", [12, 23, 24]), ("2026-10-24T12:00", [12, 25, 24])):
        begin = convert_local_time(first)
        result = answer(
            build_over_periods("per", RUN, "1d", zone=COPENHAGEN),
            build_event(begin, on=True),
            build_event(begin + 80 * HOUR),
        )["x"]
        assert [value / HOUR for _, value in result[1:-1]] == hours


@pytest.mark.parametrize(
    ("every", "begins", "ends"),
    [
        ("1w", "2026-03-30T00:00", "2026-04-06T00:00"),
        ("1month", "2026-04-01T00:00", "2026-05-01T00:00"),
        ("1h", "2026-04-01T12:00", "2026-04-01T13:00"),
        ("15min", "2026-04-01T12:15", "2026-04-01T12:30"),
    ],
)
def test_weeks_begin_on_monday_and_months_on_the_first(every: str, begins: str, ends: str) -> None:
    events = (
        build_event(convert_local_time("2026-03-20T12:00")),
        build_event(convert_local_time("2026-04-01T12:20")),
    )
    points = answer(build_over_periods("so_far", COUNT, every, zone=COPENHAGEN), *events)["x"]
    assert points[-1] == (convert_local_time(ends), None)
    assert points[-2][1] == 1.0
    late = answer(
        build_over_periods("so_far", COUNT, every, zone=COPENHAGEN),
        build_event(convert_local_time(begins) - 1),
        build_event(convert_local_time(begins)),
    )["x"]
    assert late == [(None, 0.0), (convert_local_time(begins) - 1, 1.0), (convert_local_time(ends), None)]


def test_where_the_number_was_unknown_just_before_a_boundary() -> None:
    """None that accumulates is, as yet; the algebra is asked itself."""
    second = [BEGINNING, *(time * SECOND for time in (10, 50, 70, 130))]
    number = build_timelines(
        Kind.NUMBER,
        np.array(["x"], dtype=object),
        np.array([10 * SECOND]),
        np.zeros(5, dtype=np.int64),
        np.array(second),
        np.array([0.0, 1.0, np.nan, 3.0, 4.0]),
    )
    minutes = make_calendar("1min", "UTC")
    result = {
        function: [
            (None if time is None else time // SECOND, value)
            for time, value, _ in group_points(function(number, minutes, 240 * SECOND, None))["x"]
        ]
        for function in (compute_since_period, compute_period_totals)
    }
    assert result[compute_since_period] == [
        (None, 0.0), (10, 1.0), (50, None), (120, 0.0), (130, 1.0), (180, 0.0), (240, None),
    ]  # fmt: skip
    assert result[compute_period_totals] == [(None, None), (180, 1.0), (240, None)]


def test_time_comes_with_other_keys_and_with_until() -> None:
    nodes = build_over_periods("per", COUNT)
    assert answer(nodes, build_event(5), build_event(130, "y"))["x"] == [
        (None, None),
        (60, 1.0),
        (120, 0.0),
        (180, None),
    ]
    compiled = compile_plan(build_plan(nodes), {})
    delivered = build_batches(compiled, {"s": [build_event(5)]})
    result = group_points(evaluate(compiled, delivered, until=60 * SECOND)[compiled.names["x"]])["x"]
    assert [(time, value) for time, value, _ in result] == [
        (None, None),
        (60 * SECOND, 1.0),
        (120 * SECOND, None),
    ]


def test_sums_and_differences_and_products_with_a_value_accumulate_and_nothing_else() -> None:
    kept = {
        **COUNT, **RUN, "total": build_leaf("event_sum", field="n"), "both": build_node("add", "count", "total"),
        "gap": build_node("subtract", "both", "run"), "hours": build_node("divide", "gap", value="1h"),
    }  # fmt: skip
    assert "x" in compile_plan(build_plan(build_over_periods("so_far", kept)), {}).names
    refused = {
        "number": build_leaf("latest_event_to_state", field="n"),
        "age": build_node("duration_in_current_state", "on"),
        "more": build_node("add", "count", value=3),
        "later": build_node("shift", "count", duration="5s"),
        "square": build_node("multiply", "count", "count"),
    }
    for name, item in refused.items():
        with pytest.raises(Refused) as result:
            compile_plan(
                build_plan({**COUNT, **RUN, name: item, "x": build_node("per", name, every="1min")}), {}
            )
        [problem] = result.value.problems
        assert (problem.node, problem.code) == ("x", "does_not_accumulate")
        assert "wire a count, a sum" in problem.hint


def test_periods_that_are_none_are_refused() -> None:
    with pytest.raises(Refused) as result:
        compile_plan(build_plan(build_over_periods("so_far", COUNT, "2d")), {})
    assert "1month" in result.value.problems[0].describe()


def test_too_many_periods_of_what_climbs_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_PERIOD_POINTS", 1000)
    with pytest.raises(limits.TooFine, match="choose longer periods"):
        answer(build_over_periods("so_far", RUN), build_event(0, on=True), build_event(2000 * MINUTE))


@given(
    st.lists(
        st.tuples(st.integers(0, 8000), st.booleans(), st.sampled_from([None, 0.1, 2, -1])),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from(["1min", "5min", "30min", "1h", "1d"]),
    st.sampled_from(["UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"]),
    st.sampled_from(["so_far", "per"]),
    st.sampled_from(["2010-11-06T23:30", "2026-04-04T22:00", "2026-01-31T20:00"]),
)
@examples(20)
def test_it_is_the_referees(
    drawn: list[tuple[int, bool, float | None]], every: str, zone: str, op: str, begin: str
) -> None:
    nodes = {**RUN, "n": build_leaf("latest_event_to_state", field="n"), "area": build_node("integral", "n")}
    nodes = {
        **nodes,
        "sum": build_node("add", "area", "run"),
        "x": build_node(op, "sum", every=every, zone=zone),
    }
    start = convert_local_time(begin, zone)
    events = [build_event(start + time, on=on, n=n) for time, on, n in drawn]
    document = build_plan(nodes)
    assert (
        list_disagreements(document, run(document, {"s": events}), judge_plan(document, {"s": events})) == []
    )


def test_a_line_that_goes_on_in_another_piece_at_a_boundary_begins_at_nothing() -> None:
    """Its value there is computed twice, and rounded twice."""
    nodes = {**RUN, "n": build_leaf("latest_event_to_state", field="n"), "area": build_node("integral", "n")}
    nodes = {**nodes, "sum": build_node("add", "area", "run"), "x": build_node("so_far", "sum", every="1min")}
    start = convert_local_time("2010-11-06T23:30", "UTC")
    document = build_plan(nodes)
    for drawn in (
        [(0, False, 2), (14, False, -1), (712, True, 0.1), (1200, False, None)],
        [
            (0, False, -1),
            (30, True, 0.1),
            (60, False, None),
        ],  # -30 + 33: the terms are greater than their sum
    ):
        events = [build_event(start + time, on=on, n=n) for time, on, n in drawn]
        expected = judge_plan(document, {"s": events})
        assert list_disagreements(document, run(document, {"s": events}), expected) == []


def test_so_far_says_why() -> None:
    events = build_event(10), build_event(50), build_event(70)
    nodes = build_over_periods("so_far", COUNT)
    assert explain_at(nodes, 75, *events) == (
        "`so_far` is 1: `count` was 2 when the minute began, at 00:01:00 in UTC, and `count` is 3 (since 00:01:10).",
        "ends at 00:02:00, when the minute ends",
        ["count"],
    )
    assert "the minute is the first of `x`" in explain_at(nodes, 20, *events)[0]
    assert "`x` was born only at 00:00:10" in explain_at(nodes, 5, *events)[0]
    assert "no events or heartbeats tell that time has come there" in explain_at(nodes, 130, *events)[0]


def test_per_says_why() -> None:
    events = build_event(10), build_event(50), build_event(70), build_event(130)
    nodes = build_over_periods("per", COUNT)
    assert explain_at(nodes, 125, *events)[:2] == (
        "`per` is 1, the total of the minute from 00:01:00 to 00:02:00 in UTC: `count` went from 2 to 3.",
        "ends at 00:03:00, when the minute ends",
    )
    assert "the first minute of `x` is not over" in explain_at(nodes, 20, *events)[0]
    assert "no events or heartbeats tell that time has come there" in explain_at(nodes, 190, *events)[0]


@pytest.mark.parametrize("every", ["1d", "1w", "1month", "10min"])
def test_in_the_text_language(every: str) -> None:
    text = f'stream s(key = k, time = t)\ncount = event_count(s)\nx = so_far(count, {every}, zone = "Europe/Paris")\n'
    document = read_text(text)
    assert document["nodes"]["x"]["params"] == {"every": every, "zone": "Europe/Paris"}
    assert f"so_far(count, {every}" in write_text(document)


@pytest.mark.parametrize("name", ["so_far", "per"])
def test_they_describe_themselves(name: str) -> None:
    parameters = [("every", "choice"), ("zone", "zone")]
    inputs = [("of", ["number"], 1)]
    assert_declared(name, category="timelines", inputs=inputs, parameters=parameters, output="number")
