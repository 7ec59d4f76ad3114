"""Near foldings: of a key with many rows only the latest are evaluated, and nobody can tell from the answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event as seen
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered
from tests.algebra.test_revisions import draw_histories
from tests.depth import examples
from tests.evaluate import test_retention
from tests.evaluate.hosts import list_answers, select_part
from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.evaluate.test_archive import build_delivery, list_marks, stream_in_parts
from tests.operators.small import build_event, build_leaf
from tests.strategies import Plan
from timeline_app.algebra.kinds import BEGINNING, OPEN, Mask
from timeline_app.compiler import compile_plan
from timeline_app.testing.hosts import Query, shrink_limits
from timeline_app.testing.points import build_batches
from workers.spark.state import archiving, history, prefix_snapshots, summaries
from workers.spark.state.rows import KeySummaries

pytestmark = pytest.mark.deep


@contextmanager
def record_rested() -> Iterator[list[int]]:
    """Of each pass, how many rows rested."""
    numbers: list[int] = []
    really = prefix_snapshots.select_resting_rows

    def note_rows(*arguments: Any) -> Mask:
        rows = really(*arguments)
        numbers.append(int(rows.sum()))
        return rows

    with patch.object(history, "select_resting_rows", note_rows):
        yield numbers


@given(draw_histories())
@examples(15)
def test_what_is_counted_and_published_is_the_same_as_without(
    drawn: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = drawn
    whole = stream_in_parts(plan, delivered, places)
    with record_rested() as result, shrink_limits(keep=10):
        queries = stream_in_parts(plan, delivered, places)
    seen(f"rested: {any(result)}")
    for name, query in queries.items():
        assert list_marks(query) == list_marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]
    assert (
        list_disagreements(plan, list_answers(queries), judge_plan(plan, select_part(plan, delivered))) == []
    )


@given(test_retention.histories())
@examples(15)
def test_beyond_the_retention_too(drawn: tuple[Plan, Delivered, list[int]]) -> None:
    plan, delivered, places = drawn
    parts = [select_part(plan, delivered[start:end]) for start, end in pairwise(places)]
    with record_rested() as result, shrink_limits(keep=10):
        queries = test_retention.stream_parts(plan, parts)
    seen(f"rested: {any(result)}")
    assert list_disagreements(plan, list_answers(queries), run(plan, select_part(plan, delivered))) == []


@pytest.mark.parametrize("cut", [12, 1_000])
@pytest.mark.parametrize("retention", ["36500d", "15s"])
@pytest.mark.parametrize("nodes", test_retention.NODES.values(), ids=test_retention.NODES)
def test_every_operator_goes_on_over_them(nodes: dict[str, Any], retention: str, cut: int) -> None:
    stream_of = {**test_retention.STREAM, "id": "id", "retention": retention}
    gated = {**nodes, "gate": test_retention.GATE, "shown": test_retention.SHOWN}
    plan = test_retention.build_plan({name: gated[name] for name in gated}, s=stream_of)
    delivered = build_delivery(len(str(nodes)), "xxxy")
    steps = random.Random(1)
    places = sorted({0, len(delivered), *(steps.randrange(len(delivered)) for _ in range(40))})
    whole = stream_in_parts(plan, delivered, places, "of", "shown")
    with record_rested() as result, shrink_limits(keep=cut, segment=8, nearly=1):
        queries = stream_in_parts(plan, delivered, places, "of", "shown")
    assert (
        any(result) or cut == 12 or retention == "15s"
    )  # what is cut, or folded at the horizon, does not rest
    for name, query in queries.items():
        assert list_marks(query) == list_marks(whole[name])
        assert [rows.num_rows for rows in query.feed] == [rows.num_rows for rows in whole[name].feed]
    if retention == "36500d":
        truth = run(plan, {"s": [item for _, item in delivered]})
        assert list_disagreements(plan, list_answers(queries), {name: truth[name] for name in queries}) == []
    assert list_disagreements(plan, list_answers(queries), list_answers(whole)) == []


COUNTED = {"count": build_leaf("event_count")}
UNENDING = {**test_retention.STREAM, "retention": "36500d"}


def feed_query(nodes: Any, events: list[dict[str, Any]], a_batch: int, **stream_of: Any) -> Query:
    """The query of the last of some nodes, after batches of so many events each."""
    plan = test_retention.build_plan(nodes, s={**UNENDING, **stream_of})
    compiled = compile_plan(plan, {})
    query = Query(compiled.programs[compiled.names[list(nodes)[-1]]])
    for start in range(0, len(events), a_batch):
        query.run(build_batches(compiled, {"s": events[start : start + a_batch]}), {})
    truth = run(plan, {"s": events})
    assert (
        list_disagreements(
            plan, list_answers({list(nodes)[-1]: query}), {list(nodes)[-1]: truth[list(nodes)[-1]]}
        )
        == []
    )
    return query


def test_a_key_rests_though_another_brings_an_id_that_it_has() -> None:
    """Ids are those of a key: numbers within sessions that began at different times."""
    events = [build_event(at, key, id=str(at + 20 * (key == "x"))) for at in range(120) for key in "xy"]
    with record_rested() as result:
        feed_query(COUNTED, events, 6, id="id")
    assert result[-1] >= 2 * (
        120 - prefix_snapshots.MIN_EVALUATED_ROWS - prefix_snapshots.SNAPSHOT_EVERY_ROWS - 6
    )


def test_a_copy_of_what_rests_wakes_its_key_alone() -> None:
    events = [build_event(at, key, id=f"{at}") for at in range(60) for key in "xy"]
    with record_rested() as result:
        feed_query(
            COUNTED,
            [*events, build_event(61, "y", id="5"), build_event(61, "x", id="60")],
            4,
            id="id",
        )
    assert 0 < result[-1] < result[-2]


def test_keys_of_which_events_are_regularly_late_rest_behind_what_these_reach() -> None:
    events = [build_event(max(at - 40 * (at % 3 == 0), 0)) for at in range(300)]
    with record_rested() as result:
        feed_query(COUNTED, events, 3)
    assert result[-1] >= 300 - 40 - 3 * prefix_snapshots.SNAPSHOT_EVERY_ROWS
    assert len(result) > 60, "from a near folding on, nearly always"


def test_it_is_not_tried_in_every_batch_to_fold_a_key_of_which_all_is_needed() -> None:
    """`processing_time_within` needs each of its matches as long as they come at once."""
    events = [{**build_event(at, n=1), "_arrived": 1_000_000_000 + at} for at in range(150)]
    every = {"of": build_leaf("processing_time_within", where="n > 0", duration="5s")}
    with (
        patch.object(history, "summarize_events", Mock(side_effect=summaries.summarize_events)) as tries,
        record_rested() as result,
    ):
        feed_query(every, events, 1)
    assert not any(result)
    assert 1 <= tries.call_count <= 150 / prefix_snapshots.SNAPSHOT_EVERY_ROWS + 1


@st.composite
def draw_heads(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[int], int]:
    """Keys and times of rows, until when each key is folded, a horizon."""
    rows = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40)), max_size=120))
    until = draw(st.lists(st.sampled_from([BEGINNING, 5, 20]), min_size=3, max_size=3))
    return rows, until, draw(st.sampled_from([BEGINNING, 10, 30]))


@given(draw_heads())
@examples(200)
def test_whatever_would_be_cut_or_folded_is_due(drawn: tuple[list[tuple[int, int]], list[int], int]) -> None:
    rows, until, horizon = drawn
    plan = test_retention.build_plan({"count": build_leaf("event_count")})
    [program] = compile_plan(plan, {}).programs.values()
    names = pa.array(["a", "b", "c"])
    key, time = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
    far = KeySummaries(
        np.array(until), np.full(3, OPEN), np.zeros((3, 1), dtype=np.int64), np.empty((3, 0), object)
    )
    table = pa.table({"key": names.take(pa.array(key)), "time": pa.array(time)})
    acted: list[str] = []

    def noted(rows: pa.Table, names: pa.Array, folded: KeySummaries, _: Any) -> tuple[pa.Table, KeySummaries]:
        acted.extend(names.to_pylist())
        return rows.slice(0, 0), folded.copy()

    with (
        shrink_limits(keep=8),
        patch.object(summaries, "MIN_SUMMARIZED_EVENTS", 4),
        patch.object(summaries, "MIN_SUMMARIZED_SHARE", 2),
    ):
        summaries.summarize_expired(table, names, far, program.reach, noted, horizon)
        own = time > far.instants(1 + program.reach)[key]
        bounds = (archiving.KEPT_ROWS, archiving.MIN_ARCHIVED_ROWS, archiving.MIN_ARCHIVED_SHARE)
        last = archiving.find_last_to_archive(key[own], time[own], 3, program.reach, bounds)
        result = prefix_snapshots.is_due(program, far, key, time, horizon)
    assert result[last != BEGINNING].all()
    assert {str(name) for name, is_due in zip(names.to_pylist(), result, strict=True) if is_due} >= set(acted)
