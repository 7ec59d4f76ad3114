"""What is judged by arrival follows from what was written down of it, however the log is cut into batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.evaluate.hosts import list_answers
from tests.referee import JsonEvent
from tests.strategies import declarations, deliveries
from timeline_app.algebra.events import ARRIVAL
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.events.validate import format_canonical
from timeline_app.testing.hosts import Query, shrink_limits
from timeline_app.testing.points import build_batches, group_points

pytestmark = pytest.mark.deep
BASE = 1_719_820_800_000_000
NODES = {
    "lag": {"op": "event_lag", "stream": "s"},
    "slow": {"op": "greater_than", "inputs": {"of": "lag"}, "params": {"value": 2}},
    "heard": {
        "op": "processing_time_within",
        "stream": "s",
        "params": {"where": 'state == "play"', "duration": "2s"},
    },
    "long": {"op": "duration_where", "inputs": {"of": "heard"}},
    "most": {"op": "aggregate", "inputs": {"of": "long"}, "params": {"function": "max", "every": "1s"}},
    "sum": {"op": "aggregate", "inputs": {"of": "lag"}, "params": {"function": "sum"}},
}
Arrivals = list[tuple[list[JsonEvent], int]]


@st.composite
def logs(draw: st.DrawFn) -> tuple[dict[str, Any], Arrivals]:
    """A stream, and batches of its events, each with the moment of its arrival, which does not go back."""
    declared = draw(declarations())
    events = draw(deliveries(declared))
    moments = sorted(draw(st.lists(st.integers(0, 40), min_size=len(events), max_size=len(events))))
    batches: dict[int, list[JsonEvent]] = {}
    for event, moment in zip(events, moments, strict=True):
        batches.setdefault(BASE + 250_000 * moment, []).append(event)
    return declared, [(some, at) for at, some in batches.items()]


def stream_log(compiled: Compiled, log: Arrivals) -> dict[str, Any]:
    queries = {digest: Query(program) for digest, program in compiled.programs.items()}
    for events, at in log:
        feeds: dict[str, pa.Table] = {}
        for digest, query in queries.items():
            feeds[digest] = query.run(build_batches(compiled, {"s": events}), feeds, arrived=at)
    return list_answers({name: queries[digest] for name, digest in compiled.names.items()})


def select_counted(delivered: list[tuple[JsonEvent, int]], identity: str | None) -> list[JsonEvent]:
    """Of the copies of each id the one that counts, with the first arrival of its equals; and events without an id."""
    first: dict[Any, int] = {}
    chosen: dict[Any, tuple[Any, JsonEvent]] = {}
    for index, (event, at) in enumerate(delivered):
        named = None if identity is None else event.get(identity)
        copy = index if named is None else (event["k"], str(named))
        text = format_canonical(event)
        arrived = first.setdefault((copy, text), at)
        rank = (event["t"], event.get("u", -1), text)
        if copy not in chosen or rank > chosen[copy][0]:
            chosen[copy] = (rank, {**event, ARRIVAL: arrived})
    return [event for _, event in chosen.values()]


MOVED_BIRTH = (
    {"key": "k", "time": "t", "id": "id", "allowed_lateness": "1s"},
    [
        ([{"k": "x", "t": 1_719_820_800_000, "id": 1, "state": "play"}], BASE + 3_750_000),
        ([{"k": "x", "t": 1_719_820_803_000, "id": 2}], BASE + 5_750_000),
        ([{"k": "y", "t": 1_719_820_801_000}], BASE + 6_250_000),
        ([{"k": "y", "t": 1_719_820_808_000}], BASE + 6_400_000),
        ([{"k": "x", "t": 1_719_820_803_500, "id": 1}], BASE + 6_500_000),
    ],
)
"""A correction moves the first event of a key to a later time: the greatest value of all keys changes before that."""


@given(logs())
@example(MOVED_BIRTH)
def test_the_hosts_say_what_one_pass_says_of_the_first_arrivals(log: tuple[dict[str, Any], Arrivals]) -> None:
    declared, batches = log
    compiled = compile_plan({"version": 1, "streams": {"s": declared}, "nodes": NODES}, {})
    delivered = [(event, at) for events, at in batches for event in events]
    results = evaluate(
        compiled, build_batches(compiled, {"s": select_counted(delivered, declared.get("id"))})
    )
    truth = {name: group_points(results[digest]) for name, digest in compiled.names.items()}
    assert stream_log(compiled, batches) == truth
    with shrink_limits():
        assert stream_log(compiled, batches) == truth
