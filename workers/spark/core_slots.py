"""Core slots: the queries of one machine run no more batches at once than it has cores.

Nine batches that start together on two cores all end late, and new events wait for the next round. A query that waits
for a slot before it reads takes all events with it, and ends soon. The queue is a small file beside Spark's temporary
ones, which Spark removes; dead waiters are skipped.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from workers.spark.state import page_cache

MAX_SLOT_S = 1.5
"""A batch holds its slot for this long at most, so that a long one does not hold up the others."""
MAX_WAIT_S = 10.0
WAITER_GONE_AFTER_S = 1.0
"""A waiter that has not asked for this long is gone."""
POLL_S = 0.02
"""Multiplied by the number of batches that must end first."""
Clock = Callable[[], float]


@dataclass(slots=True)
class SlotQueue:
    """The batches that hold a slot and since when, and the waiting ones in order, with their last request.

    A batch is named by the path of the file that appears when it is done. Times are seconds.
    """

    at_work: dict[str, float] = field(default_factory=dict)
    waiting: dict[str, float] = field(default_factory=dict)

    def request(self, batch: str, places: int, now: float) -> int:
        """Return how many batches must end before this one may begin; it stays in the queue until there are none."""
        self.at_work = {
            name: since
            for name, since in self.at_work.items()
            if 0 <= now - since < MAX_SLOT_S and not Path(name).exists()
        }
        self.waiting = {
            name: requested_at
            for name, requested_at in self.waiting.items()
            if 0 <= now - requested_at < WAITER_GONE_AFTER_S
        }
        self.waiting[batch] = now
        before = len(self.at_work) + list(self.waiting).index(batch) - places + 1
        if batch not in self.at_work and before > 0:
            return before
        del self.waiting[batch]
        self.at_work.setdefault(batch, now)
        return 0


@dataclass(slots=True)
class BatchSlot:
    """The slots of one query, whose log of done batches lies at `commits`; `slots` batches may run at once."""

    commits: Path
    slots: int
    clock: Clock = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    batch: int | None = None

    def wait(self) -> None:
        """Return when the next batch may begin, or after `MAX_WAIT_S`."""
        with suppress(OSError):  # the disk is full, or Spark is ending: run without slots
            if home := page_cache.get_cache_folder():
                home.mkdir(exist_ok=True)
                self._wait(home.with_name("turns.json"))

    def _wait(self, path: Path) -> None:
        name, started = str(self.commits / str(self._next())), self.clock()
        while self.clock() - started < MAX_WAIT_S and (before := self._request(path, name)):
            self.sleep(min(POLL_S * before, WAITER_GONE_AFTER_S / 4))

    def _request(self, path: Path, name: str) -> int:
        try:
            with _lock_queue(path) as queue:
                return queue.request(name, self.slots, self.clock())
        except BlockingIOError:  # another query is asking right now
            return 1

    def _next(self) -> int:
        """Return the number of the batch after the last done one."""
        if self.batch is None or not (self.commits / str(self.batch - 1)).exists():
            # After a long silence Spark has removed the file that this process knew.
            commits = self.commits.iterdir() if self.commits.is_dir() else ()
            self.batch = max((int(path.name) for path in commits if path.name.isdigit()), default=-1) + 1
        while (self.commits / str(self.batch)).exists():
            self.batch += 1
        return self.batch


@contextmanager
def _lock_queue(path: Path) -> Iterator[SlotQueue]:
    """Yield the queue under a lock; an unreadable one is empty. Raises OSError."""
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.seek(0)
        queue = _parse_queue(file.read())
        yield queue
        file.seek(0)
        file.truncate()
        file.write(json.dumps(asdict(queue)))


def _parse_queue(text: str) -> SlotQueue:
    try:
        document: dict[str, Any] = json.loads(text)
        return SlotQueue(**document)
    except (ValueError, TypeError):
        return SlotQueue()
