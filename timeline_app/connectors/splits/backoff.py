"""Errors of a source while it is asked for things: noted, and tried again after a while that grows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from timeline_app.connectors.reading import SourceUnavailable as Said
from timeline_app.connectors.source_promises import BrokenSourcePromise

log = logging.getLogger(__name__)
FIRST, LONGEST = 0.5, 60.0
"""Seconds between two attempts: they double from the one up to the other."""


@dataclass(frozen=True, slots=True)
class Failures:
    """What has gone wrong so many times in a row, and when it is tried again."""

    words: str
    times: int
    since: float
    again: float


def explain_error(why: Exception) -> str:
    """What a source raised; those of `reading` say it in words already."""
    return str(why) if isinstance(why, Said) else f"{type(why).__name__}: {why}"


class Troubles:
    """By what was being done."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` in seconds since the epoch."""
        self.clock = clock
        self.now: dict[str, Failures] = {}

    @contextmanager
    def of(self, doing: str) -> Iterator[bool]:
        """Whether it may be tried now. Errors are noted here; broken promises are not, they stay broken."""
        before = self.now.get(doing)
        if before is not None and self.clock() < before.again:
            yield False
            return
        try:
            yield True
        except (BrokenSourcePromise, Permanent):
            raise
        except Exception as why:  # whatever a source raises: the query must not end
            self._note(doing, before, explain_error(why))
        else:
            self.now.pop(doing, None)

    def _note(self, doing: str, before: Failures | None, words: str) -> None:
        now, times = self.clock(), 1 + (before.times if before else 0)
        pause = min(LONGEST, FIRST * 2 ** min(times - 1, 10))
        self.now[doing] = Failures(words, times, before.since if before else now, now + pause)
        often = f" {times} times in a row" if times > 1 else ""
        log.warning("%s failed%s, again in %.1f s: %s", doing, often, pause, words)

    def describe(self) -> list[dict[str, Any]]:
        """For those who watch."""
        return [
            {
                "doing": doing,
                "words": value.words,
                "times": value.times,
                "since": value.since,
                "again": value.again,
            }
            for doing, value in self.now.items()
        ]


class Permanent(RuntimeError):
    """Trying again does not help: raised by a source that was declared wrongly, and by who is given the wrong store."""
