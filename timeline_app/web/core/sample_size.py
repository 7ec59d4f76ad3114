"""Limits on the size of a sample of events."""

from __future__ import annotations

from timeline_app.web.core.errors import ApiError

MAX_SAMPLE_EVENTS = 50_000
"""In all streams of a sample together."""
MAX_SAMPLE_BYTES = 8 * 2**20


def refuse_size(size: str) -> ApiError:
    """Return the refusal of a sample that is too large."""
    limits = f"{MAX_SAMPLE_EVENTS:,} events and {MAX_SAMPLE_BYTES // 2**20} MiB"
    message = f"A sample has at most {limits}; this would be {size}."
    return ApiError(message, code="sample_too_large", status=413)


def refuse_count(count: int, streams: int) -> None:
    """Refuse more events per stream than a sample may hold."""
    if not 1 <= count * streams <= MAX_SAMPLE_EVENTS:
        raise refuse_size(f"{count:,} events of each of {streams} streams")
