"""A stream whose events are told apart by their ids, and its events."""

from __future__ import annotations

from typing import Any

import orjson

DECLARED = {"key": "k", "time": "t", "unit": "ms", "id": "id", "fields": {"v": "number"}}


def build_event(number: int, **more: Any) -> bytes:
    return orjson.dumps(
        {"k": f"k{number % 7}", "t": 1_700_000_000_000 + number, "id": f"e{number}", "v": number} | more
    )
