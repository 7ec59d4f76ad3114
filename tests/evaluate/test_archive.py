"""Long keys: what is old of them lies in tails, and nobody can tell from the answers."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import event as seen
from hypothesis import given

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.depth import examples
from tests.evaluate import test_retention
from tests.evaluate.hosts import list_answers, select_part, stream_plan
from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.operators.small import build_event, build_leaf, build_node
from tests.strategies import Plan
from timeline_app.compiler import compile_plan
from timeline_app.feed import feed_rows
from timeline_app.testing.hosts import Query, shrink_limits
from timeline_app.testing.points import build_batches

pytestmark = pytest.mark.deep

COUNTERS = ["source", "t", "end", "events", "late", "duplicates", "conflicts", "too_late"]


def stream_in_parts(plan: Plan, delivered: Delivered, places: list[int], *only: str) -> dict[str, Query]:
    """The queries of a plan after all batches, by the node's name; perhaps only those that read events themselves."""
    compiled = compile_plan(plan, {})
    batches = [
        build_batches(compiled, select_part(plan, delivered[start:end])) for start, end in pairwise(places)
    ]
    if only:
        alone = {compiled.names[name]: compiled.programs[compiled.names[name]] for name in only}
        compiled = replace(compiled, programs=alone)
    queries = stream_plan(compiled, batches)
    return {name: queries[digest] for name, digest in compiled.names.items() if digest in queries}


def count_segments(query: Query) -> list[int]:
    """How many segments the states of each of its passes hold."""
    return [
        sum(kind == "tail" and number >= 0 for state in host.states for kind, _, number in state)
        for host in query.hosts
    ]


def list_marks(query: Query) -> list[Any]:
    """What was counted, batch by batch."""
    return [feed_rows.select_progress_rows(rows).select(COUNTERS).to_pylist() for rows in query.feed]


