"""What a value becomes where a mapping casts it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from timeline_app.algebra.kinds import Kind
from timeline_app.events.decode.csv_numbers import UnclearNumber, parse_number
from timeline_app.events.truth_words import read_truth
from timeline_app.events.validate import spell

MAX_WHOLE_DIGITS = 18
"""Whole numbers with more digits lose some of them."""


class CastError(ValueError):
    """A value cannot be cast: the words go on after the value, say why, and what to do."""


def cast_text(value: Any) -> str:
    """Numbers and bools as JSON spells them."""
    text = spell(value, Kind.TEXT)
    if text is None:
        raise CastError("which is no text; map the fields inside it, such as ctx.device")
    return text


def cast_number(value: Any, decimal: str = ".") -> int | float | None:
    """Return a number as text spells it, with `decimal` as its decimal sign; blank text is missing."""
    if isinstance(value, int | float):
        return int(value) if isinstance(value, bool) else value
    if not isinstance(value, str):
        raise CastError("which is no number; map the fields inside it, such as ctx.level")
    return _parse_number(text, decimal) if (text := value.strip()) else None


def cast_decimal_comma(value: Any) -> int | float | None:
    """Return a number whose decimal sign is a comma: 1.234,5 is 1234.5."""
    return cast_number(value, ",")


def cast_bool(value: Any) -> bool | None:
    """True and false as people spell them; blank text is missing."""
    if isinstance(value, int | float):
        value = str(int(value)) if value in (0, 1) else repr(value)
    if isinstance(value, str) and not value.strip():
        return None
    if isinstance(value, str) and (truth := read_truth(value)) is not None:
        return truth
    raise CastError("which is neither true nor false; write true or false, yes or no, on or off, 1 or 0")


CASTS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {"text": cast_text, "number": cast_number, "decimal_comma": cast_decimal_comma, "bool": cast_bool}
)


def _parse_number(text: str, decimal: str) -> int | float:
    digits = text[1:] if text[0] in "+-" else text
    if digits.isascii() and digits.isdecimal() and len(digits) <= MAX_WHOLE_DIGITS:
        return int(text)
    try:
        number = parse_number(text, decimal, ";" if decimal == "," else ",")
    except UnclearNumber:
        number = None
    if number is None or not math.isfinite(number):
        sign, other = ("comma", "number") if decimal == "," else ("point", "decimal_comma")
        raise CastError(f"which is no number with a decimal {sign}; correct it, or cast as {other} or text")
    return number
