"""Laws of whole plans: the answer is a function of the collection of events, and moves with it."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import run
from tests.laws.facts import few
from tests.strategies import Drawn, Plan, cases
from timeline_app.operators import operators
from timeline_app.testing.points import Shown

STEPS = 210_000
"""Milliseconds: a multiple of every duration between marks that is drawn."""
WEEK = 7 * 86_400_000
TIMES = ("t", "u", "sent")
"""The fields of events that hold a time."""


@few
@given(cases(), st.randoms(use_true_random=False))
def test_what_is_delivered_again_with_its_id_changes_nothing(
    case: tuple[Plan, Drawn], random: Random
) -> None:
    plan, events = case
    again = {name: [*items, *_select_identified(plan, name, items)] for name, items in events.items()}
    mixed = {name: random.sample(items, len(items)) for name, items in again.items()}
    assert run(plan, mixed) == run(plan, events)


def _select_identified(plan: Plan, stream: str, events: list[Any]) -> list[Any]:
    """The events of a stream that have an id of the right type."""
    declared = plan["streams"][stream]
    kinds = (int,) if "id" in declared["fields"] else (str, int)
    have = [event for event in events if "id" in declared and isinstance(event.get("id"), kinds)]
    return [event for event in have if not (isinstance(event["id"], bool) and kinds == (int,))]


@few
@given(cases(), st.integers(-3, 3))
def test_events_that_are_moved_move_the_answers(case: tuple[Plan, Drawn], steps: int) -> None:
    plan, events = case
    by = steps * (WEEK if _has_calendar(plan) else STEPS)
    moved = {
        name: [
            {**event, **{at: event[at] + by for at in TIMES if isinstance(event.get(at), int)}}
            for event in items
        ]
        for name, items in events.items()
    }
    answer, before = run(plan, moved), run(plan, events)
    assert answer == {
        name: {key: _shift_points(points, by * 1_000) for key, points in keys.items()}
        for name, keys in before.items()
    }


def _has_calendar(plan: Plan) -> bool:
    """What goes by the calendar moves along by whole weeks only (here no clock is changed within three of them)."""
    nodes = plan["nodes"].values()
    return any(operators()[node["op"]].boundary or "zone" in node.get("params", {}) for node in nodes)


def _shift_points(points: Shown, micros: int) -> Shown:
    return [(None if time is None else time + micros, *rest) for time, *rest in points]


@few
@given(cases())
def test_every_answer_is_in_normal_form(case: tuple[Plan, Drawn]) -> None:
    for keys in run(*case).values():
        for points in keys.values():
            assert points[0][0] is None
            assert points[0][2] == 0.0
            times = [time for time, _, _ in points[1:] if time is not None]
            assert times == sorted(set(times))
            assert len(times) == len(points) - 1
            assert not any(_is_continuing(*pair) for pair in pairwise(points))


def _is_continuing(left: tuple[int | None, Any, float], right: tuple[int | None, Any, float]) -> bool:
    """Whether a point says no more than the one before it: the same steps, the same flat line."""
    return (
        left[1:] == right[1:]
        and not left[2]
        and not (isinstance(left[1], tuple) and (left[1][1] or left[1][3]))
    )


@few
@given(cases(), st.data())
def test_a_key_of_a_stream_alone_says_what_it_says_among_others(
    case: tuple[Plan, Drawn], data: st.DataObject
) -> None:
    plan, events = case
    key = data.draw(st.sampled_from(sorted({event["k"] for items in events.values() for event in items})))
    own_values = {name: [event for event in items if event["k"] == key] for name, items in events.items()}
    last = max(event["t"] for items in events.values() for event in items) * 1_000
    alone, together = run(plan, own_values, last), run(plan, events, last)
    for name in _list_per_key(plan):
        assert alone[name].get(key) == together[name].get(key)


def _list_per_key(plan: Plan) -> list[str]:
    """The nodes that have no aggregate below them."""
    names: list[str] = []
    for name, node in plan["nodes"].items():
        wires = [
            wire
            for port in node.get("inputs", {}).values()
            for wire in ([port] if isinstance(port, str) else port)
        ]
        if node["op"] != "aggregate" and all(wire in names for wire in wires):
            names.append(name)
    return names
