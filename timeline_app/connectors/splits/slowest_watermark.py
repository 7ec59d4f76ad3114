"""The watermark of parts that are read side by side: of the slowest, so that none makes final what others bring."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from timeline_app.algebra.kinds import BEGINNING, SECOND

NAME = "greatest event times"
"""Under this name they stand beside the positions of the source, so that whoever reads on knows them."""


class Slowest:
    """Of one reader. It knows the greatest event time of each part (microseconds), and how long it has been silent."""

    def __init__(self, known: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        """`known`: what came until now; `clock` in seconds."""
        self.times, self.clock = dict(known), clock
        self.holding: list[str] = []  # the parts by which the watermark is where it is
        self._heard: dict[str, float] = {}
        self._looked = clock()

    def hear(self, times: Mapping[str, int]) -> None:
        """The greatest event times of what came, by part."""
        for part, at in times.items():
            self.times[part] = max(at, self.times.get(part, BEGINNING))
            self._heard[part] = self.clock()

    def watermark(self, parts: Mapping[str, bool], lateness: int, idle_after: int | None) -> int:
        """The least over parts, less the allowed lateness; `BEGINNING` where one has said nothing yet.

        A part counts no more once all that it has was read, and nothing came of it for `idle_after` in which it was
        looked; where that is so of all, all count.
        """
        now, patience = self.clock(), None if idle_after is None else idle_after / SECOND
        away = patience is not None and now - self._looked > patience
        self._looked = now
        for part, read in parts.items():
            if away or not read or part not in self._heard:
                self._heard[part] = now
        speaking = [item for item in parts if patience is None or now - self._heard[item] <= patience]
        times = {part: self.times.get(part, BEGINNING) for part in speaking or parts}
        least = min(times.values(), default=BEGINNING)
        self.holding = sorted(part for part, at in times.items() if at == least)
        return least if least == BEGINNING else max(least - lateness, BEGINNING)

    def words(self, *, forgets: bool) -> str:
        """By which parts the watermark is where it is, for people; `forgets`: there is an `idle_after`."""
        if not self.holding:
            return ""
        first, *more = self.holding
        named = f"{first} and {len(more):,} more" if more else first
        if first in self.times:
            return f"by {named}"
        cure = "or been silent for idle_after" if forgets else "unless the stream declares idle_after"
        had = "have" if more else "has"
        return f"nothing more becomes final before {named} {had} had an event, {cure}"
