"""URL parameters: parsed, or refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from rest_framework.request import Request

from timeline_app.web.core.errors import Invalid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_INTEGER = 2**63 - 1
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999, as for the times of events."""


def parse_text(request: Request, name: str, *, required: bool = False, longest: int = 1024) -> str | None:
    """Return a text without NUL characters."""
    value = request.query_params.get(name)
    if value is None:
        if required:
            raise Invalid.field(name, "This parameter is missing.", f"Add ?{name}=…")
        return None
    if "\0" in value:
        raise Invalid.field(name, "It contains the NUL character.", "Leave it out.")
    if len(value) > longest:
        raise Invalid.field(name, f"It has {len(value)} characters.", f"At most {longest} are possible.")
    return value


def parse_choice(request: Request, name: str, choices: Sequence[str]) -> str | None:
    """Return one of the allowed words."""
    value = request.query_params.get(name)
    if value is not None and value not in choices:
        raise Invalid.field(name, f"{value[:40]!r} is not possible.", f"Give {' or '.join(choices)}.")
    return value


def number(request: Request, name: str, *, default: int, least: int, most: int) -> int:
    """Return a whole number within limits."""
    value = request.query_params.get(name)
    if value is None:
        return default
    number = parse_whole(value)
    if number is None or not least <= number <= most:
        hint = f"Give a whole number from {least} to {most}."
        raise Invalid.field(name, f"{value[:40]!r} is not possible.", hint)
    return number


def parse_whole(value: str) -> int | None:
    """Return the whole number that a text spells in plain digits, or None."""
    spelled = value.isascii() and value.removeprefix("-").isdigit() and len(value) < 20
    return int(value) if spelled else None


def is_event_time(micros: int) -> bool:
    """Return whether an event could have this time."""
    return EARLIEST <= micros <= LATEST


def parse_moment(request: Request, name: str) -> int | None:
    """Return a time in microseconds since the epoch, given so or in ISO 8601 (UTC without a zone)."""
    value = request.query_params.get(name)
    if value is None:
        return None
    number = parse_whole(value)
    if number is not None and is_event_time(number):
        return number
    try:
        # A plus sign in a URL means a space.
        parsed = datetime.fromisoformat(value.replace(" ", "+") if "T" in value else value)
        since = parsed.replace(tzinfo=parsed.tzinfo or UTC) - EPOCH
    except (ValueError, OverflowError):
        hint = "Give microseconds since the epoch, or ISO 8601 such as 2024-07-01T12:00:00Z."
        raise Invalid.field(name, f"{value[:40]!r} is not a time.", hint) from None
    return since // timedelta(microseconds=1)


def parse_stretch(request: Request) -> tuple[int | None, int | None]:
    """Return the times `from` and `to`, in this order."""
    start, end = parse_moment(request, "from"), parse_moment(request, "to")
    if start is not None and end is not None and start >= end:
        raise Invalid.field("to", "It must lie after from.", "Exchange them.")
    return start, end


def parse_pixels(request: Request) -> int | None:
    """Return to how many pixels a timeline is thinned, or None."""
    if "points" not in request.query_params:
        return None
    return number(request, "points", default=0, least=10, most=10_000)
