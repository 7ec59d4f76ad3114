"""Units of time that count from 1970: numbers, and texts of digits."""

from __future__ import annotations

import math
import re

SCALE = {"s": 1_000_000, "ms": 1_000, "us": 1}
"""Microseconds in each unit of time that is no finer."""
NANOS_PER_MICRO = 1_000
COUNTS = (*SCALE, "ns")
"""The units that are numbers."""
ISO = "iso8601"
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last microsecond of the years 1 to 9999."""
PADDING = " \t"
"""What may stand around a time that is text."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?")


def read_count(raw: object, unit: str) -> int:
    """Return a number of a unit in microseconds: nanoseconds rounded down, the others to the nearest."""
    number = _number(raw) if isinstance(raw, str) else raw
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
        raise ValueError("not a number")
    if unit == "ns":
        return math.floor(number) // NANOS_PER_MICRO
    return round(number * SCALE[unit])


def _number(raw: str) -> int | float:
    text = raw.strip(PADDING)
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("not a number")
    try:
        return int(text)
    except ValueError:
        return float(text)


def write_count(micros: int, unit: str) -> int | float:
    """Microseconds as a number of a unit."""
    if unit == "ns":
        return micros * NANOS_PER_MICRO
    quotient, remainder = divmod(micros, SCALE[unit])
    return micros / SCALE[unit] if remainder else quotient
