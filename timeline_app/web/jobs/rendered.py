"""Responses that a child has serialised, byte for byte as the web process would."""

from __future__ import annotations

import json
from typing import Any

import orjson


def render(answer: Any) -> bytes:
    """Return the bytes of an answer, including integers of more than 64 bits, which orjson cannot write."""
    try:
        return orjson.dumps(answer)
    except TypeError:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


class Rendered(bytes):
    """A serialised response."""
