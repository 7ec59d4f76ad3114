"""What can be seen of each field of a sample, and of which type it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.guess.sample import Sample, format_value
from timeline_app.events.paths import flatten_event
from timeline_app.events.truth_words import read_truth, say_truths
from timeline_app.events.validate import MAX_FIELDS
from timeline_app.operators.parameters import is_storable

EXAMINED_EVENTS = 5_000
"""The number of events used for guessing."""
_SHOWN_VALUES = 3
_MAX_BOOL_WORDS = 2
"""A column of more different words says more than true and false."""
_NONE = "n/a na nan null none nil - -- — ? unknown unavailable missing undefined #n/a #nv \\n k.a."
_ABSENT = frozenset(_NONE.split())
_NAMING = ("id", "uuid", "guid", "code", "zip", "postcode", "phone", "number", "no", "nr", "version")


@dataclass
class Column:
    """The present values of one field, in order, of this number of `events`."""

    name: str
    present: list[Any]
    events: int
    sample: Sample
    types: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.types = Counter(map(self._type, self.present))
        if self.sample.cells and self.types["text"] and say_truths(map(str, self.present)):
            self.types = Counter({"bool": len(self.present)})

    @property
    def share(self) -> float:
        """The share of events that have the field."""
        return len(self.present) / self.events if self.events else 0.0

    @cached_property
    def distinct(self) -> int:
        """The number of distinct values."""
        return len({format_value(value) for value in self.present})

    @cached_property
    def numbers(self) -> list[float]:
        """The values as numbers, if all are or spell numbers."""
        numbers = [
            self.sample.number(value, self.name) if isinstance(value, str) else _number(value)
            for value in self.present
        ]
        return [] if None in numbers else [number for number in numbers if number is not None]

    @property
    def absent(self) -> list[str]:
        """The values that are no numbers, if all of them only say that there is none."""
        others = [str(value) for value in self.present if self._type(value) != "number"]
        return others if all(value.strip().lower() in _ABSENT for value in others) else []

    def list_examples(self) -> list[str]:
        """Return some different values."""
        return list(dict.fromkeys(format_value(value)[:60] for value in self.present))[:_SHOWN_VALUES]

    def _type(self, value: Any) -> str:
        if isinstance(value, bool):
            return "bool"
        if isinstance(value, int | float):
            return "number"
        return (
            "number"
            if self.sample.cells and self.sample.number(str(value), self.name) is not None
            else "text"
        )


@dataclass(frozen=True, slots=True)
class FieldGuess:
    """The type of a field: its reason, confidence (0 to 1) and alternatives."""

    name: str
    type: str
    confidence: float
    why: str
    alternatives: tuple[str, ...]
    values: tuple[str, ...]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def collect_columns(sample: Sample) -> dict[str, Column]:
    """Return every field of the events, also inside objects, in their order. Raises `DecodeError` for too many."""
    values_by_name: dict[str, list[Any]] = {}
    events = sample.events[:EXAMINED_EVENTS]
    for number, event in enumerate(events, 1):
        for name, value in flatten_event(event).items():
            values = values_by_name.setdefault(name, [])
            if value is not None and value != "":
                values.append(value)
        if len(values_by_name) > MAX_FIELDS:
            count = len(values_by_name)
            words = f"{number:,} events have {count:,} different fields; a stream has at most {MAX_FIELDS}."
            hint = "Are the names of fields values? Send them as values of a field, or events of one stream only."
            raise DecodeError("too_many_fields", words, hint)
    usable = [name for name in values_by_name if name.strip() and len(name) <= 200 and is_storable(name)]
    return {name: Column(name, values_by_name[name], len(events), sample) for name in usable}


def guess_field(column: Column) -> FieldGuess:
    """Guess the type of a field from its values."""
    kind, confidence, why = _guess_type(column)
    alternatives = tuple(
        name for name in ("text", "number", "bool") if name != kind and _is_possible(column, name)
    )
    return FieldGuess(column.name, kind, confidence, why, alternatives, tuple(column.list_examples()))


def _guess_type(column: Column) -> tuple[str, float, str]:
    total = sum(column.types.values())
    if not total:
        return "text", 0.3, "no event of the sample has a value"
    [(most, count)] = column.types.most_common(1)
    if most == "number" and count < total and (absent := column.absent):
        message = (
            f"{count:,} of {total:,} values are numbers, and the others say that there is none ({absent[0]})"
        )
        return "number", 0.7, message
    if count < total:
        return "text", 0.6, f"{_describe_types(column)}: text takes them all"
    sure = min(0.99, 0.7 + 0.1 * min(total, 3))
    if most == "number" and is_identifier(column):
        return "text", 0.6, f"all {total:,} values are whole numbers that name something rather than count it"
    return most, sure, f"{_describe_all(total)} {_PLURAL[most]}" + _describe_distinct(column, most)


_PLURAL = {"text": "text", "number": "numbers", "bool": "true or false"}


def _describe_all(total: int) -> str:
    return "the only value is" if total == 1 else f"all {total:,} values are"


def _describe_distinct(column: Column, kind: str) -> str:
    is_shown = kind == "text" and 1 < column.distinct <= 12 and len(column.present) >= 3 * column.distinct
    return f", {column.distinct} different ones" if is_shown else ""


def _describe_types(column: Column) -> str:
    parts = [f"{count:,} are {_PLURAL.get(kind, kind)}" for kind, count in column.types.most_common()]
    return " and ".join(parts)


def _is_possible(column: Column, kind: str) -> bool:
    if kind == "bool" and column.sample.cells:
        words = {str(value).strip().lower() for value in column.present}
        return 0 < len(words) <= _MAX_BOOL_WORDS and all(read_truth(word) is not None for word in words)
    return kind == "text" or set(column.types) == {kind} or (kind == "number" and bool(column.absent))


def is_identifier(column: Column) -> bool:
    """Return whether numbers are names: by the last word of the field, and all whole."""
    last = split_words(column.name)[-1:]
    return bool(last) and last[0] in _NAMING and all(number.is_integer() for number in column.numbers)


def split_words(name: str) -> list[str]:
    """Return the words of a field's name: sessionId, session_id and session-id are two."""
    words: list[str] = []
    word = ""
    for before, letter in zip(" " + name, name, strict=False):
        if not letter.isalnum() or (letter.isupper() and before.islower()):
            words, word = [*words, word], ""
        word += letter.lower() if letter.isalnum() else ""
    return [part for part in [*words, word] if part]
