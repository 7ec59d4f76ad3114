"""Heartbeats and watermarks say what is final, and change no answer, wherever among the batches they come."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.evaluate.hosts import count, list_answers, select_part
from tests.evaluate.running import judge_plan, list_disagreements
from tests.referee.collection import Stream
from tests.strategies import Plan
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.plan import EventBatch
from timeline_app.testing.hosts import Query
from timeline_app.testing.points import build_batches

Beats = dict[str, int]
BASE = 1_719_820_800_000_000


@st.composite
def draw_history(draw: st.DrawFn) -> tuple[Plan, Delivered, list[int], list[Beats]]:
    """A history, with heartbeats of its streams in some of its batches, and in one after the last."""
    plan, delivered, places = draw(draw_histories())
    names = st.sampled_from(sorted(plan["streams"]))
    beats = st.dictionaries(names, st.integers(BASE - 10_000_000, BASE + 60_000_000))
    return plan, delivered, places, [draw(beats) for _ in places]


def run(plan: Plan, batches: list[tuple[dict[str, EventBatch], Beats, Beats]]) -> dict[str, Query]:
    """All queries of a plan, by the names of their nodes; a batch is events, heartbeats and watermarks."""
    compiled = compile_plan(plan, {})
    queries = {digest: Query(program) for digest, program in compiled.programs.items()}
    for events, beats, watermarks in batches:
        feeds: dict[str, pa.Table] = {}
        for digest, query in queries.items():
            feeds[digest] = query.run(events, feeds, beats=beats, watermarks=watermarks)
    return {name: queries[digest] for name, digest in compiled.names.items()}


def list_timed_nodes(plan: Plan, compiled: Compiled) -> set[str]:
    """Nodes of the calendar and above: heartbeats let these go on in silence (test_frontier)."""
    timed = set[str]()
    for name, node in plan["nodes"].items():
        inputs = [
            other
            for port in node.get("inputs", {}).values()
            for other in ([port] if isinstance(port, str) else port)
        ]
        if compiled.programs[compiled.names[name]].of_calendar or timed & set(inputs):
            timed.add(name)
    return timed


@pytest.mark.deep
@given(draw_history())
def test_answers_are_those_of_the_events_and_marks_those_of_both(
    history: tuple[Plan, Delivered, list[int], list[Beats]],
) -> None:
    plan, delivered, places, beats = history
    compiled = compile_plan(plan, {})
    cut = [
        build_batches(compiled, select_part(plan, delivered[start:end])) for start, end in pairwise(places)
    ]
    queries = run(
        plan, [(events, heartbeats, {}) for events, heartbeats in zip([*cut, {}], beats, strict=True)]
    )
    timed = list_timed_nodes(plan, compiled)
    answers, truth = list_answers(queries), judge_plan(plan, select_part(plan, delivered))
    for name in timed:
        del answers[name], truth[name]
    assert list_disagreements(plan, answers, truth) == []
    final = {}
    for name, declared in plan["streams"].items():
        stream = Stream.from_document(declared)
        moments = [stream.event(raw).time for raw in select_part(plan, delivered)[name]]
        moments += [item[name] for item in beats if name in item]
        final[name] = max(moments) - stream.lateness if moments else None
    for query in queries.values():
        for source, until in query.marks().items():
            assert until == final[source.rpartition("/")[2]]


STREAM = {"key": "k", "time": "t", "unit": "s", "allowed_lateness": "10s"}
NODES = {
    "ever": {"op": "event_count", "stream": "s"},
    "share": {"op": "aggregate", "inputs": {"of": "ever"}, "params": {"function": "max", "every": "1s"}},
}
PLAN = {"version": 1, "streams": {"s": STREAM}, "nodes": NODES}


def build_batch(*times: int) -> dict[str, EventBatch]:
    return build_batches(
        compile_plan(PLAN, {}), {"s": [{"k": "x", "t": time, "state": "a"} for time in times]}
    )


def convert_to_micros(number: int) -> int:
    return number * 1_000_000


def test_an_idle_stream_becomes_final_in_every_node_and_what_comes_later_is_late_and_counts() -> None:
    queries = run(
        PLAN,
        [
            (build_batch(100), {}, {}),
            ({}, {"s": convert_to_micros(150)}, {}),
            (build_batch(139, 140), {}, {}),
        ],
    )
    ever, share = queries["ever"], queries["share"]
    assert [min(query.marks().values()) for query in (ever, share)] == [
        convert_to_micros(140),
        convert_to_micros(140),
    ]
    assert [count(rows, "late") for rows in ever.feed] == [0, 0, 1]
    assert list_answers(queries)["ever"]["x"] == [
        (None, 0.0, 0.0),
        (convert_to_micros(100), 1.0, 0.0),
        (convert_to_micros(139), 2.0, 0.0),
        (convert_to_micros(140), 3.0, 0.0),
    ]


def test_a_heartbeat_from_before_the_newest_event_takes_nothing_back() -> None:
    queries = run(
        PLAN, [(build_batch(100), {}, {}), ({}, {"s": convert_to_micros(90)}, {}), ({}, {"s": 0}, {})]
    )
    assert queries["ever"].marks() == {"s": convert_to_micros(90)}


def test_a_heartbeat_moves_no_horizon_so_events_down_to_the_retention_still_count() -> None:
    plan = {**PLAN, "streams": {"s": {**STREAM, "retention": "20s"}}}
    queries = run(
        plan,
        [(build_batch(100), {}, {}), ({}, {"s": convert_to_micros(1_000)}, {}), (build_batch(85), {}, {})],
    )
    assert [count(rows, "too_late") for rows in queries["ever"].feed] == [0, 0, 0]
    assert len(list_answers(queries)["ever"]["x"]) == 3


def compute_final(*batches: tuple[dict[str, EventBatch], Beats, Beats]) -> list[int]:
    """Up to when each node is final after each batch, in seconds; the allowed lateness is ten."""
    queries = run(PLAN, [])
    items = []
    for batch_of in batches:
        feeds: dict[str, pa.Table] = {}
        for query in dict.fromkeys(queries.values()):
            digest = query.program.nodes[0]
            feeds[digest] = query.run(batch_of[0], feeds, beats=batch_of[1], watermarks=batch_of[2])
        (until,) = {min(query.marks().values(), default=BEGINNING) for query in queries.values()}
        items.append(until // 1_000_000 if until > BEGINNING else -1)
    return items


def test_a_watermark_holds_back_what_events_and_the_allowed_lateness_would_make_final() -> None:
    held = {"s": convert_to_micros(70)}
    assert compute_final(
        (build_batch(100), {}, held), (build_batch(200), {}, held), ({}, {}, {"s": convert_to_micros(120)})
    ) == [
        70,
        70,
        120,
    ]
    assert compute_final((build_batch(100), {}, {"s": convert_to_micros(95)})) == [90], (
        "the allowed lateness counts all the same"
    )


def test_a_source_that_cannot_tell_yet_makes_nothing_final() -> None:
    unknown = {"s": BEGINNING}
    assert compute_final(
        (build_batch(100), {}, unknown),
        (build_batch(200), {}, unknown),
        ({}, {}, {"s": convert_to_micros(50)}),
    ) == [
        -1,
        -1,
        50,
    ]


def test_a_watermark_goes_ahead_of_the_events_of_a_quiet_stream() -> None:
    assert compute_final((build_batch(100), {}, {}), ({}, {}, {"s": convert_to_micros(300)})) == [90, 290]


def test_what_is_final_stays_so_and_a_heartbeat_ends_what_a_watermark_holds_back() -> None:
    back = {"s": convert_to_micros(20)}
    assert compute_final(
        (build_batch(100), {}, {}), (build_batch(110), {}, back), ({}, {"s": convert_to_micros(150)}, {})
    ) == [90, 90, 140]
    gone = {"s": BEGINNING}
    assert compute_final((build_batch(100), {}, back), ({}, gone, {}), (build_batch(120), {}, {})) == [
        20,
        90,
        110,
    ]
