"""Wire types that all resources share, and OpenAPI with the error bodies."""

from __future__ import annotations

from math import isfinite
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction, extend_schema_field
from rest_framework import serializers

from timeline_app.web.core import openapi  # noqa: F401  (how one is let in must be known before anything is described)
from timeline_app.web.core.etags import IF_MATCH, IF_NONE_MATCH
from timeline_app.web.core.idempotency import PARAMETER
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role

REASONS = {
    "400": "a field, parameter or line is wrong; `problems` says which, and what to do",
    "401": "not logged in",
    "403": "not yours, or not what the token is for",
    "404": "no such thing",
    "408": "the rest of the body did not come",
    "409": "somebody was faster, or something running depends on it",
    "412": "it is at another version than `If-Match` says",
    "411": "no Content-Length",
    "413": "more than 8 MiB",
    "415": "compressed in a way that is not taken",
    "422": "the plan has problems, or a key that was used comes with something else",
    "429": "too many calls, too much at once, or queries too far behind; `Retry-After` says when to try again",
    "503": "the server cannot write just now; `Retry-After` says when to try again",
    "507": "the server's disk is nearly full; `Retry-After` says when to try again",
}
ALWAYS = ("401", "403", "429")
KINDS = ("bool", "text", "number", "ratio")
OUTPUT_KINDS = (*KINDS, "any")


class FiniteField(serializers.FloatField):
    """A number that is neither infinite nor NaN, and no bool."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self.fail("invalid")
        number = super().to_internal_value(data)
        if not isfinite(number):
            raise serializers.ValidationError("Send a finite number.")
        return number


class KindField(serializers.ChoiceField):
    """What a timeline holds: bools, texts, numbers, or ratios of numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(KINDS, **options)


@extend_schema_field({"type": ["string", "number", "boolean"]})
class ScalarField(serializers.JSONField):
    """A value of a timeline or of an event."""


SEVERITIES = ("error", "warning")
OWNER_KINDS = ("person", "team")
RIGHTS = tuple(one.value for one in Right)
ROLES = tuple(one.value for one in Role)


class OwnedFields(serializers.Serializer[Any]):
    """The owner, and what the caller may do."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    rights = serializers.ListField(child=serializers.ChoiceField(RIGHTS), help_text="what you may do with it")


class SharedFields(OwnedFields):
    """The owner, the caller's rights, and whether it is open to all."""

    open_to_all = serializers.BooleanField(help_text="everybody who can log in may look")


class ProblemSerializer(serializers.Serializer[Any]):
    """One problem: where, what, and what to do."""

    node = serializers.CharField(allow_null=True)
    port = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)
    column = serializers.IntegerField(allow_null=True)
    stream = serializers.CharField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField()
    severity = serializers.ChoiceField(SEVERITIES)


class ErrorSerializer(serializers.Serializer[Any]):
    """The body of every refusal."""

    code = serializers.CharField()
    message = serializers.CharField()
    problems = ProblemSerializer(many=True)


class Schema(AutoSchema):
    """Adds to each call how it may be refused: the view's `refusals`, and what method and path imply."""

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        """Return the declared responses, and an error body for each refusal."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in sorted(
            {*ALWAYS, *getattr(self.view, "refusals", ()), *self.collect_implied_statuses()}
        ):
            body = self._get_response_for_code(ErrorSerializer, status)  # type: ignore[no-untyped-call]
            bodies.setdefault(status, body | {"description": REASONS[status]})
        if getattr(self.view, "tagged", False) and self.method == "GET":
            bodies["304"] = {"description": "it is what `If-None-Match` says"}
        return bodies

    def get_request_serializer(self) -> Any:
        """Return the body's serializer; a DELETE has one only if the view declares it."""
        return None if self.method == "DELETE" else super().get_request_serializer()

    def _get_request_body(self, direction: Direction = "request") -> Any:
        """Describe the body of a DELETE as that of a POST; drf-spectacular would skip it."""
        if self.method != "DELETE" or self.get_request_serializer() is None:
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        self.method = "POST"
        try:
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = "DELETE"

    def get_override_parameters(self) -> list[Any]:
        """Return the declared parameters and the headers that the call reads."""
        parameters = list(super().get_override_parameters())
        if getattr(self.view, "tagged", False):
            parameters.append(IF_NONE_MATCH if self.method == "GET" else IF_MATCH)
        if self.method == "POST" and isinstance(self.view, ApiView) and self.view.takes_key():
            parameters.append(PARAMETER)
        return parameters

    def collect_implied_statuses(self) -> set[str]:
        """Return 404 if the path names something, 400 if anything is sent that could be wrong, and so on."""
        is_delete_with_body = self.method == "DELETE" and self.get_request_serializer() is not None
        parameters = self.get_override_parameters() or self._get_pagination_parameters()  # type: ignore[no-untyped-call]
        sent = is_delete_with_body or self.method in ("POST", "PUT", "PATCH") or parameters
        keyed = self.method == "POST" and isinstance(self.view, ApiView) and self.view.takes_key()
        return (
            ({"404"} if "{" in self.path else set())
            | ({"400"} if sent else set())
            | ({"412"} if getattr(self.view, "tagged", False) and self.method != "GET" else set())
            | ({"422"} if keyed else set())
        )
