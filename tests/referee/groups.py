"""What an aggregate means: from the keys that count in a group at each instant to the group's timeline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, Value
from tests.referee.calendar import list_periods
from tests.referee.collection import parse_duration
from tests.referee.points import (
    FLAT,
    NOTHING,
    Held,
    Points,
    Ratio,
    list_instants,
    normalize_points,
    read_at,
    read_value_at,
)

Groups: TypeAlias = dict[str, tuple[int, Points]]
Line: TypeAlias = tuple[Held, Fraction]


@dataclass(frozen=True)
class Member:
    """A key that counts from its birth on: its value and its group."""

    birth: int
    value: Points
    group: Points

    def inside(self, name: Value, time: int) -> bool:
        return self.birth <= time and read_value_at(self.group, time) == name


def list_grid(members: list[Member], last_event: int | None, params: Mapping[str, Any]) -> list[int]:
    """Return the multiples of `every` from the first at or after the first birth to the first after the last event.

    With a zone, return the beginnings of periods in the same way.
    """
    if last_event is None or not members:
        return []
    born = min(member.birth for member in members)
    if "zone" in params or params.get("every") in ("1w", "1month"):
        beginnings = list_periods(born, last_event, params["every"], params.get("zone", "UTC"))
        return [time for time in beginnings if time >= born]
    every = parse_duration(params.get("every", "10s"))
    first, last = ceil(Fraction(born, every)), last_event // every + 1
    return [index * every for index in range(first, last + 1)]


def aggregate_members(function: str, sort: str, members: list[Member], marks: list[int]) -> Groups:
    """Return birth and timeline of every group; `marks` is the grid."""
    kind, climbs = "bool" if sort == "bool" else "other", sort == "climbing" and function in SPREADS
    changes = {time for item in members for time in list_instants(item.value, item.group) if time is not None}
    times = sorted({member.birth for member in members} | changes)
    names = {read_value_at(item.group, time) for item in members for time in times if time >= item.birth}
    groups: Groups = {}
    for name in names - {UNKNOWN}:
        born = [time for time in times if any(item.inside(name, time) for item in members)]
        if born:
            looked = marks if climbs or rank_of(function) is not None else times
            lines = [(time, *_compute_line(function, kind, name, members, time)) for time in looked]
            groups[str(name)] = born[0], normalize_points([*answer_nobody(function), *lines])
    return groups


def group_of(texts: list[Points]) -> Points:
    """Return the group of a key: that of everyone, that of its one text, or that of the list of its texts."""
    if len(texts) < 2:
        return texts[0] if texts else [(None, "*", FLAT)]
    points: Points = []
    for time in list_instants(*texts):
        values = [read_value_at(text, time) for text in texts]
        name = UNKNOWN if UNKNOWN in values else json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        points.append((time, name, FLAT))
    return normalize_points(points)


SPREADS = ("stddev", "variance")


def rank_of(function: str) -> Fraction | None:
    """Return the rank of a percentile: the share of the known values that are not greater."""
    if function in ("min", "max"):
        return Fraction(function == "max")
    return Fraction(function[1:]) / 100 if function.startswith("p") else None


def find_aggregated_sort(function: str, of: str) -> str:
    """Return the sort of the aggregate of values of a sort."""
    if function == "mode":
        return of
    return "climbing" if of == "climbing" and function in ("sum", "avg") else "number"


def answer_nobody(function: str) -> Points:
    """Return the value of an empty group."""
    return [(None, Fraction(0), FLAT)] if function in ("count", "distinct", "sum") else NOTHING


def _compute_line(function: str, kind: str, name: Value, members: Iterable[Member], time: int) -> Line:
    """Return value and slope of the function over the members of a group at an instant."""
    inside = [read_at(member.value, time) for member in members if member.inside(name, time)]
    known_lines = [line for line in inside if line[0] is not UNKNOWN]
    if function == "count":
        return Fraction(
            sum(value is True for value, _ in known_lines) if kind == "bool" else len(known_lines)
        ), FLAT
    if (share := rank_of(function)) is not None:
        values = [read_value_at([(time, value, slope)], time) for value, slope in known_lines]
        return _find_nearest_rank(share, values), FLAT
    if function == "distinct":
        return Fraction(len({value for value, _ in known_lines})), FLAT
    if function == "mode":
        return _find_most_frequent([value for value, _ in known_lines]), FLAT
    if function == "share":
        true = [value for value, _ in known_lines if value is True]
        return Fraction(len(true), len(known_lines)) if known_lines else UNKNOWN, FLAT
    if function in SPREADS:
        values = [read_value_at([(time, *line)], time) for line in known_lines]
        return _spread(function, list(map(Fraction, values))), FLAT  # type: ignore[arg-type]
    if function == "avg" and not known_lines:
        return UNKNOWN, FLAT
    share = Fraction(1, len(known_lines)) if function == "avg" else Fraction(1)
    numbers = [Fraction(value) for value, _ in known_lines if not isinstance(value, (Ratio, str, type(None)))]
    assert len(numbers) == len(known_lines)
    return share * sum(numbers, FLAT), share * sum((slope for _, slope in known_lines), FLAT)


def _spread(function: str, values: list[Fraction]) -> Value:
    """Return the variance by its definition, or the nearest float to its root."""
    if not values:
        return UNKNOWN
    mean = sum(values, FLAT) / len(values)
    variance = sum(((value - mean) ** 2 for value in values), FLAT) / len(values)
    if function == "variance":
        return variance
    with localcontext(prec=200):
        return Fraction(float((Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()))


def _find_most_frequent(values: list[Held]) -> Held:
    """Return the most frequent value, of equals the least; all have one kind."""
    often = max((values.count(value) for value in values), default=0)
    return min(
        (value for value in values if values.count(value) == often), key=_build_sort_key, default=UNKNOWN
    )


def _build_sort_key(value: Held) -> tuple[bool | Fraction, str]:
    """Return the sort key of a bool, a number or a text."""
    if isinstance(value, str):
        return Fraction(0), value
    assert isinstance(value, bool | Fraction)
    return Fraction(value), ""


def _find_nearest_rank(share: Fraction, values: list[Value]) -> Value:
    """Return the least value for which at least that share of the values (and one of them) is not greater."""
    ordered = sorted(value for value in values if isinstance(value, Fraction))
    return ordered[max(ceil(share * len(ordered)), 1) - 1] if ordered else UNKNOWN
