"""One time of an event in microseconds since the epoch, and back."""

from __future__ import annotations

from datetime import timedelta

from timeline_app.times.formats import compile_format
from timeline_app.times.iso import read_iso
from timeline_app.times.parts import NO_OFFSET, BadTime
from timeline_app.times.units import COUNTS, EARLIEST, ISO, LATEST, read_count, write_count
from timeline_app.times.writing import write_format
from timeline_app.times.zones import EPOCH, convert_local


def read_moment(raw: object, unit: str, zone: str | None = None) -> int:
    """Return a time in a unit or format as microseconds since the epoch. Raises `BadTime`, or `OutOfRange`."""
    local, offset = read_clock(raw, unit)
    if offset != NO_OFFSET:
        return _check(local - offset)
    return _check(convert_local(_check(local), zone))


def read_clock(raw: object, unit: str) -> tuple[int, int]:
    """Return what clocks show, in microseconds, and their offset to UTC; `NO_OFFSET` where the time is local."""
    if unit in COUNTS:
        return _count(raw, unit), 0
    return read_iso(raw) if unit == ISO else compile_format(unit).read(raw)


class OutOfRange(ValueError):
    """A time outside the years 1 to 9999."""


def _count(raw: object, unit: str) -> int:
    try:
        return read_count(raw, unit)
    except (ValueError, OverflowError):
        raise BadTime("") from None


def _check(time: int) -> int:
    if not EARLIEST <= time <= LATEST:
        raise OutOfRange
    return time


def write_moment(micros: int, unit: str, zone: str | None = None) -> int | float | str:
    """Microseconds as a stream's unit or format has them."""
    if unit in COUNTS:
        return write_count(micros, unit)
    if unit == ISO:
        return f"{(EPOCH + timedelta(microseconds=micros)).isoformat()}Z"
    return write_format(micros, compile_format(unit), zone)
