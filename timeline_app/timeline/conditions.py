"""Conditions on events: `tl.field("player_state") == "play"`, an alternative to their text."""

from __future__ import annotations

from typing import NoReturn

from timeline_app.predicates import Predicate
from timeline_app.predicates.tree import Comparison, Literal, Missing, junction, membership, negation


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
        return Condition(junction("and", [self.predicate, other.predicate]))

    def __or__(self, other: Condition) -> Condition:
        return Condition(junction("or", [self.predicate, other.predicate]))

    def __invert__(self) -> Condition:
        return Condition(negation(self.predicate))

    def __str__(self) -> str:
        return self.predicate.text()

    __repr__ = __str__


class Field(Untold):
    """A field of an event; compared with text, a number or a bool it gives a condition."""

    __slots__ = ("name",)
    __hash__ = object.__hash__

    def __init__(self, name: str) -> None:
        """`name` is the field's name."""
        self.name = name

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

    def is_in(self, *values: object) -> Condition:
        """True where the field is one of the values."""
        return Condition(membership(self.name, tuple(_literal(value) for value in values)))

    def is_missing(self) -> Condition:
        """True where an event has no such field."""
        return Condition(Missing(self.name))

    def __repr__(self) -> str:
        return f"field({self.name!r})"

    def _compared(self, symbol: str, value: object) -> Condition:
        return Condition(Comparison(self.name, symbol, _literal(value)))


def field(name: str) -> Field:
    """A field of the events that a condition looks at."""
    return Field(name)


def _literal(value: object) -> Literal:
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"a field is compared with text, a number, True or False, not with {value!r}")
