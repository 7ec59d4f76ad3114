"""Where a chart leads: another dashboard, the lanes of its node, or an address of the web."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from rest_framework import serializers

from timeline_app.problems.problem import suggest_nearest

TARGETS = ("dashboard", "lanes", "address")
PLACEHOLDERS = ("key", "group", "from", "to")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
MAX_ADDRESS_CHARS = 2_000


def describe_wrong_address(address: str) -> str | None:
    """Return what is wrong with an address, and what to do; None: nothing is.

    >>> describe_wrong_address("https://wiki.example/runbook?session={key}")
    >>> describe_wrong_address("http://wiki.example/")
    'A link leads to an address with https://. Begin it with https://.'
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
        parts = urlsplit("")
    if parts.scheme != "https" or not host:
        return "A link leads to an address with https://. Begin it with https://."
    if "{" in parts.netloc or "@" in parts.netloc:
        return "The host of an address is fixed. Write placeholders and names of users behind it."
    for name in PLACEHOLDER.findall(address):
        if name not in PLACEHOLDERS:
            hint = suggest_nearest(name, PLACEHOLDERS, f"take one of {', '.join(PLACEHOLDERS)}")
            return f"{{{name[:50]}}} is no placeholder of a link. {hint[0].upper()}{hint[1:]}."
    return None


class ChartLinkSerializer(serializers.Serializer[Any]):
    """Where a chart leads; the key, the group and the time range go along."""

    to = serializers.ChoiceField(
        TARGETS, help_text="another dashboard, the lanes of the chart's node in the studio, or an address"
    )
    title = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    dashboard = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, allow_null=True, default=None
    )
    address = serializers.CharField(
        max_length=MAX_ADDRESS_CHARS,
        required=False,
        allow_blank=True,
        default="",
        help_text="https only; `{key}`, `{group}`, `{from}` and `{to}` stand for what the dashboard shows",
    )

    def validate(self, link: dict[str, Any]) -> dict[str, Any]:
        """Require what the target needs, and drop what it has not."""
        if link["to"] == "dashboard" and link["dashboard"] is None:
            raise serializers.ValidationError({"dashboard": ["Give the number of a dashboard."]})
        if link["to"] == "address" and (wrong := describe_wrong_address(link["address"])):
            raise serializers.ValidationError({"address": [wrong]})
        own = {"dashboard": {"dashboard"}, "address": {"address"}}.get(link["to"], set())
        return {name: value for name, value in link.items() if name in {"to", "title"} | own}
