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


def conjunction(values: Iterable[Value]) -> Value:
    """Kleene's and."""
    values = list(values)
    if any(value is False for value in values):
        return False
    return UNKNOWN if any(value is UNKNOWN for value in values) else True


def disjunction(values: Iterable[Value]) -> Value:
    """Kleene's or."""
    values = list(values)
    if any(value is True for value in values):
        return True
    return UNKNOWN if any(value is UNKNOWN for value in values) else False


def negation(value: Value) -> Value:
    """Kleene's not."""
    return UNKNOWN if value is UNKNOWN else not value


def judge(tree: Tree, fields: Mapping[str, Value]) -> Value:
    """A predicate of one event: true, false or unknown."""
    word = tree[0]
    if word == "missing":
        return fields.get(tree[1]) is None
    if word == "not":
        return negation(judge(tree[1], fields))
    if word in ("and", "or"):
        judged = [judge(part, fields) for part in tree[1:]]
        return conjunction(judged) if word == "and" else disjunction(judged)
    value = fields.get(tree[1])
    if value is None:
        return UNKNOWN
    if word == "in":
        return any(value == literal_of(item) for item in tree[2])
    return _COMPARE[word](value, literal_of(tree[2]))


def literal_of(raw: Any) -> Value:
    """A JSON scalar as the referee has it."""
    if raw is None or isinstance(raw, (bool, str)):
        return raw
    return Fraction(repr(float(raw)))
