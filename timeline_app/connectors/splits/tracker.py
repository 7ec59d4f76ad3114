"""Tracks how far a restriction was read, and how far it may be."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from timeline_app.connectors.source_promises import BrokenSourcePromise

Position = Any
"""A position: a JSON value that Python compares, such as an integer, a text, or a list of them."""


class Tracker:
    """Tracks what lies after `start`, up to and including `end` (None: unbounded)."""

    def __init__(
        self,
        start: Position,
        end: Position = None,
        *,
        most: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Claims are refused once the claimed size reaches `most`, or after `seconds`.

        `refused` says that one was; `beyond` that its position lies after the end.
        """
        self.start, self.end, self.last = start, end, start
        self.progress, self.claims = 0, 0
        self.refused = self.beyond = False
        self._most, self._clock = most, clock
        self._until = None if seconds is None else clock() + seconds

    def try_claim(self, position: Position, size: int = 1) -> bool:
        """Return whether the rows up to the position may be given. After a refusal nothing more may be."""
        if self.refused:
            raise BrokenSourcePromise(
                "claims", f"{position!r} was claimed after a refusal; return when try_claim says False"
            )
        if not _is_behind(self.last, position):
            raise BrokenSourcePromise(
                "claims", f"{position!r} was claimed after {self.last!r}; positions must ascend"
            )
        self.beyond = self.end is not None and _is_behind(self.end, position)
        self.refused = self.beyond or self._full()
        if not self.refused:
            self.last, self.progress, self.claims = position, self.progress + size, self.claims + 1
        return not self.refused

    @property
    def is_done(self) -> bool:
        """Whether everything up to the end is claimed."""
        return self.end is not None and not _is_behind(self.last, self.end)

    def _full(self) -> bool:
        """Return whether a limit is reached; never before the first claim, so that reading advances."""
        if not self.claims:
            return False
        too_much = self._most is not None and self.progress >= self._most
        return too_much or (self._until is not None and self._clock() >= self._until)


def _is_behind(left: Position, right: Position) -> bool:
    """Return whether `right` lies after `left`."""
    try:
        return bool(left < right)
    except TypeError:
        words = f"{left!r} and {right!r} cannot be compared; positions are all of one kind"
        raise BrokenSourcePromise("claims", words) from None
