"""Reasons of audited acts: an optional field in the bodies of calls that others may ask about later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from timeline_app.web.core.audit_context import act_as
from timeline_app.web.core.requests import validate_body


class ReasonSerializer(serializers.Serializer[Any]):
    """The reason for an act; the audit keeps it."""

    reason = serializers.CharField(
        max_length=500, required=False, allow_blank=True, help_text="why; it is kept in the audit"
    )


@contextmanager
def read_reason(
    request: Request, serializer: type[ReasonSerializer] = ReasonSerializer
) -> Iterator[dict[str, Any]]:
    """Yield the validated body, and attribute the block to the reason that it gives."""
    body = validate_body(serializer, request)
    with act_as(reason=body.get("reason", "")):
        yield body
