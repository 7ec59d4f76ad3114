"""in_schedule: within opening hours, by the clocks of a zone, as far as time has come."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.operators.reasons import explain_at
from tests.operators.small import SECOND, answer, assert_declared, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan, computation
from timeline_app.evaluate.engine import evaluate
from timeline_app.operators import operators
from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text
from timeline_app.testing.points import build_batches, group_points

COPENHAGEN = "Europe/Copenhagen"
HOUR = 3600


def convert_local_time(text: str, zone: str = COPENHAGEN) -> int:
    """The second at which the clocks of a zone show that."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


def build_hours(begin: str, end: str, **params: Any) -> dict[str, Any]:
    return {"open": build_leaf("in_schedule", **{"from": begin, "to": end, "zone": COPENHAGEN, **params})}


def list_openings(nodes: dict[str, Any], *times: str) -> list[Any]:
    """What one key of these events says, as local times."""
    points = answer(nodes, *(build_event(convert_local_time(time)) for time in times))["x"]
    return [
        (
            None
            if time is None
            else datetime.fromtimestamp(time, ZoneInfo(COPENHAGEN)).strftime("%a %d %H:%M"),
            value,
        )
        for time, value in points
    ]


def test_it_is_open_from_inclusive_to_exclusive_on_its_days() -> None:
    nodes = build_hours("09:00", "17:00", days="mon-fri")
    assert list_openings(nodes, "2026-03-20T08:00", "2026-03-24T09:00") == [
        (None, None), ("Fri 20 08:00", False), ("Fri 20 09:00", True), ("Fri 20 17:00", False),
        ("Mon 23 09:00", True), ("Mon 23 17:00", False), ("Tue 24 09:00", True), ("Tue 24 17:00", None),
    ]  # fmt: skip


def test_over_midnight_the_days_are_those_of_opening() -> None:
    nodes = build_hours("22:00", "06:00", days="fri,sun")
    assert list_openings(nodes, "2026-03-20T12:00", "2026-03-23T12:00")[2:6] == [
        ("Fri 20 22:00", True), ("Sat 21 06:00", False), ("Sun 22 22:00", True), ("Mon 23 06:00", False),
    ]  # fmt: skip


def test_days_that_touch_are_one_and_the_whole_week_never_ends() -> None:
    weekend = build_hours("00:00", "24:00", days="sat-sun")
    assert list_openings(weekend, "2026-03-20T12:00", "2026-03-23T12:00")[2:4] == [
        ("Sat 21 00:00", True), ("Mon 23 00:00", False),
    ]  # fmt: skip
    assert answer(build_hours("00:00", "24:00"), build_event(5)) == {"x": [(None, None), (5, True)]}


def test_what_clocks_show_decides_where_they_are_put_forward_and_back() -> None:
    nodes = build_hours("02:00", "02:30")
    spring = answer(
        nodes,
        build_event(convert_local_time("2026-03-28T12:00")),
        build_event(convert_local_time("2026-03-30T12:00")),
    )["x"]
    assert [value for _, value in spring] == [None, False, True, False, None], "there is no 02:15 on the 29th"
    autumn = answer(
        nodes,
        build_event(convert_local_time("2026-10-24T12:00")),
        build_event(convert_local_time("2026-10-25T12:00")),
    )["x"]
    first = convert_local_time("2026-10-25T02:00")
    assert autumn[2:6] == [
        (first, True), (first + HOUR / 2, False), (first + HOUR, True), (first + HOUR * 3 / 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("Australia/Lord_Howe", "2026-04-03T20:00", "2026-04-06T03:00"),
        ("America/St_Johns", "2010-11-05T20:00", "2010-11-08T03:00"),
        ("Pacific/Apia", "2011-12-28T20:00", "2012-01-01T03:00"),
        ("Asia/Kathmandu", "2026-01-01T20:00", "2026-01-03T03:00"),
    ],
)
@pytest.mark.parametrize("times", [("01:20", "02:10"), ("23:05", "00:40"), ("00:00", "12:00")])
def test_strange_zones_are_the_referees(zone: str, first: str, last: str, times: tuple[str, str]) -> None:
    document = build_plan(build_hours(*times, zone=zone, days="thu-sun"))
    events = {
        "s": [build_event(convert_local_time(first, zone)), build_event(convert_local_time(last, zone))]
    }
    assert list_disagreements(document, run(document, events), judge_plan(document, events)) == []


