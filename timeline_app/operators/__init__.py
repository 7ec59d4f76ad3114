"""The operators: one small file each, discovered by folder and listed nowhere; others' own beside them (`own`)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from timeline_app.operators.base import CATEGORIES, INTERNAL, Operator
from timeline_app.operators.own import own_operators

__all__ = ["Operator", "all_operators", "operators"]

_MACHINERY = {
    "accumulated",
    "base",
    "examples",
    "facts",
    "imported",
    "instants",
    "membership",
    "own",
    "parameters",
    "pointwise",
    "ports",
    "reasons",
    "reasons_of_runs",
    "recent_events",
    "steps",
    "windowed",
    "words",
}


@cache
def operators() -> Mapping[str, Operator]:
    """Return every operator that a plan may name, in the order of the palette. Raises `BadOperators`."""
    listed = [item for item in all_operators().values() if item.category != INTERNAL]
    listed.sort(key=lambda item: (CATEGORIES.index(item.category), item.title))
    return MappingProxyType({item.name: item for item in listed})


def get_title(name: str) -> str:
    """Return what people read as the name of an operator; of one that is not there any more, its name in plans."""
    item = all_operators().get(name)
    return item.title if item else name


def find_by_title(words: str) -> list[str]:
    """Return the names in plans of the operators whose title has this part, in any case."""
    return [name for name, item in all_operators().items() if words.lower() in item.title.lower()]


@cache
def all_operators() -> Mapping[str, Operator]:
    """Every operator that a node may be computed with, those included that only others are made of."""
    operators_found: list[Operator] = []
    for module in pkgutil.iter_modules(__path__):
        if module.name in _MACHINERY:
            continue
        declared = importlib.import_module(f"{__name__}.{module.name}")
        declared_operators = [item for item in vars(declared).values() if isinstance(item, Operator)]
        if not declared_operators:
            raise TypeError(
                f"operators/{module.name}.py declares no operator; decorate its function with @operator"
            )
        operators_found += declared_operators
    operators_found += own_operators({item.name: item for item in operators_found})
    return MappingProxyType({item.name: item for item in operators_found})
