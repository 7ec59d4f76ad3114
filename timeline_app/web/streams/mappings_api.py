"""Field mappings in requests."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from timeline_app.events.casts import CASTS
from timeline_app.web.core import query_parameters
from timeline_app.web.core.json_documents import parse_json

MAX_MAPPING_CHARS = 60_000
MAPPING = "how fields are renamed, cast and added before the events are validated"


class MappingRuleSerializer(serializers.Serializer[Any]):
    """A rule: a field takes the value of another field, or a constant."""

    to = serializers.CharField(help_text="the field of the stream's events")
    cast = serializers.ChoiceField(list(CASTS), required=False)
    constant = serializers.JSONField(
        required=False, help_text="a text, a number or a bool; instead of `from`"
    )

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        description = "the field that is read, or its path; without it the field `to`"
        origin = serializers.CharField(required=False, allow_blank=True, help_text=description)
        return {**super().get_fields(), "from": origin}


class ComparedEventSerializer(serializers.Serializer[Any]):
    """The fields of an event before and after the mapping, as text."""

    before = serializers.DictField(child=serializers.CharField())
    after = serializers.DictField(child=serializers.CharField())
    refusal = serializers.CharField(help_text="why a value cannot be cast; else empty")


MAPPING_PARAMETER = OpenApiParameter(
    "mapping", str, description=f'{MAPPING}, as JSON: such as `[{{"to": "machine", "from": "Anlage"}}]`'
)


class MappingsField(serializers.DictField):
    """Mapping rules by stream, for the events in the request."""

    child = serializers.ListField(child=serializers.JSONField())

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, help_text=f"by stream, {MAPPING}", **options)


def parse_mapping_parameter(request: Request) -> Any:
    """Return the rules of the parameter `mapping`, not validated yet."""
    text = query_parameters.parse_text(request, "mapping", longest=MAX_MAPPING_CHARS)
    return parse_json(text.encode()) if text else []
