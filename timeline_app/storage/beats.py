"""Heartbeats of a landing: batches without events, which say up to when all that happened is taken to have come.

They stand among the events, so that whoever reads the log again comes to the same. They lie in the footer of their own
file, and of the segment that it becomes a part of: of those without events in between only the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import orjson
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.storage import durable

FOOTER = b"beats"


@dataclass(frozen=True, slots=True)
class Beat:
    """The number of the batch, and the moment (microseconds) up to which all is taken to have come."""

    number: int
    until: int


def spelled(beats: Iterable[Beat]) -> bytes:
    """As they stand in a footer."""
    return orjson.dumps([astuple(one) for one in beats])


@lru_cache(maxsize=1 << 16)
def beats_of(path: Path) -> tuple[Beat, ...]:
    """Those in the footer of a file, which never changes."""
    footer = pq.read_metadata(path).metadata or {}
    with durable.legible(path):
        return tuple(Beat(*row) for row in orjson.loads(footer.get(FOOTER, b"[]")))


def thinned(beats: Sequence[Beat], filled: Ints) -> list[Beat]:
    """Those (in order) that still say something, where the batches of these numbers (sorted) hold events."""
    groups = np.searchsorted(filled, [one.number for one in beats])
    latest = np.maximum.accumulate([one.until for one in beats], dtype=np.int64).tolist()
    return [
        Beat(beats[place].number, latest[place])
        for place in np.flatnonzero(np.diff(groups, append=-1)).tolist()
    ]
