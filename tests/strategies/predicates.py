"""Random predicates, as trees and as a person writes them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.predicates.conditions import COMPUTED, TIMED, Condition, Tree
from tests.strategies.values import KINDS, NUMBERS, STATES


def _list_computed(kind: str, timed: bool = False) -> list[str]:
    known_values = {**COMPUTED, **TIMED} if timed else COMPUTED
    return [text for text, (sort, _) in known_values.items() if sort == kind]


def _comparison(timed: bool) -> st.SearchStrategy[Tree]:
    order = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    same = st.sampled_from(["==", "!="])
    return st.one_of(
        st.tuples(order, st.just("state"), st.sampled_from(STATES)),
        st.tuples(order, st.just("bitrate"), st.sampled_from(NUMBERS)),
        st.tuples(same, st.just("live"), st.booleans()),
        st.tuples(st.just("in"), st.just("state"), st.lists(st.sampled_from(STATES), min_size=1).map(tuple)),
        st.tuples(st.just("missing"), st.sampled_from([*KINDS, *COMPUTED])),
        st.tuples(order, st.sampled_from(_list_computed("number", timed)), st.sampled_from(NUMBERS)),
        st.tuples(order, st.sampled_from(_list_computed("text")), st.sampled_from([*STATES, "PLAY"])),
    )


def trees(*, timed: bool = False) -> st.SearchStrategy[Tree]:
    """Trees of predicates over the fields of `KINDS`; with `timed` they ask for times as well."""

    def above(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        several = st.lists(below, min_size=2, max_size=3)
        joined = st.tuples(st.sampled_from(["and", "or"]), several).map(lambda pair: (pair[0], *pair[1]))
        return st.one_of(joined, below.map(lambda tree: ("not", tree)))

    return st.recursive(_comparison(timed), above, max_leaves=5)


def format_literal(value: Any) -> str:
    """A literal as a person writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def format_tree(tree: Tree) -> str:
    """The text of a tree, with parentheses only where they are needed."""
    word = tree[0]
    if word == "missing":
        return f"{tree[1]} is missing"
    if word == "not":
        bare = tree[1][0] not in ("and", "or")
        return f"not {format_tree(tree[1])}" if bare else f"not ({format_tree(tree[1])})"
    if word in ("and", "or"):
        parts = [
            format_tree(part) if part[0] not in ("and", "or") else f"({format_tree(part)})"
            for part in tree[1:]
        ]
        return f" {word} ".join(parts)
    if word == "in":
        return f"{tree[1]} in ({', '.join(format_literal(item) for item in tree[2])})"
    return f"{tree[1]} {word} {format_literal(tree[2])}"


def conditions(*, timed: bool = False) -> st.SearchStrategy[Condition]:
    """Predicates that know their trees."""
    return trees(timed=timed).map(lambda tree: Condition(format_tree(tree), tree))
