"""Predicates as the contract means them: a condition knows its tree, and is judged one event at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = bool | str | Fraction | None
Tree: TypeAlias = tuple[Any, ...]

UNKNOWN = None
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


Fields: TypeAlias = Mapping[str, Value]


def _minus(fields: Fields) -> Value:
    number = fields.get("bitrate")
    return -number if isinstance(number, Fraction) else UNKNOWN


def _twice(fields: Fields) -> Value:
    number = fields.get("bitrate")
    return 2 * number if isinstance(number, Fraction) else UNKNOWN


def _first(fields: Fields) -> Value:
    cdn, state = fields.get("cdn"), fields.get("state")
    return state if cdn is None else cdn


def _signed(fields: Fields) -> Value:
    live = fields.get("live")
    return UNKNOWN if live is None else fields.get("bitrate") if live else _minus(fields)


def _loud(fields: Fields) -> Value:
    state = fields.get("state")
    return state.upper() if isinstance(state, str) else UNKNOWN


COMPUTED: dict[str, tuple[str, Callable[[Fields], Value]]] = {
    "0 - bitrate": ("number", _minus),
    "bitrate * 2": ("number", _twice),
    "if(live == true, bitrate, -bitrate)": ("number", _signed),
    "coalesce(cdn, state)": ("text", _first),
    "upper(trim(state))": ("text", _loud),
}
"""Expressions whose values are exact: the kind of each, and what it says of one event."""


def _elapsed(fields: Fields) -> Value:
    sent, time = fields.get("sent"), fields.get(EVENT_TIME)
    if not isinstance(sent, str) or not isinstance(time, Fraction):
        return UNKNOWN
    return (time - Fraction(sent) * 1_000) / 1_000_000 if sent.isdecimal() else UNKNOWN


EVENT_TIME = "_time"
"""Under this name an event knows its own time, in microseconds."""
TIMED: dict[str, tuple[str, Callable[[Fields], Value]]] = {"time - sent": ("number", _elapsed)}
"""Expressions that ask for the event's time, of a stream whose times are milliseconds."""


def read_value(fields: Fields, name: str) -> Value:
    """A field of an event, or what is computed from its fields."""
    text = name.removeprefix("= ")
    computed = COMPUTED.get(text) or TIMED.get(text)
    return computed[1](fields) if computed else fields.get(name)


class Condition(str):
    """The text of a predicate, which knows the tree that it was written from.

    A tree is `("==", field, literal)` and the like, `("in", field, (literal, …))`, `("missing", field)`,
    `("not", tree)`, `("and", tree, tree, …)` or `("or", …)`.
    """

    __slots__ = ("tree",)

    def __new__(cls, text: str, tree: Tree) -> Condition:
        made = super().__new__(cls, text)
        made.tree = tree
        return made

    tree: Tree


def compute_and(values: Iterable[Value]) -> Value:
    """Kleene's and."""
    values = list(values)
    if any(value is False for value in values):
        return False
    return UNKNOWN if any(value is UNKNOWN for value in values) else True


def compute_or(values: Iterable[Value]) -> Value:
    """Kleene's or."""
    values = list(values)
    if any(value is True for value in values):
        return True
    return UNKNOWN if any(value is UNKNOWN for value in values) else False


def compute_not(value: Value) -> Value:
    """Kleene's not."""
    return UNKNOWN if value is UNKNOWN else not value


def judge(tree: Tree, fields: Mapping[str, Value]) -> Value:
    """A predicate of one event: true, false or unknown."""
    word = tree[0]
    if word == "missing":
        return read_value(fields, tree[1]) is None
    if word == "not":
        return compute_not(judge(tree[1], fields))
    if word in ("and", "or"):
        judged = [judge(part, fields) for part in tree[1:]]
        return compute_and(judged) if word == "and" else compute_or(judged)
    value = read_value(fields, tree[1])
    if value is None:
        return UNKNOWN
    if word == "in":
        return any(value == parse_literal(item) for item in tree[2])
    return _COMPARE[word](value, parse_literal(tree[2]))


def parse_literal(raw: Any) -> Value:
    """A JSON scalar as the referee has it."""
    if raw is None or isinstance(raw, (bool, str)):
        return raw
    return Fraction(repr(float(raw)))
