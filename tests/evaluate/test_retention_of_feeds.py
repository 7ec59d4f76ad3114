"""Operators that read feeds fold what is older than the retention, too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.evaluate.hosts import list_answers
from tests.evaluate.running import list_disagreements, run
from tests.evaluate.test_retention import ON, STATE, _eager, build_plan, draw_second, stream_parts
from tests.operators.small import build_leaf, build_node
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.testing.hosts import BUCKETS, hash_texts

pytestmark = pytest.mark.deep

__all__ = ["_eager"]


def build_grouped(aggregate: dict[str, Any]) -> dict[str, Any]:
    """The same, by state."""
    return {**aggregate, "inputs": {**aggregate["inputs"], "by": "state"}}


def build_by_two(aggregate: dict[str, Any]) -> dict[str, Any]:
    """The same, by state and what the state was before."""
    return {**aggregate, "inputs": {**aggregate["inputs"], "by": ["state", "before"]}}


FED_NODES: dict[str, dict[str, Any]] = {
    "sum by state": {"of": build_grouped(build_node("aggregate", "long", function="sum"))},
    "avg": {"of": build_node("aggregate", "n", function="avg")},
    "mode by state": {"of": build_grouped(build_node("aggregate", "n", function="mode"))},
    "distinct by state": {"of": build_grouped(build_node("aggregate", "state", function="distinct"))},
    "stddev by state": {"of": build_grouped(build_node("aggregate", "n", function="stddev"))},
    "variance of what climbs": {
        "of": build_grouped(build_node("aggregate", "long", function="variance", every="2s"))
    },
    "sum by two": {"of": build_by_two(build_node("aggregate", "n", function="sum"))},
    "median by two": {"of": build_by_two(build_node("aggregate", "n", function="p50", every="2s"))},
    "mode by two": {"of": build_by_two(build_node("aggregate", "n", function="mode"))},
    "min by state": {"of": build_grouped(build_node("aggregate", "long", function="min", every="2s"))},
    "above": {
        "some": build_node("aggregate", "on", function="count"),
        "busy": build_node("greater_than", "some", value=1),
        "of": build_node("duration_where", "busy"),
    },
}


@pytest.mark.parametrize("nodes", FED_NODES.values(), ids=FED_NODES)
def test_what_is_read_from_feeds_is_folded_too(nodes: dict[str, Any]) -> None:
    inputs = {
        "on": ON,
        "state": STATE,
        "long": build_node("duration_where", "on"),
        "n": build_leaf("latest_event_to_state", field="n"),
        "before": build_node("shift", "state", duration="2s"),
    }
    plan = build_plan({**inputs, **nodes})
    keys = ["v", "w", "x", "y", "z"]
    assert {index % BUCKETS for index in hash_texts(keys).to_pylist()} == set(range(BUCKETS))
    arriving = [
        [{**item, "k": key} for key in keys for item in draw_second(index + ord(key) % 3)]
        for index in range(40)
    ]
    queries = stream_parts(plan, [{"s": batch} for batch in arriving])
    truth = run(plan, {"s": [item for batch in arriving for item in batch]})
    assert list_disagreements(plan, list_answers(queries), truth) == []
    for host in queries["of"].hosts:
        opened = [host.processor.pages(state, index) for index, state in enumerate(host.states)]
        assert all(pages.horizon > BEGINNING for pages in opened)
        times = [pages.everything().rows["time"].to_numpy() for pages in opened]
        behind = sum(int((time < pages.horizon).sum()) for time, pages in zip(times, opened, strict=True))
        groups = len(truth["of"])  # of whose births the first pieces tell
        assert behind <= (6 + groups) * len(keys)  # the horizon stands a batch back


def test_nothing_that_is_read_is_folded_while_a_bucket_has_seen_nothing() -> None:
    plan = build_plan(
        {"on": ON, "long": build_node("duration_where", "on"), "of": build_node("aggregate", "long")}
    )
    queries = stream_parts(plan, [{"s": draw_second(index)} for index in range(40)])
    assert all(
        not len(pages.everything().summaries)
        for host in queries["of"].hosts
        for pages in [host.processor.pages(host.states[0], 0)]
    )
