"""is_during: true on the union of [time, until) over matching rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import SECOND, STREAM, answer, assert_declared, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.events.validate import EventBatch, WrongEvent
from timeline_app.plan import check
from timeline_app.testing.points import build_batches

ROWS: dict[str, Any] = {**STREAM, "until": "end"}
NAMED: dict[str, Any] = {**ROWS, "id": "id"}
DOWN = {"down": build_leaf("is_during")}
TOOL = {"down": build_leaf("is_during", where='reason == "tool"')}


def list_spans(*rows: dict[str, Any], nodes: dict[str, Any] = DOWN, stream: dict[str, Any] = NAMED) -> Any:
    """What the node says of the one key, without the beginning."""
    begin, *rest = answer(nodes, *rows, s=stream)["x"]
    assert begin == (None, False)
    return rest


def test_true_from_the_time_inclusive_to_the_end_exclusive() -> None:
    assert list_spans(build_event(10, end=15)) == [(10, True), (15, False)]


def test_overlapping_nested_and_touching_rows_are_one_span() -> None:
    nested = (
        build_event(10, end=30),
        build_event(12, end=14),
        build_event(13, end=20),
        build_event(30, end=31),
        build_event(40, end=41),
    )
    assert list_spans(*nested) == [(10, True), (31, False), (40, True), (41, False)]
    assert list_spans(*reversed(nested)) == list_spans(*nested)


def test_a_gap_of_a_microsecond_is_a_gap() -> None:
    assert list_spans(build_event(1, end=2), build_event(2.000001, end=3)) == [
        (1, True), (2, False), (2.000001, True), (3, False),
    ]  # fmt: skip


def test_of_rows_of_one_instant_the_longest_counts() -> None:
    assert list_spans(build_event(1, end=9), build_event(1, end=2)) == [(1, True), (9, False)]


def test_only_rows_that_match_count() -> None:
    rows = (
        build_event(1, end=5, reason="tool"),
        build_event(2, end=9, reason="staff"),
        build_event(3, end=4),
    )
    assert list_spans(*rows, nodes=TOOL) == [(1, True), (5, False)]


@pytest.mark.parametrize("end", [5, 4])
def test_a_row_that_ends_no_later_than_it_begins_gives_no_birth(end: int) -> None:
    assert answer(DOWN, build_event(5, end=end), s=NAMED) == {}
    lasted = {**DOWN, "down_for": {"op": "duration_where", "inputs": {"of": "down"}}}
    assert answer(lasted, build_event(5, end=end), build_event(7, end=8), s=NAMED)["x"][-1] == (8, 1.0)


@pytest.mark.parametrize("missing", [{}, {"end": None}, {"end": ""}])
def test_a_row_without_an_end_is_open(missing: dict[str, Any]) -> None:
    assert list_spans(build_event(10, **missing)) == [(10, True)]
    assert list_spans(build_event(10, **missing), build_event(20, end=25)) == [(10, True)]


def test_a_correction_with_the_same_id_brings_the_end_in_any_order() -> None:
    begun, ended = build_event(10, id="a"), build_event(10, id="a", end=15)
    assert list_spans(begun, ended) == list_spans(ended, begun) == [(10, True), (15, False)]


def test_a_correction_with_a_greater_time_replaces_the_span() -> None:
    early, late = build_event(10, id="a", end=30), build_event(12, id="a", end=15)
    assert list_spans(early, late) == list_spans(late, early) == [(12, True), (15, False)]
    assert list_spans(early, build_event(12, id="a")) == [(12, True)]


def test_of_copies_of_one_time_the_greatest_end_counts_by_number_and_not_by_text() -> None:
    short, long = build_event(1, id="a", end=9), build_event(1, id="a", end=10)
    assert list_spans(short, long) == list_spans(long, short) == [(1, True), (10, False)]


def test_of_copies_with_one_end_the_greatest_text_counts() -> None:
    tool, staff = build_event(1, id="a", end=9, reason="tool"), build_event(1, id="a", end=9, reason="staff")
    assert (
        list_spans(tool, staff, nodes=TOOL) == list_spans(staff, tool, nodes=TOOL) == [(1, True), (9, False)]
    )


def test_which_copy_counts_is_the_same_for_nodes_that_do_not_look_at_the_end() -> None:
    state = {"why": build_leaf("latest_event_to_state", field="reason")}
    rows = (build_event(1, id="a", end=10, reason="a"), build_event(1, id="a", end=9, reason="z"))
    assert list_spans_of(state, *rows) == list_spans_of(state, *reversed(rows)) == [(None, None), (1, "a")]


def list_spans_of(nodes: dict[str, Any], *rows: dict[str, Any]) -> Any:
    return answer(nodes, *rows, s=NAMED)["x"]


def test_the_end_has_the_unit_of_the_time() -> None:
    dates = {**NAMED, "unit": "iso8601"}
    row = {"k": "x", "t": "1970-01-01T00:00:10Z", "end": "1970-01-01T02:00:15+02:00"}
    assert list_spans(row, stream=dates) == [(10, True), (15, False)]
    assert list_spans(build_event(10_000, end=15_500), stream={**NAMED, "unit": "ms"}) == [
        (10, True),
        (15.5, False),
    ]


def test_an_end_of_the_year_9999_is_exact() -> None:
    dates = {**NAMED, "unit": "iso8601"}
    row = {"k": "x", "t": "1970-01-01T00:00:10Z", "end": "9999-12-31T23:59:59.999999Z"}
    assert list_spans(row, stream=dates)[-1] == (253_402_300_799_999_999 / SECOND, False)


def test_a_row_that_ends_before_it_begins_is_refused_in_words() -> None:
    declared = compile_plan(build_plan(DOWN, s=NAMED), {}).streams["s"]
    with pytest.raises(WrongEvent, match=r"'end' is '5', not later than 't', which is '10'") as refused:
        EventBatch(declared).add(build_event(10, end=5))
    assert (refused.value.name, refused.value.code) == ("end", "until_before_time")


def test_an_end_that_is_no_time_is_refused_by_its_field() -> None:
    compiled = compile_plan(build_plan(DOWN, s=NAMED), {})
    with pytest.raises(
        WrongEvent, match=r"the time 'soon' does not parse; 'end' is a number of s"
    ) as refused:
        build_batches(compiled, {"s": [build_event(10, end="soon")]})
    assert refused.value.name == "end"


def test_a_field_of_the_events_cannot_take_the_place_of_the_end() -> None:
    assert list_spans(build_event(10, end=12, _until=99)) == [(10, True), (12, False)]
    assert list_spans(build_event(10, _until=99)) == [(10, True)]


def test_a_stream_without_until_is_refused_with_the_hint() -> None:
    (problem,) = check(build_plan(DOWN), {}).problems
    assert (problem.node, problem.port, problem.code) == ("down", "stream", "no_until")
    assert "stream s declares no `until`" in problem.message
    assert "stream s(…, until = end)" in problem.hint


def test_until_without_an_id_is_a_warning() -> None:
    (problem,) = check(build_plan(DOWN, s=ROWS), {}).problems
    assert (problem.severity, problem.code) == ("warning", "until_without_id")
    assert check(build_plan(DOWN, s=NAMED), {}).problems == ()


def test_it_says_why() -> None:
    rows = (build_event(10, end=15, reason="tool"), build_event(12, end=20, reason="tool"))
    tool = 'with `reason == "tool"`'
    assert explain_at(TOOL, 9, *rows, stream=ROWS)[:2] == (
        "No event of `s` had come for `x` by then; the first one is of 00:00:10.",
        f"ends at 00:00:10 with the next row {tool}",
    )
    assert explain_at(TOOL, 13, *rows, stream=ROWS)[:2] == (
        f"`is_during` turned true at 00:00:10, when a row {tool} began.",
        "ends at 00:00:20, when the last such row ends",
    )
    assert explain_at(TOOL, 25, *rows, stream=ROWS)[:2] == (
        f"`is_during` turned false at 00:00:20, when the last row {tool} ended.",
        f"ends with the next row {tool}",
    )
    assert explain_at(DOWN, 25, build_event(10), stream=ROWS)[:2] == (
        "`is_during` turned true at 00:00:10, when a row began.",
        "is open until a correction with the same id brings the end of the row",
    )


def test_it_describes_itself() -> None:
    assert_declared(
        "is_during", category="stream", inputs=[], parameters=[("where", "predicate")], output="bool"
    )
