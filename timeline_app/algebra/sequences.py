"""Runs through the steps of a sequence: what the events of many keys make of them, in the order of the events.

Only candidates matter, events that match a step or a condition that breaks a run. They are taken round by round, each
round one of every lane. A lane is a stretch of one key's candidates at whose beginning no run can be on: a pause as
long as the limit of the whole ends every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import OPEN, Ints, Mask
from timeline_app.algebra.order import find_tied, mark_firsts, order_of

NONE = 0
"""The code of a key without a run; a current run has the number of reached steps."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits in microseconds, `OPEN` for none; `limits[i]` is for the way to step i, `OPEN` for the first.

    A breaking condition applies while at least the first, and fewer than the second number of its pair have been
    reached. With `latest` the first step restarts a run.
    """

    limits: tuple[int, ...]
    breaks: tuple[tuple[int, int], ...]
    within: int
    latest: bool

    @property
    def completed(self) -> int:
        """The code of a run that came to its end, which is the number of its steps."""
        return len(self.limits)

    @property
    def expired(self) -> int:
        """The code of one that took too long."""
        return len(self.limits) + 1

    @property
    def broken(self) -> int:
        """The code of one that was broken."""
        return len(self.limits) + 2

    @property
    def breaking(self) -> list[int]:
        """The bits of the breaking conditions, by number of steps reached."""
        step_count = len(self.limits)
        return [
            sum(
                1 << step_count + number
                for number, (low, high) in enumerate(self.breaks)
                if low <= reached < high
            )
            for reached in range(step_count)
        ]

    def deadline(self, reached: int, start: int, last: int) -> int:
        """Return when a run with these reached steps expires."""
        latest = OPEN if self.within == OPEN else start + self.within
        limit = self.limits[reached]
        return min(latest, OPEN if limit == OPEN else last + limit)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Events of many keys, in order; bit i says that it matches step i, those above what breaks."""

    key: Ints
    time: Ints
    bits: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The state of each possible run: reached steps (0: no run), and the times of its first and last step."""

    reached: Ints
    start: Ints
    last: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Everything that happened to runs, key by key in the order in which it did; `start` is that of the run."""

    key: Ints
    time: Ints
    code: Ints
    start: Ints

    def take(self, rows: Ints | Mask) -> Moves:
        """Return some of them."""
        return Moves(self.key[rows], self.time[rows], self.code[rows], self.start[rows])


def gather(parts: Sequence[tuple[Events, Ints, Mask]]) -> Candidates:
    """Return the candidates among the events of streams, which stand in the order of their names.

    Each part has events, their bits, and which of them are not folded away.
    """
    rows = [np.flatnonzero((bits != 0) & present) for _, bits, present in parts]
    key = np.concatenate([part[0].key[rows_of_part] for part, rows_of_part in zip(parts, rows, strict=True)])
    time = np.concatenate(
        [part[0].time[rows_of_part] for part, rows_of_part in zip(parts, rows, strict=True)]
    )
    bits = np.concatenate([part[1][rows_of_part] for part, rows_of_part in zip(parts, rows, strict=True)])
    order = order_of(key, time)
    equal = find_tied(key[order], time[order])
    if len(equal):
        stream = np.repeat(np.arange(len(parts)), [len(rows_of_part) for rows_of_part in rows])
        rivals = equal[_find_rivals(key, time, bits, order[equal])]
        ties = _get_ties(
            [part[0] for part in parts], stream[order[rivals]], np.concatenate(rows)[order[rivals]]
        )
        order[rivals] = _sort_with_ties(order[rivals], key, time, ties)
    return Candidates(key[order], time[order], bits[order])


def _find_rivals(key: Ints, time: Ints, bits: Ints, rows: Ints) -> Mask:
    """Return which rows of one instant match differently, so that their order decides."""
    first = mark_firsts(key[rows], time[rows])
    starts = np.flatnonzero(first)
    least, greatest = (function.reduceat(bits[rows], starts) for function in (np.minimum, np.maximum))
    return np.asarray((least != greatest)[np.cumsum(first) - 1])


