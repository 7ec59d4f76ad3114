"""Refuses lists and objects of a body that are too long, before their items are validated.

An item takes up to a millisecond, and a body has room for millions of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from timeline_app.web.core.errors import Invalid, Problem, describe_problem

Wire = serializers.Field[Any, Any, Any, Any]
MAX_ITEMS_PER_LIST = 1_000
"""Of a list or an object that states no limit of its own."""
MAX_OBJECTS_PER_BODY = 5_000
MAX_PROBLEMS_PER_BODY = 100
LISTS = (serializers.ListSerializer, serializers.ListField, serializers.DictField)
UNTYPED = (serializers.JSONField, type(serializers.ListField().child))
"""Items of these cost microseconds."""


def refuse_long_lists(wire: Wire, document: Any) -> None:
    """Refuse a body with lists or objects that are longer than their wire type allows, at any depth."""
    search = _LongLists()
    search.visit(wire, document, "")
    if search.problems:
        message = "; ".join(f"{problem['field']}: {problem['message']}" for problem in search.problems)
        raise Invalid(message, problems=search.problems)


class _LongLists:
    """What was found so far; it ends with enough problems or too many objects."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.objects = 0

    def visit(self, wire: Any, document: Any, place: str) -> None:
        if (
            isinstance(wire, LISTS)
            and isinstance(document, list | dict)
            and self._fits(wire, document, place)
        ):
            items = document.items() if isinstance(document, dict) else enumerate(document)
            self._visit_all(wire.child, items, place)
        elif isinstance(wire, serializers.Serializer) and isinstance(document, dict):
            self.objects += 1
            for name, field in wire.fields.items():
                if name in document:
                    self.visit(field, document[name], f"{place}.{name}".lstrip("."))

    def _visit_all(self, child: Any, items: Iterable[tuple[Any, Any]], place: str) -> None:
        for name, item in items:
            self.visit(child, item, f"{place}.{name}")
            if len(self.problems) >= MAX_PROBLEMS_PER_BODY:
                return
            if self.objects > MAX_OBJECTS_PER_BODY:
                words = f"The body has more than {MAX_OBJECTS_PER_BODY:,} objects. Send several requests."
                self.problems = [describe_problem(words, code="max_length", field=place)]
                return

    def _fits(self, wire: Any, document: list[Any] | dict[Any, Any], place: str) -> bool:
        most = getattr(wire, "max_length", None)
        if most is None and not isinstance(wire.child, UNTYPED):
            most = MAX_ITEMS_PER_LIST
        if most is None or len(document) <= most:
            return not isinstance(wire.child, UNTYPED)
        words = wire.error_messages.get(
            "max_length", "Ensure this object has no more than {max_length} names."
        )
        problem = describe_problem(words.format(max_length=most), code="max_length", field=place)
        self.problems.append(problem)
        return False
