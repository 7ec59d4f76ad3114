"""Mappings of the fields of events, as people write them."""

from __future__ import annotations

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.mapping import NO_MAPPING, BadMapping, FieldMapping, parse_mapping
from timeline_app.web.core.errors import ApiError, describe_problem


def check_mapping(document: object, declaration: StreamDeclaration | None = None) -> FieldMapping:
    """Return a parsed mapping (an empty one for None); raise `ApiError` with all problems."""
    try:
        return NO_MAPPING if document is None else parse_mapping(document, declaration)
    except BadMapping as error:
        raise refuse_mapping(error) from None


def refuse_mapping(error: BadMapping) -> ApiError:
    """Return a refusal with all problems of a mapping."""
    problems = [
        describe_problem(text, code="bad_mapping", field=path, hint=hint)
        for path, text, hint in error.problems
    ]
    path, text, hint = error.problems[0]
    message = f"The mapping cannot be used. {path}: {text} {hint}"
    return ApiError(message, code="bad_mapping", problems=problems)
