"""A key of several fields, where no single one tells things apart: two of them have rows of one instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import orjson

from timeline_app.events.guess.columns import LOOKED_AT, Column, is_identifier, split_words
from timeline_app.events.guess.roles import Guess, Other
from timeline_app.events.guess.sample import Sample, format_value
from timeline_app.events.paths import read_field

MIN_SHARED, MAX_SHARED = 0.2, 0.02
"""Of the events so many share key and time with another one where a field alone serves badly, or several serve well."""
MAX_CANDIDATES, MAX_JOINED = 6, 3
_SAYS_WHAT_HAPPENED = {
    "state", "status", "type", "kind", "action", "event", "level", "severity", "message", "version",
    "value", "unit", "reason", "result", "code", "ok", "quality",
}  # fmt: skip


def join_key(key: Guess, time: str | None, columns: Mapping[str, Column], sample: Sample) -> Guess:
    """The guessed key, or the key of several fields that serves where it does not."""
    if time is None or key.value is None:
        return key
    events = [event for event in islice(sample.events, LOOKED_AT) if read_field(event, time) is not None]
    alone = _count_shared(events, [key.value, time])
    if alone <= MIN_SHARED * len(events):
        return key
    for names in _list_joined(key.value, time, columns):
        left = _count_shared(events, [*names, time])
        if left <= MAX_SHARED * len(events):
            why = _describe(key.value, time, names, (alone, len(events)))
            alternatives = (Other(key.value, key.why), *key.alternatives)
            return Guess("key", orjson.dumps(names).decode(), 0.6, why, alternatives)
    return key


def _list_joined(first: str, time: str, columns: Mapping[str, Column]) -> Iterator[list[str]]:
    """The key with one or two other fields, few before many, in the order in which they stand."""
    other_fields = [
        name for name, column in columns.items() if name not in (first, time) and _may_join(column)
    ]
    for size in range(1, MAX_JOINED):
        for chosen in combinations(other_fields[:MAX_CANDIDATES], size):
            yield [name for name in columns if name in (first, *chosen)]


def _may_join(column: Column) -> bool:
    """Whether a field may tell things apart: in each event a text, or a number that is a name, which comes again."""
    if column.share < 1 or column.types["bool"] or not 1 < column.distinct <= len(column.present) / 2:
        return False
    is_name = not column.numbers or is_identifier(column)
    return is_name and not set(split_words(column.name)) & _SAYS_WHAT_HAPPENED


def _count_shared(events: Sequence[Mapping[str, Any]], names: Sequence[str]) -> int:
    """How many events have these fields as one before them has."""
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
