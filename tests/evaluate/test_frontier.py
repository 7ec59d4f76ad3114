"""Operators of the calendar go on in silence: by heartbeats and other keys, without looking at all keys each time."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.plan.text import read_text
from timeline_app.testing.hosts import Query, fold_log, shrink_limits
from timeline_app.testing.points import Shown, build_batches, group_points
from workers.spark.state.pages import Pages

SECOND = 1_000_000
MINUTE = 60
STREAMS = """
stream s(key = k, time = t, unit = s, id = id, fields = {v: number, g: text})
stream o(key = k, time = t, unit = s)
"""
PLAN = """
open = in_schedule(s, "00:01", "00:03")
open_for = duration_where(open)
group = latest_event_to_state(s.g)
now_open = aggregate(open, count, by = group)
busy = now_open > 1
both = open and in_schedule(o, "00:02", "00:04")
long = held_for(open, 30s)
counted = event_count(s) + open_for
today = so_far(open_for, 1min)
last = per(event_count(s), 1min, zone = "Asia/Kolkata")
both_so_far = so_far(event_count(s) + event_count(o), 5min)
of_group = aggregate(today, sum, by = group)
long_ago = running_max(last)
"""


def compile_text(text: str = PLAN) -> Compiled:
    return compile_plan(read_text(f"{STREAMS}{text}"), {})


Batch = tuple[dict[str, list[dict[str, Any]]], dict[str, int]]
"""Events of streams, and heartbeats in seconds."""


def stream_batches(plan: Compiled, batches: list[Batch]) -> dict[str, Query]:
    queries = {digest: Query(program) for digest, program in plan.programs.items()}
    for events, beats in batches:
        feeds: dict[str, Any] = {}
        came = build_batches(plan, {name: items for name, items in events.items() if items})
        heard = {name: time * SECOND for name, time in beats.items()}
        for digest, query in queries.items():
            feeds[digest] = query.run(came, feeds, beats=heard)
    return queries


def fold_answers(plan: Compiled, queries: dict[str, Query]) -> dict[str, dict[str, Shown]]:
    return {
        name: fold_log(queries[digest].program.kind, queries[digest].select_revisions(digest, ()))
        for name, digest in plan.names.items()
    }


def evaluate_plan(
    plan: Compiled, batches: list[Batch], until: int | None = None
) -> dict[str, dict[str, Shown]]:
    events = {name: [item for came, _ in batches for item in came.get(name, [])] for name in ("s", "o")}
    result = evaluate(plan, build_batches(plan, events), until=until)
    return {name: group_points(result[digest]) for name, digest in plan.names.items()}


def build_event(time: int, key: str = "a", **fields: Any) -> dict[str, Any]:
    return {"k": key, "t": time, "id": time, **fields}


def test_a_silent_key_goes_on_with_a_heartbeat_and_with_other_keys() -> None:
    plan = compile_text('open = in_schedule(s, "00:01", "00:03")')
    batches: list[Batch] = [({"s": [build_event(5)]}, {})]
    assert fold_answers(plan, stream_batches(plan, batches))["open"]["a"][-1][0] == MINUTE * SECOND
    later = {"heartbeat": ({}, {"s": 61}), "another key": ({"s": [build_event(61, "b")]}, {})}
    for batch in later.values():
        points = fold_answers(plan, stream_batches(plan, [*batches, batch]))["open"]["a"]
        assert [(time, value) for time, value, _ in points[1:]] == [
            (5 * SECOND, False), (60 * SECOND, True), (180 * SECOND, None),
        ]  # fmt: skip


_EVENTS = st.lists(
    st.builds(
        lambda stream, key, time, ident, group: (stream, {"k": key, "t": time, "id": ident, "g": group}),
        st.sampled_from("sso"), st.sampled_from("abc"), st.integers(0, 400), st.integers(1, 9), st.sampled_from("xy"),
    ),
    min_size=1, max_size=10,
)  # fmt: skip


@given(_EVENTS, st.lists(st.booleans(), min_size=10, max_size=10), st.integers(0, 200))
@examples(15)
def test_in_whatever_batches_it_is_what_evaluate_says(
    drawn: list[tuple[str, dict[str, Any]]], alone: list[bool], beyond: int
) -> None:
    plan, batches = compile_text(), list[Batch]()
    for (stream, item), begins in zip(drawn, alone, strict=False):
        if begins or not batches:
            batches.append(({}, {}))
        batches[-1][0].setdefault(stream, []).append(
            item if stream == "s" else {"k": item["k"], "t": item["t"]}
        )
    until = max(item["t"] for _, item in drawn) + beyond
    batches.append(({}, {"s": until, "o": until}))
    with shrink_limits():
        result = fold_answers(plan, stream_batches(plan, batches))
    assert result == evaluate_plan(plan, batches, until * SECOND)


def test_the_slowest_stream_in_which_something_landed_decides() -> None:
    plan = compile_text('both = event_count(o) + duration_where(in_schedule(s, "00:01", "00:03"))')
    batches: list[Batch] = [
        ({"o": [build_event(500)]}, {}),
        ({"s": [build_event(30)]}, {}),
        ({"s": [build_event(90, "b")]}, {}),
    ]
    for count in range(1, 4):
        assert fold_answers(plan, stream_batches(plan, batches[:count])) == evaluate_plan(
            plan, batches[:count]
        )


def test_keys_are_looked_at_when_a_boundary_is_passed_and_not_in_between() -> None:
    plan = compile_text('open = in_schedule(s, "00:01", "00:03")')
    silent = [build_event(1, f"k{number}") for number in range(50)]
    batches: list[Batch] = [
        ({"s": silent}, {}),
        *(({"s": [build_event(time, "a")]}, {}) for time in range(2, 62)),
    ]
    looked, untouched = [], Pages.untouched

    def note_untouched(pages: Pages, touched: Any) -> Any:
        looked.append(pages.memory["frontiers"]["s"] // SECOND)
        return untouched(pages, touched)

    with patch.object(Pages, "untouched", note_untouched):
        queries = stream_batches(plan, batches)
    assert sorted({*looked}) == [1, 60], "with the first batch, and with the one that passed 00:01"
    assert fold_answers(plan, queries) == evaluate_plan(plan, batches)


def test_nothing_of_a_silent_key_is_written_when_a_boundary_is_passed() -> None:
    plan = compile_text('open = in_schedule(s, "00:01", "00:03")')
    [digest] = plan.names.values()
    query = Query(plan.programs[digest])
    query.run(build_batches(plan, {"s": [build_event(1, f"k{number}") for number in range(50)]}), {})
    before = [dict(state) for state in query.hosts[0].states]
    query.run({}, {}, beats={"s": 100 * SECOND})
    for old, state in zip(before, query.hosts[0].states, strict=True):
        assert {place for place, value in state.items() if old.get(place) != value} == {("meta", "", 0)}
    assert len(fold_log(query.program.kind, query.select_revisions(digest, ()))) == 50


@pytest.mark.parametrize("beats", [{"s": 45}, {"s": 59}])
def test_a_heartbeat_before_the_boundary_changes_nothing(beats: dict[str, int]) -> None:
    plan = compile_text('open = in_schedule(s, "00:01", "00:03")')
    queries = stream_batches(plan, [({"s": [build_event(5)]}, {})])
    [query] = queries.values()
    query.run({}, {}, beats={name: time * SECOND for name, time in beats.items()})
    assert not query.feed[-1]["key"].drop_null().to_pylist()
