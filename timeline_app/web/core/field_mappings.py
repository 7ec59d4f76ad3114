"""How the fields of events are mapped, as people write it."""

from __future__ import annotations

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.mapping import NO_MAPPING, BadMapping, FieldMapping, parse_mapping
from timeline_app.web.core.errors import ApiError, describe_problem


def check_mapping(document: object, declaration: StreamDeclaration | None = None) -> FieldMapping:
    """A mapping that can be used, none for None; raises `ApiError` with all that is wrong with it."""
    try:
        return NO_MAPPING if document is None else parse_mapping(document, declaration)
    except BadMapping as bad:
        raise refuse_mapping(bad) from None


def refuse_mapping(bad: BadMapping) -> ApiError:
    """All that is wrong with a mapping."""
    problems = [
        describe_problem(words, code="bad_mapping", field=place, cure=hint)
        for place, words, hint in bad.problems
    ]
    place, words, hint = bad.problems[0]
    message = f"The mapping cannot be used. {place}: {words} {hint}"
    return ApiError(message, code="bad_mapping", problems=problems)
