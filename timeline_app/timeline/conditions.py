"""Conditions on events: `tl.field("player_state") == "play"`, an alternative to their text."""

from __future__ import annotations

from typing import NoReturn

from timeline_app.predicates import Expression, Predicate, parse_expression
from timeline_app.predicates.builder import make_comparison
from timeline_app.predicates.expressions import Arithmetic, Constant, FieldValue
from timeline_app.predicates.relations import AbsentValue
from timeline_app.predicates.tree import Literal, Missing, build_junction, build_membership


class Untold:
    """What has no truth value in Python, because it is asked over time or of events."""

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        """Raises `TypeError`: `if`, `and`, `or`, `not`, `in` and chained comparisons ask for a truth value."""
        raise TypeError(
            f"a {type(self).__name__.lower()} is neither true nor false here, it is an expression; write & | ~ "
            "instead of and, or, not, and (1 < x) & (x < 5) instead of 1 < x < 5; `is` tells two of them apart"
        )


class Condition(Untold):
    """A condition on one event; `& | ~` mean and, or, not. Its text is the one of the predicate language."""

    __slots__ = ("predicate",)

    def __init__(self, predicate: Predicate) -> None:
        """`predicate` is what it asks."""
        self.predicate = predicate

    def __and__(self, other: Condition) -> Condition:
        return Condition(build_junction("and", [self.predicate, other.predicate]))

    def __or__(self, other: Condition) -> Condition:
        return Condition(build_junction("or", [self.predicate, other.predicate]))

    def __invert__(self) -> Condition:
        return Condition(self.predicate.negate())

    def __str__(self) -> str:
        return self.predicate.text()

    __repr__ = __str__


class Value(Untold):
    """A value of one event: a field, or what `+ - * /` and functions compute; compared, it gives a condition."""

    __slots__ = ("expression",)
    __hash__ = object.__hash__

    def __init__(self, expression: Expression) -> None:
        """`expression` is what it computes."""
        self.expression = expression

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # it builds a condition
        return self._compared("==", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compared("!=", other)

    def __lt__(self, other: object) -> Condition:
        return self._compared("<", other)

    def __le__(self, other: object) -> Condition:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> Condition:
        return self._compared(">", other)

    def __ge__(self, other: object) -> Condition:
        return self._compared(">=", other)

    def __add__(self, other: object) -> Value:
        return Value(Arithmetic("+", self.expression, _to_expression(other)))

    def __radd__(self, other: object) -> Value:
        return Value(Arithmetic("+", _to_expression(other), self.expression))

    def __sub__(self, other: object) -> Value:
        return Value(Arithmetic("-", self.expression, _to_expression(other)))

    def __rsub__(self, other: object) -> Value:
        return Value(Arithmetic("-", _to_expression(other), self.expression))

    def __mul__(self, other: object) -> Value:
        return Value(Arithmetic("*", self.expression, _to_expression(other)))

    def __rmul__(self, other: object) -> Value:
        return Value(Arithmetic("*", _to_expression(other), self.expression))

    def __truediv__(self, other: object) -> Value:
        return Value(Arithmetic("/", self.expression, _to_expression(other)))

    def __rtruediv__(self, other: object) -> Value:
        return Value(Arithmetic("/", _to_expression(other), self.expression))

    def is_in(self, *values: object) -> Condition:
        """True where it is one of the values."""
        if isinstance(self.expression, FieldValue) and not any(isinstance(value, Value) for value in values):
            return Condition(
                build_membership(self.expression.name, tuple(_to_literal(value) for value in values))
            )
        return Condition(build_junction("or", [self._compared("==", value).predicate for value in values]))

    def is_missing(self) -> Condition:
        """True where an event has no such value."""
        of = self.expression
        return Condition(Missing(of.name) if isinstance(of, FieldValue) else AbsentValue(of))

    def __str__(self) -> str:
        return self.expression.text()

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.expression.text()!r})"

    def _compared(self, symbol: str, other: object) -> Condition:
        return Condition(make_comparison(self.expression, symbol, _to_expression(other)))


class Field(Value):
    """A field of an event; compared with text, a number, a bool or another value it gives a condition."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """`name` is the field's name."""
        super().__init__(FieldValue(name))
        self.name = name

    def __repr__(self) -> str:
        return f"field({self.name!r})"


def field(name: str) -> Field:
    """Return a field of the events that a condition uses."""
    return Field(name)


def value(text: str) -> Value:
    """What an expression computes from the fields of an event: `value("abs(price * quantity)")`."""
    return Value(parse_expression(text))


def _to_expression(value: object) -> Expression:
    return value.expression if isinstance(value, Value) else Constant(_to_literal(value))


def _to_literal(value: object) -> Literal:
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"a field is compared with text, a number, True or False, not with {value!r}")