@given(draw_histories())
@examples(15)
def test_the_feeds_fold_to_the_referees_answers(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = history
    with shrink_limits():
        queries = stream_in_parts(plan, delivered, places)
    seen(f"segments: {any(any(count_segments(query)) for query in queries.values())}")
    assert (
        list_disagreements(plan, list_answers(queries), judge_plan(plan, select_part(plan, delivered))) == []
    )


@given(draw_histories())
@examples(15)
def test_what_is_counted_and_published_is_the_same_as_without_tails(
    history: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = history
    whole = stream_in_parts(plan, delivered, places)
    with shrink_limits():
        queries = stream_in_parts(plan, delivered, places)
    for name, query in queries.items():
        assert list_marks(query) == list_marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]


@given(test_retention.histories())
@examples(15)
def test_beyond_the_retention_too(history: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = history
    parts = [select_part(plan, delivered[start:end]) for start, end in pairwise(places)]
    with shrink_limits():
        queries = test_retention.stream_parts(plan, parts)
    seen(f"segments: {any(any(count_segments(query)) for query in queries.values())}")
    assert list_disagreements(plan, list_answers(queries), run(plan, select_part(plan, delivered))) == []


def build_delivery(seed: int, keys: str, size: int = 90) -> Delivered:
    """Events of some keys as they come: mostly in order, some late, some again with the same id and something else."""
    noise = random.Random(seed)
    results: list[tuple[str, dict[str, Any]]] = []
    for index in range(size):
        late = noise.choice([0, 0, 0, 0.5, noise.randrange(1, 12), noise.randrange(index + 1)])
        item = build_event(
            max(index / 2 - late, 0), noise.choice(keys), id=noise.choice([f"e{index}", index, None])
        )
        item |= noise.choice([{"n": noise.randrange(-9, 9) / 10}, {"on": noise.random() < 0.5}, {}])
        item |= noise.choice([{"state": noise.choice("ab")}, {"open": noise.random() < 0.7}, {}])
        results.append(("s", {name: value for name, value in item.items() if value is not None}))
        if noise.random() < 0.15:
            repeated = dict(noise.choice(results)[1])
            results.append(
                (
                    "s",
                    repeated
                    | noise.choice([{}, {"state": "b"}, {"t": repeated["t"] + noise.choice([0.5, 9])}]),
                )
            )
    return results


@pytest.mark.parametrize("retention", ["36500d", "15s"])
@pytest.mark.parametrize("nodes", test_retention.NODES.values(), ids=test_retention.NODES)
def test_every_operator_goes_on_over_the_cuts(nodes: dict[str, Any], retention: str) -> None:
    stream_of = {**test_retention.STREAM, "id": "id", "retention": retention}
    gated = {**nodes, "gate": test_retention.GATE, "shown": test_retention.SHOWN}
    plan = test_retention.build_plan({name: gated[name] for name in gated}, s=stream_of)
    delivered = build_delivery(len(str(nodes)), "xxxy")
    steps = random.Random(1)
    places = sorted({0, len(delivered), *(steps.randrange(len(delivered)) for _ in range(25))})
    whole = stream_in_parts(plan, delivered, places, "of", "shown")
    with shrink_limits(keep=4, segment=8):
        queries = stream_in_parts(plan, delivered, places, "of", "shown")
    assert any(count_segments(queries["of"])) or retention == "15s"
    for name, query in queries.items():
        assert list_marks(query) == list_marks(whole[name])
    if retention == "36500d":
        truth = run(plan, {"s": [item for _, item in delivered]})
        assert list_disagreements(plan, list_answers(queries), {name: truth[name] for name in queries}) == []
    assert list_disagreements(plan, list_answers(queries), list_answers(whole)) == []


@pytest.mark.parametrize("seed", [322, 401])
def test_an_id_is_known_when_retention_empties_an_archive_that_a_late_event_reached_into(seed: int) -> None:
    plan = test_retention.build_plan(
        {"of": build_leaf("latest_event_to_state", field="n")},
        s={**test_retention.STREAM, "id": "id", "retention": "15s"},
    )
    delivered, steps = build_delivery(seed, "xxxy"), random.Random(1)
    places = sorted({0, len(delivered), *(steps.randrange(len(delivered)) for _ in range(25))})
    full_answer = stream_in_parts(plan, delivered, places)
    with shrink_limits(keep=4, segment=8):
        queries = stream_in_parts(plan, delivered, places)
    assert list_marks(queries["of"]) == list_marks(full_answer["of"])
    assert list_disagreements(plan, list_answers(queries), list_answers(full_answer)) == []


DURATION = {
    "on": test_retention.ON,
    "state": test_retention.STATE,
    "long": build_node("duration_where", "on"),
}
AGGREGATES: dict[str, dict[str, Any]] = {
    f"{function} of {of}{' by state' if by else ''}": {
        **DURATION,
        "n": build_leaf("latest_event_to_state", field="n"),
        "of": build_node(
            "aggregate", of, function=function, **({"every": "3s"} if function in ("min", "p50") else {})
        ),
    }
    for function in ("sum", "avg", "count", "min", "p50")
    for of in ("long", "n")
    for by in (False, True)
}
for function, of in (
    ("mode", "n"),
    ("mode", "on"),
    ("distinct", "state"),
    ("share", "on"),
    ("stddev", "n"),
    ("variance", "long"),
):
    for by in (False, True):
        AGGREGATES[f"{function} of {of}{' by state' if by else ''}"] = {
            **DURATION,
            "n": build_leaf("latest_event_to_state", field="n"),
            "of": build_node("aggregate", of, function=function),
        }
for title, drawn in AGGREGATES.items():
    if title.endswith("by state"):
        drawn["of"]["inputs"]["by"] = "state"
ABOVE = {
    **DURATION,
    "all": build_node("aggregate", "long", function="sum"),
    "some": build_node("aggregate", "on", function="count"),
    "busy": build_node("greater_than", "some", value=1),
    "of": build_node("duration_where", "busy"),
    "often": build_node("changed_to", "some", value=2),
    "before": build_node("shift", "often", duration="4s"),
    "rate": build_node("divide", "all", "some"),
}


@pytest.mark.parametrize("nodes", [*AGGREGATES.values(), ABOVE], ids=[*AGGREGATES, "above"])
def test_what_reads_feeds_goes_on_over_the_cuts(nodes: dict[str, Any]) -> None:
    plan = test_retention.build_plan(nodes, s={**test_retention.STREAM, "id": "id", "retention": "100d"})
    delivered = build_delivery(len(str(nodes)), "vwxyz", 150)
    steps = random.Random(2)
    places = sorted({0, len(delivered), *(steps.randrange(len(delivered)) for _ in range(30))})
    with shrink_limits(keep=4, segment=8):
        queries = stream_in_parts(plan, delivered, places)
    assert all(count_segments(queries["of"]))
    truth = run(plan, {"s": [item for _, item in delivered]})
    assert list_disagreements(plan, list_answers(queries), truth) == []
