"""Values computed from the fields of one event: `abs(price * quantity - paid)`, a small tree over columns.

A value is missing where a field that it needs is missing, and where it is not defined: an overflow, a division by zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.align import share_labels
from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import FALSE, NO_LABELS, TRUE, UNKNOWN, Kind, Labels, Values
from timeline_app.predicates.columns import EventColumns, Fields, select_fields
from timeline_app.predicates.tree import Literal, Predicate, get_kind, spell_field, spell_literal

KindOf = Callable[[str], Kind]
"""Returns the kind of a field."""


class WrongKind(ValueError):
    """Raised for values of a kind that an expression does not take; `hint` has the right one."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Expression(ABC):
    """A value of one event."""

    @abstractmethod
    def compute(self, fields: Fields) -> Column:
        """Return the values of all events; a constant has one row, which numpy broadcasts."""

    @abstractmethod
    def text(self) -> str:
        """Return the canonical text, which parses to the same expression."""

    @abstractmethod
    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return the kind of its values. Raises `WrongKind`."""

    @abstractmethod
    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield the values from which it is computed."""

    def field_names(self) -> Iterator[str]:
        """Yield the names of the fields that it uses."""
        for part in self.parts():
            yield from part.field_names()

    def reads_time(self) -> bool:
        """Return whether it uses the event's time."""
        return any(part.reads_time() for part in self.parts())

    def reads_zone(self) -> bool:
        """Return whether it uses the clocks of a time zone."""
        return any(part.reads_zone() for part in self.parts())

    def depth(self) -> int:
        """Return how many levels it has."""
        return 1 + max((part.depth() for part in self.parts()), default=0)

    def check_kinds(self, kind_of: KindOf) -> None:
        """Raise `WrongKind` if its operands have kinds that it does not take."""
        self.find_kind(kind_of)

    @property
    def strength(self) -> int:
        """The binding strength of its sign."""
        return WHOLE

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class FieldValue(Expression):
    """The value of a field."""

    name: str

    def compute(self, fields: Fields) -> Column:
        """Return the column of the field."""
        return fields[self.name]

    def text(self) -> str:
        """Return the name, in backquotes where it needs them."""
        return spell_field(self.name)

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return the kind that the stream declares."""
        return kind_of(self.name)

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield nothing."""
        return iter(())

    def field_names(self) -> Iterator[str]:
        """Yield its own name."""
        yield self.name


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number, a text, true or false."""

    value: Literal

    def compute(self, fields: Fields) -> Column:  # noqa: ARG002 (it looks at no field)
        """Return one row."""
        if isinstance(self.value, str):
            return Column(Kind.TEXT, np.zeros(1, dtype=np.int32), np.array([self.value], dtype=object))
        if isinstance(self.value, bool):
            return Column(Kind.BOOL, np.array([TRUE if self.value else FALSE], dtype=np.int8))
        return Column(Kind.NUMBER, np.array([self.value]))

    def text(self) -> str:
        """Return the literal."""
        return spell_literal(self.value)

    def find_kind(self, kind_of: KindOf) -> Kind:  # noqa: ARG002 (it looks at no field)
        """Return the kind of the literal."""
        return _kind_of_literal(self.value)

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield nothing."""
        return iter(())


_kind_of_literal = get_kind
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip
WHOLE = 3
"""The strength of expressions without a sign."""
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    """`+ - * /` of two numbers."""

    sign: str
    left: Expression
    right: Expression

    def compute(self, fields: Fields) -> Column:
        """Compute by IEEE 754, without infinities."""
        left, right = self.left.compute(fields), self.right.compute(fields)
        with np.errstate(all="ignore"):
            return make_numbers(_ARITHMETIC[self.sign](left.value, right.value))

    def text(self) -> str:
        """Return the text, with parentheses where the order needs them."""
        return f"{self._spell(self.left, 0)} {self.sign} {self._spell(self.right, 1)}"

    @property
    def strength(self) -> int:
        """The binding strength of its sign."""
        return _STRENGTH[self.sign]

    def _spell(self, side: Expression, least: int) -> str:
        return f"({side.text()})" if side.strength < self.strength + least else side.text()

    def find_kind(self, kind_of: KindOf) -> Kind:
        """Return a number, of numbers."""
        for side in (self.left, self.right):
            require_kind(side, Kind.NUMBER, kind_of, f"`{self.sign}`")
        return Kind.NUMBER

    def parts(self) -> Iterator[Expression | Predicate]:
        """Yield both sides."""
        yield self.left
        yield self.right


def walk(part: Expression) -> Iterator[Expression]:
    """Yield an expression and its operands at any depth, except those in conditions."""
    yield part
    for inner in part.parts():
        if isinstance(inner, Expression):
            yield from walk(inner)


def select_column(events: EventColumns, field: str | Expression) -> Column:
    """Return a field of events, or a value computed from their fields."""
    if isinstance(field, str):
        return events.fields[field]
    column = field.compute(select_fields(events, with_time=field.reads_time()))
    return Column(column.kind, np.broadcast_to(column.value, events.size), column.labels)


def find_field_kind(field: str | Expression, kind_of: KindOf) -> Kind:
    """Return the kind of a field or a computed value. Raises `WrongKind`."""
    return kind_of(field) if isinstance(field, str) else field.find_kind(kind_of)


def make_numbers(values: Values) -> Column:
    """Return a column of numbers: non-finite ones are missing, and zero has one sign."""
    return Column(Kind.NUMBER, np.where(np.isfinite(values), values, np.nan) + 0.0)


def make_texts(codes: Values, labels: Labels) -> Column:
    """Return a column of texts; labels may be unordered and repeated."""
    if not len(labels):
        return Column(Kind.TEXT, codes, NO_LABELS)
    ordered, places = np.unique(labels, return_inverse=True)
    return Column(Kind.TEXT, np.where(codes < 0, -1, places[codes]).astype(np.int32), ordered)


def align_kinds(columns: list[Column]) -> list[Column]:
    """Return columns of one kind; texts share their labels."""
    labels, values = share_labels(*columns)
    return [Column(columns[0].kind, value, labels) for value in values]


def compare(symbol: Callable[[Any, Any], Any], left: Column, right: Column) -> Values:
    """Return false, unknown or true for each event."""
    left, right = align_kinds([left, right])
    with np.errstate(invalid="ignore"):
        truth = np.where(symbol(left.value, right.value), TRUE, FALSE)
    return np.where(left.present & right.present, truth, UNKNOWN).astype(np.int8)


def require_kind(part: Expression, wanted_kind: Kind, kind_of: KindOf, user: str) -> None:
    """Refuse a part of another kind."""
    kind = part.find_kind(kind_of)
    if kind is not wanted_kind:
        raise WrongKind(
            f"{part.text()} is {kind.value}, and {user} takes {wanted_kind.value}",
            _suggest_fix(part, wanted_kind),
        )


def require_same_kind(parts: list[Expression], kind_of: KindOf, user: str) -> Kind:
    """Return the kind of all parts; refuse parts of different kinds."""
    first = parts[0].find_kind(kind_of)
    for part in parts[1:]:
        kind = part.find_kind(kind_of)
        if kind is not first:
            message = (
                f"{parts[0].text()} is {first.value} and {part.text()} is {kind.value}; {user} takes one kind"
            )
            raise WrongKind(message, _suggest_fix(part, first))
    return first


def _suggest_fix(part: Expression, kind: Kind) -> str:
    if isinstance(part, FieldValue):
        return f"declare {part.name} as {kind.value} in the stream, or choose another field"
    return f"write what is {kind.value}"
