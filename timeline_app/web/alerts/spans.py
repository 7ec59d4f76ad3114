"""Spans in which a bool is true, from revisions and timelines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, TRUE
from timeline_app.algebra.revisions import Revisions
from timeline_app.evaluate.backtest.incident_matching import Span


def spans_of_revisions(revisions: Revisions) -> dict[int, list[Span]]:
    """Return the spans that revisions of a bool call true, by the place of the revision."""
    rows = np.flatnonzero(revisions.value == TRUE)
    places = np.searchsorted(revisions.offsets, rows, side="right") - 1
    following = np.append(revisions.time, OPEN)[rows + 1]
    is_last = rows + 1 == revisions.offsets[places + 1]
    until = np.where(is_last, revisions.end[places], following)
    spans: dict[int, list[Span]] = defaultdict(list)
    for place, start, end in zip(places.tolist(), revisions.time[rows].tolist(), until.tolist(), strict=True):
        spans[place].append((start, end))
    return spans


def spans_of_points(points: Sequence[Sequence[Any]]) -> list[Span]:
    """Return the spans in which a timeline of these points is true."""
    times = [BEGINNING if point[0] is None else int(point[0]) for point in points]
    return [span for span, point in zip(pairwise([*times, OPEN]), points, strict=True) if point[1] is True]
