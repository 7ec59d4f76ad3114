"""Messages of a source take the way of all events: the same rules, landing and counts.

The read position lies in the file of the events, so nothing is lost or read twice if a process is killed. A wrong
message blocks no other: it goes to quarantine (`quarantine`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from django.db import transaction

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.connectors.messages import Lines, decode_messages
from timeline_app.connectors.reading import Portion
from timeline_app.connectors.splits.slowest_watermark import NAME, Slowest
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.future_times import split_ahead
from timeline_app.events.mapping import NO_MAPPING, FieldMapping, parse_mapping
from timeline_app.events.validate import LineProblem, Misread
from timeline_app.landing.dedup import Receipt
from timeline_app.landing.request_body import read_lines
from timeline_app.landing.requests import Request
from timeline_app.web.core.disk_space import refuse_when_full
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import arrival_measures, quarantine
from timeline_app.web.streams.ingest import (
    count_carefully,
    get_door,
    get_landing,
    lock_stream,
    refuse_when_behind,
)
from timeline_app.web.streams.selectors import load_declaration

READER_LEASE_S = 10.0
"""A source is read by one process; this long after it was killed the source is free, or sooner (`leases`)."""


class SourceReadElsewhere(Exception):
    """Another process has read the source further: reopen it."""


@dataclass(slots=True)
class SourceProgress:
    """How far the parts of a source were read: `landed` with events, `standing` also without.

    `slowest`: event times of its parts; `said`: the last watermark that landed; `rejected`: how many messages of the
    last portion were rejected. `refused`: messages that `pass_by` writes, because nothing landed with them.
    `mapping`: how the fields of its events are mapped.
    """

    landed: dict[str, Any]
    standing: dict[str, Any]
    slowest: Slowest
    said: int | None = None
    rejected: int = 0
    refused: Sequence[Misread] = ()
    mapping: FieldMapping = NO_MAPPING

    @classmethod
    def from_source(cls, source: StreamSource) -> SourceProgress:
        """Load the positions of landing and database; the later one counts. Resolve what a killed process left."""
        positions = get_landing(source.stream.folder).positions()
        landed = {name: position.value for name, position in positions.items()}
        quarantine.resolve_staged(source.stream, landed)
        passed = {
            name: value
            for name, (value, batch) in source.passed.items()
            if name not in positions or batch > positions[name].batch
        }
        slowest = Slowest(landed.get(NAME) or {})
        return cls(landed, landed | passed, slowest, mapping=parse_mapping(source.mapping))


def take_portion(*, stream: Stream, portion: Portion, progress: SourceProgress) -> int:
    """Land valid events and keep refused ones; return how many landed. If none, call `pass_by`.

    Raise `SourceReadElsewhere`, `Busy` or `NotWritten` (nothing landed, a retry may succeed), or `OSError`.
    """
    refuse_when_full()
    refuse_when_behind(stream)
    lines = decode_messages(portion.messages, load_declaration(stream), progress.mapping)
    table, problems = _read(lines, load_declaration(stream))
    rejected = lines.wrong + [lines.place(problem) for problem in problems]
    progress.rejected = len(rejected)
    if not len(table):
        progress.refused = rejected
        progress.standing.update(portion.positions)
        return 0
    if portion.parts is not None:
        progress.slowest.hear(_find_greatest_times(lines, problems, table))
    request = _build_request(table, portion, progress, load_declaration(stream))
    staged = _stage_rejected(stream, rejected, request) if rejected else None
    with lock_stream(stream) as declared:
        if declared.document != stream.document:
            raise SourceReadElsewhere
        _mark(stream, request.watermark)
        get_door(stream.folder).land(request)
    if request.refusal:
        raise SourceReadElsewhere
    if staged is not None:
        quarantine.confirm_refused(stream, rejected, staged)
    arrival_measures.note_taken(stream, [request], None)
    count_carefully(stream, [table])
    progress.standing.update(portion.positions)
    progress.landed.update(request.positions)
    progress.said = request.watermark
    return len(table)


def _read(lines: Lines, declared: StreamDeclaration) -> tuple[pa.Table, list[LineProblem]]:
    """Return the valid events that are not too far ahead, and the problems of the other lines."""
    table, problems = read_lines(lines.lines, declared)
    arrived = time.time_ns() // 1_000
    table, ahead = split_ahead(table, declared, arrived, partial(_select_good_lines, lines, problems))
    return table, sorted([*problems, *ahead], key=lambda item: item.line)


def _build_request(
    table: pa.Table, portion: Portion, progress: SourceProgress, declared: StreamDeclaration
) -> Request:
    """Return the events to land with their read positions, conditional on the previous positions."""
    request = Request(table, Receipt("", "", -1, "", len(table)))
    request.positions = {
        name: value for name, value in portion.positions.items() if progress.landed.get(name) != value
    }
    if portion.parts is not None:
        request.positions = {**request.positions, NAME: dict(progress.slowest.times)}
    request.after = {name: progress.landed.get(name) for name in request.positions}
    request.watermark = compute_watermark(portion, progress, declared)
    request.allowed_lateness, request.retention = declared.allowed_lateness, declared.retention
    return request


def _stage_rejected(
    stream: Stream, rejected: Sequence[Misread], request: Request
) -> quarantine.Staged | None:
    """Write refused messages before the rest lands; without positions nothing could tell whether it has."""
    if not request.positions:
        with transaction.atomic():
            quarantine.keep_refused(stream, rejected)
        return None
    positions = get_landing(stream.folder).positions()
    if any(
        (positions[name].value if name in positions else None) != value
        for name, value in request.after.items()
    ):
        raise SourceReadElsewhere
    staged = quarantine.stage_refused(stream, rejected, request.positions)
    if staged is None:
        raise SourceReadElsewhere
    return staged


def name_reader_lease(number: int) -> str:
    """Return the name of the lease for reading a source; only its holder lands the source's watermarks."""
    return f"intake {number}"


