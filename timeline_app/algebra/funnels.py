"""Funnels: how far the runs of a sequence came, read back from its timelines.

The code of a change point is that of `sequences`: 0 before the first run, the number of the step that was reached, then
those of completed, expired and broken; -1 is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.fold_columns import Changes
from timeline_app.algebra.kinds import OPEN, Ints, Mask
from timeline_app.algebra.order import mark_firsts, mark_lasts
from timeline_app.algebra.sequences import Rules


@dataclass(frozen=True, slots=True, eq=False)
class FunnelRuns:
    """Runs: their key, number of reached steps, times (`OPEN`: never), and the code of their end (0: running)."""

    key: Ints
    reached: Ints
    times: Ints
    outcome: Ints

    def take(self, rows: Ints | Mask) -> FunnelRuns:
        """Return some of them."""
        return FunnelRuns(self.key[rows], self.reached[rows], self.times[rows], self.outcome[rows])

    def select_furthest(self) -> FunnelRuns:
        """Return the run of each key that came furthest; of equals, the latest."""
        order = np.lexsort((self.times[:, 0], self.reached, self.key))
        return self.take(order[mark_lasts(self.key[order])])

    def count_reached(self, steps: int) -> list[int]:
        """Return how many reached each step."""
        return [int(np.count_nonzero(self.reached > step)) for step in range(steps)]

    def median_times(self, steps: int) -> list[int | None]:
        """Return the median time from the previous step to each step, in microseconds, of those that reached it."""
        return [None, *(self._median_time(step) for step in range(1, steps))]

    def _median_time(self, step: int) -> int | None:
        times_of_step = self.times[self.reached > step]
        lengths = times_of_step[:, step] - times_of_step[:, step - 1]
        middle = (len(lengths) - 1) // 2
        return int(np.partition(lengths, middle)[middle]) if len(lengths) else None


def runs_of_changes(rules: Rules, changes: Changes, start: int, end: int) -> FunnelRuns:
    """Return the runs that began after `start`; the timelines are cut at `start` and `end`.

    Steps of one instant show as the last of them: those before it were reached then, too. A run that a new one replaces
    does not count with `latest`; otherwise it ended at that very instant.
    """
    changes = _show_hidden_runs(rules, changes, start, end)
    steps, code = rules.completed, changes.code
    first = mark_firsts(changes.key)
    before = np.where(first, -1, np.roll(code, 1))
    makes = (code >= 1) & (code <= steps)
    goes_on = makes & (before >= 1) & (before < steps) & (code > before)
    begins = makes & ~goes_on & ~(first & (changes.time <= start))
    number = np.cumsum(begins | first) - 1
    heads = np.flatnonzero(begins | first)
    times = np.full((len(heads), steps), OPEN)
    times[number[makes], code[makes] - 1] = changes.time[makes]
    reached = np.zeros(len(heads), dtype=np.int64)
    np.maximum.at(reached, number[makes], code[makes])
    for step in range(steps - 2, -1, -1):
        times[:, step] = np.where(
            step + 1 < reached, np.minimum(times[:, step], times[:, step + 1]), times[:, step]
        )
    ends = np.append(heads[1:], len(code)) - 1
    last = code[ends[: len(heads)]]
    runs = FunnelRuns(changes.key[heads], reached, times, np.where(last >= steps, last, 0))
    following = np.append(changes.time[heads[1:]], OPEN)[: len(heads)]
    replaced = (last >= 1) & (last < steps) & ~mark_lasts(runs.key)
    runs.outcome[replaced] = _outcomes(rules, runs.take(replaced), following[replaced])
    return runs.take(begins[heads] & ~(replaced & rules.latest))


def _show_hidden_runs(rules: Rules, changes: Changes, start: int, end: int) -> Changes:
    """With a change point where a run expired at its first step and the next began, which no timeline shows."""
    limit = min(rules.within, rules.limits[1])
    if rules.latest or limit == OPEN:
        return changes
    stop = np.append(changes.time[1:], end)[: len(changes.time)]
    stop[mark_lasts(changes.key)] = end
    is_whole = (changes.code == 1) & (changes.time > start)
    hidden = (np.where(is_whole, stop - changes.time, 1) - 1) // limit
    row = np.repeat(np.arange(len(hidden)), hidden + 1)
    nth = np.arange(len(row)) - (np.cumsum(hidden + 1) - hidden - 1)[row]
    return Changes(changes.key[row], changes.time[row] + nth * limit, changes.code[row])


def _outcomes(rules: Rules, runs: FunnelRuns, time: Ints) -> Ints:
    """How runs ended at instants at which the next one began: those whose limit was then expired, others broke."""
    limit = np.array(rules.limits)[runs.reached % rules.completed]
    last = runs.times[np.arange(len(runs.key)), runs.reached - 1]
    due = (last == time - limit) | (runs.times[:, 0] == time - rules.within)
    return np.where(due, rules.expired, rules.broken)


def outcomes_of(rules: Rules, codes: Ints) -> Sequence[str]:
    """Return the names of codes of outcomes."""
    names = {rules.completed: "completed", rules.expired: "expired", rules.broken: "broken"}
    return [names.get(code, "active") for code in codes.tolist()]
