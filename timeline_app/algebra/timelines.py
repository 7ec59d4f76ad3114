"""Timelines of many keys at once, in columns, always in normal form.

Key `k` owns the pieces `offsets[k]:offsets[k + 1]`. Piece `i` holds from `time[i]` (inclusive) to the time of
the next piece of the same key (exclusive), the last one for ever. The first piece of every key starts at
`BEGINNING`. Change points strictly increase and no two neighbours say the same, so that two equal timelines
have one representation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import (
    BEGINNING,
    NO_LABELS,
    TRUE,
    UNKNOWN,
    Ints,
    Kind,
    Labels,
    Lines,
    Mask,
    Scalar,
    Values,
    is_known,
)
from timeline_app.algebra.lines import evaluate_after, is_same_line
from timeline_app.algebra.order import compute_ends, mark_firsts


@dataclass(frozen=True, slots=True, eq=False)
class Timelines:
    """One timeline for each key of `names`; build it with `build_timelines`, which brings it to normal form.

    `birth[k]` is the event time in microseconds at which the key was born, `OPEN` where it never was.
    """

    kind: Kind
    names: Labels
    birth: Ints
    offsets: Ints
    time: Ints
    value: Values
    slope: Lines
    labels: Labels = field(default_factory=lambda: NO_LABELS)

    @property
    def size(self) -> int:
        """How many keys."""
        return len(self.names)

    @property
    def key(self) -> Ints:
        """The key index of every piece."""
        return np.repeat(np.arange(self.size, dtype=np.int64), np.diff(self.offsets))

    @property
    def end(self) -> Ints:
        """The end of every piece, exclusive; `OPEN` for the last of a key."""
        return compute_ends(self.time, self.offsets[1:] - 1)

    @property
    def known(self) -> Mask:
        """Which pieces hold a known value."""
        return is_known(self.kind, self.value)

    def take(self, keys: Ints) -> Timelines:
        """Return the timelines of these key indices, in their order."""
        counts = np.diff(self.offsets)[keys]
        rows = concatenate_ranges(self.offsets[keys], counts)
        return replace(
            self,
            names=self.names[keys],
            birth=self.birth[keys],
            offsets=compute_offsets(counts),
            time=self.time[rows],
            value=self.value[rows],
            slope=self.slope[rows],
        )

    def scalar(self, row: int) -> Scalar:
        """Return the value at the start of a piece as a Python object; None is unknown."""
        return to_scalar(self.kind, self.value[row], self.labels)

    def points(self, key: int) -> Iterator[tuple[int | None, Any, Any]]:
        """Yield (time or None for unbounded, value, slope) of one key's pieces; of a ratio both are complex."""
        for row in range(int(self.offsets[key]), int(self.offsets[key + 1])):
            time = int(self.time[row])
            yield None if time == BEGINNING else time, self.scalar(row), self.slope[row].item()


def to_scalar(kind: Kind, value: Values, labels: Labels) -> Scalar:
    """Return one value of a column as a Python object; None is unknown."""
    if kind is Kind.BOOL:
        return None if value == UNKNOWN else bool(value == TRUE)
    if kind is Kind.TEXT:
        return None if value < 0 else str(labels[value])
    if np.isnan(value):
        return None
    return complex(value) if kind is Kind.RATIO else float(value)


def build_timelines(
    kind: Kind,
    names: Labels,
    birth: Ints,
    key: Ints,
    time: Ints,
    value: Values,
    slope: Lines | None = None,
    labels: Labels = NO_LABELS,
) -> Timelines:
    """Bring pieces, sorted by key and strictly increasing time, to normal form.

    Every key must have a piece at `BEGINNING`.
    """
    lines = np.zeros(len(time), kind.slope_dtype) if slope is None else np.where(np.isnan(value), 0.0, slope)
    keep = mark_firsts(key)
    keep[1:] |= _mark_changes(kind, time, value, lines)
    counts = np.bincount(key[keep], minlength=len(names))
    column = value[keep].astype(kind.dtype, copy=False)
    return Timelines(kind, names, birth, compute_offsets(counts), time[keep], column, lines[keep], labels)


def _mark_changes(kind: Kind, time: Ints, value: Values, slope: Lines) -> Mask:
    """Return where a piece says something else than the one before it, first pieces of keys aside."""
    if not kind.is_line:
        return np.asarray(value[1:] != value[:-1])
    with np.errstate(over="ignore"):
        elapsed = time[1:] - time[:-1]
    moved = evaluate_after(value[:-1], slope[:-1], elapsed)
    return ~is_same_line(moved, slope[:-1], value[1:], slope[1:])


def build_constant(kind: Kind, names: Labels, birth: Ints, value: object) -> Timelines:
    """Return the same value at all times, for every key (text: unknown only)."""
    size = len(names)
    time = np.full(size, BEGINNING, dtype=np.int64)
    column = np.full(size, value, dtype=kind.dtype)
    offsets = np.arange(size + 1, dtype=np.int64)
    return Timelines(kind, names, birth, offsets, time, column, np.zeros(size, kind.slope_dtype))


def compute_offsets(counts: Ints) -> Ints:
    """Return where each key's rows begin, and the end: the running sum of the counts, from 0."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def concatenate_ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the concatenation of `arange(start, start + count)`."""
    offsets = compute_offsets(counts)
    return np.arange(offsets[-1], dtype=np.int64) + np.repeat(starts - offsets[:-1], counts)