def _get_ties(events: Sequence[Events], stream: Ints, rows: Ints) -> list[tuple[Any, ...]]:
    """Return what orders some rows of streams: id, canonical text, stream."""
    ties: list[tuple[Any, ...]] = [(int(number),) for number in stream]
    for number, item in enumerate(events):
        rows_of_stream = np.flatnonzero(stream == number)
        for at, tie in zip(
            rows_of_stream.tolist(), item.ties(rows[rows_of_stream]) if item.ties else (), strict=False
        ):
            ties[at] = (*tie, number)
    return ties


def _sort_with_ties(rows: Ints, key: Ints, time: Ints, ties: Sequence[tuple[Any, ...]]) -> Ints:
    """Return rows in order of key and time, those of one instant in the order of their ties."""
    instant = np.cumsum(mark_firsts(key[rows], time[rows])).tolist()
    return rows[sorted(range(len(rows)), key=lambda at: (instant[at], ties[at]))]


MAX_LANES_WALKED_ALONE = 24
"""For few lanes, walking each alone is faster than rounds over all."""


def advance_runs(
    rules: Rules, candidates: Candidates, before: Progress, until: Ints | None = None
) -> tuple[Moves, Progress]:
    """Return what candidates make of the runs of keys, and where these are then.

    `until` says up to which instant limits have come, for each key; None: all do in the end.
    """
    lanes = _Lanes.build(rules, candidates, before)
    lanes.take_all()
    lanes.end(until)
    return lanes.moves(), lanes.progress(before)


