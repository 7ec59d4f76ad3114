"""What a source is: about a page of code behind this contract, and the kit says whether it keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import pyarrow as pa

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.splits.estimators import Estimator, Manual
from timeline_app.connectors.splits.tracker import Position, Tracker

if TYPE_CHECKING:
    from timeline_app.connectors.splits.readers import PlanReader


@dataclass(frozen=True, slots=True)
class Restriction:
    """Something to read, under a name of its own: what lies behind `start`, up to and with `end`.

    `end` None: not known, or never. `closed`: nothing will come behind `end` (only asked of planned sources).
    """

    key: str
    start: Position
    end: Position = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """Come again after so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The restriction is finished for good."""


def resume(seconds: float) -> Resume:
    """Returned by `process`: there is no more for now, or the broker asks for a pause."""
    return Resume(seconds)


def stop() -> Stop:
    """Returned by `process`: nothing will ever come of this restriction any more."""
    return Stop()


Row = Sequence[Any]
Given = Generator[Row | pa.RecordBatch, None, Any]
"""Rows, as tuples in the order of the schema or many at once; returns `resume(…)`, `stop()` or nothing."""
Acknowledge = Callable[[Any], None]
PATIENCE = 5.0
"""So many seconds a source is tried."""


class SplittableSource(ABC):
    """A source. The parameters of its class are its options (`options.py`); to make one must not reach anything yet."""

    title: ClassVar[str] = ""
    """How people call it; else as its class."""
    where: ClassVar[tuple[str, ...] | None] = None
    """The options that say where it reads; else those that are required. Where one changes it is another source: it is
    read from its beginning, and its secrets are to be given again."""
    paced: ClassVar[str] = ""
    """The option that says how many seconds nothing is asked for: a stream must not count as idle in between.

    One that returns `resume` of more seconds was told to wait: its stream is not idle until it has been asked again.
    """
    schema: ClassVar[pa.Schema]
    """The columns of a row."""
    event_time: ClassVar[str | None] = None
    """The column that holds the event time (timestamp), if one does."""
    reader: ClassVar[type[PlanReader]]
    """How it is read: `PlannedReader`, `JournalledReader` or `Spool` (`readers.py`)."""
    counts: ClassVar[str] = "message"
    """What the column `place` counts: a byte, a line, a row, a message …"""
    decoded: ClassVar[bool] = False
    """Whether each event is one line of JSON; else it is a message as it came, which may be compressed, or a table."""
    unit: ClassVar[Literal["rows", "bytes"]] = "rows"
    """In what `size`, and the size of claims, are counted."""
    most: ClassVar[int] = 200_000
    """How much a batch takes, unless who reads says otherwise."""
    least: ClassVar[int] = 1_000
    """A split of less is not worth its task."""
    seconds: ClassVar[float] = 10.0
    """Claims are refused when a restriction has been read for so long in one batch."""
    poll: ClassVar[float] = 1.0
    """Seconds between two looks at what there is to read."""
    egress: Egress = Egress()
    """What it may reach; every connection to a host that an option names is made by `egress.connect`, or to one of
    `egress.addresses`, which are asked again for each connection."""
    idle: float | None = None
    """A restriction that has given nothing for so many seconds no longer holds back the watermark; where it feeds a
    stream, and says nothing here, so many as the stream's `idle_after`."""

    def estimator(self) -> Estimator | None:
        """A new estimator of the watermark of a restriction; None: the source tells none."""
        return None

    def destinations(self) -> Iterable[Destination]:
        """The hosts and ports that its options name: what may not be reached is refused as soon as it is set."""
        return ()

    @abstractmethod
    def restrictions(self) -> Iterable[Restriction]:
        """All that there is to read now; raises where it cannot look. What is known already may be told again.

        A planned source tells all of them, with the `end` that each has by now; one that it leaves out is gone, unless
        `held_up` names it.
        """

    def held_up(self) -> Collection[str]:
        """The keys that the last `restrictions` left out though they are there: what is planned of them waits."""
        return ()

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Whether it is worth a batch to read what lies behind `start`; a cheap look."""
        del key, start, end
        return True

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """How much lies there, in `unit`, about; None where that is not known. Whole numbers know by themselves."""
        del key
        return end - start if isinstance(start, int) and isinstance(end, int) else None

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        """Edges between start and end that make up to so many parts; none where it cannot be split."""
        del key, start, end, parts
        return ()

    def now(self, key: str) -> Position:
        """Where it ends at this moment, for those who read only what is there now; None where that is not known."""
        del key
        return None

    @abstractmethod
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Give the rows behind `tracker.start`, each after its position was claimed; return at a refusal.

        `watermark.observe(…)` is told event times; what `ack` is given (JSON) comes to `finalize` once the rows are
        durable. Returning None says that there is no more for now, or that the end is reached.
        """

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """The rows that came with these payloads are durable: acknowledge them. It may be said again, in order.

        Of a planned source the payloads are positions: all up to the last of them is durable.
        """
        del key, payloads

    def sample(self, most: int) -> Iterator[Row | pa.RecordBatch]:
        """Some rows, for who tries the options: nothing is acknowledged, and who reads in earnest reads them still."""
        for restriction in self.restrictions():
            if self.has_data(restriction.key, restriction.start, restriction.end):
                limit = most if self.unit == "rows" else None
                tracker = Tracker(restriction.start, restriction.end, most=limit, seconds=PATIENCE)
                yield from self.process(
                    restriction.key, tracker, self.estimator() or Manual(), _ignore_acknowledgement
                )

    def complaint(self) -> str:
        """What of it cannot be read now while the rest is, and what to do; nothing where all can be."""
        return ""

    def close(self) -> None:  # noqa: B027  most hold nothing open
        """Give back what is held open; perhaps more than once, and perhaps never."""


def split_evenly(start: int, end: int, parts: int) -> list[int]:
    """The edges that split whole numbers into parts of one size."""
    return sorted({start + (end - start) * part // parts for part in range(1, parts)} - {start, end})


def _ignore_acknowledgement(payload: object) -> None:
    """Who only tries a source acknowledges nothing."""
