"""The watermark of a plan: the least over everything left to read. It never goes back."""

from __future__ import annotations

from collections.abc import Iterable

from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.splits.offsets import Part


def find_greatest(*times: int | None) -> int | None:
    """Return the greatest known time."""
    return max((time for time in times if time is not None), default=None)


def compute_least(source: SplittableSource, parts: Iterable[Part], now: float, since: float) -> int | None:
    """Return the least watermark of the parts in microseconds; None while unknown, or without parts.

    A part without a watermark holds it back, until it has been idle for longer than the source allows. Time before
    `since` does not count as idle, since nobody was reading. Where all parts are idle, all count.
    """
    parts = list(parts)
    watermarks = [read_current(source, part) for part in parts if not _is_idle(source, part, now, since)]
    watermarks = watermarks or [read_current(source, part) for part in parts]
    times = [time for time in watermarks if time is not None]
    return min(times) if times and len(times) == len(watermarks) else None


def read_current(source: SplittableSource, part: Part) -> int | None:
    """Return the watermark of a part's estimator."""
    estimator = source.estimator()
    if estimator is not None and part.state is not None:
        estimator.restore(part.state)
    return None if estimator is None else estimator.current()


def _is_idle(source: SplittableSource, part: Part, now: float, since: float) -> bool:
    return source.idle is not None and now - max(part.heard, since) > source.idle
