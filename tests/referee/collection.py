"""The collection of events: delivered, typed, each event once."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from tests.predicates.conditions import EVENT_TIME, Value, parse_literal
from tests.referee.points import SECOND

JsonEvent: TypeAlias = dict[str, Any]
_UNITS = {"us": 1, "ms": 1_000, "s": SECOND, "min": 60 * SECOND, "h": 3_600 * SECOND, "d": 86_400 * SECOND}


def parse_duration(duration: str) -> int:
    """Parse a duration such as `250ms` into microseconds."""
    digits = duration.rstrip("usmindh")
    return int(Fraction(digits) * _UNITS[duration[len(digits) :]])


def format_canonical(raw: JsonEvent) -> str:
    """Return the event as JSON with sorted keys, without spaces."""
    return json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class Event:
    """One event of the collection."""

    time: int
    rank: tuple[Any, ...]
    fields: Mapping[str, Value]
    until: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Stream:
    """The parts of a declaration that the referee needs."""

    key: str
    time: str
    unit: str
    id: str | None
    types: Mapping[str, str]
    lateness: int
    until: str | None

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Stream:
        unit, lateness = document.get("unit", "ms"), parse_duration(document.get("allowed_lateness", "30s"))
        types = document.get("fields", {})
        return cls(
            document["key"],
            document["time"],
            unit,
            document.get("id"),
            types,
            lateness,
            document.get("until"),
        )

    def value(self, name: str, raw: Any) -> Value:
        """Return a field's value; missing if it does not fit its type."""
        kind = self.types.get(name, "text")
        if isinstance(raw, float) and not math.isfinite(raw):
            return None
        if kind == "text":
            scalar = isinstance(raw, (bool, int, float))
            return raw if isinstance(raw, str) else json.dumps(raw) if scalar else None
        number = isinstance(raw, (int, float)) and not isinstance(raw, bool)
        return parse_literal(raw) if (number if kind == "number" else isinstance(raw, bool)) else None

    def event(self, raw: JsonEvent) -> Event:
        named = {name: value for name, value in raw.items() if name not in (self.key, self.time)}
        fields = {name: self.value(name, value) for name, value in named.items()}
        identity = fields.get(self.id) if self.id else None
        rank = () if identity is None else self.rank(raw[str(self.id)])
        time = int(raw[self.time] * _UNITS[self.unit])
        fields[EVENT_TIME] = Fraction(time)
        return Event(time, rank, fields, self.end(raw), format_canonical(raw))

    def end(self, raw: JsonEvent) -> int | None:
        """Return when a row ends; None if unknown."""
        end = None if self.until is None else raw.get(self.until)
        return None if end is None else int(end * _UNITS[self.unit])

    def rank(self, raw: Any) -> tuple[Any, ...]:
        """Return the order of an id: numbers by value, whole ones before all others, the others by code point."""
        if self.types.get(str(self.id)) == "number":
            return 0, Fraction(raw)
        spelled = raw if isinstance(raw, str) else json.dumps(raw)
        whole = spelled == "0" or re.fullmatch("-?[1-9][0-9]*", spelled)
        return (0, int(spelled)) if whole else (1, spelled)

    def collection(self, delivered: Sequence[JsonEvent]) -> dict[str, list[Event]]:
        """Return the events of each key: of copies, the one of greatest time, end (none is least) and text."""
        chosen: dict[tuple[Any, ...], tuple[Any, JsonEvent]] = {}
        for index, raw in enumerate(delivered):
            event = self.event(raw)
            if event.until is not None and event.until <= event.time:
                continue  # a row that ends no later than it begins is no event
            copy = (raw[self.key], "id", *event.rank) if event.rank else (raw[self.key], "row", index)
            text = format_canonical(raw)
            end = (0, 0) if event.until is None else (1, event.until)
            if copy not in chosen or (event.time, end, text) > chosen[copy][0]:
                chosen[copy] = ((event.time, end, text), raw)
        keys: dict[str, list[Event]] = {}
        for copy, (_, raw) in chosen.items():
            keys.setdefault(copy[0], []).append(self.event(raw))
        return keys
