"""The watermark of parts that are read side by side: that of the slowest, so that none finalises another's events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from timeline_app.algebra.kinds import BEGINNING, SECOND

NAME = "greatest event times"
"""The name under which the times are stored beside the source's positions."""


class Slowest:
    """For one reader: the greatest event time of each part (microseconds), and how long it has been silent."""

    def __init__(self, times: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        """`times` are the times so far; `clock` returns seconds."""
        self.times, self.clock = dict(times), clock
        self.holding: list[str] = []  # the parts that hold back the watermark
        self._heard: dict[str, float] = {}
        self._looked = clock()

    def hear(self, times: Mapping[str, int]) -> None:
        """Record the greatest event times of new events, by part."""
        for part, at in times.items():
            self.times[part] = max(at, self.times.get(part, BEGINNING))
            self._heard[part] = self.clock()

    def watermark(self, parts: Mapping[str, bool], lateness: int, idle_after: int | None) -> int:
        """Return the least time over parts, less the allowed lateness; `BEGINNING` where a part had no event yet.

        A part no longer counts once it was read to its end and was silent for `idle_after` while being watched. Where
        that holds for all parts, all count.
        """
        now, patience = self.clock(), None if idle_after is None else idle_after / SECOND
        is_away = patience is not None and now - self._looked > patience
        self._looked = now
        for part, read in parts.items():
            if is_away or not read or part not in self._heard:
                self._heard[part] = now
        speaking = [item for item in parts if patience is None or now - self._heard[item] <= patience]
        times = {part: self.times.get(part, BEGINNING) for part in speaking or parts}
        least = min(times.values(), default=BEGINNING)
        self.holding = sorted(part for part, at in times.items() if at == least)
        return least if least == BEGINNING else max(least - lateness, BEGINNING)

    def words(self, *, forgets: bool) -> str:
        """Describe which parts hold back the watermark; `forgets` says that there is an `idle_after`."""
        if not self.holding:
            return ""
        first, *more = self.holding
        named = f"{first} and {len(more):,} more" if more else first
        if first in self.times:
            return f"by {named}"
        hint = "or been silent for idle_after" if forgets else "unless the stream declares idle_after"
        verb = "have" if more else "has"
        return f"nothing more becomes final before {named} {verb} had an event, {hint}"
