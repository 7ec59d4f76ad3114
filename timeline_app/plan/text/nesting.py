"""Which nodes are written inside the expression that uses them: those whose names reading would give them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set

from timeline_app.plan.text.deep import Walk, run_walk
from timeline_app.plan.text.words import Numbering

_GENERATED = re.compile(r".*_[1-9][0-9]*", re.DOTALL)
_MAX_ROUNDS = 50

Children = Callable[[str], Sequence[str]]


def select_nested_nodes(
    names: Sequence[str], children: Children, fixed: Set[str], uses: Counter[str]
) -> set[str]:
    """Return the nodes without a statement of their own.

    `children` are a node's inputs in the order of reading, `fixed` the nodes that must have a statement, `uses` how
    often each is wired. A node is nested where it is used once, and named as the expression would be in its place.
    Each round takes out those that are not; what is left after the last one reads back as it is.
    """
    nested = {name for name in names if name not in fixed and uses[name] == 1 and _GENERATED.fullmatch(name)}
    for _ in range(_MAX_ROUNDS):
        names_of_nodes = _assign_names(names, nested, children)
        right = {name for name in nested if names_of_nodes.get(name) == name}
        if right == nested:
            return nested
        nested = right
    return set()


def order_of_reading(names: Sequence[str], nested: Set[str], children: Children) -> list[str]:
    """Return the order in which reading meets the nodes."""
    names_in_order: list[str] = []
    for name in names:
        if name not in nested:
            names_in_order += [*_list_below(name, nested, children), name]
    return names_in_order


def _assign_names(names: Sequence[str], nested: Set[str], children: Children) -> Mapping[str, str]:
    """Return the names that reading gives the nested nodes."""
    names_used = {name for name in names if name not in nested}
    names_of_nodes: dict[str, str] = {}
    for root in names:
        if root in nested:
            continue
        numbering = Numbering(root, names_used)
        for name in _list_below(root, nested, children):
            names_of_nodes[name] = numbering.next()
            names_used.add(names_of_nodes[name])
    return names_of_nodes


def _list_below(root: str, nested: Set[str], children: Children) -> list[str]:
    """Yield the nodes nested in a statement, innermost first."""
    names: list[str] = []

    def visit(name: str) -> Walk[None]:
        for child in children(name):
            if child in nested:
                yield visit(child)
                names.append(child)

    run_walk(visit(root))
    return names
