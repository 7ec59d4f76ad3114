"""Answers that a child has written down, byte for byte as the web process would."""

from __future__ import annotations

import json
from typing import Any

import orjson


def render(answer: Any) -> bytes:
    """The bytes of an answer; numbers of more than 64 bits, which orjson does not write, are written all the same."""
    try:
        return orjson.dumps(answer)
    except TypeError:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


class Rendered(bytes):
    """An answer that is written down already."""
