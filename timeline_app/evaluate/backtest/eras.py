"""Eras of keys: stretches of arrival in which a key's timeline grows and nothing in it changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from timeline_app.evaluate.backtest.clock import ArrivalClock
from timeline_app.evaluate.backtest.replay import Versions
from timeline_app.evaluate.backtest.true_spans import TrueSpans, find_first_differences


@dataclass(frozen=True, slots=True, eq=False)
class Eras:
    """The eras of keys, by key and step: each begins at `step` and ends before the step `until`.

    An era except the first begins with a late event that changed the timeline from the time `since` on. Its `spans` are
    those in which the node is true from there on (the first: always), as known at the end of the era.
    """

    names: tuple[str, ...]
    key: Ints
    step: Ints
    until: Ints
    since: Ints
    spans: TrueSpans


def find_eras(versions: Versions, clock: ArrivalClock) -> Eras:
    """Return the eras of versions."""
    size, first = versions.size, versions.is_first
    last = np.append(first[1:], True)[:size]
    until = np.where(last, clock.size, np.append(versions.step[1:], 0)[:size])
    known_steps = np.where(first, BEGINNING, clock.before(versions.step))
    changed = _find_changes(versions, known_steps)
    begins = first | (changed != OPEN)
    since = np.where(first, BEGINNING, np.where(begins, changed, known_steps + 1))
    ends = np.append(begins[1:], True)[:size]
    reached = clock.newest[until - 1] if size else until
    clipped = versions.spans.clip(since, np.where(ends, OPEN, reached + 1))
    spans = clipped.give_to(np.cumsum(begins) - 1)
    return Eras(
        versions.names, versions.key[begins], versions.step[begins], until[ends], since[begins], spans
    )


def _find_changes(versions: Versions, known_steps: Ints) -> Ints:
    """Return from when each version differs from the one before it; `OPEN`: nowhere."""
    following = np.append(~versions.is_first[1:], False)[: versions.size]
    spans = versions.spans
    before = spans.filter(following[spans.owner])
    before = TrueSpans(before.owner + 1, before.start, before.end)
    after = spans.filter(~versions.is_first[spans.owner])
    least, most = versions.valid_from, known_steps + 1
    return find_first_differences(before.clip(least, most), after.clip(least, most), versions.size)
