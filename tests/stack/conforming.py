"""What schemathesis does not know by itself: how JSON lines are written."""

from __future__ import annotations

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def format_json_lines(_context: Any, value: Any) -> bytes:
    """A line for each entry of a list; anything else as it is."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, list):
        return "\n".join(json.dumps(item) for item in value).encode()
    return str(value).encode("utf-8", "replace")
