"""What is written into the options of Kafka as text, read and checked: fields, headers, a time."""

from __future__ import annotations

from datetime import UTC, datetime

from timeline_app.operators.parameters import is_storable

_MOST = 200
"""So many characters the name of a field may have."""


def no_field(text: str) -> str | None:
    """What is wrong with the name of a field; none is right."""
    if not text or (text.strip() and len(text) <= _MOST and is_storable(text)):
        return None
    return f"{text[:60]!r} cannot be a field; write the name of one, such as session_id"


def no_fields(text: str) -> str | None:
    """What is wrong with fields and the headers that they take."""
    for field, header in fields_of(text):
        if not field or not header or "=" in header:
            return "write region, or field=header where they are called differently, several by commas"
        if wrong := no_field(field):
            return wrong
    return None


def fields_of(text: str) -> list[tuple[str, str]]:
    """Fields, each with the header that it takes.

    >>> fields_of("region, trace = trace-id")
    [('region', 'region'), ('trace', 'trace-id')]
    """
    if not text.strip():
        return []
    parts = [part.partition("=") for part in text.split(",")]
    return [(field.strip(), (header if equals else field).strip()) for field, equals, header in parts]


def no_moment(text: str) -> str | None:
    """What is wrong with a time; none is right."""
    try:
        moment = moment_of(text)
    except (ValueError, OverflowError):
        return f"{text[:60]!r} is no time; write it with its zone, such as 2026-11-22T08:00:00Z"
    if moment is not None and moment > datetime.now(UTC).timestamp() * 1_000:
        return f"{text} is yet to come; leave it out, and let start be latest"
    return None


def moment_of(text: str) -> int | None:
    """Milliseconds since the epoch, none of them negative; None: no time is written; raises `ValueError`."""
    if not text.strip():
        return None
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        raise ValueError
    return max(int(moment.timestamp() * 1_000), 0)
