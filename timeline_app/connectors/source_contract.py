"""The contract of a source: about a page of code implements it, and the kit checks it."""

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
    """Something to read, under a unique key: what lies after `start`, up to and including `end`.

    `end` is None where it is unknown or infinite. `closed` (used by planned sources only) says that nothing will
    follow `end`.
    """

    key: str
    start: Position
    end: Position = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """Read again after this many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The restriction is finished for good."""


def resume(seconds: float) -> Resume:
    """Return from `process` with this where there is no more for now, or the broker asks for a pause."""
    return Resume(seconds)


def stop() -> Stop:
    """Return from `process` with this where nothing will ever follow in this restriction."""
    return Stop()


Row = Sequence[Any]
Given = Generator[Row | pa.RecordBatch, None, Any]
"""Rows, as tuples in the order of the schema or as record batches; returns `resume(…)`, `stop()` or None."""
Acknowledge = Callable[[Any], None]
SAMPLE_TIMEOUT_S = 5.0


class SplittableSource(ABC):
    """A source. Its options are the parameters of its class (`options.py`).

    The constructor must not connect to anything.
    """

    title: ClassVar[str] = ""
    """The name for people; by default the name of the class."""
    where: ClassVar[tuple[str, ...] | None] = None
    """The options that decide where it reads; by default the required ones.

    When one changes it is another source: it is read from its beginning, and its secrets must be entered again.
    """
    paced: ClassVar[str] = ""
    """The option with the seconds between two requests: a stream must not count as idle in between.

    A source that returns `resume` with more seconds was told to wait: its stream is not idle until the next request.
    """
    schema: ClassVar[pa.Schema]
    """The columns of a row."""
    event_time: ClassVar[str | None] = None
    """The column that holds the event time (timestamp), if any."""
    reader: ClassVar[type[PlanReader]]
    """How it is read: `PlannedReader`, `JournalledReader` or `SpooledReader` (`splits/readers.py`)."""
    counts: ClassVar[str] = "message"
    """What the column `place` counts: a byte, a line, a row, a message …"""
    decoded: ClassVar[bool] = False
    """Whether each event is one line of JSON; else it is a raw message, which may be compressed, or a table."""
    unit: ClassVar[Literal["rows", "bytes"]] = "rows"
    """The unit of `size` and of the sizes of claims."""
    most: ClassVar[int] = 200_000
    """The size of a batch, unless its reader decides otherwise."""
    least: ClassVar[int] = 1_000
    """A smaller split is not worth its task."""
    seconds: ClassVar[float] = 10.0
    """Claims are refused when a restriction has been read for this long in one batch."""
    poll: ClassVar[float] = 1.0
    """Seconds between two checks for something to read."""
    egress: Egress = Egress()
    """What it may reach. Connect to hosts of options by `egress.connect`, or to `egress.addresses`.

    Ask for the addresses again for each connection.
    """
    idle: float | None = None
    """A restriction that has given nothing for this many seconds no longer holds back the watermark.

    Where it feeds a stream, the default is the stream's `idle_after`.
    """

    def estimator(self) -> Estimator | None:
        """Return a new watermark estimator for a restriction; None where the source has no watermark."""
        return None

    def destinations(self) -> Iterable[Destination]:
        """Return the hosts and ports that its options name; unreachable ones are refused when the options are saved."""
        return ()

    @abstractmethod
    def restrictions(self) -> Iterable[Restriction]:
        """Return all restrictions that can be read now, possibly known ones; raise where that cannot be determined.

        A planned source returns all of them with their current `end`. An omitted one is gone, unless `held_up` names
        it.
        """

    def held_up(self) -> Collection[str]:
        """Return the keys that the last `restrictions` omitted although they exist: what is planned of them waits."""
        return ()

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Return quickly whether reading what follows `start` is worth a batch."""
        del key, start, end
        return True

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """Return the approximate size in `unit`; None where unknown. The default covers integer positions."""
        del key
        return end - start if isinstance(start, int) and isinstance(end, int) else None

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        """Return positions that split start to end into up to `parts` parts; none where that is impossible."""
        del key, start, end, parts
        return ()

    def now(self, key: str) -> Position:
        """Return the current end, for bounded reads; None where unknown."""
        del key
        return None

    @abstractmethod
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield the rows after `tracker.start`, each after claiming its position; return when a claim is refused.

        `watermark.observe(…)` takes event times. What `ack` takes (JSON) is passed to `finalize` once the rows are
        durable. Returning None says that there is no more for now, or that the end is reached.
        """

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """Acknowledge the rows of these payloads, which are durable. Calls may be repeated, in order.

        The payloads of a planned source are positions: everything up to the last one is durable.
        """
        del key, payloads

    def sample(self, most: int) -> Iterator[Row | pa.RecordBatch]:
        """Yield some rows to test the options: nothing is acknowledged, and a later read gives them again."""
        for restriction in self.restrictions():
            if self.has_data(restriction.key, restriction.start, restriction.end):
                limit = most if self.unit == "rows" else None
                tracker = Tracker(restriction.start, restriction.end, most=limit, seconds=SAMPLE_TIMEOUT_S)
                yield from self.process(
                    restriction.key, tracker, self.estimator() or Manual(), _ignore_acknowledgement
                )

    def complaint(self) -> str:
        """Say what cannot be read now while the rest is, and what to do; empty where everything can be read."""
        return ""

    def close(self) -> None:  # noqa: B027  most hold nothing open
        """Release what is held open; may be called several times, or never."""


def split_evenly(start: int, end: int, parts: int) -> list[int]:
    """Return the edges that split integers into equal parts."""
    return sorted({start + (end - start) * part // parts for part in range(1, parts)} - {start, end})


def _ignore_acknowledgement(payload: object) -> None:
    """Do nothing: testing a source acknowledges nothing."""
