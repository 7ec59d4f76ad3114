"""Summaries of keys up to an instant, so that later events are evaluated without all earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, NO_LABELS, Ints
from timeline_app.algebra.order import mark_firsts
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.compiler.step import Step


@dataclass(frozen=True, slots=True, eq=False)
class ReplaySummaries:
    """The instant up to which each key is summarized (`BEGINNING`: not at all), and the memories of steps."""

    at: Ints
    memories: Mapping[str, Carried]

    def take(self, keys: Ints) -> ReplaySummaries:
        """Return the summaries of these keys, in their order."""
        memories = {
            digest: Carried(
                item.at[keys], item.amounts[keys], item.texts[keys] if len(item.texts) else NO_LABELS
            )
            for digest, item in self.memories.items()
        }
        return ReplaySummaries(self.at[keys], memories)


def summarize_keys(
    program: Program,
    events: Mapping[str, Events],
    results: Mapping[str, Timelines],
    old: ReplaySummaries,
    at: Ints,
) -> ReplaySummaries:
    """Return the summaries of keys up to `at`, from events and results that are known well beyond it."""
    folded = at != BEGINNING
    memories = {}
    for step in program.live:
        if step.digest in program.memories:
            until = np.where(folded, at + program.lookback[step.digest], BEGINNING)
            memories[step.digest] = _remember(step, events, results, until, old.memories.get(step.digest))
    return ReplaySummaries(at, memories)


def _remember(
    step: Step,
    events: Mapping[str, Events],
    results: Mapping[str, Timelines],
    until: Ints,
    carried: Carried | None,
) -> Carried:
    if step.remembers_text:
        texts = step.read_texts(events, results, until, carried)
        return Carried(until, np.zeros((len(until), 1), dtype=np.int64), texts)
    return Carried(until, step.read(events, results, until, carried))


def mark_needed(program: Program, stream: str, events: Events, at: Ints) -> Ints:
    """Return the indexes of events needed beside the summaries: later ones, and those that a leaf still needs."""
    leaves = [mask for step in program.live if step.stream == stream for mask in step.keeps(events, at)]
    needed = (
        np.logical_or.reduce([mark_firsts(events.key), *leaves]) if events.size else np.zeros(0, dtype=bool)
    )
    return np.flatnonzero(needed | (events.time > at[events.key]))
