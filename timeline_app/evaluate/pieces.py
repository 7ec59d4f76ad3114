"""One key's timeline as pieces, each from an instant to another: of an answer, or of expected spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND

Line = tuple[float, float]
"""A value, and by how much it climbs in a second."""
Spoken = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A value from `start` to `end` (exclusive, microseconds): of a state, a number's line, or a ratio of lines.

    `value` is None where it is unknown; the lines begin at `start`.
    """

    start: int
    end: int
    value: Any = None
    line: Line | None = None
    den: Line | None = None

    def at(self, time: int) -> Any:
        """Return what it says at an instant; None is unknown."""
        if self.line is None:
            return self.value
        above = _extrapolate(self.line, time - self.start, self.start)
        if self.den is None:
            return above
        below = _extrapolate(self.den, time - self.start, self.start)
        return above / below if below else None

    def cut(self, start: int, end: int) -> Piece:
        """Return a part of it."""
        lines = {
            name: (_extrapolate(line, start - self.start, self.start), line[1])
            for name, line in (("line", self.line), ("den", self.den))
            if line is not None
        }
        return replace(self, start=start, end=end, **lines)

    def spoken(self) -> dict[str, Any]:
        """Return it as an expected span is written."""
        head = {
            "from": None if self.start == BEGINNING else self.start,
            "to": None if self.end == OPEN else self.end,
        }
        if self.line is None:
            return {**head, "value": self.value}
        line = {"value": self.line[0], "slope": self.line[1]}
        if self.den is None:
            return {**head, **line}
        return {**head, "num": line, "den": {"value": self.den[0], "slope": self.den[1]}}


def _extrapolate(line: Line, micros: int, start: int) -> float:
    """Return the value of a line at a time; an unbounded line does not climb."""
    value, slope = line
    return value if slope == 0 or start == BEGINNING else value + slope * (micros / SECOND)


def build_from_points(points: Sequence[Spoken]) -> list[Piece]:
    """Return the points of an answer of `evaluate`."""
    ends = [*(point["t"] for point in points[1:]), OPEN]
    return [
        _build_piece(BEGINNING if point["t"] is None else point["t"], end, point)
        for point, end in zip(points, ends, strict=True)
    ]


def build_from_spans(spans: Iterable[Spoken]) -> list[Piece]:
    """Expected spans, in order of time; between two of them there may be a gap."""
    pieces = [
        _build_piece(
            BEGINNING if span["from"] is None else span["from"],
            OPEN if span["to"] is None else span["to"],
            span,
        )
        for span in spans
    ]
    return sorted(pieces, key=lambda piece: piece.start)


def find_overlap(pieces: Iterable[Piece]) -> tuple[Piece, Piece] | None:
    """Return the first two ordered pieces that overlap, if any."""
    return next(((first, two) for first, two in pairwise(pieces) if two.start < first.end), None)


def _build_piece(start: int, end: int, spoken: Spoken) -> Piece:
    if spoken.get("num") is not None:
        num, den = spoken["num"], spoken["den"]
        return Piece(start, end, None, (num["value"], num["slope"]), (den["value"], den["slope"]))
    value = spoken.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Piece(start, end, value)
    return Piece(start, end, None, (float(value), float(spoken.get("slope") or 0.0)))
