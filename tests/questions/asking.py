"""A plan in text and events, times in seconds, asked in one pass and batch by batch, at every instant that matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from tests.evaluate.hosts import list_answers, select_part, stream_plan
from tests.evaluate.running import run
from timeline_app.algebra.kinds import SECOND
from timeline_app.compiler import compile_plan
from timeline_app.plan.text import read_text
from timeline_app.testing.points import Shown, build_batches

JsonEvent = dict[str, Any]
Slow = Callable[[list[JsonEvent], str, int], Any]
"""What a slow script says of a key at an instant, from all events."""


def assert_answers(
    text: str, node: str, stream_name: str, events: Sequence[JsonEvent], slow: Slow, instants: Iterable[int]
) -> None:
    """Assert that a node says what the slow script says, of every key and at these instants since its first event."""
    document = read_text(text)
    births: dict[str, int] = {}
    key, time = (document["streams"][stream_name][name] for name in ("key", "time"))
    for event in events:
        at = event[time] * SECOND
        births[event[key]] = min(at, births.get(event[key], at))
    times = sorted(set(instants))
    expected = {
        name: [(at, slow(list(events), name, at)) for at in times if at >= birth]
        for name, birth in births.items()
    }
    for points in (
        run(document, {stream_name: events})[node],
        _stream_events(document, stream_name, events)[node],
    ):
        assert {
            name: [(at, read_value_at(points[name], at)) for at, _ in request]
            for name, request in expected.items()
        } == expected


def read_value_at(points: Shown, time: int) -> Any:
    """What a bool, a text or a steady number says at an instant."""
    return [value for since, value, _ in points if since is None or since <= time][-1]


def _stream_events(
    document: Any, stream_name: str, events: Sequence[JsonEvent]
) -> dict[str, dict[str, Shown]]:
    """The same from the streaming hosts, a few events a batch."""
    compiled = compile_plan(document, {})
    delivered = [(stream_name, event) for event in events]
    places = [*range(0, len(events), 7), len(events)]
    batches = [
        build_batches(compiled, select_part(document, delivered[start:end]))
        for start, end in pairwise(places)
    ]
    result = list_answers(stream_plan(compiled, batches))
    return {name: result[digest] for name, digest in compiled.names.items()}


def jumble_events(noise: Random, events: list[JsonEvent]) -> list[JsonEvent]:
    """As they arrive: some late, and some twice."""
    again = [event for event in events if noise.random() < 0.1]
    return sorted([*events, *again], key=lambda event: event["t"] + noise.choice([0, 0, 0, 40, 300]))
