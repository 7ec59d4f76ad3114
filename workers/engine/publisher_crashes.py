"""Counts crashes of the publisher at one slice, so that a slice that kills it is not retried for ever.

The attempt is recorded before it starts: a process killed for lack of memory writes nothing afterwards. The file is
not synced, since it must survive the process and not the machine.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from django.conf import settings

MAX_CRASHES_PER_SLICE = 5
"""In a row. Crashes from other causes hit a different slice each time."""


class CrashCounts:
    """The batch at which the publisher crashed last, and how often in a row, by feed."""

    def __init__(self, file: Path) -> None:
        """Load the counts. A slice that was begun and never ended counts as a crash of the previous process."""
        self._file = file
        self._deaths: dict[str, tuple[int, int]] = {}
        self._tried: tuple[str, int] | None = None
        with suppress(OSError, ValueError, TypeError, KeyError):
            self._read(json.loads(file.read_bytes()))

    def _read(self, written: dict[str, list[list[str | int]]]) -> None:
        for name, batch, times in written["deaths"]:
            self._deaths[str(name)] = int(batch), int(times)
        for name, batch in written["tried"]:
            self._deaths[str(name)] = int(batch), self.times(str(name), int(batch)) + 1

    def times(self, name: str, batch: int) -> int:
        """Return how often the publisher crashed at this batch."""
        crashed_batch, times = self._deaths.get(name, (batch, 0))
        return times if crashed_batch == batch else 0

    def begin(self, name: str, batch: int) -> None:
        """Record that a slice of this batch is being tried. A full disk is ignored."""
        if self._tried != (name, batch):
            self._tried = name, batch
            self._write()

    def end(self) -> None:
        """Record that the slice failed without a crash."""
        if self._tried is not None:
            self._tried = None
            self._write()

    def remove(self, name: str) -> None:
        """Forget a batch that was published or given up."""
        if self._deaths.pop(name, None):
            self._write()

    def _write(self) -> None:
        deaths = [[name, batch, times] for name, (batch, times) in self._deaths.items()]
        written = {"tried": [self._tried] if self._tried else [], "deaths": deaths}
        fresh = self._file.with_suffix(".new")
        with suppress(OSError):
            fresh.write_text(json.dumps(written))
            os.replace(fresh, self._file)  # noqa: PTH105  (faster than Path.replace)


@lru_cache(maxsize=1)
def _load_crash_counts(local: Path) -> CrashCounts:
    return CrashCounts(local / "publisher.json")


def load_crash_counts() -> CrashCounts:
    """Return the counts of this installation's publisher."""
    return _load_crash_counts(Path(settings.TIMELINE_LOCAL))
