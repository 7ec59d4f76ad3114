"""What can be seen of each field of a sample, and of which type it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.guess.sample import Sample, format_value
from timeline_app.events.paths import flatten_event
from timeline_app.events.validate import MAX_FIELDS
from timeline_app.operators.parameters import is_storable

LOOKED_AT = 5_000
"""So many events are looked at to guess."""
_SHOWN = 3
_NAMING = ("id", "uuid", "guid", "code", "zip", "postcode", "phone", "number", "no", "nr", "version")


@dataclass
class Column:
    """The values of one field that are there, in their order, of so many events."""

    name: str
    present: list[Any]
    events: int
    sample: Sample
    types: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.types = Counter(map(self._type, self.present))

    @property
    def share(self) -> float:
        """In which part of the events it is."""
        return len(self.present) / self.events if self.events else 0.0

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return len({format_value(value) for value in self.present})

    @cached_property
    def numbers(self) -> list[float]:
        """The values as numbers, if all are such or spell such."""
        numbers = [self.sample.number(one) if isinstance(one, str) else _number(one) for one in self.present]
        return [] if None in numbers else [one for one in numbers if one is not None]

    def shown(self) -> list[str]:
        """Some different values."""
        return list(dict.fromkeys(format_value(value)[:60] for value in self.present))[:_SHOWN]

    def _type(self, value: Any) -> str:
        if isinstance(value, bool):
            return "bool"
        if isinstance(value, int | float):
            return "number"
        if self.sample.cells and str(value).strip(" ").lower() in ("true", "false"):
            return "bool"
        return "number" if self.sample.cells and self.sample.number(str(value)) is not None else "text"


@dataclass(frozen=True, slots=True)
class FieldGuess:
    """The type of a field: why, how sure (0 to 1), and what else it could be."""

    name: str
    type: str
    confidence: float
    why: str
    alternatives: tuple[str, ...]
    values: tuple[str, ...]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def columns_of(sample: Sample) -> dict[str, Column]:
    """Every field of the events, also inside objects, in their order; raises `DecodeError` for too many."""
    found: dict[str, list[Any]] = {}
    events = sample.events[:LOOKED_AT]
    for place, event in enumerate(events, 1):
        for name, value in flatten_event(event).items():
            values = found.setdefault(name, [])
            if value is not None and value != "":
                values.append(value)
        if len(found) > MAX_FIELDS:
            words = (
                f"{place:,} events have {len(found):,} different fields; a stream has at most {MAX_FIELDS}."
            )
            cure = "Are the names of fields values? Send them as values of a field, or events of one stream only."
            raise DecodeError("too_many_fields", words, cure)
    usable = [name for name in found if name.strip() and len(name) <= 200 and is_storable(name)]
    return {name: Column(name, found[name], len(events), sample) for name in usable}


def field_guess(column: Column) -> FieldGuess:
    """The type of a field, by the values that it has."""
    kind, confidence, why = _type_of(column)
    others = tuple(one for one in ("text", "number", "bool") if one != kind and _possible(column, one))
    return FieldGuess(column.name, kind, confidence, why, others, tuple(column.shown()))


def _type_of(column: Column) -> tuple[str, float, str]:
    total = sum(column.types.values())
    if not total:
        return "text", 0.3, "no event of the sample has a value"
    [(most, count)] = column.types.most_common(1)
    if count < total:
        return "text", 0.6, f"{_told(column)}: text takes them all"
    sure = min(0.99, 0.7 + 0.1 * min(total, 3))
    if most == "number" and names_something(column):
        return "text", 0.6, f"all {total:,} values are whole numbers that name something rather than count it"
    return most, sure, f"{_all(total)} {_PLURAL[most]}" + _sorts(column, most)


_PLURAL = {"text": "text", "number": "numbers", "bool": "true or false"}


def _all(total: int) -> str:
    return "the only value is" if total == 1 else f"all {total:,} values are"


def _sorts(column: Column, kind: str) -> str:
    few = kind == "text" and 1 < column.distinct <= 12 and len(column.present) >= 3 * column.distinct
    return f", {column.distinct} different ones" if few else ""


def _told(column: Column) -> str:
    parts = [f"{count:,} are {_PLURAL.get(kind, kind)}" for kind, count in column.types.most_common()]
    return " and ".join(parts)


def _possible(column: Column, kind: str) -> bool:
    return kind == "text" or set(column.types) == {kind}


def names_something(column: Column) -> bool:
    """Whether numbers are names: by the last word of the field, and all whole."""
    last = words_of(column.name)[-1:]
    return bool(last) and last[0] in _NAMING and all(one.is_integer() for one in column.numbers)


def words_of(name: str) -> list[str]:
    """The words of a field's name: sessionId, session_id and session-id are two."""
    found: list[str] = []
    word = ""
    for before, letter in zip(" " + name, name, strict=False):
        if not letter.isalnum() or (letter.isupper() and before.islower()):
            found, word = [*found, word], ""
        word += letter.lower() if letter.isalnum() else ""
    return [one for one in [*found, word] if one]
