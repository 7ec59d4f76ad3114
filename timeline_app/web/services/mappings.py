"""How the fields of events are mapped, as people write it."""

from __future__ import annotations

from timeline_app.events.mapping import BadMapping, FieldMapping, parse_mapping
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.web.errors import ApiError, problem


def checked_mapping(document: object, declaration: StreamDeclaration | None = None) -> FieldMapping:
    """A mapping that can be used; raises `ApiError` with all that is wrong with it."""
    try:
        return parse_mapping(document, declaration)
    except BadMapping as bad:
        found = [
            problem(words, code="bad_mapping", field=place, cure=hint) for place, words, hint in bad.problems
        ]
        place, words, hint = bad.problems[0]
        message = f"The mapping cannot be used. {place}: {words} {hint}"
        raise ApiError(message, code="bad_mapping", problems=found) from None
