"""Guesses a key of several fields, where no single field identifies things: rows share key and time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import orjson

from timeline_app.events.declaration import split_key
from timeline_app.events.guess.columns import EXAMINED_EVENTS, Column, is_identifier, split_words
from timeline_app.events.guess.roles import Guess, Other
from timeline_app.events.guess.sample import Sample, format_value
from timeline_app.events.paths import read_field

MIN_SHARED, MAX_SHARED = 0.2, 0.02
"""A single field serves badly above the first share of events with equal key and time.

Several fields serve well below the second share.
"""
MAX_CANDIDATES, MAX_JOINED = 6, 3
_SAYS_WHAT_HAPPENED = {
    "state", "status", "type", "kind", "action", "event", "level", "severity", "message", "version",
    "value", "unit", "reason", "result", "code", "ok", "quality",
}  # fmt: skip


def join_key(key: Guess, time: str | None, columns: Mapping[str, Column], sample: Sample) -> Guess:
    """Return the guessed key, or a key of several fields where that serves and the guess does not."""
    if time is None or key.value is None:
        return key
    times = split_key(time)
    events = [
        event
        for event in islice(sample.events, EXAMINED_EVENTS)
        if all(read_field(event, name) is not None for name in times)
    ]
    alone = _count_shared(events, [key.value, *times])
    if alone <= MIN_SHARED * len(events):
        return key
    for names in _list_joined(key.value, times, columns):
        shared = _count_shared(events, [*names, *times])
        if shared <= MAX_SHARED * len(events):
            why = _describe(key.value, " and ".join(times), names, (alone, len(events)))
            alternatives = (Other(key.value, key.why), *key.alternatives)
            return Guess("key", orjson.dumps(names).decode(), 0.6, why, alternatives)
    return key


def _list_joined(first: str, times: Collection[str], columns: Mapping[str, Column]) -> Iterator[list[str]]:
    """Yield the key with one or two further fields, few before many, in their order."""
    other_fields = [
        name for name, column in columns.items() if name not in (first, *times) and _may_join(column)
    ]
    for size in range(1, MAX_JOINED):
        for chosen in combinations(other_fields[:MAX_CANDIDATES], size):
            yield [name for name in columns if name in (first, *chosen)]


def _may_join(column: Column) -> bool:
    """Return whether a field may identify things: each event has a text or numeric name in it, with repetitions."""
    if column.share < 1 or column.types["bool"] or not 1 < column.distinct <= len(column.present) / 2:
        return False
    is_name = not column.numbers or is_identifier(column)
    return is_name and not set(split_words(column.name)) & _SAYS_WHAT_HAPPENED


def _count_shared(events: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int:
    """Return how many events have the same values in these fields as an earlier one."""
    return len(events) - len(
        {tuple(format_value(read_field(event, name)) for name in names) for event in events}
    )


def _describe(key: str, time: str, names: Sequence[str], shared: tuple[int, int]) -> str:
    count, size = shared
    other_names = " and ".join(name for name in names if name != key)
    return (
        f"{count:,} of {size:,} events share {key} and {time} with one before them: {key} alone is no key;"
        f" with {other_names} each is one of its own"
    )
