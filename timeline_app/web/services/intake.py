"""What is read of a source goes the way of all events: the door's rules, the same landing, the same counts.

How far it was read lies in the file of the events, so that nothing is lost and nothing comes twice, whoever is killed.
A message that is wrong holds up no other: it is kept aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.plan.events import LineProblem, Misread
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.sources.reading import Lines, Portion, lines_of
from timeline_app.sources.slowest import NAME, Slowest
from timeline_app.storage.door import read_lines
from timeline_app.storage.landing import Request
from timeline_app.storage.receipts import Receipt
from timeline_app.web.models import Stream
from timeline_app.web.selectors.streams import declaration
from timeline_app.web.services import measures
from timeline_app.web.services.events import (
    count_carefully,
    door_of,
    landing,
    refuse_when_behind,
    refuse_when_full,
    settled,
)
from timeline_app.web.source_models import StreamSource

READING = 10.0
"""A source is read by one process; it is free so many seconds after that was killed, or sooner (`leases`)."""


class ReadOn(Exception):
    """Somebody else has read the source on: it is to be opened anew."""


@dataclass(slots=True)
class Known:
    """How far the parts of a source were read: `landed` with events, `standing` with nothing to land as well.

    `slowest`: how far its parts have come in time; `said`: the last watermark that landed; `aside`: how many of the
    last portion were kept aside.
    """

    landed: dict[str, Any]
    standing: dict[str, Any]
    slowest: Slowest
    said: int | None = None
    aside: int = 0

    @classmethod
    def of(cls, source: StreamSource) -> Known:
        """As the landing and the database say; the later one counts."""
        positions = landing(source.stream.name).positions()
        landed = {name: one.value for name, one in positions.items()}
        passed = {
            name: value
            for name, (value, batch) in source.passed.items()
            if name not in positions or batch > positions[name].batch
        }
        return cls(landed, landed | passed, Slowest(landed.get(NAME) or {}))


def portion_take(*, stream: Stream, portion: Portion, known: Known) -> int:
    """Land what is right and keep aside what is wrong; how many events landed.

    Raises `ReadOn`, `Busy` or `NotWritten` (nothing landed, and it may be tried again), `OSError`.
    """
    refuse_when_full()
    refuse_when_behind(stream)
    lines = lines_of(portion.messages)
    with settled(stream) as declared:
        table, problems = read_lines(lines.lines, declaration(declared))
        request = Request(table, Receipt("", "", -1, "", len(table)))
        if len(table):
            request.positions = {
                name: value for name, value in portion.positions.items() if known.landed.get(name) != value
            }
            if portion.parts is not None:
                known.slowest.hear(_times_of(lines, problems, table))
                request.positions = {**request.positions, NAME: dict(known.slowest.times)}
            request.after = {name: known.landed.get(name) for name in request.positions}
            request.watermark = watermark_of(portion, known, declaration(declared))
            _mark(stream, request.watermark)
            door_of(stream.name).land(request)
    if request.refusal:
        raise ReadOn
    wrong = lines.wrong + [lines.place(one) for one in problems]
    _note(stream, request, wrong)
    known.aside = len(wrong)
    known.standing.update(portion.positions)
    if len(table):
        known.landed.update(request.positions)
        known.said = request.watermark
    return len(table)


def reading(number: int) -> str:
    """The lease of who reads the source of a stream of that number: only the holder lands what it says of itself."""
    return f"intake {number}"


def watermark_of(portion: Portion, known: Known, declared: StreamDeclaration) -> int | None:
    """What a source says of itself with a portion (see `Portion`)."""
    if portion.parts is None:
        return portion.watermark
    return known.slowest.watermark(portion.parts, declared.allowed_lateness, declared.idle_after)


def _times_of(lines: Lines, problems: Sequence[LineProblem], table: pa.Table) -> dict[str, int]:
    """The greatest event time of each part that brought any of these events."""
    wrong = {one.line for one in problems}
    parts = [owner.part for line, owner in enumerate(lines.owners, 1) if line not in wrong]
    found = pa.table([parts, table["time"]], ["part", "time"]).group_by("part").aggregate([("time", "max")])
    return dict(zip(found["part"].to_pylist(), found["time_max"].to_pylist(), strict=True))


def watermark_take(stream: Stream, watermark: int | None, known: Known | None = None) -> None:
    """Land what a source says of itself without events; None: there is none (any more) that says anything.

    Before the first event nothing is said, so that the stream may still be declared otherwise. Raises `OSError`.
    """
    found = landing(stream.name)
    _mark(stream, watermark)
    if found.end() and (stream.held or watermark is not None):
        found.beat(BEGINNING if watermark is None else watermark, holds=watermark is not None)
        if known is not None:
            known.said = watermark
    if watermark is None:
        stream.held = False
        Stream.objects.filter(pk=stream.pk).update(held=False)


def _mark(stream: Stream, watermark: int | None) -> None:
    """Write down that a source holds the stream back, before it does: it is let go once there is no such source."""
    if watermark is not None and not stream.held:
        stream.held = True
        Stream.objects.filter(pk=stream.pk).update(held=True)


def pass_by(source: StreamSource, known: Known) -> None:
    """Remember how far parts were read on with nothing to land; what lands later counts more.

    Raises `ReadOn` where the source was set anew meanwhile.
    """
    wanted = {name: value for name, value in known.standing.items() if known.landed.get(name) != value}
    if wanted == {name: value for name, (value, _) in source.passed.items()}:
        return
    batch = landing(source.stream.name).end()
    source.passed = {name: [value, batch] for name, value in wanted.items()}
    mine = StreamSource.objects.filter(pk=source.pk, changed_at=source.changed_at)
    if not mine.update(passed=source.passed):
        raise ReadOn


def _note(stream: Stream, request: Request, wrong: list[Misread]) -> None:
    if wrong:
        measures.note_refused(stream, wrong, None)
    if len(request.table):
        measures.note_taken(stream, [request.table], None)
        count_carefully(stream, [request.table])
