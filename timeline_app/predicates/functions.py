"""The functions that expressions may call, by name; each computes whole columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from timeline_app.algebra.events import TIME, Column
from timeline_app.algebra.kinds import SECOND, Floats, Ints, Kind
from timeline_app.predicates.columns import Fields
from timeline_app.predicates.expressions import (
    Expression,
    KindOf,
    align_kinds,
    make_numbers,
    make_texts,
    require_kind,
    require_same_kind,
)
from timeline_app.predicates.tree import Predicate, spell_literal
from timeline_app.times.calendar import DAY
from timeline_app.times.zones import convert_to_local_column

HOUR = 3_600 * SECOND


def _round(values: Floats) -> Floats:
    truncated = np.trunc(values)
    return np.where(np.abs(values - truncated) >= 0.5, truncated + np.sign(values), truncated)


def _measure_texts(column: Column) -> Column:
    lengths = np.array([*map(len, column.labels), np.nan])
    return Column(Kind.NUMBER, lengths[column.value])


def _make_text_function(change: Callable[[str], str]) -> Callable[[Column], Column]:
    return lambda column: make_texts(column.value, np.array([*map(change, column.labels)], dtype=object))


def _make_number_function(change: Callable[[Floats], Floats]) -> Callable[[Column], Column]:
    return lambda column: make_numbers(change(column.value))


def _reduce_numbers(choose: Callable[[Floats, Floats], Floats]) -> Callable[..., Column]:
    return lambda *columns: make_numbers(reduce(choose, (column.value for column in columns)))


def _select_first_present(*columns: Column) -> Column:
    aligned = align_kinds(list(columns))
    value = aligned[-1].value
    for column in reversed(aligned[:-1]):
        value = np.where(column.present, column.value, value)
    return Column(aligned[0].kind, value, aligned[0].labels)


@dataclass(frozen=True, slots=True)
class Function:
    """How a function computes its column, what it takes (None: any one kind), and how many arguments."""

    compute: Callable[..., Column]
    takes: Kind | None
    gives: Kind | None
    least: int = 1
    most: int = 1


MAX_ARGUMENTS = 20
FUNCTIONS = {
    "abs": Function(_make_number_function(np.abs), Kind.NUMBER, Kind.NUMBER),
    "round": Function(_make_number_function(_round), Kind.NUMBER, Kind.NUMBER),
    "floor": Function(_make_number_function(np.floor), Kind.NUMBER, Kind.NUMBER),
    "ceil": Function(_make_number_function(np.ceil), Kind.NUMBER, Kind.NUMBER),
    "min": Function(_reduce_numbers(np.minimum), Kind.NUMBER, Kind.NUMBER, 2, MAX_ARGUMENTS),
    "max": Function(_reduce_numbers(np.maximum), Kind.NUMBER, Kind.NUMBER, 2, MAX_ARGUMENTS),
    "length": Function(_measure_texts, Kind.TEXT, Kind.NUMBER),
    "lower": Function(_make_text_function(str.lower), Kind.TEXT, Kind.TEXT),
    "upper": Function(_make_text_function(str.upper), Kind.TEXT, Kind.TEXT),
    "trim": Function(_make_text_function(str.strip), Kind.TEXT, Kind.TEXT),
    "coalesce": Function(_select_first_present, None, None, 2, MAX_ARGUMENTS),
}


def _read_hours(local: Ints) -> Ints:
    return local % DAY // HOUR


def _read_weekdays(local: Ints) -> Ints:
    return (local // DAY + 3) % 7 + 1  # 1970 began on a Thursday


CLOCKS = {"hour": _read_hours, "weekday": _read_weekdays}
"""The readings of a wall clock: the hour from 0 to 23, and the day of the week (1: Monday)."""


@dataclass(frozen=True, slots=True)
class ClockReading(Expression):
    """A clock of a zone, read at the event's time."""

    name: str
    zone: str | None

    def compute(self, fields: Fields) -> Column:
        """Read the clock at the event's time."""
        local = convert_to_local_column(fields[TIME].value, self.zone)
        return make_numbers(CLOCKS[self.name](local).astype(np.float64))

    def text(self) -> str:
        """Return the call."""
        return f"{self.name}({'' if self.zone is None else spell_literal(self.zone)})"

    def find_kind(self, kind_of: KindOf) -> Kind:  # noqa: ARG002 (it looks at no field)
        """Return a number."""
        return Kind.NUMBER

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield nothing."""
        return iter(())

    def reads_time(self) -> bool:
        """Return True."""
        return True

    def reads_zone(self) -> bool:
        """Return whether it names a zone."""
        return self.zone is not None


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of a function; missing if an argument is, except for `coalesce`."""

    name: str
    arguments: tuple[Expression, ...]

    def compute(self, fields: Fields) -> Column:
        """Compute whole columns."""
        with np.errstate(all="ignore"):
            return FUNCTIONS[self.name].compute(*(argument.compute(fields) for argument in self.arguments))

    def text(self) -> str:
        """Return the call."""
        return f"{self.name}({', '.join(argument.text() for argument in self.arguments)})"

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return the kind of the function's result."""
        function = FUNCTIONS[self.name]
        if function.takes is None:
            return require_same_kind(list(self.arguments), kind_of, f"`{self.name}`")
        for argument in self.arguments:
            require_kind(argument, function.takes, kind_of, f"`{self.name}`")
        return function.gives or function.takes

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield the arguments."""
        yield from self.arguments
