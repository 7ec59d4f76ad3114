"""Values of Arrow as JSON has them."""

from __future__ import annotations

import warnings
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

import pyarrow as pa

warnings.filterwarnings(
    "ignore", "Encountered key", UserWarning
)  # of a name twice in a map: the last one counts
Raw: TypeAlias = pa.Array | list[Any]
"""One value for each event as JSON has it, None or null where there is none."""


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column holds texts, encoded or not."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def to_plain_value(value: Any) -> Any:
    """Return a value as in JSON: moments in ISO 8601, durations in seconds, decimals as numbers, bytes as text.

    Bytes that are no UTF-8 are written in hexadecimal digits.
    """
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return _spell_bytes(value)
    if isinstance(value, pa.MonthDayNano):
        return f"P{value.months}M{value.days}DT{Decimal(value.nanoseconds) / 10**9:f}S"
    if isinstance(value, Decimal):
        return _to_number(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, dict):
        return {name: to_plain_value(item) for name, item in value.items()}
    return [to_plain_value(item) for item in value] if isinstance(value, list) else value


def _to_number(value: Decimal) -> int | float:
    """Return a whole number of 64 bits as that, so that a key or an id keeps its digits; others as floats."""
    is_whole = value.as_tuple().exponent == 0 and -(1 << 63) <= value < 1 << 64
    return int(value) if is_whole else float(value)


def list_values(values: pa.Array) -> list[Any]:
    """Return the values of a column as in JSON; moments outside the years 1 to 9999 become texts."""
    try:
        plain = values.to_pylist(maps_as_pydicts="lossy")
    except (OverflowError, ValueError):
        plain = [_to_list(value) for value in values]
    return [to_plain_value(value) for value in plain]


def _to_list(value: pa.Scalar) -> Any:
    try:
        return value.as_py(maps_as_pydicts="lossy")
    except (OverflowError, ValueError):
        return [] if pa.types.is_nested(value.type) else f"{value.value} {value.type}"


def _spell_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()
