"""What the views take from a request, with the types that parsers and permissions promise."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from timeline_app.web.core.disconnects import GONE
from timeline_app.web.core.sandboxed_work import Asker


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
    body = serializer(data=read_body(request))
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)
