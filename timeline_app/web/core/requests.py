"""What the views take from a request, with the types that parsers and permissions promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.core.disconnects import GONE
from timeline_app.web.core.error_responses import iterate_wrong_fields
from timeline_app.web.core.errors import Invalid, Problem, describe_problem
from timeline_app.web.core.sandboxed_work import Asker

Document = Mapping[str, Any]
Wire = serializers.Field[Any, Any, Any, Any]


def get_user(request: Request) -> User:
    """The user who is logged in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def get_asker(request: Request) -> Asker:
    """The user, as who waits for something that is computed."""
    gone = getattr(request._request, "scope", {}).get(GONE)
    person = get_user(request).pk
    return Asker(person) if gone is None else Asker(person, gone.is_set)


def read_body(request: Request) -> dict[str, Any]:
    """The body: the parsers make nothing else but objects."""
    return dict(request.data)


def validate_body(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body, checked by its wire type."""
    return validate_document(serializer, read_body(request))


def validate_document(serializer: type[serializers.Serializer[Any]], document: Document) -> dict[str, Any]:
    """A JSON object, checked by its wire type; a name that the type does not know is refused, not ignored."""
    body = serializer(data=document)
    unknown = list(_find_unknown_names(body, document, ""))
    if not body.is_valid() and not unknown:
        raise serializers.ValidationError(body.errors)
    if unknown:
        wrong = list(iterate_wrong_fields(body.errors, ""))
        words = "; ".join(f"{problem['message']} {problem['cure']}" for problem in unknown)
        raise Invalid(words, code="invalid" if wrong else "unknown_field", problems=[*unknown, *wrong])
    return dict(body.validated_data)


def _find_unknown_names(wire: Wire | None, document: Any, place: str) -> Iterator[Problem]:
    """Names that a wire type does not have, at any depth; what only answers have may come back with a request."""
    if isinstance(wire, serializers.ListSerializer | serializers.ListField):
        for number, item in enumerate(document if isinstance(document, list) else ()):
            yield from _find_unknown_names(wire.child, item, f"{place}[{number}]")
    elif isinstance(wire, serializers.Serializer) and isinstance(document, dict):
        for name, value in document.items():
            path = f"{place}.{name}".lstrip(".")
            if name in wire.fields:
                yield from _find_unknown_names(wire.fields[name], value, path)
            else:
                cure = suggest_nearest(name, wire.fields, "leave it out")
                message = f"{path[:80]} is no name of this request."
                yield describe_problem(
                    message, code="unknown_field", cure=f"{cure[0].upper()}{cure[1:]}", field=path
                )
