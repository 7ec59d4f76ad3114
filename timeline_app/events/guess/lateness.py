"""How late the events of a sample are, and how late they should be allowed to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.operators.parameters import spell_duration
from timeline_app.operators.words import length

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
_STEPS = (
    *(one * SECOND for one in (5, 10, 20, 30)), *(one * MINUTE for one in (1, 2, 5, 10, 20, 30)),
    *(one * HOUR for one in (1, 2, 6, 12)), *(one * DAY for one in (1, 2, 7, 14, 30, 90, 365, 3650, 36500)),
)  # fmt: skip
USUAL = 30 * SECOND
USUAL_RETENTION = 7 * DAY
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}


@dataclass(frozen=True, slots=True)
class Lateness:
    """How far events came behind the greatest time before them: microseconds, 0 for those in order."""

    events: int
    unordered: int
    quantiles: dict[str, int]
    newest_first: bool
    proposal: str
    confidence: float
    words: str


def lateness_of(times: Ints, before: int | None = None) -> Ints:
    """How far each event lies behind the greatest time before it; 0 for those in order."""
    if not len(times):
        return times
    first = times[0] if before is None else max(int(times[0]), before)
    greatest = np.maximum.accumulate(np.concatenate(([first], times[:-1])))
    return np.maximum(greatest - times, 0)


def quantiles_of(late: Ints) -> dict[str, int]:
    """By nearest rank, over all events."""
    ranked = np.sort(late)
    places = {name: max(int(np.ceil(part * len(ranked))) - 1, 0) for name, part in QUANTILES.items()}
    return {name: int(ranked[place]) if len(ranked) else 0 for name, place in places.items()}


def measure(times: Sequence[int]) -> Lateness:
    """The lateness of events in the order in which they stand, and what it proposes."""
    arrived = np.asarray(times, dtype=np.int64)
    late = lateness_of(arrived)
    unordered = int(np.count_nonzero(late))
    found = quantiles_of(late)
    newest_first = len(arrived) > 2 and bool(
        (np.diff(arrived) <= 0).mean() >= 0.95 and arrived[0] > arrived[-1]
    )
    if newest_first or not unordered:
        why = "newest first, which is not how they came" if newest_first else "in order"
        words = f"The sample stands {why}, so it says nothing of lateness: {spell_duration(USUAL)} is usual."
        return Lateness(len(arrived), unordered, found, newest_first, spell_duration(USUAL), 0.4, words)
    proposal = step_above(round(1.5 * found["p999"]))
    beyond = int(np.count_nonzero(late > proposal))
    words = (
        f"{unordered:,} of {len(arrived):,} events came behind others, at most by {length(found['max'])}. "
        f"{spell_duration(proposal)} leaves room"
        + (
            f", but for {beyond:,} that are much later: they are applied too, and revise what was final."
            if beyond
            else "."
        )
    )
    sure = 0.9 if len(arrived) >= 1000 else 0.7 if len(arrived) >= 100 else 0.5
    return Lateness(len(arrived), unordered, found, False, spell_duration(proposal), sure, words)


def step_above(micros: int) -> int:
    """The least length of time that people say, no less than this."""
    return next((step for step in _STEPS if step >= micros), _STEPS[-1])


def retention_for(times: Sequence[int]) -> tuple[str, str]:
    """How long events should count, and why."""
    span = max(times) - min(times) if times else 0
    if span <= USUAL_RETENTION:
        return spell_duration(USUAL_RETENTION), "a week is usual"
    words = f"the sample spans {length(span // DAY * DAY)}, all of which is to count"
    return spell_duration(step_above(2 * span)), words
