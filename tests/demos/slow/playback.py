"""Completion: count attempts and completions event by event, over all viewers and over those of each device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tests.demos.slow.reading import Answers, Event, Line, Step, Value, build_flat_lines, build_steps, read

Tally = tuple[int, int, int]


def compute_answers(text: str) -> Answers:
    """Of every viewer, of all, and of every device."""
    viewers = read(text, "viewer")
    everything = sorted(
        (event for events in viewers.values() for event in events), key=lambda event: event["t"]
    )
    devices = sorted({event["device"] for event in everything})
    on = {device: [event for event in everything if event["device"] == device] for device in devices}
    assert sum(len({event["viewer"] for event in events}) for events in on.values()) == len(viewers)
    return {
        "attempts": {
            name: describe_steps(0, ((now, a) for now, a, _ in iterate_tallies(viewer)))
            for name, viewer in viewers.items()
        },
        "completed": {
            name: describe_steps(0, ((now, c) for now, _, c in iterate_tallies(viewer)))
            for name, viewer in viewers.items()
        },
        "unfinished": {
            name: describe_steps(0, ((now, a - c) for now, a, c in iterate_tallies(viewer)))
            for name, viewer in viewers.items()
        },
        "completion": {"*": describe_steps(None, iterate_rates(everything))},
        "completion_by_device": {
            device: describe_steps(None, iterate_rates(events)) for device, events in on.items()
        },
        "unfinished_by_device": {
            device: describe_steps(0, ((now, a - c) for now, a, c in iterate_tallies(events)))
            for device, events in on.items()
        },
    }


def iterate_tallies(events: Iterable[Event]) -> Iterator[Tally]:
    """How many attempts and completions there have been, at each instant with an event."""
    attempts = completed = 0
    by_time: dict[int, list[str]] = {}
    for event in events:
        by_time.setdefault(event["t"], []).append(event["type"])
    for now, kinds in by_time.items():
        attempts += kinds.count("attempt")
        completed += kinds.count("complete")
        yield now, attempts, completed


def iterate_rates(events: Iterable[Event]) -> Iterator[tuple[int, Value]]:
    """Completions per attempt."""
    for now, attempts, completed in iterate_tallies(events):
        yield now, Fraction(completed, attempts) if attempts else None


def describe_steps(before: Value, results: Iterable[tuple[int, Value]]) -> list[Line]:
    """A number that stays what it is until it changes."""
    listed: list[Step] = build_steps(before, results)
    return build_flat_lines(listed)
