"""Hours of the week by the clocks of a zone: whether they hold at a moment, and when that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import OPEN, Ints, Mask
from timeline_app.times.calendar import DAY
from timeline_app.times.offsets import Stretches, list_stretches
from timeline_app.times.units import EARLIEST, LATEST
from timeline_app.times.week import DAYS, read_clock, read_days, read_zone, spell_clock, spell_days

THURSDAY = 3
"""1970-01-01, with Monday as 0."""
_SEARCHED_MICROS = 400 * DAY
"""All recurring changes happen within a year, leap seconds and skipped dates included."""
_CHUNK_MICROS = 200 * DAY


@dataclass(frozen=True, slots=True)
class Schedule:
    """Open while the clock shows from `begin` up to `end` (exclusive), microseconds since midnight, on some days.

    An `end` that is not after `begin` belongs to the next day: `days` (Monday is 0) are those of opening.
    """

    begin: int
    end: int
    days: tuple[int, ...]
    zone: str

    def is_open(self, time: Ints, stretches: Stretches | None = None) -> Mask:
        """Return whether it is open at each moment."""
        time = np.clip(time, EARLIEST, LATEST)
        known_stretches = list_stretches(time, self.zone) if stretches is None else stretches
        local_time = time + known_stretches.offset[known_stretches.at(time)]
        day, reading = local_time // DAY, local_time % DAY
        today = self._opens(day) & (self.begin <= reading) & (reading < self._closing)
        return np.asarray(today | (self._opens(day - 1) & (reading + DAY < self._closing)))

    def list_switches(self, after: int, end: int) -> tuple[Ints, Mask]:
        """Return when it changes after a moment, up to and including another one, and what it is then."""
        after, end = (min(max(time, EARLIEST), LATEST) for time in (after, end))
        edges = np.append(np.arange(after, end, _CHUNK_MICROS, dtype=np.int64), (after, end))
        stretches = list_stretches(edges, self.zone)
        time = np.unique(np.concatenate([[after], *self._candidates(after, end, stretches)]))
        now = self.is_open(time, stretches)
        turning = np.flatnonzero(now[1:] != now[:-1]) + 1
        return time[turning], now[turning]

    def next_switch(self, time: int) -> int:
        """Return when it changes for the first time after a moment; `OPEN` where it never does."""
        time = min(max(time, EARLIEST + DAY), LATEST - 2 * _SEARCHED_MICROS)
        for window in (9 * DAY, _SEARCHED_MICROS):
            switches, _ = self.list_switches(time, time + window)
            if len(switches):
                return int(switches[0])
        return OPEN

    def count_switches(self, length: Ints) -> Ints:
        """About how many times it changes in a stretch of time, and never fewer."""
        return 2 * (length // DAY + 2)

    @property
    def _closing(self) -> int:
        return self.end if self.end > self.begin else self.end + DAY

    def _opens(self, day: Ints) -> Mask:
        return np.isin((day + THURSDAY) % 7, self.days)

    def _candidates(self, after: int, end: int, stretches: Stretches) -> list[Ints]:
        """Moments after one, up to another one, at which it may change: with the hours, or with the clocks."""
        first, last = (after // DAY - 3, end // DAY + 3)
        days = np.arange(first, last, dtype=np.int64)
        days = days[self._opens(days)] * DAY
        edges = np.concatenate((days + self.begin, days + self._closing))
        moments_found = [stretches.start]
        ends = np.append(stretches.start[1:], OPEN)
        for start, stop, offset in zip(stretches.start, ends, stretches.offset, strict=True):
            moments = edges - offset
            moments_found.append(moments[(moments >= start) & (moments < stop)])
        return [item[(item > after) & (item <= end)] for item in moments_found]


def read_schedule(hours: Mapping[str, Any]) -> Schedule:
    """Return the schedule of a document, such as `{"from": "22:00", "to": "04:00", "days": "sat-sun", "zone": "UTC"}`.

    Every day if `days` are left out, UTC without a `zone`. Raises ValueError if it cannot be read.
    """
    begin, end = read_clock(hours.get("from")), read_clock(hours.get("to"))
    if begin == end:
        clock = spell_clock(begin)
        raise ValueError(f"it begins and ends at {clock}; the whole day is from 00:00 to 24:00")
    days = read_days(hours.get("days") or list(DAYS))
    return Schedule(begin, end, days, read_zone(hours.get("zone") or "UTC"))


def format_schedule(schedule: Schedule) -> dict[str, str]:
    """Return the document of a schedule, which `read_schedule` reads."""
    return {
        "from": spell_clock(schedule.begin),
        "to": spell_clock(schedule.end),
        "days": spell_days(schedule.days),
        "zone": schedule.zone,
    }
