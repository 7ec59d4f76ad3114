"""Typed access to requests, as parsers and permissions guarantee it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.core.body_limits import MAX_PROBLEMS_PER_BODY, refuse_long_lists
from timeline_app.web.core.disconnects import GONE
from timeline_app.web.core.error_responses import iterate_wrong_fields
from timeline_app.web.core.errors import Invalid, Problem, describe_problem
from timeline_app.web.core.sandboxed_work import Asker

Document = Mapping[str, Any]
Wire = serializers.Field[Any, Any, Any, Any]


def get_user(request: Request) -> User:
    """Return the user who is logged in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def get_asker(request: Request) -> Asker:
    """Return the user as the recipient of a computation."""
    disconnected = getattr(request._request, "scope", {}).get(GONE)
    person = get_user(request).pk
    return Asker(person) if disconnected is None else Asker(person, disconnected.is_set)


def read_body(request: Request) -> dict[str, Any]:
    """Return the body; the parsers produce only objects."""
    return dict(request.data)


def validate_body(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the body, validated by its wire type."""
    return validate_document(serializer, read_body(request))


def validate_document(serializer: type[serializers.Serializer[Any]], document: Document) -> dict[str, Any]:
    """Return a JSON object, validated by its wire type; unknown names are refused, not ignored."""
    body = serializer(data=document)
    refuse_long_lists(body, document)
    unknown = list(islice(_find_unknown_names(body, document, ""), MAX_PROBLEMS_PER_BODY))
    if not body.is_valid() and not unknown:
        raise serializers.ValidationError(body.errors)
    if unknown:
        problems = list(iterate_wrong_fields(body.errors, ""))
        message = "; ".join(f"{problem['message']} {problem['hint']}" for problem in unknown)
        raise Invalid(
            message, code="invalid" if problems else "unknown_field", problems=[*unknown, *problems]
        )
    return dict(body.validated_data)


def _find_unknown_names(wire: Wire | None, document: Any, location: str) -> Iterator[Problem]:
    """Yield names that a wire type does not know, at any depth; read-only fields may be sent back."""
    if isinstance(wire, serializers.ListSerializer | serializers.ListField):
        for number, item in enumerate(document if isinstance(document, list) else ()):
            yield from _find_unknown_names(wire.child, item, f"{location}[{number}]")
    elif isinstance(wire, serializers.Serializer) and isinstance(document, dict):
        for name, value in document.items():
            path = f"{location}.{name}".lstrip(".")
            if name in wire.fields:
                yield from _find_unknown_names(wire.fields[name], value, path)
            else:
                hint = suggest_nearest(name, wire.fields, "leave it out")
                message = f"{path[:80]} is no name of this request."
                yield describe_problem(
                    message, code="unknown_field", hint=f"{hint[0].upper()}{hint[1:]}", field=path
                )
