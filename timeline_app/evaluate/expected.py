"""What is expected of a key's timeline at a node, compared with what it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND
from timeline_app.evaluate.pieces import Piece
from timeline_app.operators.words import clock, said

TOLERANCE = 1e-6
"""So much numbers may differ where nobody says otherwise."""
_PARTS = 32
"""A ratio of lines is no line: within a stretch it is compared at so many instants."""
_HORIZON = 3_600 * SECOND
"""So far an open ratio is compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """From `start` to `end` (exclusive) something else was expected than came out."""

    start: int
    end: int
    expected: Piece
    got: Piece

    @property
    def micros(self) -> int:
        """How long it is."""
        return self.end - self.start

    def document(self) -> dict[str, Any]:
        """As JSON: the stretch, and both sides as spans."""
        expected, got = (one.cut(self.start, self.end).spoken() for one in (self.expected, self.got))
        stretch = {"from": expected.pop("from"), "to": expected.pop("to")}
        return {**stretch, "expected": expected, "got": {k: v for k, v in got.items() if k not in stretch}}

    def words(self, node: str, key: str) -> str:
        """One sentence: where, what was expected, and what came out."""
        expected, got = (_spoken(one.cut(self.start, self.end)) for one in (self.expected, self.got))
        return f"node {node}, key {key}: expected {expected} {_when(self.start, self.end)}, got {got}"


def find_differences(
    expected: Sequence[Piece], got: Sequence[Piece], tolerance: float = TOLERANCE, slack: int = 0
) -> list[Difference]:
    """Every stretch in which they differ, in order; what is not expected is not compared.

    Numbers may differ by the tolerance. Stretches of at most `slack` microseconds are forgiven: an edge may be a
    little off.
    """
    found = (one for wanted in expected for one in _within(wanted, got, tolerance))
    return [one for one in _merged(found) if one.micros > slack]


def _within(wanted: Piece, got: Sequence[Piece], tolerance: float) -> Iterator[Difference]:
    for piece in got:
        start, end = max(wanted.start, piece.start), min(wanted.end, piece.end)
        if start < end:
            for low, high in _differing(wanted.cut(start, end), piece.cut(start, end), tolerance):
                yield Difference(low, high, wanted, piece)


def _differing(one: Piece, other: Piece, tolerance: float) -> list[tuple[int, int]]:
    """Where two pieces over the same stretch differ."""
    whole = [(one.start, one.end)]
    if one.line is None or other.line is None:
        return [] if one.line is other.line and _same(one.value, other.value) else whole
    if one.den is not None or other.den is not None:
        return [] if (one.line, one.den) == (other.line, other.den) else _sampled(one, other, tolerance)
    if one.start == BEGINNING:
        return [] if abs(one.line[0] - other.line[0]) <= tolerance else whole
    return _lines(one.start, one.end, one.line[0] - other.line[0], _steeper(one, other), tolerance)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _steeper(one: Piece, other: Piece) -> float:
    """By how much one climbs more in a second; rounding is no slope."""
    assert one.line is not None
    assert other.line is not None
    steep = one.line[1] - other.line[1]
    return 0.0 if abs(steep) <= 1e-9 * max(1.0, abs(one.line[1]), abs(other.line[1])) else steep


def _lines(start: int, end: int, apart: float, steeper: float, tolerance: float) -> list[tuple[int, int]]:
    """Where a line that begins `apart` from zero is farther from it than the tolerance."""
    if steeper == 0:
        return [] if abs(apart) <= tolerance else [(start, end)]
    enter, leave = sorted(start + (edge - apart) / steeper * SECOND for edge in (-tolerance, tolerance))
    near, far = _clipped(math.ceil(enter), start, end), _clipped(math.floor(leave) + 1, start, end)
    if near >= far:
        return [(start, end)]
    return [part for part in ((start, near), (far, end)) if part[0] < part[1]]


def _clipped(time: int, start: int, end: int) -> int:
    return min(max(time, start), end)


def _sampled(one: Piece, other: Piece, tolerance: float) -> list[tuple[int, int]]:
    """The same where one is a ratio, from instant to instant."""
    last = min(one.end, one.start + _HORIZON) if one.end == OPEN else one.end
    times = sorted({one.start + (last - one.start) * part // _PARTS for part in range(_PARTS)})
    if one.start == BEGINNING:
        times = times[:1]
    apart = [not _near(one.at(time), other.at(time), tolerance) for time in times]
    stretches = pairwise([*times, one.end])
    return [stretch for stretch, differs in zip(stretches, apart, strict=True) if differs]


def _near(one: Any, other: Any, tolerance: float) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= tolerance


def _merged(found: Iterable[Difference]) -> list[Difference]:
    """Neighbours that say the same are one."""
    kept: list[Difference] = []
    for one in found:
        last = kept[-1] if kept else None
        if last and last.end == one.start and (_goes_on(last, one) or _states_go_on(last, one)):
            kept[-1] = replace(last, end=one.end)
        else:
            kept.append(one)
    return kept


def _goes_on(last: Difference, one: Difference) -> bool:
    return last.expected == one.expected and last.got == one.got


def _states_go_on(last: Difference, one: Difference) -> bool:
    pairs = ((last.expected, one.expected), (last.got, one.got))
    return all(a.line is None and b.line is None and _same(a.value, b.value) for a, b in pairs)


def _spoken(piece: Piece) -> str:
    if piece.line is None:
        return said(piece.value)
    if piece.den is not None:
        return said(piece.at(piece.start))
    value, slope = piece.line
    if slope == 0 or piece.start == BEGINNING:
        return said(value)
    return f"{said(value)} {'climbing' if slope > 0 else 'falling'} by {said(abs(slope))} a second"


def _when(start: int, end: int) -> str:
    if start == BEGINNING:
        return "at all times" if end == OPEN else f"until {clock(end, end)}"
    if end == OPEN:
        return f"from {clock(start, start)} on"
    return f"from {clock(start, start)} to {clock(end, start)}"
