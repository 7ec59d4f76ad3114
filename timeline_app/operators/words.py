"""How values, instants and lengths of time are written in a sentence; times are UTC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import SECOND

_UNITS = (("d", 86_400 * SECOND), ("h", 3_600 * SECOND), ("min", 60 * SECOND))
_SHORT = (("s", SECOND), ("ms", 1_000), ("us", 1))
_MAX_TEXT_CHARS = 80


def format_value(value: Any) -> str:
    """Return a value; None is unknown."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= _MAX_TEXT_CHARS else f'"{value[: _MAX_TEXT_CHARS - 1]}…"'
    return number(float(value))


def number(value: float) -> str:
    """Return a number to the millionth, in plain digits where they are few."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    if not 1e-3 <= abs(value) < 1e15:
        return f"{value:.6g}"
    return f"{value:.6f}".rstrip("0").rstrip(".")


def format_length(micros: int) -> str:
    """Return a length of time, exactly: `5 s`, `1 min 30.5 s`, `2 h`, `250 ms`."""
    parts = []
    for unit, size in _UNITS:
        if micros >= size:
            parts.append(f"{micros // size} {unit}")
            micros %= size
    if micros or not parts:
        least = SECOND if parts else max(micros, 1)
        unit, size = next((item for item in _SHORT if item[1] <= least), _SHORT[-1])
        parts.append(f"{number(micros / size)} {unit}")
    return " ".join(parts)


def format_clock(time: int, reference: int) -> str:
    """Return an instant as `12:03:41.25`, with its day where that is not the day of `near`."""
    day, of_day = str(np.datetime64(time, "us")).split("T")
    text = of_day.rstrip("0").removesuffix(".") if "." in of_day else of_day
    return text if day == str(np.datetime64(reference, "us")).split("T")[0] else f"{day} {text}"


_INSTANT = re.compile("\ue000(-?[0-9]{1,18})\ue001")
"""An instant within a sentence: two characters of private use, which no keyboard has, around its microseconds."""


def mark_instant(time: int) -> str:
    """Mark an instant within a sentence for later formatting; see `split_at_instants`."""
    return f"\ue000{time}\ue001"


def split_at_instants(sentence: str, near: int) -> list[tuple[str, int | None]]:
    """Return a sentence in parts: its words, and each instant in UTC, with its microseconds."""
    parts = [
        (part, None) if index % 2 == 0 else (format_clock(int(part), near), int(part))
        for index, part in enumerate(_INSTANT.split(sentence))
    ]
    return [part for part in parts if part[0]]


def format_names(names: Iterable[str], most: int = 5, word: str = "and") -> str:
    """Format names as `a`, `b` and `c`; long lists are cut."""
    text = [f"`{name}`" for name in dict.fromkeys(names)]
    if len(text) > most:
        text = [*text[: most - 1], f"{len(text) - most + 1} more"]
    return join_parts(text, word)


def join_parts(parts: list[str], word: str = "and") -> str:
    """Parts of a sentence: a, b and c."""
    return f" {word} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
