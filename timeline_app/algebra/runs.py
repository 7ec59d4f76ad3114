"""The results of a sequence's runs: its timeline, how long they lasted and how many ended in which way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Ints, Kind, Labels
from timeline_app.algebra.order import mark_lasts, order_of
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.sequences import NONE, Candidates, Moves, Progress, Rules, advance_runs
from timeline_app.algebra.steps import build_steps
from timeline_app.algebra.timelines import Timelines, build_timelines

AMOUNTS = 7
"""The memory of a key: its code, the times of its run and last step, and the latest completed duration.

The duration is in microseconds (-1: none); three counts follow: completed, expired and broken runs.
"""
_NEVER = -1


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The moves of runs, and by key what came to before: see `AMOUNTS`."""

    rules: Rules
    moves: Moves
    before: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TimelinesOfRuns(Timelines):
    """The timelines of a sequence, and the runs that they are of, which also have what lasted no time."""

    runs: Runs | None = None


def _get_amounts(size: int, carried: Carried | None) -> Ints:
    """Return the memory; zeros for a key without one."""
    nothing = np.zeros((size, AMOUNTS), dtype=np.int64)
    nothing[:, 3] = _NEVER
    return nothing if carried is None else np.where(carried.folded[:, np.newaxis], carried.amounts, nothing)


def _read_progress(rules: Rules, amounts: Ints) -> Progress:
    code = amounts[:, 0]
    return Progress(np.where(code < rules.completed, code, NONE), amounts[:, 1], amounts[:, 2])


def compute_amounts(rules: Rules, candidates: Candidates, at: Ints, carried: Carried | None) -> Ints:
    """Return the memory of runs at each key's instant, from the candidates up to then."""
    amounts = _get_amounts(len(at), carried)
    moves, progress = advance_runs(rules, candidates, _read_progress(rules, amounts), at)
    last = mark_lasts(moves.key)
    amounts[moves.key[last], 0] = moves.code[last]
    amounts[:, 1], amounts[:, 2] = progress.start, progress.last
    completed = moves.take(moves.code == rules.completed)
    ended = completed.take(mark_lasts(completed.key))
    amounts[ended.key, 3] = ended.time - ended.start
    for index, code in enumerate((rules.completed, rules.expired, rules.broken)):
        amounts[:, 4 + index] += np.bincount(moves.key[moves.code == code], minlength=len(at))
    return amounts


def build_timeline(
    rules: Rules,
    steps: Sequence[str],
    events: Sequence[Events],
    candidates: Candidates,
    carried: Carried | None,
) -> TimelinesOfRuns:
    """Return the text of a sequence for each key: how far its run is, or how it ended."""
    names, birth = events[0].names, np.minimum.reduce([item.birth for item in events])
    before = _get_amounts(len(names), carried)
    moves, _ = advance_runs(rules, candidates, _read_progress(rules, before))
    labels, codes = _build_labels(steps)
    folded = np.zeros(len(names), dtype=bool) if carried is None else carried.folded
    everyone = np.arange(len(names), dtype=np.int64)
    born = np.flatnonzero((birth != OPEN) & ~folded)
    key = np.concatenate((everyone, born, moves.key))
    time = np.concatenate((np.full(len(names), BEGINNING), birth[born], moves.time))
    start = np.where(folded, codes[before[:, 0]], Kind.TEXT.unknown)
    value = np.concatenate((start, codes[np.zeros(len(born), dtype=np.int64)], codes[moves.code]))
    order = order_of(key, time)
    order = order[mark_lasts(key[order], time[order])]
    result = build_timelines(Kind.TEXT, names, birth, key[order], time[order], value[order], labels=labels)
    runs = Runs(rules, moves, before)
    return TimelinesOfRuns(
        result.kind,
        result.names,
        result.birth,
        result.offsets,
        result.time,
        result.value,
        result.slope,
        result.labels,
        runs,
    )


def _build_labels(steps: Sequence[str]) -> tuple[Labels, Ints]:
    """Everything that a sequence may say, sorted, and where among that its codes are."""
    words = ["none", *steps[:-1], "completed", "expired", "broken"]
    labels: Labels = np.empty(len(words), dtype=object)
    labels[:] = sorted(words)
    places = {word: code for code, word in enumerate(labels.tolist())}
    return labels, np.array([places[word] for word in words], dtype=np.int64)


def compute_durations(of: Timelines) -> Timelines:
    """Return the seconds that the latest completed run took; unknown before the first."""
    runs = _get_runs(of)
    completed = runs.moves.take(runs.moves.code == runs.rules.completed)
    ended = completed.take(mark_lasts(completed.key, completed.time))
    lasted = runs.before[:, 3]
    start = np.where(lasted == _NEVER, np.nan, lasted / SECOND)
    return build_steps(of, Kind.NUMBER, start, ended.key, ended.time, (ended.time - ended.start) / SECOND)


def count_of_runs(of: Timelines, outcome: int) -> Timelines:
    """Return how many runs ended so: `outcome` is 0 for completed, 1 for expired, 2 for broken."""
    runs = _get_runs(of)
    ended = runs.moves.take(runs.moves.code == runs.rules.completed + outcome)
    count = np.arange(1, len(ended.key) + 1) - np.searchsorted(ended.key, ended.key)
    before = runs.before[:, 4 + outcome]
    last = mark_lasts(ended.key, ended.time)
    value = (count + before[ended.key])[last].astype(np.float64)
    return build_steps(of, Kind.NUMBER, before.astype(np.float64), ended.key[last], ended.time[last], value)


def _get_runs(of: Timelines) -> Runs:
    runs = of.runs if isinstance(of, TimelinesOfRuns) else None
    assert runs is not None, "the check lets only sequences through"
    return runs
