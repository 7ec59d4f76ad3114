"""aggregate with a zone: functions on a grid, at the beginnings of the periods of a calendar."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import answer, build_event, build_leaf, build_plan
from timeline_app.algebra.limits import TooFine
from timeline_app.compiler import compile_plan
from timeline_app.operators import operators
from timeline_app.plan import Refused
from timeline_app.plan.text import read_text, write_text
from timeline_app.times.zones import ZONE_DATA

N = {
    "n": build_leaf("latest_event_to_state", field="n"),
    "cdn": build_leaf("latest_event_to_state", field="cdn"),
}
BERLIN = "Europe/Berlin"


def build_aggregate(function: str, every: str | None, zone: str | None = BERLIN, *by: str) -> dict[str, Any]:
    inputs = {"of": "n", "by": list(by)} if by else {"of": "n"}
    parameters = {"every": every, "zone": zone}
    params = {"function": function} | {name: value for name, value in parameters.items() if value is not None}
    return {**N, "all": {"op": "aggregate", "inputs": inputs, "params": params}}


def convert_local_time(text: str, zone: str = BERLIN) -> float:
    """Local time in seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def test_the_greatest_value_where_each_local_day_begins() -> None:
    events = (
        build_event(convert_local_time("2026-03-28T12:00"), "a", n=5),
        build_event(
            convert_local_time("2026-03-29T12:00"), "b", n=7
        ),  # the day on which clocks are put forward
        build_event(convert_local_time("2026-03-30T12:00"), "b", n=1),
    )
    days = [
        (convert_local_time("2026-03-29"), 5.0),
        (convert_local_time("2026-03-30"), 7.0),
        (convert_local_time("2026-03-31"), 5.0),
    ]
    assert answer(build_aggregate("max", "1d"), *events) == {"*": [(None, None), *days]}
    assert days[1][0] - days[0][0] == 23 * 3600


def test_a_value_at_midnight_belongs_to_the_day_that_begins() -> None:
    points = answer(
        build_aggregate("min", "1d"),
        build_event(convert_local_time("2026-06-02"), "a", n=3),
        build_event(convert_local_time("2026-06-02T01:00"), "b", n=1),
    )
    assert points == {
        "*": [(None, None), (convert_local_time("2026-06-02"), 3.0), (convert_local_time("2026-06-03"), 1.0)]
    }


def test_weeks_and_months_need_no_zone() -> None:
    events = (
        build_event(convert_local_time("2026-06-03", "UTC"), "a", n=3),
        build_event(convert_local_time("2026-06-10", "UTC"), "a", n=4),
    )
    weeks = [(convert_local_time("2026-06-08", "UTC"), 3.0), (convert_local_time("2026-06-15", "UTC"), 4.0)]
    assert answer(build_aggregate("p50", "1w", None), *events) == {"*": [(None, None), *weeks]}
    assert answer(build_aggregate("p50", "1month", None), *events) == {
        "*": [(None, None), (convert_local_time("2026-07-01", "UTC"), 4.0)]
    }


def test_groups_by_several_texts_are_looked_at_in_the_same_way() -> None:
    events = (
        build_event(convert_local_time("2026-06-02T01:00"), "a", n=3, cdn="A"),
        build_event(convert_local_time("2026-06-02T02:00"), "b", n=5, cdn="A"),
    )
    exact = [(convert_local_time("2026-06-02T01:00"), 0.0), (convert_local_time("2026-06-02T02:00"), 1.0)]
    assert answer(build_aggregate("stddev", "1d", BERLIN, "cdn", "cdn"), *events) == {
        '["A","A"]': [(None, None), *exact]
    }
    assert answer(build_aggregate("p100", "1d", BERLIN, "cdn", "cdn"), *events) == {
        '["A","A"]': [(None, None), (convert_local_time("2026-06-03"), 5.0)]
    }


def test_in_utc_a_day_is_the_duration_and_one_node() -> None:
    def digest(every: str, zone: str | None) -> str:
        return compile_plan(build_plan(build_aggregate("max", every, zone)), {}).names["all"]

    assert digest("1d", "UTC") == digest("24h", None) == digest("1440min", "UTC")
    assert digest("60min", BERLIN) == digest("1h", BERLIN) != digest("1h", None)
    assert digest("1w", None) == digest("1w", "UTC") != digest("1w", BERLIN)


def test_the_version_of_the_zone_data_is_part_of_what_it_computes() -> None:
    compiled = compile_plan(build_plan(build_aggregate("max", "1d")), {})
    (step,) = compiled.programs[compiled.names["all"]].steps
    assert (step.op, step.version) == ("aggregate_by_calendar", ZONE_DATA)
    assert "aggregate_by_calendar" not in operators()


def test_nodes_above_it_know_what_a_group_without_keys_says() -> None:
    nodes = {
        **build_aggregate("max", "1d"),
        "since": {"op": "duration_in_current_state", "inputs": {"of": "all"}},
    }
    assert answer(nodes, build_event(convert_local_time("2026-06-02T01:00"), "a", n=3))["*"][-1] == (
        convert_local_time("2026-06-03"),
        0.0,
        1.0,
    )


@pytest.mark.parametrize(
    ("every", "zone", "says"),
    [
        ("7s", BERLIN, "with a zone, `every` is a period of the calendar, and 7s is none"),
        (None, BERLIN, "with a zone, `every` is a period of the calendar, and there is none"),
        ("2month", None, "'2month' is not a duration"),
        ("1d", "Berlin", "'Berlin' is no time zone"),
    ],
)
def test_what_is_no_period_is_refused(every: str | None, zone: str | None, says: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(build_aggregate("max", every, zone)), {})
    (problem,) = refused.value.problems
    assert problem.message.startswith(says)


def test_more_beginnings_than_may_be_computed_are_refused() -> None:
    nodes = build_aggregate("max", "1min")
    with pytest.raises(TooFine):
        answer(nodes, build_event(-2e9, "a", n=1), build_event(4e9, "a", n=2))


def test_the_text_language_has_it() -> None:
    text = 'n = latest_event_to_state(s.n)\na = aggregate(n, max, every = 1month, zone = "Europe/Berlin")'
    assert read_text(text)["nodes"]["a"]["params"] == {"function": "max", "every": "1month", "zone": BERLIN}
    assert write_text(read_text(text)).strip() == text


def test_why_names_the_beginning() -> None:
    events = (
        build_event(convert_local_time("2026-06-02T01:00"), "a", n=3),
        build_event(convert_local_time("2026-06-02T02:00"), "b", n=5),
    )
    sentence, ends, because = explain_at(
        build_aggregate("max", "1d"), convert_local_time("2026-06-03T05:00"), *events, key="*"
    )
    assert ", a beginning of a day in Europe/Berlin: 2 keys count; it is that of `b` with 5." in sentence
    assert because == ["n"]
    sentence, ends, _ = explain_at(
        build_aggregate("max", "1d"), convert_local_time("2026-06-02T05:00"), *events, key="*"
    )
    assert "unknown because no beginning of a day in Europe/Berlin has come since" in sentence
    assert ends == "ends at 22:00:00, as things stand"
