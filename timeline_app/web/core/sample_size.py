"""How large a sample of events may be, and the refusal of a larger one."""

from __future__ import annotations

from timeline_app.web.core.errors import ApiError

MOST_EVENTS = 50_000
"""So many events a sample has at most, in all its streams."""
MOST_BYTES = 8 * 2**20


def refuse_size(words: str) -> ApiError:
    """More than a sample may hold."""
    message = (
        f"A sample has at most {MOST_EVENTS:,} events and {MOST_BYTES // 2**20} MiB; this would be {words}."
    )
    return ApiError(message, code="sample_too_large", status=413)


def refuse_count(count: int, streams: int) -> None:
    """Refuse more events of each of so many streams than a sample has."""
    if not 1 <= count * streams <= MOST_EVENTS:
        raise refuse_size(f"{count:,} events of each of {streams} streams")
