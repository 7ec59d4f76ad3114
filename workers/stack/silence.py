"""Finds processes that run and do not answer: to supervisord, a hung process looks healthy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

CHECK_EVERY_S = 5.0
HUNG_AFTER_S = 90.0
REPORT_STARTING_EVERY_S = 30.0


@dataclass(slots=True)
class _Silence:
    pid: int
    answered: bool = False
    seconds: float = 0.0
    starts: float = 0.0
    said: float = 0.0


class Silences:
    """How long each process has not answered, of those that answered before: starting may take long.

    Time between checks counts only up to twice the interval: this process may have been stopped, or the machine
    asleep. Nor does time count in which a process that answered before shows by its `signs` that it works.
    """

    def __init__(
        self,
        questions: Mapping[str, Callable[[], bool]],
        longest: float = HUNG_AFTER_S,
        signs: Mapping[str, Callable[[], bool]] | None = None,
    ) -> None:
        self._questions, self._longest, self._signs = questions, longest, signs or {}
        self._by_name: dict[str, _Silence] = {}
        self._looked: float | None = None

    def hung(self, pids: Mapping[str, int]) -> dict[str, float]:
        """Check at most every `CHECK_EVERY_S`. Return the hung processes, and for how many seconds each."""
        now = time.monotonic()
        since = CHECK_EVERY_S if self._looked is None else now - self._looked
        if since < CHECK_EVERY_S:
            return {}
        self._looked = now
        for name, answers in self._questions.items():
            if pid := pids.get(name, 0):
                self._ask(name, pid, answers, min(since, 2 * CHECK_EVERY_S))
        return {
            name: silence.seconds
            for name, silence in self._by_name.items()
            if silence.seconds > self._longest and pids.get(name) == silence.pid
        }

    def starting(self, pids: Mapping[str, int]) -> dict[str, float]:
        """Return the processes that have never answered, with the checked seconds; each at intervals."""
        late: dict[str, float] = {}
        for name, silence in self._by_name.items():
            if (
                silence.answered
                or pids.get(name) != silence.pid
                or silence.starts < silence.said + REPORT_STARTING_EVERY_S
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
