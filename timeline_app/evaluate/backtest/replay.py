"""Replay keys: where a bool node was true as known at each step of arrival, and what late events changed.

Until its next late event, a key's timeline only grows. So the events of a key make *versions*, each with one late step
more. All versions of all keys are evaluated side by side, a few per key in a round; the next round starts from what the
program remembers of each key up to where no more events come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, Ints, Mask
from timeline_app.algebra.order import mark_firsts
from timeline_app.algebra.timelines import Timelines, compute_offsets, concatenate_ranges
from timeline_app.compiler import Program
from timeline_app.evaluate.backtest.arrived_rows import ArrivedRows
from timeline_app.evaluate.backtest.clock import ArrivalClock
from timeline_app.evaluate.backtest.summaries import ReplaySummaries, mark_needed, summarize_keys
from timeline_app.evaluate.backtest.true_spans import TrueSpans
from timeline_app.evaluate.trial import TooMuch

MAX_ROUNDS = 256
MIN_VERSIONS_PER_ROUND = 3
MAX_ROWS_PER_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Versions:
    """The versions of keys, by key and then by the `step` at which each begins.

    `spans` has where the node was true in each version, valid from the time `valid_from` on.
    """

    names: tuple[str, ...]
    key: Ints
    step: Ints
    valid_from: Ints
    spans: TrueSpans

    @property
    def size(self) -> int:
        """The number of versions."""
        return len(self.key)

    @property
    def is_first(self) -> Mask:
        """Marks the first version of each key."""
        return mark_firsts(self.key)


def replay_keys(program: Program, rows: ArrivedRows, clock: ArrivalClock, max_rows: int) -> Versions:
    """Return the versions of all keys, for a program that reads streams.

    Raises `TooMuch` if too many rows were to be evaluated.
    """
    key, step, version = _find_versions(rows, clock)
    valid_from = np.full(len(key), BEGINNING, dtype=np.int64)
    spans = list(_Chain(program, rows, version, key, valid_from, max_rows).run()) if rows.size else []
    return Versions(tuple(rows.names), key, step, valid_from, TrueSpans.join(spans))


def estimate_rows(rows: ArrivedRows, clock: ArrivalClock) -> int:
    """Estimate how many rows will be evaluated."""
    key, _, _ = _find_versions(rows, clock)
    if not rows.size:
        return 0
    versions, events = np.bincount(key), np.bincount(rows.key)
    together = np.minimum(versions, _count_per_round(int(versions.max())))
    return int((events * (together + 1) / 2).sum())


def _count_per_round(most: int) -> int:
    """Return how many versions of a key are evaluated in a round."""
    return max(MIN_VERSIONS_PER_ROUND, -(-most // MAX_ROUNDS))


def _find_versions(rows: ArrivedRows, clock: ArrivalClock) -> tuple[Ints, Ints, Ints]:
    """Return key and first step of each version, and the version that each row begins or belongs to."""
    if not rows.size:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing
    first = mark_firsts(rows.key, rows.step)
    starts = np.flatnonzero(first)
    late = np.logical_or.reduceat(rows.since <= clock.before(rows.step), starts)
    begins = late | mark_firsts(rows.key[starts])
    chosen = starts[begins]
    return rows.key[chosen], rows.step[chosen], (np.cumsum(begins) - 1)[np.cumsum(first) - 1]


class _Chain:
    """The rounds over all versions."""

    def __init__(
        self,
        program: Program,
        rows: ArrivedRows,
        version: Ints,
        key: Ints,
        valid_from: Ints,
        max_rows: int,
    ) -> None:
        self._program, self._rows, self._version, self._valid_from = program, rows, version, valid_from
        self._left = max_rows
        self._first = np.flatnonzero(mark_firsts(key))
        self._counts = np.diff(np.append(self._first, len(key)))
        self._keys = key[self._first]
        most = int(self._counts.max())
        self._per_round = _count_per_round(most)
        self._turns = -(-most // self._per_round)
        least = np.minimum.reduceat(rows.since, np.flatnonzero(mark_firsts(version)))
        self._later = _accumulate_minima_backwards(key, least)

    def run(self) -> Iterator[TrueSpans]:
        """Yield the spans of all versions."""
        number = self._version - np.repeat(self._first, np.bincount(self._rows.key)[self._keys])
        turn_of = (number // self._per_round).astype(np.int16)
        order = np.argsort(turn_of, kind="stable")
        bounds = np.searchsorted(turn_of[order], np.arange(self._turns + 1))
        keys = np.arange(len(self._keys))
        kept_rows = np.empty(0, dtype=np.int64)
        old = ReplaySummaries(np.full(len(keys), BEGINNING, dtype=np.int64), {})
        for turn in range(self._turns):
            new_rows = order[bounds[turn] : bounds[turn + 1]]
            yield from self._evaluate_versions(turn, keys, kept_rows, new_rows, old)
            stays = self._counts[keys] > (turn + 1) * self._per_round
            if not stays.any():
                return
            keys, old = keys[stays], old.take(np.flatnonzero(stays))
            all_rows = np.sort(np.concatenate((kept_rows, new_rows)))
            all_rows = all_rows[np.isin(self._rows.key[all_rows], self._keys[keys])]
            kept_rows, old = self._summarize(
                keys, all_rows, old, self._later[self._first[keys] + (turn + 1) * self._per_round]
            )

    def _evaluate_versions(
        self, turn: int, keys: Ints, kept_rows: Ints, new_rows: Ints, old: ReplaySummaries
    ) -> Iterator[TrueSpans]:
        """Evaluate the versions of a round, each from the kept rows of its key and the rows up to it."""
        counts = np.minimum(self._counts[keys] - turn * self._per_round, self._per_round)
        versions = concatenate_ranges(self._first[keys] + turn * self._per_round, counts)
        key_numbers = np.repeat(np.arange(len(keys)), counts)
        kept_from, kept_counts = self._locate(keys, kept_rows)
        own_from, _ = self._locate(keys, new_rows)
        own_counts = np.searchsorted(self._version[new_rows], versions, side="right") - own_from[key_numbers]
        starts = np.stack((kept_from[key_numbers], len(kept_rows) + own_from[key_numbers]), axis=1)
        sizes = np.stack((kept_counts[key_numbers], own_counts), axis=1)
        totals, pool = sizes.sum(axis=1), np.concatenate((kept_rows, new_rows))
        self._spend(int(totals.sum()))
        folded = old.at != BEGINNING
        self._valid_from[versions] = np.where(folded, old.at + 1 + self._program.reach, BEGINNING)[
            key_numbers
        ]
        for start, end in _split_into_blocks(totals):
            rows = pool[concatenate_ranges(starts[start:end].ravel(), sizes[start:end].ravel())]
            owner = np.repeat(np.arange(end - start), totals[start:end])
            results, _, _ = self._evaluate(
                rows, owner, keys[key_numbers[start:end]], old.take(key_numbers[start:end])
            )
            yield TrueSpans.from_timelines(results[self._program.digest], versions[start:end])

    def _evaluate(
        self, rows: Ints, owner: Ints, keys: Ints, old: ReplaySummaries
    ) -> tuple[dict[str, Timelines], dict[str, Events], dict[str, Ints]]:
        names = self._rows.names[self._keys[keys]]
        events, places = self._rows.select_events(rows, owner, names)
        results: dict[str, Timelines] = {}
        self._program.evaluate(events, results, carried=old.memories)
        return results, events, places

    def _summarize(
        self, keys: Ints, rows: Ints, old: ReplaySummaries, later: Ints
    ) -> tuple[Ints, ReplaySummaries]:
        """Return the kept rows of keys without rows before `later`, and a summary of the others."""
        self._spend(len(rows))
        _, counts = self._locate(keys, rows)
        owner = np.repeat(np.arange(len(keys)), counts)
        at = later - 1 - self._program.reach
        foldable = np.bincount(owner, weights=self._rows.since[rows] <= at[owner], minlength=len(keys)) > 0
        at = np.where(foldable | (old.at != BEGINNING), at, BEGINNING)
        results, events, places = self._evaluate(rows, owner, keys, old)
        new = summarize_keys(self._program, events, results, old, at)
        needed_rows = [
            places[name][mark_needed(self._program, name, item, at)] for name, item in events.items()
        ]
        return np.sort(np.concatenate(needed_rows)), new

    def _locate(self, keys: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """Return the first place and the number of the rows of keys among ascending rows."""
        keys_of_rows = self._rows.key[rows]
        start = np.searchsorted(keys_of_rows, self._keys[keys])
        return start, np.searchsorted(keys_of_rows, self._keys[keys], side="right") - start

    def _spend(self, rows: int) -> None:
        self._left -= rows
        if self._left < 0:
            raise TooMuch("there are too many late events to look at each of them")


def _split_into_blocks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield stretches of about `MAX_ROWS_PER_BLOCK` rows."""
    number = compute_offsets(sizes)[:-1] // MAX_ROWS_PER_BLOCK
    bounds = (
        np.flatnonzero(np.append(mark_firsts(number), True)) if len(sizes) else np.zeros(1, dtype=np.int64)
    )
    yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)


def _accumulate_minima_backwards(key: Ints, values: Ints) -> Ints:
    """Return the least of each value and all later ones of its key; rows are sorted by key."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    segment = (np.cumsum(mark_firsts(key)) - 1).max(initial=0) - (np.cumsum(mark_firsts(key)) - 1)
    shifted = rank - segment * len(order)
    least = np.minimum.accumulate(shifted[::-1])[::-1] + segment * len(order)
    return np.asarray(values[order[least]])
