"""Compares an expected timeline of a key at a node with the computed one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND
from timeline_app.evaluate.pieces import Piece
from timeline_app.operators.words import format_clock, format_value

TOLERANCE = 1e-6
"""The default tolerance of numbers."""
_INSTANTS_PER_PIECE = 32
"""A ratio of lines is no line: within a stretch it is compared at this many instants."""
_MAX_COMPARED_MICROS = 3_600 * SECOND
"""An open-ended ratio is compared up to this distance."""


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
        """Return it as JSON: the stretch, and both sides as spans."""
        expected, computed = (piece.cut(self.start, self.end).spoken() for piece in (self.expected, self.got))
        stretch = {"from": expected.pop("from"), "to": expected.pop("to")}
        return {
            **stretch,
            "expected": expected,
            "got": {k: v for k, v in computed.items() if k not in stretch},
        }

    def words(self, node: str, key: str) -> str:
        """Return one sentence: where, what was expected, and what came out."""
        expected, computed = (
            _format_piece(piece.cut(self.start, self.end)) for piece in (self.expected, self.got)
        )
        return f"node {node}, key {key}: expected {expected} {_format_stretch(self.start, self.end)}, got {computed}"


def find_differences(
    expected: Sequence[Piece], computed: Sequence[Piece], tolerance: float = TOLERANCE, slack: int = 0
) -> list[Difference]:
    """Return every stretch in which they differ, in order; stretches without expectation are not compared.

    Numbers may differ by the tolerance. Stretches of at most `slack` microseconds are ignored: an edge may be a
    little off.
    """
    differences = (
        difference
        for expectation in expected
        for difference in _compare_within(expectation, computed, tolerance)
    )
    return [difference for difference in _merge_neighbours(differences) if difference.micros > slack]


def _compare_within(
    expected_piece: Piece, computed: Sequence[Piece], tolerance: float
) -> Iterator[Difference]:
    for piece in computed:
        start, end = max(expected_piece.start, piece.start), min(expected_piece.end, piece.end)
        if start < end:
            for low, high in _find_differing(
                expected_piece.cut(start, end), piece.cut(start, end), tolerance
            ):
                yield Difference(low, high, expected_piece, piece)


def _find_differing(left: Piece, right: Piece, tolerance: float) -> list[tuple[int, int]]:
    """Return where two pieces over the same stretch differ."""
    all_of_it = [(left.start, left.end)]
    if left.line is None or right.line is None:
        return [] if left.line is right.line and _is_same(left.value, right.value) else all_of_it
    if left.den is not None or right.den is not None:
        return (
            []
            if (left.line, left.den) == (right.line, right.den)
            else _compare_sampled(left, right, tolerance)
        )
    if left.start == BEGINNING:
        return [] if abs(left.line[0] - right.line[0]) <= tolerance else all_of_it
    return _compare_lines(
        left.start, left.end, left.line[0] - right.line[0], _compute_slope_difference(left, right), tolerance
    )


def _is_same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _compute_slope_difference(left: Piece, right: Piece) -> float:
    """Return how much faster one climbs per second; differences of rounding count as 0."""
    assert left.line is not None
    assert right.line is not None
    steep = left.line[1] - right.line[1]
    return 0.0 if abs(steep) <= 1e-9 * max(1.0, abs(left.line[1]), abs(right.line[1])) else steep


def _compare_lines(
    start: int, end: int, apart: float, steeper: float, tolerance: float
) -> list[tuple[int, int]]:
    """Return where a line that begins `apart` from zero is farther from it than the tolerance."""
    if steeper == 0:
        return [] if abs(apart) <= tolerance else [(start, end)]
    enter, leave = sorted(start + (edge - apart) / steeper * SECOND for edge in (-tolerance, tolerance))
    near_end, far_end = _clip(math.ceil(enter), start, end), _clip(math.floor(leave) + 1, start, end)
    if near_end >= far_end:
        return [(start, end)]
    return [part for part in ((start, near_end), (far_end, end)) if part[0] < part[1]]


def _clip(time: int, start: int, end: int) -> int:
    return min(max(time, start), end)


def _compare_sampled(left: Piece, right: Piece, tolerance: float) -> list[tuple[int, int]]:
    """Return where two pieces differ of which one is a ratio, from instant to instant."""
    last = min(left.end, left.start + _MAX_COMPARED_MICROS) if left.end == OPEN else left.end
    times = sorted(
        {
            left.start + (last - left.start) * part // _INSTANTS_PER_PIECE
            for part in range(_INSTANTS_PER_PIECE)
        }
    )
    if left.start == BEGINNING:
        times = times[:1]
    apart = [not _is_close(left.at(time), right.at(time), tolerance) for time in times]
    stretches = pairwise([*times, left.end])
    return [stretch for stretch, differs in zip(stretches, apart, strict=True) if differs]


def _is_close(left: Any, right: Any, tolerance: float) -> bool:
    return left is right if left is None or right is None else abs(left - right) <= tolerance


def _merge_neighbours(differences: Iterable[Difference]) -> list[Difference]:
    """Merge equal neighbours."""
    merged: list[Difference] = []
    for difference in differences:
        last = merged[-1] if merged else None
        if (
            last
            and last.end == difference.start
            and (_is_continuation(last, difference) or _is_state_continuation(last, difference))
        ):
            merged[-1] = replace(last, end=difference.end)
        else:
            merged.append(difference)
    return merged


def _is_continuation(last: Difference, difference: Difference) -> bool:
    return last.expected == difference.expected and last.got == difference.got


def _is_state_continuation(last: Difference, difference: Difference) -> bool:
    pairs = ((last.expected, difference.expected), (last.got, difference.got))
    return all(a.line is None and b.line is None and _is_same(a.value, b.value) for a, b in pairs)


def _format_piece(piece: Piece) -> str:
    if piece.line is None:
        return format_value(piece.value)
    if piece.den is not None:
        return format_value(piece.at(piece.start))
    value, slope = piece.line
    if slope == 0 or piece.start == BEGINNING:
        return format_value(value)
    return f"{format_value(value)} {'climbing' if slope > 0 else 'falling'} by {format_value(abs(slope))} a second"


def _format_stretch(start: int, end: int) -> str:
    if start == BEGINNING:
        return "at all times" if end == OPEN else f"until {format_clock(end, end)}"
    if end == OPEN:
        return f"from {format_clock(start, start)} on"
    return f"from {format_clock(start, start)} to {format_clock(end, start)}"