def compute_watermark(portion: Portion, progress: SourceProgress, declared: StreamDeclaration) -> int | None:
    """Return the watermark of a source with a portion (see `Portion`)."""
    if portion.parts is None:
        return portion.watermark
    return progress.slowest.watermark(portion.parts, declared.allowed_lateness, declared.idle_after)


def _find_greatest_times(lines: Lines, problems: Sequence[LineProblem], table: pa.Table) -> dict[str, int]:
    """Return the greatest event time of each part that brought any of these events."""
    parts = [lines.owners[line - 1].part for line in _select_good_lines(lines, problems)]
    totals = pa.table([parts, table["time"]], ["part", "time"]).group_by("part").aggregate([("time", "max")])
    return dict(zip(totals["part"].to_pylist(), totals["time_max"].to_pylist(), strict=True))


def _select_good_lines(lines: Lines, problems: Sequence[LineProblem]) -> list[int]:
    """Return the lines that are events."""
    rejected_lines = {problem.line for problem in problems}
    return [line for line in range(1, len(lines.lines) + 1) if line not in rejected_lines]


def take_watermark(stream: Stream, watermark: int | None, progress: SourceProgress | None = None) -> None:
    """Land a source's watermark without events; None: the source no longer gives one.

    Before the first event nothing lands, so that the stream can still be redeclared. Raise `OSError`.
    """
    landing = get_landing(stream.folder)
    _mark(stream, watermark)
    if landing.end() and (stream.held or watermark is not None):
        landing.beat(BEGINNING if watermark is None else watermark, holds=watermark is not None)
        if progress is not None:
            progress.said = watermark
    if watermark is None:
        stream.held = False
        Stream.objects.filter(pk=stream.pk).update(held=False)


def _mark(stream: Stream, watermark: int | None) -> None:
    """Record that a source holds the stream back before it does, so that it can be released later."""
    if watermark is not None and not stream.held:
        stream.held = True
        Stream.objects.filter(pk=stream.pk).update(held=True)


def pass_by(source: StreamSource, progress: SourceProgress) -> None:
    """Record positions at which nothing landed, and keep refused messages, in one transaction.

    Positions that land later take precedence. Raise `SourceReadElsewhere` if the source was replaced meanwhile.
    """
    changed = {name: value for name, value in progress.standing.items() if progress.landed.get(name) != value}
    moved = changed != {name: value for name, (value, _) in source.passed.items()}
    if not moved and not progress.refused:
        return
    batch = get_landing(source.stream.folder).end()
    passed = {name: [value, batch] for name, value in changed.items()}
    with transaction.atomic():
        row = StreamSource.objects.filter(pk=source.pk, changed_at=source.changed_at)
        if not row.update(passed=passed):
            raise SourceReadElsewhere
        if progress.refused:
            quarantine.keep_refused(source.stream, progress.refused)
    source.passed, progress.refused = passed, ()
