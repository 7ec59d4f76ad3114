"""Heartbeats and source watermarks in a landing, beside its events.

A heartbeat says that all events up to a moment are assumed to have arrived. A watermark says the same, and that later
events are not, whatever has arrived; it holds until the next watermark or heartbeat.

Both stand among the events, so that every reader of the log computes the same. They lie in the footer of their file,
and later of its segment, which keeps only relevant ones. A segment begins with the sum of all before it, so that
dropping segments loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
import orjson
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.fs import durable
from timeline_app.fs.paths import Place, open_for_arrow

FOOTER = b"beats"
BATCHES_PER_KEPT_WATERMARK = 64
"""A segment keeps one growing watermark for each range of this many batches."""


@dataclass(frozen=True, slots=True)
class Beat:
    """A batch number, and the moment (microseconds) up to which all events are assumed to have arrived.

    With `holds` it is a watermark. A watermark of `BEGINNING` says that its source cannot tell yet; a heartbeat of
    `BEGINNING` says that no source sets a watermark any more.
    """

    number: int
    until: int
    holds: bool = False


def encode_heartbeats(beats: Iterable[Beat]) -> bytes:
    """Return heartbeats as stored in a footer."""
    return orjson.dumps([astuple(beat) for beat in beats])


@lru_cache(maxsize=1 << 16)
def read_heartbeats(path: Place) -> tuple[Beat, ...]:
    """Read the heartbeats in the footer of a file, which never changes."""
    footer = pq.read_metadata(open_for_arrow(path)).metadata or {}
    with durable.wrap_read_errors(path):
        return parse_heartbeats(footer)


def parse_heartbeats(footer: Mapping[bytes, bytes]) -> tuple[Beat, ...]:
    """Parse the heartbeats in a footer."""
    return tuple(Beat(*row) for row in orjson.loads(footer.get(FOOTER, b"[]")))


def merge_heartbeats(beats: Iterable[Beat]) -> list[Beat]:
    """Merge the heartbeats of each batch (in order) into a heartbeat, a watermark, or both with the watermark last.

    The result is sorted by `order_in_log`.
    """
    return [
        heartbeat
        for number, together in groupby(beats, lambda beat: beat.number)
        for heartbeat in _merge_batch_heartbeats(number, together)
    ]


def order_in_log(beat: Beat) -> tuple[int, bool]:
    """Return the sort key that restores the order of the log."""
    return beat.number, beat.holds


def _merge_batch_heartbeats(number: int, together: Iterable[Beat]) -> Iterator[Beat]:
    all_together = list(together)
    heard = [beat.until for beat in all_together if not beat.holds]
    if heard:
        yield Beat(number, max(heard))
    if all_together[-1].holds:
        yield all_together[-1]


def merge_into_batch(beats: Sequence[Beat], number: int) -> list[Beat]:
    """Merge all heartbeats (in order) as if they came with one batch."""
    heard = max((beat.until for beat in beats if not beat.holds), default=BEGINNING)
    heartbeats = [Beat(number, heard)] if heard > BEGINNING else []
    return [*heartbeats, Beat(number, beats[-1].until, True)] if beats and beats[-1].holds else heartbeats


def thin_heartbeats(beats: Sequence[Beat], filled: Ints) -> list[Beat]:
    """Return the heartbeats (in order) that are relevant, where the batches `filled` (sorted) hold events.

    Of consecutive heartbeats without events in between, the last stays. A watermark goes where the one before is
    lower and the one after higher: without it a reader is never ahead of a reader with it. A watermark that goes
    back, as a silent part speaks again, stays.
    """
    groups = np.searchsorted(filled, [beat.number for beat in beats]).tolist()
    thinned, heard = list[Beat](), BEGINNING
    for index, item in enumerate(beats):
        before = beats[index - 1] if index else None
        after = beats[index + 1] if index + 1 < len(beats) else None
        heard = heard if item.holds else max(heard, item.until)
        if after is None or after.holds != item.holds:
            is_superseded = False
        elif item.holds:
            grows = before is not None and before.holds and before.until <= item.until <= after.until
            is_superseded = (
                grows
                and after.number // BATCHES_PER_KEPT_WATERMARK == item.number // BATCHES_PER_KEPT_WATERMARK
            )
        else:
            is_superseded = groups[index] == groups[index + 1]
        if not is_superseded:
            thinned.append(item if item.holds else Beat(item.number, heard))
    return thinned
