"""Local times of a zone as moments.

The data comes from the package tzdata, which is pinned: it is the same on every machine. Where a clock is put back,
local times occur twice: the earlier moment is taken. Where a clock is put forward, local times are left out: they move
on by as much as the clock did. Both are one rule: the offset from before the change holds.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import SECOND, Ints
from timeline_app.times.calendar import DAY

Bools: TypeAlias = npt.NDArray[np.bool_]
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (local times have no zone)


ZONE_DATA = f"tzdata {version('tzdata')}"
"""Which rules all engines go by: part of what an operator of the calendar computes."""


class UnknownZone(ValueError):
    """No zone has that name."""


@cache
def list_zones() -> frozenset[str]:
    """Return the names of all zones; `Factory` says only that none was set."""
    return frozenset(files("tzdata").joinpath("zones").read_text().split()) - {"Factory"}


@cache
def load_zone(name: str) -> ZoneInfo:
    """Return a zone by its IANA name. Raises `UnknownZone`."""
    if name not in list_zones():
        raise UnknownZone(name)
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def convert_local(local: int, zone: str | None) -> int:
    """Return a local time in microseconds as a moment; without a zone it is UTC."""
    return local if zone is None else local - _get_offset(local, load_zone(zone), 0)


def convert_local_column(local: Ints, zone: str | None) -> Ints:
    """Convert a column as `convert_local` does: zones are asked once a day, and per time where clocks change."""
    return local if zone is None else local - _find_offsets(local, zone)[0]


def find_changes(local: Ints, zone: str | None) -> tuple[Bools, Bools]:
    """Return which local times do not occur, as the clock was put forward, and which occur twice."""
    if zone is None:
        return np.zeros(len(local), np.bool_), np.zeros(len(local), np.bool_)
    before, after = _find_offsets(local, zone)
    return before < after, before > after


def convert_to_local(time: int, zone: str | None) -> int:
    """Return what the clocks of a zone show."""
    if zone is None:
        return time
    moment = (EPOCH + timedelta(microseconds=time)).replace(tzinfo=UTC).astimezone(load_zone(zone))
    return time + _count_micros(moment.utcoffset())


def convert_to_local_column(time: Ints, zone: str | None) -> Ints:
    """Convert a column as `convert_to_local` does: zones are asked once a day, and per time where clocks change."""
    if zone is None:
        return time
    days, day_numbers = np.unique(time // DAY, return_inverse=True)
    ends = [[convert_to_local(int(at), zone) - int(at) for at in _get_day_bounds(int(day))] for day in days]
    first, last = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    local, changing = time + first[day_numbers], (first != last)[day_numbers]
    times, back = np.unique(time[changing], return_inverse=True)
    local[changing] = np.array([convert_to_local(int(at), zone) for at in times], dtype=np.int64)[back]
    return local


def _get_day_bounds(day: int) -> tuple[int, int]:
    return day * DAY, min((day + 1) * DAY, _LAST)


def _get_offset(local: int, zone: ZoneInfo, fold: int) -> int:
    moment = EPOCH + timedelta(microseconds=local)
    return _count_micros(moment.replace(tzinfo=zone, fold=fold).utcoffset())


def _count_micros(offset: timedelta | None) -> int:
    assert offset is not None
    return (offset.days * 86_400 + offset.seconds) * SECOND


def _find_offsets(local: Ints, name: str) -> tuple[Ints, Ints]:
    """The offsets before and after the change that a local time lies in; where it lies in none they are equal."""
    zone = load_zone(name)
    days, day_numbers = np.unique(local // DAY, return_inverse=True)
    by_day = np.array([_find_day_offset(int(day), zone) for day in days], dtype=np.int64)
    before = by_day[day_numbers]
    after, changing = before.copy(), before == _CHANGES
    times, back = np.unique(local[changing], return_inverse=True)
    for fold, offsets in ((0, before), (1, after)):
        distinct_offsets = np.array([_get_offset(int(time), zone, fold) for time in times], dtype=np.int64)
        offsets[changing] = distinct_offsets[back]
    return before, after


_CHANGES = np.iinfo(np.int64).min


def _find_day_offset(day: int, zone: ZoneInfo) -> int:
    """Return the offset of a whole local day; `_CHANGES` where it may change (no zone changes twice a day)."""
    first = _get_offset(day * DAY, zone, 0)
    last = _get_offset((day + 1) * DAY, zone, 1) if (day + 1) * DAY <= _LAST else first
    return first if first == last else _CHANGES


_LAST = (datetime(9999, 12, 31) - EPOCH).days * DAY  # noqa: DTZ001
