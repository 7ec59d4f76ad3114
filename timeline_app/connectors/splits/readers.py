"""Three ways to read a source so that a repeated batch is identical, and its rest is known."""

from __future__ import annotations

import io
import json
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
from timeline_app.times.steady import read_steady_clock

READ_PREFIX = "read-"
MORE, LATER, DONE = "more", "later", "done"


@dataclass(frozen=True, slots=True)
class Entry:
    """The outcome of a split: how far it was read, how it goes on, and what to acknowledge.

    `ending` is more (a limit cut it), later (there was no more, until `due`), or done.
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
        """Parse the first line of a note."""
        return cls(*json.loads(content.partition(b"\n")[0]))

    def line(self) -> bytes:
        """Return it as one line."""
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
    """Reads the splits of a plan."""

    asks_for_ends = False
    """Whether restrictions are asked for again to learn their ends."""
    goes_on_unacknowledged = True
    """Whether a batch may be read while an earlier one could not be acknowledged."""

    def __init__(
        self, source: SplittableSource, store: Store, clock: Callable[[], float] = read_steady_clock
    ) -> None:
        """Store and clock are those of the planner, or equal ones elsewhere."""
        self.source, self.store, self.clock = source, store, clock

    @abstractmethod
    def left(self, plan: Plan) -> list[Part]:
        """Return what is left of the splits of a committed plan; a finished split leaves a part that is `last`."""

    @abstractmethod
    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """Return what to acknowledge of a committed batch, by key; `plan` is the newest committed one."""

    @abstractmethod
    def unsettled(self, plan: Plan) -> list[int]:
        """Return the committed batches that may be unacknowledged when a planner starts."""

    @abstractmethod
    def read(self, number: int, index: int, part: Part) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split of a batch, by its index in the plan."""

    @abstractmethod
    def drop_notes(self, number: int) -> None:
        """Forget notes of earlier batches, which will not be read again."""


class PlannedReader(PlanReader):
    """For sources whose ends are known at planning time and whose broker repeats any range: nothing is noted."""

    asks_for_ends = True

    def left(self, plan: Plan) -> list[Part]:
        """Return each restriction from the end of its last split."""
        ends = {part.key: part for part in plan.splits}  # splits of one key are in order
        return [Part(key, part.end, heard=part.heard, last=part.last) for key, part in ends.items()]

    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """Return the positions at which the splits end."""
        ends: dict[str, list[Any]] = {}
        for part in plan.splits if plan.number == number else ():
            ends.setdefault(part.key, []).append(part.end)
        return ends

    def unsettled(self, plan: Plan) -> list[int]:
        """Return only the newest: its acknowledgement covers all before."""
        return [plan.number] if plan.number else []

    def drop_notes(self, number: int) -> None:
        """Do nothing: nothing was noted."""

    def read(self, number: int, index: int, part: Part) -> Iterator[pa.RecordBatch]:
        """Yield the whole range."""
        del number, index
        tracker = Tracker(part.start, part.end)
        batches = self.source.process(part.key, tracker, Manual(), _refuse_acknowledgement)
        ending = yield from build_batches(batches, self.source.schema, tracker)
        if isinstance(ending, (Resume, Stop)):
            words = (
                "a planned source gives all of the stretch that it was asked for, and then returns nothing"
            )
            raise BrokenSourcePromise("return", f"{part.key!r} returned {ending}; {words}")


class JournalledReader(PlanReader):
    """For ends that are known only after reading: each split notes how far it went, and repeats exactly that."""

    def left(self, plan: Plan) -> list[Part]:
        """Return the rest of each split; all of one that was not read to its end."""
        return [self._rest(plan.number, index, part) for index, part in enumerate(plan.splits)]

    def _rest(self, number: int, index: int, part: Part) -> Part:
        content = self.store.get(_name(number, index))
        part = replace(part, until=None, most=None)
        if content is None:
            return part
        entry = Entry.read(content)
        over, state = entry.ending == DONE, entry.state
        return replace(part, start=entry.last, state=state, due=entry.due, heard=entry.heard, last=over)

    def acks(self, plan: Plan, number: int) -> dict[str, list[Any]]:
        """Return the noted payloads."""
        del plan
        acks: dict[str, list[Any]] = {}
        for name in self.store.names(f"{READ_PREFIX}{number:09d}-"):
            entry = Entry.read(self.store.get(name) or b"")
            if entry.acks:
                acks.setdefault(entry.key, []).extend(entry.acks)
        return acks

    def unsettled(self, plan: Plan) -> list[int]:
        """Return all batches that still have notes."""
        numbers = {int(name.split("-")[1]) for name in self.store.names(READ_PREFIX)}
        return sorted(number for number in numbers if number <= plan.number)

    def drop_notes(self, number: int) -> None:
        """Remove the notes."""
        self.store.remove(name for name in self.store.names(READ_PREFIX) if int(name.split("-")[1]) < number)

    def read(self, number: int, index: int, part: Part) -> Iterator[pa.RecordBatch]:
        """Read as far as it goes, or as far as it went before."""
        name = _name(number, index)
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
    """For brokers that repeat nothing: rows are stored with the note before anybody sees them.

    Unacknowledged rows may come again as new at any time, so nothing more is read until they are acknowledged.
    """

    goes_on_unacknowledged = False

    def read(self, number: int, index: int, part: Part) -> Iterator[pa.RecordBatch]:
        """Store the rows of the first reading; all readings yield the stored rows."""
        name = _name(number, index)
        stored = self.store.get(name)
        if stored is None:
            reading = Reading.begin(self, part, None)
            batches = list(reading.batches())
            stored = self.store.put(name, reading.entry().line() + _pack_batches(batches, self.source.schema))
        with pa.ipc.open_stream(stored.partition(b"\n")[2]) as rows:
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
        """Begin a reading; one that repeats an earlier one ends where that ended."""
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
        """Yield the rows; afterwards `entry` returns the outcome."""
        source = self.reader.source
        batches = source.process(self.part.key, self.tracker, self.estimator, self.payloads.append)
        self.ending = yield from build_batches(batches, source.schema, self.tracker)

    def entry(self) -> Entry:
        """Return the outcome."""
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


def _name(number: int, index: int) -> str:
    return f"{READ_PREFIX}{number:09d}-{index:05d}"


def _refuse_acknowledgement(payload: object) -> None:
    raise BrokenSourcePromise(
        "acknowledgement", f"{payload!r}: a planned source acknowledges positions; `finalize` is told them"
    )
