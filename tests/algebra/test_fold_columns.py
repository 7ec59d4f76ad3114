"""Folding many logs at once says what folding each alone says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.fold_columns import LogColumns, fold_columns
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind

TIMES = st.integers(0, 30)


@st.composite
def draw_stretches(draw: st.DrawFn) -> Stretch:
    """One revision in normal form, its bounds open or closed."""
    times = sorted(draw(st.sets(TIMES, min_size=1, max_size=6)))
    words = draw(st.lists(st.sampled_from("abc"), min_size=len(times), max_size=len(times)))
    points: list[Point] = [[time, word] for time, word in zip(times, words, strict=True)]
    points = [points[0], *(point for before, point in pairwise(points) if before[1] != point[1])]
    start: int | None = times[0]
    if draw(st.booleans()):
        start = points[0][0] = None
    end = draw(st.none() | st.integers(times[-1] + 1, 35))
    return Stretch(start, end, points)


def build_columns(logs: list[list[Stretch]]) -> LogColumns:
    rows = [(key, item) for key, log in enumerate(logs) for item in log]
    points = [point for _, item in rows for point in item.pieces]
    return LogColumns(
        np.array([key for key, _ in rows], dtype=np.int64),
        np.array([BEGINNING if item.start is None else item.start for _, item in rows], dtype=np.int64),
        np.array([OPEN if item.end is None else item.end for _, item in rows], dtype=np.int64),
        np.cumsum([0, *(len(item.pieces) for _, item in rows)]),
        np.array([BEGINNING if point[0] is None else point[0] for point in points], dtype=np.int64),
        np.array([ord(point[1]) for point in points], dtype=np.int64),
    )


@given(st.lists(st.lists(draw_stretches(), max_size=5), max_size=4), st.none() | TIMES, st.none() | TIMES)
def test_many_logs_at_once_are_each_alone(
    logs: list[list[Stretch]], start: int | None, end: int | None
) -> None:
    low, high = BEGINNING if start is None else start, OPEN if end is None else end
    result = fold_columns(build_columns(logs), low, high)
    rows = zip(result.key.tolist(), result.time.tolist(), map(chr, result.code.tolist()), strict=True)
    expected = [
        (key, BEGINNING if point[0] is None else point[0], point[1])
        for key, log in enumerate(logs)
        for point in (fold(Kind.TEXT, log, start, end) if low < high else [])
    ]
    assert list(rows) == expected
