"""Adapts a splittable source to the intake: its batches, one after the other, as portions.

The position stored with the events contains everything needed to continue after them. Asking for the next portion
confirms that the last one is durable; its batch is then acknowledged.
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
from timeline_app.connectors.splits.planner import RETAINED_BATCHES, ForeignStore, Offset, Planner
from timeline_app.connectors.splits.readers import READ_PREFIX, JournalledReader

log = logging.getLogger(__name__)
POLL_INTERVAL_S = 0.1
MAX_ROWS_PER_PORTION, MAX_BYTES_PER_PORTION = 20_000, 8 << 20
"""Only for batches that may be cut."""
SAMPLE_ROWS = 20
HEARTBEAT_EVERY_S = 1.0
"""A watermark that moves without rows is reported within this time."""
ASSUMED_MESSAGE_BYTES = 200.0
"""The assumed size of a message before the first one."""
PLANNED = "plan-"


class Carried:
    """A source that can be opened repeatedly; `make` builds it each time."""

    def __init__(
        self, make: Callable[[], SplittableSource], name: str, store: Store, pace: float | None = None
    ) -> None:
        """`name` is that of its position, `store` its own store, kept as long as the events.

        `pace` is the number of seconds between requests; a source that comes back later was told to wait.
        """
        self.make, self.name, self.store, self.pace = make, name, store, pace

    def open(self, positions: Mapping[str, Any]) -> CarriedReader:
        """Continue from its position. Raises `SourceUnavailable`."""
        return CarriedReader(self.make(), self.name, self.store, positions, self.pace)

    def sample(self) -> list[Message]:
        """Return some of its rows without acknowledging. Raises `SourceUnavailable`."""
        with closing(self.make()) as source:
            try:
                rows = _take_first_rows(source.sample(SAMPLE_ROWS), source.schema.names)
            except SourceUnavailable:
                raise
            except Exception as why:  # the errors of a source may repeat words of the other side
                log.exception("the source %s cannot be tried", self.name)
                words = f"the source failed ({type(why).__name__}; see the log of the server)"
                raise SourceUnavailable(words) from None
        return [_build_message(row, at, source) for at, row in enumerate(rows, 1)]


class _Read(NamedTuple):
    """Rows of a split, with its index, and how many of its rows end with these."""

    place: int
    end: int
    batch: pa.RecordBatch

    def cut(self, rows: int) -> tuple[_Read, _Read]:
        """Return the first rows, and the rest."""
        rest = self.batch.slice(rows)
        return _Read(self.place, self.end - rest.num_rows, self.batch.slice(0, rows)), self._replace(
            batch=rest
        )


class CarriedReader:
    """An open source. Its position contains everything that the events must store to continue after them.

    `number` counts the complete batches. `rows` of the next one are read; the last of them is the n-th row of one of
    its splits (`split`). `plan` is that of the next batch or, without rows, what the last one left.
    """

    def __init__(
        self,
        source: SplittableSource,
        name: str,
        store: Store,
        positions: Mapping[str, Any],
        pace: float | None = None,
    ) -> None:
        """Nothing is read yet."""
        self._pace, self._told_until = pace, 0.0
        self._planner = Planner(source, store, parallelism=1, heartbeat=HEARTBEAT_EVERY_S)
        self._store, self._name, self._tells = store, name, source.estimator() is not None
        self._position: dict[str, Any] = positions.get(name) or {
            "number": 0,
            "rows": 0,
            "plan": {"number": 0},
        }
        self.missed = 0
        self._next: Offset | None = None
        self._reading: Iterator[_Read] = iter(())
        self._rest: _Read | None = None
        self._seen = self._weight = 0
        self._taken = 0, 0  # since the backlog was measured
        self._noted = isinstance(self._planner.reader, JournalledReader)

    @property
    def positions(self) -> dict[str, Any]:
        """Its position, under its name."""
        return {self._name: self._position}

    def take(self) -> Portion:
        """Return the next rows, or none after a moment. The call confirms that earlier portions are durable."""
        if self._next is None and not self._begin():
            time.sleep(POLL_INTERVAL_S)
            watermark = self._watermark(self._position["plan"])
            return Portion([], self.positions, watermark, waits=self._waits(), complaint=self._complaint())
        assert self._next is not None
        watermark = self._watermark(self._next)
        messages = self._some()
        return Portion(messages, self.positions, watermark, complaint=self._complaint())

    def _complaint(self) -> str:
        return self._planner.source.complaint()

    def _waits(self) -> float:
        """Return for how many seconds it was told to wait; a short time until it has been asked again."""
        due, now = self._planner.due(), self._planner.clock()
        if self._pace is not None and due - now > self._pace:
            self._told_until = due
        return max(due - now, POLL_INTERVAL_S) if due and due == self._told_until else 0.0

    def _watermark(self, plan: Offset) -> int | None:
        """Return the watermark at planning time, which holds for all rows of the plan."""
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
        """Return how many messages wait, as far as the source knows; bytes are converted by the mean message length."""
        count, size = self._taken
        if self._planner.source.unit == "rows":
            return max((self._planner.backlog or 0) - count, 0)
        mean = self._weight / self._seen if self._seen else ASSUMED_MESSAGE_BYTES
        return max(round(((self._planner.backlog or 0) - size) / mean), 0)

    def close(self) -> None:
        """Close the source."""
        self._planner.close()

    def _begin(self) -> bool:
        """Take up the planned batch, or plan one. Return whether there is one."""
        self._next = self._planned()
        if self._next is None:
            self._complain()
            return False
        self._reading = self._behind()
        return True

    def _planned(self) -> Offset | None:
        """Return the next batch. Reading notes belong to one plan, which is stored first."""
        number, offset = self._position["number"], None
        if self._position["rows"]:
            return dict(self._position["plan"])
        stored = self._store.get(_plan(number + 1)) if self._noted else None
        if stored is None:
            last = (self._store.get(_plan(number)) if self._noted else None) or b"null"
            start = json.loads(last) or self._position["plan"]
            offset = self._latest(start)
            stored = orjson.dumps(offset) if offset != start else None
            stored = self._store.put(_plan(number + 1), stored) if stored and self._noted else stored
        return None if stored is None else dict(json.loads(stored))

    def _latest(self, start: Offset) -> Offset:
        source, next_look = self._planner.source, self._planner.next_look
        try:
            offset = self._planner.latest(
                start,
                min(source.most, MAX_ROWS_PER_PORTION if source.unit == "rows" else MAX_BYTES_PER_PORTION),
            )
        except ForeignStore:
            hint = "bring back the folder 'sources' of TIMELINE_DATA as of these events, or feed a new stream"
            raise SourceUnavailable(
                f"what was noted in reading this source is gone, or of another time: {hint}"
            ) from None
        if self._planner.next_look != next_look:
            self._taken = 0, 0
        return offset

    def _complain(self) -> None:
        """Raise the current failure, if there is one, where nothing can be read."""
        troubles = self._planner.status()["troubles"]
        if troubles:
            raise SourceUnavailable(f"{troubles[0]['doing']} failed: {troubles[0]['words']}")

    def _behind(self) -> Iterator[_Read]:
        """Yield what follows the rows already read; a split that has shrunk takes no rows from others, and says so."""
        assert self._next is not None
        plan, skipped = Plan.from_document(self._next), self._position["rows"]
        first = 0
        if split := self._position.get("split"):
            first, skipped = split
        for index, part in enumerate(plan.splits[first:], first):
            end, last = 0, None
            for batch in self._planner.reader.read(plan.number, index, part):
                end, last = end + batch.num_rows, batch
                if batch.num_rows > skipped:
                    yield _Read(index, end, batch.slice(skipped))
                skipped = max(skipped - batch.num_rows, 0)
            if split and skipped and last is not None and _is_ended_by_reason(last):
                yield _Read(index, end, last.slice(last.num_rows - 1))
            skipped = 0 if split else skipped

    def _some(self) -> list[Message]:
        """Return the whole batch, or up to the limits where it can be read again without notes."""
        assert self._next is not None
        messages: list[Message] = []
        size, rows, split = 0, self._position["rows"], self._position.get("split")
        while self._noted or (len(messages) < MAX_ROWS_PER_PORTION and size < MAX_BYTES_PER_PORTION):
            read = self._rest if self._rest is not None else next(self._reading, None)
            self._rest = None
            if read is None:
                self._is_whole()
                break
            if not self._noted and len(messages) + read.batch.num_rows > MAX_ROWS_PER_PORTION:
                read, self._rest = read.cut(MAX_ROWS_PER_PORTION - len(messages))
            split = [read.place, read.end]
            messages_of_batch = _build_messages(read.batch, rows + len(messages), self._planner.source)
            messages += messages_of_batch
            size += sum(len(message.value or b"") for message in messages_of_batch)
        else:
            number = self._position["number"]
            self._position = {
                "number": number,
                "rows": rows + len(messages),
                "split": split,
                "plan": self._next,
            }
        size += len(messages)  # line ends
        self._seen, self._weight = self._seen + len(messages), self._weight + size
        self._taken = self._taken[0] + len(messages), self._taken[1] + size
        return messages

    def _is_whole(self) -> None:
        assert self._next is not None
        rest = self._planner.rest(self._next) if self._noted else self._next
        self._position = {"number": self._next["number"], "rows": 0, "plan": rest}
        self._next = None
        if self._noted:
            old = _plan(self._position["number"] - RETAINED_BATCHES)
            self._store.remove(name for name in self._store.names(PLANNED) if name < old)


def is_kept(name: str) -> bool:
    """Return whether a note contains what the events do not, and so must be in a backup with them."""
    return not name.startswith((PLANNED, READ_PREFIX))


def _plan(number: int) -> str:
    return f"{PLANNED}{max(number, 0):012d}"


def _build_messages(batch: pa.RecordBatch, before: int, source: SplittableSource) -> list[Message]:
    """Convert rows to messages; `before` rows of the batch came earlier."""
    names = batch.schema.names
    if not set(EVENTS.names) <= set(names):
        return [_build_message(row, at, source) for at, row in enumerate(batch.to_pylist(), before + 1)]
    values = pc.cast(batch["event"], pa.binary()).to_pylist()
    rows = zip(values, batch["origin"].to_pylist(), batch["place"].to_pylist(), strict=True)
    return [
        _build_raw_message(value, origin, at, f"{source.counts} {name}", source.decoded)
        for at, (value, origin, name) in enumerate(rows, before + 1)
    ]


def _build_raw_message(value: bytes, origin: str, at: int, name: str, decoded: bool) -> Message:
    why = decode_unreadable(value)
    content = b"" if why else restore_bytes(value)
    return Message(content, origin, at, place=name, unread=why, decoded=decoded)


def _is_ended_by_reason(batch: pa.RecordBatch) -> bool:
    """Return whether the last row is the reason why there are no more, such as a file that was cut short."""
    if "event" not in batch.schema.names or not batch.num_rows:
        return False
    event = batch["event"][batch.num_rows - 1].as_py()
    return isinstance(event, str) and decode_unreadable(event.encode()) is not None


def _build_message(row: Mapping[str, Any], at: int, source: SplittableSource) -> Message:
    """Convert a row that holds a raw event, or that is an event itself and has no place of its own."""
    name = f"{source.counts} {row['place']}" if "place" in row else f"row {at}"
    event, origin = row.get("event"), str(row.get("origin", "the source"))
    if isinstance(event, str):
        return _build_raw_message(event.encode(), origin, at, name, source.decoded)
    return _build_raw_message(orjson.dumps(row, default=str), origin, at, name, decoded=True)


def _take_first_rows(portions: Iterable[Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the first rows of a source's output."""
    rows: list[dict[str, Any]] = []
    for portion in portions:
        rows += (
            portion.slice(0, SAMPLE_ROWS - len(rows)).to_pylist()
            if isinstance(portion, pa.RecordBatch)
            else [dict(zip(names, portion, strict=True))]
        )
        if len(rows) >= SAMPLE_ROWS:
            break
    return rows
