"""Records errors of a source, and retries after growing pauses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from timeline_app.connectors.reading import SourceUnavailable as Said
from timeline_app.connectors.source_promises import BrokenSourcePromise

log = logging.getLogger(__name__)
MIN_PAUSE_S, MAX_PAUSE_S = 0.5, 60.0
"""The pause between two attempts doubles from one to the other."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Repeated failures: the last error, their number, and the time of the next attempt."""

    words: str
    times: int
    since: float
    again: float


def explain_error(why: Exception) -> str:
    """Describe an exception; those of `reading` already have a description."""
    return str(why) if isinstance(why, Said) else f"{type(why).__name__}: {why}"


class Troubles:
    """The failures by what was being done."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since the epoch."""
        self.clock = clock
        self.now: dict[str, Failures] = {}

    @contextmanager
    def guard(self, doing: str) -> Iterator[bool]:
        """Yield whether an attempt may be made now. Record errors, except broken promises, which stay broken."""
        before = self.now.get(doing)
        if before is not None and self.clock() < before.again:
            yield False
            return
        try:
            yield True
        except (BrokenSourcePromise, Permanent):
            raise
        except Exception as why:  # of any kind, since the query must go on
            self._note(doing, before, explain_error(why))
        else:
            self.now.pop(doing, None)

    def _note(self, doing: str, before: Failures | None, words: str) -> None:
        now, times = self.clock(), 1 + (before.times if before else 0)
        pause = min(MAX_PAUSE_S, MIN_PAUSE_S * 2 ** min(times - 1, 10))
        self.now[doing] = Failures(words, times, before.since if before else now, now + pause)
        often = f" {times} times in a row" if times > 1 else ""
        log.warning("%s failed%s, again in %.1f s: %s", doing, often, pause, words)

    def describe(self) -> list[dict[str, Any]]:
        """Describe the failures for monitoring."""
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
    """Retrying does not help: a source is declared wrongly, or a store belongs to another query."""
