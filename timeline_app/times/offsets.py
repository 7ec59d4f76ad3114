"""How far the clocks of a zone are ahead of UTC, of whole columns of moments: found once a year and kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from timeline_app.algebra.kinds import SECOND, Ints
from timeline_app.times.calendar import DAY, count_days
from timeline_app.times.units import EARLIEST, LATEST
from timeline_app.times.zones import load_zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1, 9999
_MEAN_YEAR = 31_556_952 * SECOND


class Stretches(NamedTuple):
    """From each moment of `start` on, up to the next one, clocks are ahead by `offset`, in microseconds."""

    start: Ints
    offset: Ints

    def at(self, time: Ints) -> Ints:
        """Return the number of the stretch that each moment lies in."""
        return np.searchsorted(self.start, time, side="right") - 1

    def end(self, number: Ints) -> Ints:
        """Return where stretches end."""
        return np.append(self.start[1:], LATEST + 1)[number]


def list_stretches(time: Ints, zone: str) -> Stretches:
    """Return the stretches of the years of these moments and of neighbouring years; each ends within its year."""
    years = np.unique(np.append(time, 0) // _MEAN_YEAR) + 1970
    years = np.unique(np.concatenate([years + step for step in (-2, -1, 0, 1, 2)]))
    years = years[(years >= _FIRST_YEAR) & (years <= _LAST_YEAR)]
    parts = [_list_stretches_of_year(int(year), zone) for year in years]
    return Stretches(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@lru_cache(maxsize=1 << 14)
def _list_stretches_of_year(year: int, name: str) -> Stretches:
    """Return the stretches of a year: ask each day, and search the second of a change (no zone changes twice a day)."""
    zone = load_zone(name)
    first, last = (int(count_days(item, 1, 1)) * DAY for item in (year, year + 1))
    edges = [*range(max(first, EARLIEST), last, DAY), min(last, LATEST)]
    offsets = [_get_offset(edge, zone) for edge in edges]
    starts, offsets_found = [edges[0]], [offsets[0]]
    for index in np.flatnonzero(np.diff(offsets)).tolist():
        starts.append(_find_change(edges[index], edges[index + 1], zone))
        offsets_found.append(offsets[index + 1])
    return Stretches(np.array(starts, dtype=np.int64), np.array(offsets_found, dtype=np.int64))


def _find_change(before: int, after: int, zone: ZoneInfo) -> int:
    """Return the first second with the later offset."""
    old, low, high = _get_offset(before, zone), before // SECOND, after // SECOND
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _get_offset(middle * SECOND, zone) == old else (low, middle)
    return high * SECOND


def _get_offset(moment: int, zone: ZoneInfo) -> int:
    within = min(max(moment, EARLIEST + DAY), LATEST - DAY)  # what clocks show has a year of four digits
    local_time = (_EPOCH + timedelta(microseconds=within)).astimezone(zone)
    return round((local_time.utcoffset() or timedelta()) / timedelta(microseconds=1))
