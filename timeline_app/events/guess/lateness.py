"""How late the events of a sample are, and how late they should be allowed to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.operators.parameters import spell_duration
from timeline_app.operators.words import format_length

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
_STEPS = (
    *(count * SECOND for count in (5, 10, 20, 30)), *(count * MINUTE for count in (1, 2, 5, 10, 20, 30)),
    *(count * HOUR for count in (1, 2, 6, 12)), *(count * DAY for count in (1, 2, 7, 14, 30, 90, 365, 3650, 36500)),
)  # fmt: skip
USUAL_LATENESS = 30 * SECOND
USUAL_RETENTION = 7 * DAY
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}


@dataclass(frozen=True, slots=True)
class Lateness:
    """How far events lag behind the greatest earlier time: microseconds, 0 for those in order."""

    events: int
    unordered: int
    quantiles: dict[str, int]
    newest_first: bool
    proposal: str
    confidence: float
    words: str


def compute_lateness(times: Ints, before: int | None = None) -> Ints:
    """Return how far each event lags behind the greatest earlier time; 0 for those in order."""
    if not len(times):
        return times
    first = times[0] if before is None else max(int(times[0]), before)
    greatest = np.maximum.accumulate(np.concatenate(([first], times[:-1])))
    return np.maximum(greatest - times, 0)


def compute_quantiles(late: Ints) -> dict[str, int]:
    """Return the quantiles by nearest rank, over all events."""
    ranked = np.sort(late)
    places = {name: max(int(np.ceil(share * len(ranked))) - 1, 0) for name, share in QUANTILES.items()}
    return {name: int(ranked[index]) if len(ranked) else 0 for name, index in places.items()}


def measure(times: Sequence[int]) -> Lateness:
    """Measure the lateness of events in their order, and propose a limit."""
    arrived = np.asarray(times, dtype=np.int64)
    late = compute_lateness(arrived)
    unordered = int(np.count_nonzero(late))
    quantiles = compute_quantiles(late)
    newest_first = len(arrived) > 2 and bool(
        (np.diff(arrived) <= 0).mean() >= 0.95 and arrived[0] > arrived[-1]
    )
    if newest_first or not unordered:
        why = "newest first, which is not how they came" if newest_first else "in order"
        words = f"The sample stands {why}, so it says nothing of lateness: {spell_duration(USUAL_LATENESS)} is usual."
        return Lateness(
            len(arrived), unordered, quantiles, newest_first, spell_duration(USUAL_LATENESS), 0.4, words
        )
    proposal = round_up_to_step(round(1.5 * quantiles["p999"]))
    beyond = int(np.count_nonzero(late > proposal))
    words = (
        f"{unordered:,} of {len(arrived):,} events came behind others, at most by {format_length(quantiles['max'])}. "
        f"{spell_duration(proposal)} leaves room"
        + (
            f", but for {beyond:,} that are much later: they are applied too, and revise what was final."
            if beyond
            else "."
        )
    )
    sure = 0.9 if len(arrived) >= 1000 else 0.7 if len(arrived) >= 100 else 0.5
    return Lateness(len(arrived), unordered, quantiles, False, spell_duration(proposal), sure, words)


def round_up_to_step(micros: int) -> int:
    """Return the smallest round length that is not shorter."""
    return next((step for step in _STEPS if step >= micros), _STEPS[-1])


def suggest_retention(times: Sequence[int]) -> tuple[str, str]:
    """Suggest a retention, with the reason."""
    span = max(times) - min(times) if times else 0
    if span <= USUAL_RETENTION:
        return spell_duration(USUAL_RETENTION), "a week is usual"
    words = f"the sample spans {format_length(span // DAY * DAY)}, all of which is to count"
    return spell_duration(round_up_to_step(2 * span)), words
