"""Three ways to read a source: so that a batch that is read again is the same, and what is left of it is known."""

from __future__ import annotations

import io
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from timeline_app.connectors.source_contract import Resume, SplittableSource, Stop
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.notes import Store
from timeline_app.connectors.splits.offsets import Part, Plan, encode_json
from timeline_app.connectors.splits.output_rows import build_batches
from timeline_app.connectors.splits.tracker import Position, Tracker

READ = "read-"
MORE, LATER, DONE = "more", "later", "done"


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of a split: how far it was read, how it goes on, and what is to be acknowledged.

    `ending`: more (a limit cut it), later (there was no more, until `due`), done.
    """

    key: str
    last: Position
    ending: str
    due: float
    heard: float
    state: Any
    acks: list[Any]

    @classmethod
    def read(cls, content: bytes) -> Entry:
        """From the first line of what was noted."""
        return cls(*json.loads(content.partition(b"\n")[0]))

    def line(self) -> bytes:
        """As one line."""
        row = [self.key, self.last, self.ending, self.due, self.heard, self.state, self.acks]
        return (
            encode_json(
                row, "acknowledgement", f"what {self.key!r} gave to ack, or a state of its estimator,"
            )
            + b"\n"
        )


class NotThere(OSError):
    """What was read before cannot be read again for now."""


class PlanReader(ABC):
    """How the splits of a plan are read."""

    asks_for_ends = False
    """Whether restrictions are asked for again for their ends."""
    goes_on_unacknowledged = True
    """Whether a batch may be read while an earlier one could not be acknowledged."""

    def __init__(
        self, source: SplittableSource, store: Store, clock: Callable[[], float] = time.time
    ) -> None:
        """Store and clock are those of the planner, or the same elsewhere."""
        self.source, self.store, self.clock = source, store, clock

    @abstractmethod
    def left(self, plan: Plan) -> list[Part]:
        """What is left of the splits of a committed plan; of a split that is over a part that is `last`."""

    @abstractmethod
    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """What is to be acknowledged of a committed batch, by key; `plan` is the newest that is committed."""

    @abstractmethod
    def unsettled(self, plan: Plan) -> list[int]:
        """The committed batches that may not be acknowledged yet, when a planner starts."""

    @abstractmethod
    def read(self, number: int, place: int, part: Part) -> Iterator[pa.RecordBatch]:
        """The rows of a split of a batch, by its place in the plan."""

    @abstractmethod
    def forget(self, number: int) -> None:
        """Batches before that will not be read again."""


class PlannedReader(PlanReader):
    """The end is known when a batch is planned, and the broker gives any stretch again: nothing is noted."""

    asks_for_ends = True

    def left(self, plan: Plan) -> list[Part]:
        """Each restriction from where its last split ends."""
        ends = {part.key: part for part in plan.splits}  # of one key they follow each other
        return [Part(key, part.end, heard=part.heard, last=part.last) for key, part in ends.items()]

    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """The positions at which the splits end."""
        ends: dict[str, list[Any]] = {}
        for part in plan.splits if plan.number == number else ():
            ends.setdefault(part.key, []).append(part.end)
        return ends

    def unsettled(self, plan: Plan) -> list[int]:
        """Only the newest: what it acknowledges holds for all before."""
        return [plan.number] if plan.number else []

    def forget(self, number: int) -> None:
        """Nothing was noted."""

    def read(self, number: int, place: int, part: Part) -> Iterator[pa.RecordBatch]:
        """All of the stretch."""
        del number, place
        tracker = Tracker(part.start, part.end)
        given = self.source.process(part.key, tracker, Manual(), _refuse_acknowledgement)
        ending = yield from build_batches(given, self.source.schema, tracker)
        if isinstance(ending, (Resume, Stop)):
            words = (
                "a planned source gives all of the stretch that it was asked for, and then returns nothing"
            )
            raise BrokenSourcePromise("return", f"{part.key!r} returned {ending}; {words}")


class JournalledReader(PlanReader):
    """The end shows only in reading: each split notes how far it came, and when read again goes exactly as far."""

    def left(self, plan: Plan) -> list[Part]:
        """The rest of each split; all of one that nobody has read to its end."""
        return [self._rest(plan.number, place, part) for place, part in enumerate(plan.splits)]

    def _rest(self, number: int, place: int, part: Part) -> Part:
        content = self.store.get(_name(number, place))
        part = replace(part, until=None, most=None)
        if content is None:
            return part
        entry = Entry.read(content)
        over, state = entry.ending == DONE, entry.state
        return replace(part, start=entry.last, state=state, due=entry.due, heard=entry.heard, last=over)

    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """As noted."""
        del plan
        acks: dict[str, list[Any]] = {}
        for name in self.store.names(f"{READ}{number:09d}-"):
            entry = Entry.read(self.store.get(name) or b"")
            if entry.acks:
                acks.setdefault(entry.key, []).extend(entry.acks)
        return acks

    def unsettled(self, plan: Plan) -> list[int]:
        """All that are still noted."""
        numbers = {int(name.split("-")[1]) for name in self.store.names(READ)}
        return sorted(number for number in numbers if number <= plan.number)

    def forget(self, number: int) -> None:
        """Remove the notes."""
        self.store.remove(name for name in self.store.names(READ) if int(name.split("-")[1]) < number)

    def read(self, number: int, place: int, part: Part) -> Iterator[pa.RecordBatch]:
        """As far as it goes, or as far as it went."""
        name = _name(number, place)
        noted = self.store.get(name)
        before = None if noted is None else Entry.read(noted)
        reading = Reading.begin(self, part, before)
        yield from reading.batches()
        entry = reading.entry()
        if before is None:
            before = Entry.read(self.store.put(name, entry.line()))
        elif entry.last != before.last and isinstance(reading.ending, Resume) and not reading.tracker.refused:
            raise NotThere(f"{part.key!r} cannot be read again now: the source asks to come later")
        if entry.last != before.last:
            raise BrokenSourcePromise(
                "replay",
                f"{part.key!r} was read to {before.last!r} at first, and to {entry.last!r} when it was read again;"
                " give the same rows again, and do not read beyond tracker.end",
            )


class SpooledReader(JournalledReader):
    """The broker gives nothing again: rows are kept, with the note, before anybody sees them.

    What is not acknowledged it may give at any time as if it were new: until then nothing more is read.
    """

    goes_on_unacknowledged = False

    def read(self, number: int, place: int, part: Part) -> Iterator[pa.RecordBatch]:
        """Whoever is first keeps what it read; all give what is kept."""
        name = _name(number, place)
        kept = self.store.get(name)
        if kept is None:
            reading = Reading.begin(self, part, None)
            batches = list(reading.batches())
            kept = self.store.put(name, reading.entry().line() + _pack_batches(batches, self.source.schema))
        with pa.ipc.open_stream(kept.partition(b"\n")[2]) as rows:
            yield from rows


@dataclass(slots=True)
class Reading:
    """One reading of a split."""

    reader: PlanReader
    part: Part
    tracker: Tracker
    estimator: Any
    payloads: list[Any]
    ending: Resume | Stop | None = None

    @classmethod
    def begin(cls, reader: PlanReader, part: Part, before: Entry | None) -> Reading:
        """Where it was read before, up to there and no further."""
        source = reader.source
        if before is None:
            end = part.end if part.until is None else part.until
            tracker = Tracker(part.start, end, most=part.most, seconds=source.seconds)
        else:
            tracker = Tracker(part.start, before.last)
        estimator = source.estimator() or Manual()
        if part.state is not None:
            estimator.restore(part.state)
        return cls(reader, part, tracker, estimator, [])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows; afterwards `entry` tells what became of it."""
        source = self.reader.source
        given = source.process(self.part.key, self.tracker, self.estimator, self.payloads.append)
        self.ending = yield from build_batches(given, source.schema, self.tracker)

    def entry(self) -> Entry:
        """What became of it."""
        now, tracker = self.reader.clock(), self.tracker
        ending, due = self._goes_on(now)
        heard = now if tracker.claims else self.part.heard
        state = self.estimator.state()
        return Entry(self.part.key, tracker.last, ending, due, heard, state, list(self.payloads))

    def _goes_on(self, now: float) -> tuple[str, float]:
        tracker, part = self.tracker, self.part
        if isinstance(self.ending, Stop):
            return DONE, 0.0
        over = tracker.beyond or not (tracker.refused or self.ending)
        if Tracker(tracker.last, part.end).is_done or (over and part.end is not None and part.until is None):
            return DONE, 0.0
        if isinstance(self.ending, Resume):
            return LATER, now + self.ending.seconds
        return (LATER, now + self.reader.source.poll) if over else (MORE, 0.0)


def _pack_batches(batches: list[pa.RecordBatch], schema: pa.Schema) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def _name(number: int, place: int) -> str:
    return f"{READ}{number:09d}-{place:05d}"


def _refuse_acknowledgement(payload: object) -> None:
    raise BrokenSourcePromise(
        "acknowledgement", f"{payload!r}: a planned source acknowledges positions; `finalize` is told them"
    )
