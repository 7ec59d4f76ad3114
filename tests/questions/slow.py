"""What slow scripts do again and again, in plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.questions.question import Happened

Test = Callable[[Happened], bool]


def list_spans(past: list[Happened], at: float, field: str) -> Iterator[tuple[Any, float, float]]:
    """Each value of a field with its beginning and end; events that lack it change nothing."""
    own_items = [event for event in past if event[field] is not None]
    for event, end in zip(own_items, [*(event.at for event in own_items[1:]), at], strict=True):
        yield event[field], event.at, end


def count_seconds_where(past: list[Happened], at: float, test: Test) -> float:
    """For how many seconds the latest event has passed a test."""
    ends = [*(event.at for event in past[1:]), at]
    return sum(end - event.at for event, end in zip(past, ends, strict=True) if test(event))


def find_latest(past: list[Happened], field: str) -> Any:
    """The latest value of a field; None before the first."""
    return next((event[field] for event in reversed(past) if event[field] is not None), None)


def group_by_key(past: list[Happened]) -> dict[str, list[Happened]]:
    """What happened to each key."""
    return {
        key: [event for event in past if event.key == key]
        for key in dict.fromkeys(event.key for event in past)
    }
