"""Spans in which a bool is true, before and after a revision, and which incidents they belong to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, TRUE
from timeline_app.algebra.revisions import Revisions
from timeline_app.web.models.alerts import Incident

Span = tuple[int, int]
"""From inclusive, to exclusive."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Incidents with their spans from now on, spans that are new, and incidents that are no more.

    What is no more stands beside the incident that has taken its span over, if one has.
    """

    kept: Sequence[tuple[Incident, Span]]
    new: Sequence[Span]
    gone: Sequence[tuple[Incident, Incident | None]]


def spans_of_revisions(revisions: Revisions) -> dict[int, list[Span]]:
    """The spans that revisions of a bool call true, by the place of the revision; no others are there."""
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
    """The spans in which a timeline of these points is true."""
    times = [BEGINNING if point[0] is None else int(point[0]) for point in points]
    return [span for span, point in zip(pairwise([*times, OPEN]), points, strict=True) if point[1] is True]


def apply_revision(before: Iterable[Incident], revised: Span, inside: Iterable[Span]) -> list[Span]:
    """The spans after a revision: those inside it, joined with what it leaves of those before."""
    start, end = revised
    outside = [
        part
        for one in before
        for part in ((one.start, min(one.end, start)), (max(one.start, end), one.end))
        if part[0] < part[1]
    ]
    return list(_joined(sorted([*outside, *inside])))


def match_spans(before: Iterable[Incident], after: Sequence[Span]) -> Matching:
    """Each span goes to the earliest incident that overlaps it and has none yet."""
    waiting = sorted(before, key=lambda one: one.start)
    kept: list[tuple[Incident, Span]] = []
    new: list[Span] = []
    for span in after:
        heir = next((one for one in waiting if _overlap(one, span)), None)
        if heir is None:
            new.append(span)
        else:
            waiting.remove(heir)
            kept.append((heir, span))
    return Matching(kept, new, [(one, _successor(one, kept)) for one in waiting])


def _successor(gone: Incident, kept: Iterable[tuple[Incident, Span]]) -> Incident | None:
    return next((heir for heir, span in kept if _overlap(gone, span)), None)


def _overlap(one: Incident, span: Span) -> bool:
    return one.start < span[1] and span[0] < one.end


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that touch as one."""
    current: Span | None = None
    for start, end in spans:
        if current is not None and start <= current[1]:
            current = current[0], max(current[1], end)
            continue
        if current is not None:
            yield current
        current = start, end
    if current is not None:
        yield current
