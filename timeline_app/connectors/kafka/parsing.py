"""Parses and checks Kafka's text options: fields, headers, a time, offsets."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime

from timeline_app.operators.parameters import is_storable

_OFFSET = re.compile(r"\s*([a-zA-Z0-9._-]{1,249})/([0-9]{1,10})\s*=\s*([0-9]{1,19})\s*")
_MAX_FIELD_NAME_CHARS = 200


def check_field(text: str) -> str | None:
    """Say what is wrong with the name of a field; an empty name is right."""
    if not text or (text.strip() and len(text) <= _MAX_FIELD_NAME_CHARS and is_storable(text)):
        return None
    return f"{text[:60]!r} cannot be a field; write the name of one, such as session_id"


def check_fields(text: str) -> str | None:
    """Say what is wrong with fields and their headers."""
    for field, header in parse_fields(text):
        if not field or not header or "=" in header:
            return "write region, or field=header where they are called differently, several by commas"
        if problem := check_field(field):
            return problem
    return None


def parse_fields(text: str) -> list[tuple[str, str]]:
    """Parse fields, each with its header.

    >>> parse_fields("region, trace = trace-id")
    [('region', 'region'), ('trace', 'trace-id')]
    """
    if not text.strip():
        return []
    parts = [item.partition("=") for item in text.split(",")]
    return [(field.strip(), (header if equals else field).strip()) for field, equals, header in parts]


def check_offsets(text: str) -> str | None:
    """Say what is wrong with offsets; an empty text is right."""
    for item in text.split(",") if text.strip() else []:
        match_ = _OFFSET.fullmatch(item)
        if not match_ or int(match_[3]) >= 2**63 or int(match_[2]) >= 2**31:
            return f"{item.strip()[:60]!r} says no offset; write topic/partition=offset, such as plays/0=1500"
    places = [_OFFSET.fullmatch(item) for item in text.split(",")]
    twice = [
        item
        for item, count in Counter(f"{match[1]}/{int(match[2])}" for match in places if match).items()
        if count > 1
    ]
    return f"{twice[0]} is there twice; leave one of them out" if twice else None


def parse_offsets(text: str) -> dict[tuple[str, int], int]:
    """Parse offsets by topic and partition.

    >>> parse_offsets("plays/0=1500, plays/1 = 20")
    {('plays', 0): 1500, ('plays', 1): 20}
    """
    matches = map(_OFFSET.fullmatch, text.split(","))
    return {(match_[1], int(match_[2])): int(match_[3]) for match_ in matches if match_}


def check_moment(text: str) -> str | None:
    """Say what is wrong with a time; an empty text is right."""
    try:
        moment = parse_moment(text)
    except (ValueError, OverflowError):
        return f"{text[:60]!r} is no time; write it with its zone, such as 2026-11-22T08:00:00Z"
    if moment is not None and moment > datetime.now(UTC).timestamp() * 1_000:
        return f"{text} is yet to come; leave it out, and let start be latest"
    return None


def parse_moment(text: str) -> int | None:
    """Parse a time to milliseconds since the epoch, at least 0; None for an empty text. Raises `ValueError`."""
    if not text.strip():
        return None
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        raise ValueError
    return max(int(moment.timestamp() * 1_000), 0)
