"""Measures taken during ingestion: rates, lateness, and rejected events.

Measuring costs a few array operations in memory; no request waits for the database. A thread of the web process
(`lifespan`) and every reader write the measures down. A killed process loses its last second.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from timeline_app.algebra.kinds import Ints
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.guess.lateness import compute_lateness
from timeline_app.events.validate import LineProblem, Misread
from timeline_app.landing.recording import describe_events
from timeline_app.landing.requests import Request
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.streams.selectors import load_declaration

MEASURE_STEP_S = 10
"""Length of one measure."""
MAX_PENDING_LINES = 1_000
"""Of rejected lines per stream between two writes; the newest count."""
MAX_LINE_CHARS = 8_192
STEPS_AN_OCTAVE = 8
_door = threading.Lock()


@dataclass(slots=True)
class Tally:
    """The counts of one step."""

    events: int = 0
    late: int = 0
    too_late: int = 0
    refused: int = 0
    lateness: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Noted:
    """Measures of a stream that are not written yet."""

    tallies: dict[int, Tally] = field(default_factory=dict)
    rejected: deque[RejectedEvent] = field(default_factory=lambda: deque(maxlen=MAX_PENDING_LINES))

    def now(self) -> Tally:
        """Return the tally of the current step."""
        return self.tallies.setdefault(int(time.time()) // MEASURE_STEP_S * MEASURE_STEP_S, Tally())


_noted: dict[int, Noted] = {}
_greatest: dict[int, int] = {}


def clear_cache() -> None:
    with _door:
        _noted.clear()
        _greatest.clear()


def take_measures() -> dict[int, Noted]:
    """Return and clear all pending measures, by stream."""
    with _door:
        measures = dict(_noted)
        _noted.clear()
    return measures


def note_taken(stream: Stream, requests: Sequence[Request], sender: int | None) -> None:
    """Measure requests whose events have landed, in their order."""
    with _door:
        noted = _noted.setdefault(stream.pk, Noted())
        for request in requests:
            _note(stream, request, noted, sender)


def _note(stream: Stream, request: Request, noted: Noted, sender: int | None) -> None:
    times = request.table["time"].to_numpy()
    before = max(
        (item for item in (_greatest.get(stream.pk), stream.last_event_at) if item is not None), default=None
    )
    lateness = compute_lateness(times, before)
    greatest = max(int(times.max()), before if before is not None else int(times.max()))
    _greatest[stream.pk] = greatest
    tally = noted.now()
    tally.events += len(times)
    _add(tally.lateness, lateness)
    tally.late += request.claim.late
    tally.too_late += request.claim.too_late
    if len(request.too_late):
        old = request.table.take(pa.array(request.too_late[-MAX_PENDING_LINES:]))
        noted.rejected.extend(_reject_late_events(stream, old, sender))


def _add(counts: dict[int, int], lateness: Ints) -> None:
    counts_by_step = np.bincount(compute_steps(lateness))
    for step in np.flatnonzero(counts_by_step).tolist():
        counts[step] = counts.get(step, 0) + int(counts_by_step[step])


def compute_steps(lateness: Ints) -> Ints:
    """Return the step of each lateness (microseconds) on a scale of eighths of octaves; 0 for none."""
    numbers = np.zeros(len(lateness), dtype=np.int64)
    is_late = lateness > 0
    numbers[is_late] = 1 + np.ceil(np.log2(lateness[is_late]) * STEPS_AN_OCTAVE).astype(np.int64)
    return numbers


def compute_length(step: int) -> int:
    """Return the longest lateness of a step, in microseconds."""
    return 0 if step == 0 else round(2 ** ((step - 1) / STEPS_AN_OCTAVE))


def _reject_late_events(stream: Stream, table: pa.Table, sender: int | None) -> Iterable[RejectedEvent]:
    message = f"older than the retention of {stream.document['retention']} when it came"
    for text in format_events(table, load_declaration(stream)):
        yield _build_rejected_event(
            stream, RejectedEvent.Kind.TOO_LATE, text, sender, code="too_late", message=message
        )


def format_events(table: pa.Table, declared: StreamDeclaration) -> list[str]:
    """Return events as JSON that can be pushed again."""
    events = describe_events(table, declared)
    texts = zip(table["text"].to_pylist(), events, strict=True)
    return [text or orjson.dumps(event).decode() for text, event in texts]


def note_refused(
    stream: Stream, rejected: Sequence[Misread], sender: int | None, *, count: int | None = None
) -> None:
    """Record refused lines: `count` of them (by default all of `rejected`); only the newest are kept."""
    rejected_rows = make_refused_rows(stream, rejected[-MAX_PENDING_LINES:], sender)
    with _door:
        noted = _noted.setdefault(stream.pk, Noted())
        noted.now().refused += len(rejected) if count is None else count
        noted.rejected.extend(rejected_rows)


def make_refused_rows(
    stream: Stream, rejected: Sequence[Misread], sender: int | None, request: str = ""
) -> list[RejectedEvent]:
    """Return unsaved rows for refused lines or messages."""
    return [
        _build_rejected_event(
            stream, RejectedEvent.Kind.REFUSED, text, sender, line=None if place else item.line, place=place[:500],
            field=(item.field or "")[:200], code=item.code, message=item.message[:500], alone=alone, request=request,
        )
        for item, text, place, alone in rejected
    ]  # fmt: skip


def _build_rejected_event(
    stream: Stream, kind: RejectedEvent.Kind, text: str, sender: int | None, **fields: Any
) -> RejectedEvent:
    clean = text.replace("\0", "␀")
    document = {
        name: value.replace("\0", "␀") if isinstance(value, str) else value for name, value in fields.items()
    }
    now, is_complete = time.time_ns() // 1_000, len(clean) <= MAX_LINE_CHARS
    return RejectedEvent(
        stream=stream,
        kind=kind,
        at=now,
        sender_id=sender or None,
        text=clean[:MAX_LINE_CHARS],
        whole=is_complete,
        **document,
    )


def pair_texts(problems: Sequence[LineProblem], texts: Mapping[int, bytes]) -> list[Misread]:
    """Pair each problem with its line as it arrived."""
    return [Misread(problem, _shorten(texts.get(problem.line, b""))) for problem in problems]


def _shorten(text: bytes) -> str:
    return text[: 4 * MAX_LINE_CHARS].decode(errors="replace").strip()
