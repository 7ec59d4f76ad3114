"""Who reads a node's snapshot, for the first time or after it was away, answers as the evaluator from its limit on."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.evaluate.running import run
from timeline_app.compiler import compile_plan
from timeline_app.feed import feed_rows
from timeline_app.feed.composing import compose_revisions
from timeline_app.feed.segments import BATCH
from timeline_app.feed.snapshot_writing import build_known_rows
from timeline_app.fs.table_parts import number_rows
from timeline_app.testing.hosts import Query, fold_log
from timeline_app.testing.points import Shown, build_batches, iterate_stretches

STREAM = {"key": "k", "time": "t", "unit": "s", "retention": "5s", "fields": {"v": "number"}}
PLAN: dict[str, Any] = {
    "version": 1,
    "streams": {"s": STREAM},
    "nodes": {
        "value": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "v"}},
        "high": {"op": "greater_than", "inputs": {"of": "value"}, "params": {"value": 4}},
        "length": {"op": "duration_where", "inputs": {"of": "high"}},
        "room": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "room"}},
        "sum": {"op": "aggregate", "inputs": {"of": "length", "by": "room"}, "params": {"function": "sum"}},
        "max": {
            "op": "aggregate", "inputs": {"of": "value"}, "params": {"function": "max", "every": "1s"},
        },
        "many": {"op": "greater_than", "inputs": {"of": "max"}, "params": {"value": 7}},
    },
}  # fmt: skip
SECOND = 1_000_000
LIMIT = 27 * SECOND
PARTS = [
    [
        {
            "k": f"k{index % 5}",
            "t": 10 * batch + index,
            "v": (7 * index + 3 * batch) % 10,
            "room": "ab"[index % 2],
        }
        for index in range(1, 9)
    ]
    + [{"k": f"only {batch}", "t": 10 * batch + 5, "v": 9, "room": "b"}]
    for batch in range(6)
]
MISSED = range(2, 5)


def build_snapshot(query: Query) -> pa.Table:
    """What a snapshot says of the node after the batches that the query made so far."""
    rows = pa.concat_tables([number_rows(table, BATCH, batch) for batch, table in enumerate(query.feed)])
    known = rows.filter(pc.is_valid(rows["key"]))
    tables = [build_known_rows(item, LIMIT) for item in compose_revisions(known, query.program.kind)]
    marks = rows.filter(pc.is_null(rows["key"])).select(feed_rows.PIECES.names)
    return feed_rows.select_node_rows(pa.concat_tables([*tables, marks]), 0)


def from_limit(points: Shown) -> list[tuple[Any, ...]]:
    """What they say from the limit on."""
    time, value, slope = [point for point in points if point[0] is None or point[0] <= LIMIT][-1]
    if value is not None and slope:
        value += slope * (LIMIT - (time or 0)) / SECOND
    return [(LIMIT, value, slope), *(point for point in points if point[0] is not None and point[0] > LIMIT)]


@pytest.mark.parametrize("was_there", [True, False])
def test_answers_are_right_from_the_limit_on(was_there: bool) -> None:
    compiled = compile_plan(PLAN, {})
    queries = {digest: Query(program) for digest, program in compiled.programs.items()}
    readers = {digest for digest, query in queries.items() if query.program.feeds}
    known_so_far: set[tuple[str, str]] = set()
    for number, events in enumerate(PARTS):
        feeds: dict[str, pa.Table] = {}
        begins = number == MISSED.stop - 1
        for digest, query in queries.items():
            if digest in readers and (number in MISSED[:-1] or (number < MISSED.start and not was_there)):
                continue
            answers = query.run(build_batches(compiled, {"s": events}), feeds)
            feeds[digest] = answers
            if begins and digest not in readers:
                feeds[digest] = build_snapshot(query)
            if digest in readers:
                for key, _, item in iterate_stretches(feed_rows.read_revisions(answers, query.program.kind)):
                    assert (
                        not begins
                        or (digest, key) not in known_so_far
                        or item.start is None
                        or item.start >= LIMIT
                    )
                    known_so_far.add((digest, key))
    truth = run(PLAN, {"s": [event for part in PARTS for event in part]})
    for name in ("sum", "max", "many"):
        query = queries[compiled.names[name]]
        result = fold_log(query.program.kind, query.select_revisions(query.program.digest, ()))
        assert {key: from_limit(points) for key, points in result.items()} == {
            key: from_limit(points) for key, points in truth[name].items()
        }, name
