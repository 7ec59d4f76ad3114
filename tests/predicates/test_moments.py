"""Times in conditions and values: the event's own, fields that hold one, and the seconds between two."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import Kind
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused
from timeline_app.plan.text import read_text, write_text
from timeline_app.predicates import PredicateError, StreamClock, WrongKind, parse, parse_expression
from timeline_app.predicates.columns import LooseColumns
from timeline_app.predicates.expressions import select_column

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
GERMAN = "%d.%m.%Y %H:%M:%S"
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
CLOCK = StreamClock(frozenset({"t", "time"}), "ms", None)
KINDS = {"at": Kind.TEXT, "n": Kind.NUMBER, "on": Kind.BOOL}


def build_texts(*labels: str | None) -> Column:
    """A column of texts."""
    known = sorted({label for label in labels if label is not None})
    codes = [-1 if label is None else known.index(label) for label in labels]
    return Column(Kind.TEXT, np.array(codes, dtype=np.int32), np.array(known, dtype=object))


def build_events(times: list[datetime], **fields: Column) -> LooseColumns:
    """Events with these fields."""
    micros = [(time - EPOCH) // timedelta(microseconds=1) for time in times]
    return LooseColumns(fields, len(times), np.array(micros, dtype=np.int64))


def compute(text: str, events: LooseColumns, clock: StreamClock = CLOCK) -> list[Any]:
    """What an expression says of each event of a stream."""
    expression = clock.bind(parse_expression(text))
    assert parse_expression(expression.text()) == expression  # a worker reads it without the stream
    column = select_column(events, expression)
    return [column.scalar(row) for row in range(events.size)]


def spell(moment: datetime, form: str) -> str:
    """A time as a stream of that unit, format, or zone has it."""
    if form == GERMAN:
        return moment.astimezone(BERLIN).strftime(GERMAN)
    count = (moment - EPOCH) // timedelta(microseconds=1)
    return {
        "iso8601": moment.isoformat(),
        "us": str(count),
        "ms": f"{count / 1_000:.3f}",
        "s": f"{count / 1_000_000:.6f}",
    }[form]


@given(
    st.lists(st.tuples(MOMENTS, MOMENTS), min_size=1, max_size=8),
    st.sampled_from(["iso8601", "us", "ms", "s"]),
)
def test_the_seconds_between_two_times_are_those_of_python(
    pairs: list[tuple[datetime, datetime]], unit: str
) -> None:
    clock = StreamClock(frozenset({"time"}), unit, None)
    events = build_events([time for time, _ in pairs], at=build_texts(*(spell(at, unit) for _, at in pairs)))
    seconds = [(time - at) / timedelta(seconds=1) for time, at in pairs]
    assert compute("time - at", events, clock) == seconds
    assert compute("at - time", events, clock) == [0.0 - value for value in seconds]
    late = clock.bind(parse("time > at")).matches(events)
    assert late.tolist() == [time > at for time, at in pairs]


@given(st.lists(MOMENTS, min_size=1, max_size=8))
def test_a_field_in_the_local_format_of_its_stream(moments: list[datetime]) -> None:
    whole = [moment.replace(microsecond=0, hour=12) for moment in moments]  # no clock is changed at noon
    clock = StreamClock(frozenset({"t"}), GERMAN, "Europe/Berlin")
    events = build_events(whole, at=build_texts(*(spell(moment, GERMAN) for moment in whole)))
    assert compute("t - at", events, clock) == [0.0] * len(whole)


def test_a_number_is_a_time_in_the_unit_of_its_stream() -> None:
    events = build_events(
        [EPOCH + timedelta(seconds=10)] * 3, n=Column(Kind.NUMBER, np.array([4_000, 1e300, np.nan]))
    )
    assert compute("time - n", events) == [6.0, None, None]
    assert compute('time - time(n, "us")', events) == [9.996, None, None]
    assert compute('time - time(n, "ns")', events) == [9.999996, None, None]
    assert compute("(time - n) / 60 + 1", events) == [1.1, None, None]
    assert compute("1 - (time - n)", events) == [-5.0, None, None]


def test_what_is_no_time_is_missing_and_a_text_beside_numbers_may_be_iso_8601() -> None:
    labels = ["4000", "1970-01-01T00:00:04Z", "1970-01-01", "never", "", None, "99999999999999999999"]
    events = build_events([EPOCH + timedelta(seconds=10)] * len(labels), at=build_texts(*labels))
    assert compute("time - at", events) == [6.0, 6.0, 10.0, None, None, None, None]
    assert parse("time(at) is missing").text() == "time(at) is missing"
    missing = CLOCK.bind(parse("time(at) is missing")).matches(events)
    assert missing.tolist() == [False, False, False, True, True, True, True]
    unknown = np.asarray(CLOCK.bind(parse("not (time > at)")).matches(events))
    assert not unknown.any()


def test_times_are_compared_with_a_literal_and_with_each_other() -> None:
    events = build_events(
        [EPOCH, EPOCH + timedelta(days=2)],
        at=build_texts("1970-01-02", "1970-01-02"),
        on=build_texts("0", "1"),
    )
    assert CLOCK.bind(parse('t >= "1970-01-02"')).matches(events).tolist() == [False, True]
    assert CLOCK.bind(parse('"1970-01-02" < time')).matches(events).tolist() == [False, True]
    assert compute("time(at) - time(on)", events) == [86_400.0, 86_399.999]
    assert CLOCK.bind(parse("time(at) > time(on)")).matches(events).all()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("time - at", 'time() - time(at, "ms")'),
        ("t - at", 'time() - time(at, "ms")'),
        ('time() - time(at, "s")', 'time() - time(at, "s")'),
        ("at - t > 5min", 'time(at, "ms") - time() > 300'),
        ("lower(at) == 'x' or t > at", 'lower(at) == "x" or time() > time(at, "ms")'),
        ("if(time > at, 1, missing) == 1", 'if(time() > time(at, "ms"), 1, missing) == 1'),
        ("not (coalesce(at, at) - time > 1)", 'time(coalesce(at, at), "ms") - time() <= 1'),
        ("n - n > 1 and time == 3", "n - n > 1 and time == 3"),
    ],
)
def test_the_canonical_text_says_how_each_time_is_read(text: str, canonical: str) -> None:
    read = parse if " > " in text or "==" in text else parse_expression
    bound = CLOCK.bind(read(text))
    assert bound.text() == canonical
    assert read(canonical) == bound


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time + 1", "time() is a time, which is no value by itself"),
        ("time() * 2", "time() is a time, which is no value by itself"),
        ("abs(time(at))", 'time(at, "ms") is a time, which is no value by itself'),
        ("coalesce(time(at), at)", "is a time, which is no value by itself"),
        ("if(on == true, time(at), at)", "is a time, which is no value by itself"),
        ("time - 5", "5 stands beside a time, and is none"),
        ("time - on", "on is a bool"),
        ('time - time(n, "iso8601")', "n is a number, and times of iso8601 are text"),
        ("time - (time - at)", "stands beside a time, and is none"),
    ],
)
def test_what_is_no_time_is_refused(text: str, says: str) -> None:
    with pytest.raises(WrongKind) as refusal:
        CLOCK.bind(parse_expression(text)).check_kinds(lambda name: KINDS.get(name, Kind.TEXT))
    assert says in str(refusal.value)
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('time(at, "minutes")', "line 1, column 1: time takes a field and how its times are written"),
        ('time(at, "%q")', "time takes a field and how its times are written"),
        ("time(at, 3)", "time takes a field and how its times are written"),
        ('time(at, "iso8601", "Berlin")', '"Berlin" is no zone'),
        ('time(at, "ms", "Europe/Berlin")', "ms counts in UTC"),
        ('time(at, "iso8601", "UTC", 1)', "time takes 0 to 3 values, and is given 4"),
        ("time(at > 3)", "a condition stands where a value is expected"),
    ],
)
def test_a_unit_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(PredicateError) as refusal:
        parse_expression(text)
    assert says in str(refusal.value)


STREAM: dict[str, Any] = {"key": "k", "time": "t", "unit": "ms", "fields": {"n": "number"}}


def _compile(field: str, **declared: Any) -> dict[str, Any]:
    node = {"op": "event_sum", "stream": "s", "params": {"field": f"= {field}"}}
    return {"version": 1, "nodes": {"x": node}, "results": ["x"], "streams": {"s": {**STREAM, **declared}}}


def test_a_declared_field_of_the_name_is_that_field() -> None:
    compiled = compile_plan(_compile("time - n", fields={"time": "number", "n": "number"}), {})
    assert [step.params["field"] for program in compiled.programs.values() for step in program.steps] == [
        "= time - n"
    ]
    named = compile_plan(_compile("time() - n", fields={"time": "number", "n": "number"}), {})
    assert [step.params["field"] for program in named.programs.values() for step in program.steps] == [
        '= time() - time(n, "ms")'
    ]


def test_a_time_by_itself_says_what_to_do() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(_compile("time(n)"), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("x", "field", "wrong_type")
    assert "subtract another time" in problem.hint


@pytest.mark.parametrize(
    "expression",
    [
        "time - order.placed",
        "order.t - order.placed",
        "time() - time(order.placed, 'iso8601')",
        "order.time - 1",
    ],
)
def test_the_text_language_has_times(expression: str) -> None:
    text = f"a = event_sum({expression})"
    document = read_text(text)
    assert write_text(document).strip() == text


def test_the_text_language_compares_seconds_with_durations() -> None:
    document = read_text("a = event_count(time - order.placed > 5min and order.n == 1)")
    assert document["nodes"]["a"]["params"]["where"] == "time - placed > 5min and n == 1"
    steps = read_text("q = sequence(steps = {a: time - order.placed > 5min, b: order.n == 1})")
    assert steps["nodes"]["q"]["params"]["steps"][0]["where"] == "time - placed > 5min"
