"""What the views take from a request, with the types that parsers and permissions promise."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request


def user_of(request: Request) -> User:
    """The user who is logged in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def body_of(request: Request) -> dict[str, Any]:
    """The body: the parsers make nothing else but objects."""
    return dict(request.data)


def sent(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body, checked by its wire type."""
    body = serializer(data=body_of(request))
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)
