"""Formats figures for people, coarsely, so that they do not change at every refresh."""

from __future__ import annotations


def format_duration(seconds: float) -> str:
    """Format a duration in one unit."""
    if seconds < 60:
        return f"{int(seconds)} s"
    return f"{int(seconds // 60)} min" if seconds < 3600 else f"{int(seconds // 3600)} h"


def format_number(value: float) -> str:
    """Format a number with two or three significant digits."""
    if value < 100:
        return f"{value:.0f}"
    step = 10 ** (len(str(int(value))) - 2)
    return f"{int(value) // step * step:,}"
