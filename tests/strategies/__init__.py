"""Random streams, events, predicates and plans."""

from __future__ import annotations

from tests.strategies.events import declarations, deliveries
from tests.strategies.plans import Drawn, Plan, cases, cuts, plans
from tests.strategies.predicates import conditions, format_literal, format_tree, trees
from tests.strategies.values import FIELDS, KINDS, NUMBERS, STATES

__all__ = [
    "FIELDS",
    "KINDS",
    "NUMBERS",
    "STATES",
    "Drawn",
    "Plan",
    "cases",
    "conditions",
    "cuts",
    "declarations",
    "deliveries",
    "format_literal",
    "format_tree",
    "plans",
    "trees",
]
