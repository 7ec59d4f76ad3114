"""The collection of events: copies with one id are one event, and what was left out is counted."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import declarations, deliveries
from timeline_app.events.columns import build_events, sort_names
from timeline_app.landing.log import build_host_table, build_table
from timeline_app.plan import EventBatch, StreamDeclaration

IDS = {"key": "k", "time": "t", "unit": "us", "id": "id"}
Event = dict[str, Any]


def count_events(document: dict[str, Any], events: list[Event]) -> tuple[list[int], int, int]:
    """The rows that are events, how many copies were left out, and in how many ids copies differed."""
    declared = StreamDeclaration.from_document("s", document)
    batch = EventBatch(declared)
    for event in events:
        batch.add(event)
    table = build_host_table(build_table(batch), declared, ())
    result = build_events(table, declared, (), sort_names(table["key"]))[1]
    return sorted(result.rows.tolist()), result.duplicates, result.conflicts


@pytest.mark.parametrize(
    ("others", "duplicates", "conflicts"),
    [
        ([], 0, 0),
        ([{"x": "a"}], 1, 0),
        ([{"x": "a"}, {"x": "a"}], 2, 0),
        ([{"x": "b"}], 1, 1),
        ([{"x": "b"}, {"x": "c"}, {"x": "a"}], 3, 1),
        ([{"x": "a", "t": 9}], 1, 1),
        ([{"x": "a", "id": 2}], 0, 0),
        ([{"x": "a", "k": "other"}], 0, 0),
        ([{"x": "a", "id": None}, {"x": "a", "id": None}], 0, 0),
    ],
)
def test_copies_and_conflicts_are_counted_in_any_order(
    others: list[Event], duplicates: int, conflicts: int
) -> None:
    events: list[Event] = [{"k": "a", "t": 5, "id": 1, **item} for item in [{"x": "a"}, *others]]
    for mixed in permutations(events):
        assert count_events(IDS, list(mixed))[1:] == (duplicates, conflicts)


@given(declarations().flatmap(lambda declared: st.tuples(st.just(declared), deliveries(declared))))
def test_one_event_is_kept_of_each_key_and_id(drawn: tuple[dict[str, Any], list[Event]]) -> None:
    document, events = drawn
    rows, duplicates, conflicts = count_events(document, events)
    copies: Counter[tuple[Any, ...]] = Counter()
    for index, event in enumerate(events):
        identity = event.get("id") if "id" in document else None
        copies[(event["k"], index) if identity is None else (event["k"], str(identity))] += 1
    assert len(rows) == len(set(rows)) == len(copies)
    assert duplicates == len(events) - len(copies)
    assert conflicts <= sum(count > 1 for count in copies.values())


@given(declarations().flatmap(lambda declared: st.tuples(st.just(declared), deliveries(declared))))
def test_of_equal_copies_the_first_is_kept_whatever_came_together(
    drawn: tuple[dict[str, Any], list[Event]],
) -> None:
    """All at once, or each beside what was kept of those before."""
    document, events = drawn
    at_once, _, _ = count_events(document, events)
    kept: list[int] = []
    for index in range(len(events)):
        rows = [*kept, index]
        kept = [rows[item] for item in count_events(document, [events[row] for row in rows])[0]]
    assert kept == at_once
    for row in kept:
        assert events.index(events[row]) == row or "id" not in document or events[row].get("id") is None
