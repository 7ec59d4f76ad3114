"""Finding what runs and does not answer: a process that hangs looks well to whoever only sees that it lives."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

EVERY = 5.0
LONGEST = 90.0
STARTING_EVERY = 30.0
"""So often it is said of a process that it does not answer yet."""


@dataclass(slots=True)
class _Silence:
    pid: int
    answered: bool = False
    seconds: float = 0.0
    starts: float = 0.0
    said: float = 0.0


class Silences:
    """How long each process has not answered, of those that answered before: starting may take its time.

    Time in which nobody looked does not count: then this process may have been stopped, or the machine asleep.
    Nor does time in which one that answered before shows by its `signs` that it works.
    """

    def __init__(
        self,
        questions: Mapping[str, Callable[[], bool]],
        longest: float = LONGEST,
        signs: Mapping[str, Callable[[], bool]] | None = None,
    ) -> None:
        self._questions, self._longest, self._signs = questions, longest, signs or {}
        self._by_name: dict[str, _Silence] = {}
        self._looked: float | None = None

    def hung(self, pids: Mapping[str, int]) -> dict[str, float]:
        """Ask, at most every `EVERY` seconds; which processes have hung, for how many seconds."""
        now = time.monotonic()
        since = EVERY if self._looked is None else now - self._looked
        if since < EVERY:
            return {}
        self._looked = now
        for name, answers in self._questions.items():
            if pid := pids.get(name, 0):
                self._ask(name, pid, answers, min(since, 2 * EVERY))
        return {
            name: silence.seconds
            for name, silence in self._by_name.items()
            if silence.seconds > self._longest and pids.get(name) == silence.pid
        }

    def starting(self, pids: Mapping[str, int]) -> dict[str, float]:
        """Which processes have never answered, for how many seconds that somebody looked; each now and then."""
        late: dict[str, float] = {}
        for name, silence in self._by_name.items():
            if (
                silence.answered
                or pids.get(name) != silence.pid
                or silence.starts < silence.said + STARTING_EVERY
            ):
                continue
            late[name] = silence.said = silence.starts
        return late

    def _ask(self, name: str, pid: int, answers: Callable[[], bool], since: float) -> None:
        silence = self._by_name.get(name)
        if silence is None or silence.pid != pid:
            silence = self._by_name[name] = _Silence(pid)
        works = self._signs[name]() if name in self._signs else False
        if answers():
            silence.answered, silence.seconds = True, 0.0
        elif silence.answered:
            silence.seconds = 0.0 if works else silence.seconds + since
        else:
            silence.starts += since
