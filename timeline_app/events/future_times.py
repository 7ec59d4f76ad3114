"""Events whose time lies too far after their arrival: they are rejected, and move no watermark."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import SECOND, Ints
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import LineProblem
from timeline_app.operators.parameters import spell_duration

CODE = "ahead"
_ROUND = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)


def select_ahead(times: Ints, declaration: StreamDeclaration, arrived: int) -> Ints:
    """Return the indexes of times that lie further after the arrival (microseconds) than the stream allows."""
    if declaration.allowed_ahead is None:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(times > arrived + declaration.allowed_ahead)


def split_ahead(
    table: pa.Table, declaration: StreamDeclaration, arrived: int, lines: Callable[[], Sequence[int]]
) -> tuple[pa.Table, list[LineProblem]]:
    """Split off events that are too far ahead; `lines` returns the line of each event.

    Returns the other events, and the problems.
    """
    times = table["time"].to_numpy()
    ahead = select_ahead(times, declaration, arrived)
    if not len(ahead):
        return table, []
    line = lines()
    problems = [
        LineProblem(line[at], declaration.time, CODE, describe_ahead(int(times[at]), declaration, arrived))
        for at in ahead.tolist()
    ]
    return table.take(pa.array(np.delete(np.arange(len(times)), ahead))), problems


def describe_ahead(time: int, declaration: StreamDeclaration, arrived: int) -> str:
    """Say why an event of that time is rejected, and what to do."""
    allowed, by = (
        spell_duration(declaration.allowed_ahead or 0),
        spell_duration(_round_length(time - arrived)),
    )
    words = f"its time {format_instant(time)} lies {by} after its arrival, and the stream allows {allowed}"
    return f"{words}; set the clock of its sender right, or declare a longer allowed_ahead"


def format_instant(time: int) -> str:
    """Format a time in ISO 8601, to the second where it is whole."""
    return f"{np.datetime_as_string(np.datetime64(time, 'us'), unit='us' if time % SECOND else 's')}Z"


def _round_length(length: int) -> int:
    """Round a length to a unit that people would use."""
    unit = next((unit for unit in _ROUND if length >= unit), 1)
    return length // unit * unit