def test_time_comes_with_other_keys_and_with_until() -> None:
    nodes = build_hours("00:00:10", "00:00:20", zone="UTC")
    assert answer(nodes, build_event(5), build_event(12, "y"))["x"] == [
        (None, None),
        (5, False),
        (10, True),
        (20, None),
    ]
    compiled = compile_plan(build_plan(nodes), {})
    delivered = build_batches(compiled, {"s": [build_event(5)]})
    known_values = {
        until: group_points(evaluate(compiled, delivered, until=until * SECOND)[compiled.names["open"]])["x"][
            -1
        ][:2]
        for until in (3, 9, 10, 25)
    }
    assert known_values == {
        3: (10 * SECOND, None), 9: (10 * SECOND, None), 10: (20 * SECOND, None), 25: (86_410 * SECOND, None),
    }  # fmt: skip


def test_it_says_why() -> None:
    nodes = build_hours("00:00:10", "00:00:20", zone="UTC", days="mon-fri")
    assert explain_at(nodes, 12, build_event(5), build_event(12)) == (
        "`in_schedule` is true because it was 00:00:12 on thu in UTC, within 00:00:10–00:00:20, mon-fri.",
        "ends at 00:00:20, when it closes",
        [],
    )
    assert explain_at(nodes, 7, build_event(5), build_event(12))[:2] == (
        "`in_schedule` is false because it was 00:00:07 on thu in UTC, outside 00:00:10–00:00:20, mon-fri.",
        "ends at 00:00:10, when it opens",
    )
    assert (
        "no events or heartbeats of `s` tell that time has come" in explain_at(nodes, 21, build_event(5))[0]
    )
    assert "No event of `s` had come for `x` by then" in explain_at(nodes, 1, build_event(5))[0]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"to": "09:00"}, "no time lies between them"),
        ({"to": "25:00"}, "is no time of day; write hours and minutes"),
        ({"to": "24:01"}, "is no time of day"),
        ({"zone": "Europe/Kopenhagen"}, "is no time zone; did you mean Europe/Copenhagen?"),
        ({"zone": "Mars/Olympus"}, "is no time zone; write the name of one"),
        ({"days": "mo-fr"}, "are no days of the week"),
        ({"days": ""}, None),
        ({"days": "mon-tue-wed"}, "are no days of the week"),
    ],
)
def test_what_it_cannot_read_is_refused_with_the_hint(params: dict[str, Any], words: str | None) -> None:
    problems = check(
        build_plan(
            build_hours("09:00", "17:00")
            | {"open": build_leaf("in_schedule", **{"from": "09:00", "to": "17:00", **params})}
        ),
        {},
    ).problems
    assert (words is None) == (not problems)
    if words:
        [problem] = problems
        assert words in problem.describe()


def test_spellings_that_mean_the_same_are_one_node() -> None:
    left = build_hours("9:00", "17:00", days=["Monday", "tue", "wed"])
    right = build_hours("09:00", "17:00:00", days="mon-wed", zone="europe/copenhagen")
    assert compile_plan(build_plan(left), {}).names == compile_plan(build_plan(right), {}).names
    third = build_hours("09:00", "17:00", days="mon-tue")
    assert compile_plan(build_plan(third), {}).names != compile_plan(build_plan(left), {}).names


def test_the_data_of_zones_is_part_of_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = compile_plan(build_plan(build_hours("09:00", "17:00")), {}).names
    other = replace(operators()["in_schedule"], version="tzdata 2020a")
    monkeypatch.setattr(computation, "all_operators", lambda: {**operators(), "in_schedule": other})
    assert compile_plan(build_plan(build_hours("09:00", "17:00")), {}).names != before


def test_in_the_text_language() -> None:
    call = 'in_schedule(s, "09:00", "17:00", days = "mon-fri", zone = "Europe/Paris")'
    text = f"stream s(key = k, time = t)\nopen = {call}"

    params = read_text(text)["nodes"]["open"]["params"]
    assert params == {"from": "09:00", "to": "17:00", "days": "mon-fri", "zone": "Europe/Paris"}
    with pytest.raises(Refused):
        compile_plan(read_text(text.replace("Paris", "Pari")), {})


def test_it_describes_itself() -> None:
    parameters = [("from", "clock"), ("to", "clock"), ("days", "days"), ("zone", "zone")]
    assert_declared("in_schedule", category="stream", inputs=[], parameters=parameters, output="bool")