@dataclass(slots=True, eq=False)
class _Lanes:
    """The lanes, the longest first: their key, first candidate and length, and the run that is on in each."""

    rules: Rules
    candidates: Candidates
    key: Ints
    first: Ints
    length: Ints
    reached: Ints
    start: Ints
    last: Ints
    deadline: Ints
    made: list[tuple[Ints, Ints, Ints, Ints, Ints]]
    """Moves: the place in order, key, time, code, start."""

    @classmethod
    def build(cls, rules: Rules, candidates: Candidates, before: Progress) -> _Lanes:
        begins, size = mark_firsts(candidates.key), len(candidates.key)
        of_key = begins.copy()
        if rules.within != OPEN:
            begins[1:] |= candidates.time[1:] - candidates.time[:-1] >= rules.within
        first = np.flatnonzero(begins)
        length = np.diff(np.append(first, size))
        key, carries = candidates.key[first], of_key[first]
        idle = before.reached > 0
        idle[key] = False
        waiting = np.flatnonzero(idle)
        nothing = np.zeros(len(waiting), dtype=np.int64)
        order = np.argsort(-length, kind="stable")
        key = np.concatenate((key[order], waiting))
        first = np.concatenate((first[order], nothing + size))
        length = np.concatenate((length[order], nothing))
        carries = np.concatenate((carries[order], nothing == 0))
        reached = np.where(carries, before.reached[key], 0)
        start, last = before.start[key], before.last[key]
        lanes = cls(rules, candidates, key, first, length, reached, start, last, np.empty(0, np.int64), [])
        lanes.deadline = lanes.deadlines(slice(None))
        return lanes

    def deadlines(self, which: slice) -> Ints:
        """Return when the runs of some lanes are over; of a lane without one it means nothing."""
        start, last = self.start[which], self.last[which]
        limit = np.array(self.rules.limits)[self.reached[which]]
        with np.errstate(over="ignore"):
            latest = np.where(limit == OPEN, OPEN, last + limit)
            return latest if self.rules.within == OPEN else np.minimum(latest, start + self.rules.within)

    def make(self, lanes: Ints, order: Ints, time: Ints, code: Ints | int) -> None:
        """Note moves of some lanes."""
        if len(lanes):
            codes = np.broadcast_to(np.asarray(code, dtype=np.int64), len(lanes))
            self.made.append((order, self.key[lanes], time, codes, self.start[lanes]))

    def take_all(self) -> None:
        """Take all candidates: one of each lane at a time, and where few lanes are left one lane after the other."""
        ascending = self.length[::-1]
        for number in range(int(self.length.max(initial=0))):
            active = len(ascending) - int(np.searchsorted(ascending, number, side="right"))
            if active <= MAX_LANES_WALKED_ALONE:
                for lane in range(active):
                    self.walk(lane, number)
                return
            self.round(active, self.first[:active] + number)

    def round(self, active: int, at: Ints) -> None:
        """One candidate of each of the first lanes."""
        rules, active_lanes = self.rules, slice(active)
        time, bits = self.candidates.time[at], self.candidates.bits[at]
        reached = self.reached[active_lanes]
        late = np.flatnonzero((reached > 0) & (self.deadline[active_lanes] <= time))
        self.make(late, at[late] * 2, self.deadline[late], rules.expired)
        reached[late] = 0
        broken = (bits & np.array(rules.breaking)[reached]) != 0
        onward = ~broken & ((bits >> reached) & 1 == 1)
        begins = onward & (reached == 0)
        if rules.latest:
            begins |= ~broken & ~onward & (bits & 1 == 1)
        over = np.flatnonzero(broken)
        self.make(over, at[over] * 2 + 1, time[over], rules.broken)
        self.start[active_lanes] = np.where(begins, time, self.start[active_lanes])
        moved = np.flatnonzero(onward | begins)
        code = np.where(begins, 1, reached + 1)
        self.make(moved, at[moved] * 2 + 1, time[moved], code[moved])
        self.last[moved] = time[moved]
        reached[moved] = np.where(code == rules.completed, NONE, code)[moved]
        reached[over] = NONE
        self.deadline[active_lanes] = self.deadlines(active_lanes)

    def walk(self, lane: int, number: int) -> None:
        """Walk one lane alone, from a candidate on."""
        rules, breaking = self.rules, self.rules.breaking
        begin, end = int(self.first[lane]) + number, int(self.first[lane] + self.length[lane])
        reached, start, last = int(self.reached[lane]), int(self.start[lane]), int(self.last[lane])
        deadline = rules.deadline(reached, start, last)
        moves: list[tuple[int, int, int, int]] = []
        pairs = zip(
            self.candidates.time[begin:end].tolist(), self.candidates.bits[begin:end].tolist(), strict=True
        )
        for at, (time, bits) in enumerate(pairs, begin):
            if reached and deadline <= time:
                moves.append((at * 2, deadline, rules.expired, start))
                reached = NONE
            if bits & breaking[reached]:
                moves.append((at * 2 + 1, time, rules.broken, start))
                reached = NONE
                continue
            onward = bits >> reached & 1
            if not onward and not (rules.latest and bits & 1):
                continue
            reached = reached + 1 if onward else 1
            start, last = time if reached == 1 else start, time
            moves.append((at * 2 + 1, time, reached, start))
            reached = NONE if reached == rules.completed else reached
            deadline = rules.deadline(reached, start, last)
        self.reached[lane], self.start[lane], self.last[lane] = reached, start, last
        self.deadline[lane] = deadline
        order, time_of, code, starts = np.array(moves, dtype=np.int64).reshape(-1, 4).T
        self.made.append((order, np.full(len(order), self.key[lane]), time_of, code, starts))

    def end(self, until: Ints | None) -> None:
        """Let the runs that remain after all candidates expire at their limits."""
        over = (self.reached > 0) & (self.deadline != OPEN)
        # A run of a lane that another one follows is over by then.
        over &= True if until is None else (self.deadline <= until[self.key]) | ~self.is_last()
        lanes = np.flatnonzero(over)
        self.make(lanes, (self.first + self.length)[lanes] * 2, self.deadline[lanes], self.rules.expired)
        self.reached[lanes] = NONE

    def is_last(self) -> Mask:
        """Return which lanes are the last of their keys."""
        order = order_of(self.key, self.first)
        mask = np.zeros(len(order), dtype=bool)
        mask[order] = np.append(self.key[order][1:] != self.key[order][:-1], True)[: len(order)]
        return mask

    def moves(self) -> Moves:
        """Return all of them, in order."""
        nothing = np.empty(0, dtype=np.int64)
        columns = zip(*self.made, strict=True) if self.made else [[nothing]] * 5
        order, key, time, code, start = (np.concatenate(column) for column in columns)
        return Moves(key, time, code, start).take(np.lexsort((order, key)))

    def progress(self, before: Progress) -> Progress:
        """Return where each key is in the end."""
        last = np.flatnonzero(self.is_last())
        key = self.key[last]
        progress = Progress(before.reached.copy(), before.start.copy(), before.last.copy())
        progress.reached[key], progress.start[key], progress.last[key] = (
            self.reached[last],
            self.start[last],
            self.last[last],
        )
        return progress
