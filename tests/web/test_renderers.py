"""Answers are written as Django REST framework writes them, whatever is in them."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.utils.functional import lazystr
from rest_framework.renderers import JSONRenderer

from timeline_app.web.core.renderers import Json
from timeline_app.web.models.people import Role


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"a": [1, 1.5, -0.0, 1e300, True, None, "ä", "\u2028", "\x00"], "é": {}},
        {"at": datetime(2026, 7, 1, 12, 3, 41, 123456, UTC), "on": date(2026, 7, 1)},
        {"for": timedelta(seconds=90), "sum": Decimal("1.50"), "id": UUID(int=7)},
        {"role": Role.VIEWER, "lazy": lazystr("later"), "set": {1}, "tuple": (1, 2)},
        {"large": 10**30, "least": -(2**63), "most": 2**64 - 1},
        {1: "a number", None: "nothing"},
        [iter([1, 2])],
        b"text",
    ],
)
def test_it_says_what_the_frameworks_own_says(data: Any) -> None:
    again = [[1, 2]] if isinstance(data, list) else data
    fast, slow = Json().render(data), JSONRenderer().render(again)
    assert (fast == b"") == (slow == b"")
    assert not fast or json.loads(fast) == json.loads(slow)


def test_whoever_asks_for_lines_gets_them() -> None:
    body = {"accepted_media_type": "application/json; indent=2"}
    assert Json().render({"a": 1}, **body) == b'{\n  "a": 1\n}'
