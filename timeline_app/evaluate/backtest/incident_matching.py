"""Match the spans in which a bool is true with its incidents, before and after a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Span = tuple[int, int]
"""From (inclusive), to (exclusive)."""


AnyIncident = TypeVar("AnyIncident")
"""Has `start`, `end` and `fired` (whether it was ever more than pending): a model, or a plain object."""


@dataclass(frozen=True, slots=True)
class Matching(Generic[AnyIncident]):
    """Incidents with their new spans, spans without an incident, and removed incidents.

    A removed incident refers to the incident that has taken over its span, if any.
    """

    kept: Sequence[tuple[AnyIncident, Span]]
    new: Sequence[Span]
    gone: Sequence[tuple[AnyIncident, AnyIncident | None]]


def match_spans(
    before: Iterable[AnyIncident], after: Sequence[Span], event_time: int
) -> Matching[AnyIncident]:
    """Match each span with the earliest overlapping incident that has none yet.

    A span that begins after the event time does not continue an incident that fired: that one was a false alarm.
    """
    waiting: list[Any] = sorted(before, key=_get_start)
    matched: list[tuple[AnyIncident, Span]] = []
    new: list[Span] = []
    for span in after:
        has_started = span[0] <= event_time
        heir = next(
            (
                incident
                for incident in waiting
                if overlaps(incident, span) and (has_started or not incident.fired)
            ),
            None,
        )
        if heir is None:
            new.append(span)
        else:
            waiting.remove(heir)
            matched.append((heir, span))
    return Matching(matched, new, [(incident, _find_successor(incident, matched)) for incident in waiting])


def _get_start(incident: Any) -> int:
    return int(incident.start)


def _find_successor(incident: AnyIncident, matched: Iterable[tuple[AnyIncident, Span]]) -> AnyIncident | None:
    return next((heir for heir, span in matched if overlaps(incident, span)), None)


def overlaps(incident: Any, span: Span) -> bool:
    """Return whether an incident and a span have an instant in common."""
    return bool(incident.start < span[1] and span[0] < incident.end)


def apply_spans(before: Iterable[Any], revised: Span, inside: Iterable[Span]) -> list[Span]:
    """Return the spans after a stretch was revised: the new ones inside it, joined with the rest of the old ones."""
    start, end = revised
    outside = [
        part
        for incident in before
        for part in ((incident.start, min(incident.end, start)), (max(incident.start, end), incident.end))
        if part[0] < part[1]
    ]
    return list(join_spans(sorted([*outside, *inside])))


def join_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans in order, with adjacent ones joined."""
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
