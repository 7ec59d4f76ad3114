"""How fields are mapped, over the wire."""

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
    """A field takes the value of another one, or one value in every event."""

    to = serializers.CharField(help_text="the field of the stream's events")
    cast = serializers.ChoiceField(list(CASTS), required=False)
    constant = serializers.JSONField(
        required=False, help_text="a text, a number or a bool; instead of `from`"
    )

    def get_fields(self) -> dict[str, Any]:
        """With `from`, which is a word of Python."""
        words = "the field that is read, or its path; without it the field `to`"
        origin = serializers.CharField(required=False, allow_blank=True, help_text=words)
        return {**super().get_fields(), "from": origin}


class ComparedEventSerializer(serializers.Serializer[Any]):
    """The fields of an event before and after they are mapped, as text."""

    before = serializers.DictField(child=serializers.CharField())
    after = serializers.DictField(child=serializers.CharField())
    refusal = serializers.CharField(help_text="why a value cannot be cast; else empty")


MAPPING_PARAMETER = OpenApiParameter(
    "mapping", str, description=f'{MAPPING}, as JSON: such as `[{{"to": "machine", "from": "Anlage"}}]`'
)


class MappingsField(serializers.DictField):
    """By stream, the rules by which the fields of the events that are sent along are mapped."""

    child = serializers.ListField(child=serializers.JSONField())

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, help_text=f"by stream, {MAPPING}", **options)


def parse_mapping_parameter(request: Request) -> Any:
    """The rules that the parameter `mapping` has, not checked yet."""
    text = query_parameters.parse_text(request, "mapping", longest=MAX_MAPPING_CHARS)
    return parse_json(text.encode()) if text else []
