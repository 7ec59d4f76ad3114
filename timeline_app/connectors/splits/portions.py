"""Any splittable source behind an intake: its batches, one after the other, as portions.

The position that lies with the events says all that is needed to go on behind them. A batch is acknowledged when the
next portion is asked for: that says that the last one is durable.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.connectors.raw_events import EVENTS, decode_unreadable, restore_bytes
from timeline_app.connectors.reading import Message, Portion, SourceUnavailable
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.splits.notes import Store
from timeline_app.connectors.splits.offsets import Plan
from timeline_app.connectors.splits.planner import KEPT, ForeignStore, Offset, Planner
from timeline_app.connectors.splits.readers import READ, JournalledReader

log = logging.getLogger(__name__)
WAIT = 0.1
"""Seconds until it is looked again whether there is something to read."""
MOST, LARGEST = 20_000, 8 << 20
"""A portion is so many rows, or bytes, where a batch may be cut at all."""
SAMPLE = 20
HEARTBEAT = 1.0
"""A watermark that has moved though nothing came is told within so many seconds."""
USUAL = 200.0
"""So many bytes a message has before any was seen."""
PLANNED = "plan-"


class Carried:
    """A source that can be opened again and again; `make` makes it anew each time."""

    def __init__(
        self, make: Callable[[], SplittableSource], name: str, store: Store, pace: float | None = None
    ) -> None:
        """`name`: of its position; `store`: of its own, kept as long as the events; `pace`: seconds between questions.

        A source with a pace that comes again later than that was told to wait.
        """
        self.make, self.name, self.store, self.pace = make, name, store, pace

    def open(self, known: Mapping[str, Any]) -> CarriedReader:
        """Read on from where it stands; raises `SourceUnavailable`."""
        return CarriedReader(self.make(), self.name, self.store, known, self.pace)

    def sample(self) -> list[Message]:
        """Some of its rows; nothing is acknowledged. Raises `SourceUnavailable`."""
        with closing(self.make()) as source:
            try:
                rows = _take_first_rows(source.sample(SAMPLE), source.schema.names)
            except SourceUnavailable:
                raise
            except Exception as why:  # whatever a source raises may repeat what answers there
                log.exception("the source %s cannot be tried", self.name)
                words = f"the source failed ({type(why).__name__}; see the log of the server)"
                raise SourceUnavailable(words) from None
        return [_build_message(row, at, source) for at, row in enumerate(rows, 1)]


class _Read(NamedTuple):
    """Rows of a split: of which, and how many of it there are with these."""

    place: int
    end: int
    batch: pa.RecordBatch

    def cut(self, rows: int) -> tuple[_Read, _Read]:
        """The first of them, and the rest."""
        rest = self.batch.slice(rows)
        return _Read(self.place, self.end - rest.num_rows, self.batch.slice(0, rows)), self._replace(
            batch=rest
        )


class CarriedReader:
    """A source that is open. Its position is all that the events must tell to go on behind them.

    `number`: so many batches are whole; `rows`: so many of the next one are there, the last of them being so many of
    that one of its splits (`split`); `plan`: of that one, or where none are there what the last one left.
    """

    def __init__(
        self,
        source: SplittableSource,
        name: str,
        store: Store,
        known: Mapping[str, Any],
        pace: float | None = None,
    ) -> None:
        """Nothing is asked yet."""
        self._pace, self._told_until = pace, 0.0
        self._planner = Planner(source, store, parallelism=1, heartbeat=HEARTBEAT)
        self._store, self._name, self._tells = store, name, source.estimator() is not None
        self._position: dict[str, Any] = known.get(name) or {"number": 0, "rows": 0, "plan": {"number": 0}}
        self.missed = 0
        self._next: Offset | None = None
        self._reading: Iterator[_Read] = iter(())
        self._rest: _Read | None = None
        self._seen = self._weight = 0
        self._taken = 0, 0  # since the backlog was looked at
        self._noted = isinstance(self._planner.reader, JournalledReader)

    @property
    def positions(self) -> dict[str, Any]:
        """Under its name."""
        return {self._name: self._position}

    def take(self) -> Portion:
        """The next rows, or none after a moment. Whoever asks has made durable what was given before."""
        if self._next is None and not self._begin():
            time.sleep(WAIT)
            watermark = self._watermark(self._position["plan"])
            return Portion([], self.positions, watermark, waits=self._waits(), complaint=self._complaint())
        assert self._next is not None
        watermark = self._watermark(self._next)
        messages = self._some()
        return Portion(messages, self.positions, watermark, complaint=self._complaint())

    def _complaint(self) -> str:
        return self._planner.source.complaint()

    def _waits(self) -> float:
        """For how many seconds it was told to wait; some, until it has been asked again."""
        due, now = self._planner.due(), self._planner.clock()
        if self._pace is not None and due - now > self._pace:
            self._told_until = due
        return max(due - now, WAIT) if due and due == self._told_until else 0.0

    def _watermark(self, plan: Offset) -> int | None:
        """What was known when that was planned, so that it holds for whatever is read of it."""
        if not self._tells:
            return None
        watermark = plan.get("watermark")
        if watermark is None:
            return BEGINNING
        if not isinstance(watermark, int):
            raise SourceUnavailable(
                f"its watermark is {watermark!r}: let its estimator say whole microseconds"
            )
        return min(max(watermark, BEGINNING), OPEN)

    def lag(self) -> int:
        """How many messages wait, as far as the source knows; bytes count by the length of what came."""
        count, size = self._taken
        if self._planner.source.unit == "rows":
            return max((self._planner.backlog or 0) - count, 0)
        mean = self._weight / self._seen if self._seen else USUAL
        return max(round(((self._planner.backlog or 0) - size) / mean), 0)

    def close(self) -> None:
        """Let go of it."""
        self._planner.close()

    def _begin(self) -> bool:
        """Take up the batch that was planned, or plan one; whether there is one."""
        self._next = self._planned()
        if self._next is None:
            self._complain()
            return False
        self._reading = self._behind()
        return True

    def _planned(self) -> Offset | None:
        """The next batch. What is noted in reading it belongs to one plan, which is kept before."""
        number, offset = self._position["number"], None
        if self._position["rows"]:
            return dict(self._position["plan"])
        kept = self._store.get(_plan(number + 1)) if self._noted else None
        if kept is None:
            last = (self._store.get(_plan(number)) if self._noted else None) or b"null"
            start = json.loads(last) or self._position["plan"]
            offset = self._latest(start)
            kept = orjson.dumps(offset) if offset != start else None
            kept = self._store.put(_plan(number + 1), kept) if kept and self._noted else kept
        return None if kept is None else dict(json.loads(kept))

    def _latest(self, start: Offset) -> Offset:
        source, looked = self._planner.source, self._planner.next_look
        try:
            offset = self._planner.latest(start, min(source.most, MOST if source.unit == "rows" else LARGEST))
        except ForeignStore:
            cure = "bring back the folder 'sources' of TIMELINE_DATA as of these events, or feed a new stream"
            raise SourceUnavailable(
                f"what was noted in reading this source is gone, or of another time: {cure}"
            ) from None
        if self._planner.next_look != looked:
            self._taken = 0, 0
        return offset

    def _complain(self) -> None:
        """Where nothing can be read, say what is wrong, if anything is."""
        troubles = self._planner.status()["troubles"]
        if troubles:
            raise SourceUnavailable(f"{troubles[0]['doing']} failed: {troubles[0]['words']}")

    def _behind(self) -> Iterator[_Read]:
        """What comes after the rows that are there; a split that has shrunk takes none from the others, and says so."""
        assert self._next is not None
        plan, skipped = Plan.of(self._next), self._position["rows"]
        first = 0
        if split := self._position.get("split"):
            first, skipped = split
        for place, part in enumerate(plan.splits[first:], first):
            end, last = 0, None
            for batch in self._planner.reader.read(plan.number, place, part):
                end, last = end + batch.num_rows, batch
                if batch.num_rows > skipped:
                    yield _Read(place, end, batch.slice(skipped))
                skipped = max(skipped - batch.num_rows, 0)
            if split and skipped and last is not None and _is_ended_by_reason(last):
                yield _Read(place, end, last.slice(last.num_rows - 1))
            skipped = 0 if split else skipped

    def _some(self) -> list[Message]:
        """All of the batch; up to the limits where it needs no notes to be read again."""
        assert self._next is not None
        messages: list[Message] = []
        size, rows, split = 0, self._position["rows"], self._position.get("split")
        while self._noted or (len(messages) < MOST and size < LARGEST):
            read = self._rest if self._rest is not None else next(self._reading, None)
            self._rest = None
            if read is None:
                self._is_whole()
                break
            if not self._noted and len(messages) + read.batch.num_rows > MOST:
                read, self._rest = read.cut(MOST - len(messages))
            split = [read.place, read.end]
            made = _build_messages(read.batch, rows + len(messages), self._planner.source)
            messages += made
            size += sum(len(message.value or b"") for message in made)
        else:
            number = self._position["number"]
            self._position = {
                "number": number,
                "rows": rows + len(messages),
                "split": split,
                "plan": self._next,
            }
        size += len(messages)  # the ends of lines
        self._seen, self._weight = self._seen + len(messages), self._weight + size
        self._taken = self._taken[0] + len(messages), self._taken[1] + size
        return messages

    def _is_whole(self) -> None:
        assert self._next is not None
        left = self._planner.rest(self._next) if self._noted else self._next
        self._position = {"number": self._next["number"], "rows": 0, "plan": left}
        self._next = None
        if self._noted:
            old = _plan(self._position["number"] - KEPT)
            self._store.remove(name for name in self._store.names(PLANNED) if name < old)


def is_kept(name: str) -> bool:
    """Whether a note says what the events do not, so that it belongs into a backup with them."""
    return not name.startswith((PLANNED, READ))


def _plan(number: int) -> str:
    return f"{PLANNED}{max(number, 0):012d}"


def _build_messages(batch: pa.RecordBatch, before: int, source: SplittableSource) -> list[Message]:
    """Rows as messages; `before` rows of the batch came earlier."""
    names = batch.schema.names
    if not set(EVENTS.names) <= set(names):
        return [_build_message(row, at, source) for at, row in enumerate(batch.to_pylist(), before + 1)]
    values = pc.cast(batch["event"], pa.binary()).to_pylist()
    rows = zip(values, batch["origin"].to_pylist(), batch["place"].to_pylist(), strict=True)
    return [
        _build_raw_message(value, origin, at, f"{source.counts} {place}", source.decoded)
        for at, (value, origin, place) in enumerate(rows, before + 1)
    ]


def _build_raw_message(value: bytes, origin: str, at: int, place: str, decoded: bool) -> Message:
    why = decode_unreadable(value)
    came = b"" if why else restore_bytes(value)
    return Message(came, origin, at, place=place, unread=why, decoded=decoded)


def _is_ended_by_reason(batch: pa.RecordBatch) -> bool:
    """Whether its last row is the reason for which there are no more, such as a file that was cut short."""
    if "event" not in batch.schema.names or not batch.num_rows:
        return False
    event = batch["event"][batch.num_rows - 1].as_py()
    return isinstance(event, str) and decode_unreadable(event.encode()) is not None


def _build_message(row: Mapping[str, Any], at: int, source: SplittableSource) -> Message:
    """A row whose `event` is as it came, or that is an event itself, which has no place of its own."""
    place = f"{source.counts} {row['place']}" if "place" in row else f"row {at}"
    event, origin = row.get("event"), str(row.get("origin", "the source"))
    if isinstance(event, str):
        return _build_raw_message(event.encode(), origin, at, place, source.decoded)
    return _build_raw_message(orjson.dumps(row, default=str), origin, at, place, decoded=True)


def _take_first_rows(given: Iterable[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """The first rows of what a source gives."""
    rows: list[dict[str, Any]] = []
    for portion in given:
        rows += (
            portion.slice(0, SAMPLE - len(rows)).to_pylist()
            if isinstance(portion, pa.RecordBatch)
            else [dict(zip(names, portion, strict=True))]
        )
        if len(rows) >= SAMPLE:
            break
    return rows
