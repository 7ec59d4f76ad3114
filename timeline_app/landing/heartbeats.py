"""What a landing says of time, beside its events: heartbeats, and what its source says of itself (a watermark).

A heartbeat says that all that happened up to a moment is taken to have come. A watermark says the same, and that what
happened after it is not taken to have come, whatever has; it counts until the next watermark, or the next heartbeat.

Both stand among the events, so that whoever reads the log again comes to the same. They lie in the footer of their own
file, and of the segment that it becomes a part of: only those that still say something. A segment begins with what all
before it come to, so that nothing is lost with those that are dropped.
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
SPARSE = 64
"""Of so many batches with watermarks that only grow, a segment keeps the last."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The number of the batch, and the moment (microseconds) up to which all is taken to have come.

    `holds`: it is a watermark. One of `BEGINNING` says that its source cannot tell yet, a heartbeat of `BEGINNING` that
    there is no source any more that does.
    """

    number: int
    until: int
    holds: bool = False


def encode_heartbeats(beats: Iterable[Beat]) -> bytes:
    """As they stand in a footer."""
    return orjson.dumps([astuple(beat) for beat in beats])


@lru_cache(maxsize=1 << 16)
def read_heartbeats(path: Place) -> tuple[Beat, ...]:
    """Those in the footer of a file, which never changes."""
    footer = pq.read_metadata(open_for_arrow(path)).metadata or {}
    with durable.wrap_read_errors(path):
        return parse_heartbeats(footer)


def parse_heartbeats(footer: Mapping[bytes, bytes]) -> tuple[Beat, ...]:
    """Those in a footer."""
    return tuple(Beat(*row) for row in orjson.loads(footer.get(FOOTER, b"[]")))


def merge_heartbeats(beats: Iterable[Beat]) -> list[Beat]:
    """What those of each batch (in order) come to: a heartbeat, a watermark, or both, and then the watermark is last.

    So their order is that of `order_in_log`, and needs no other.
    """
    return [
        heartbeat
        for number, together in groupby(beats, lambda beat: beat.number)
        for heartbeat in _merge_batch_heartbeats(number, together)
    ]


def order_in_log(beat: Beat) -> tuple[int, bool]:
    """What they are sorted by, wherever the order of the log was lost."""
    return beat.number, beat.holds


def _merge_batch_heartbeats(number: int, together: Iterable[Beat]) -> Iterator[Beat]:
    all_together = list(together)
    heard = [beat.until for beat in all_together if not beat.holds]
    if heard:
        yield Beat(number, max(heard))
    if all_together[-1].holds:
        yield all_together[-1]


def merge_into_batch(beats: Sequence[Beat], number: int) -> list[Beat]:
    """What all of them (in order) come to, as if it were said with the batch of that number."""
    heard = max((beat.until for beat in beats if not beat.holds), default=BEGINNING)
    heartbeats = [Beat(number, heard)] if heard > BEGINNING else []
    return [*heartbeats, Beat(number, beats[-1].until, True)] if beats and beats[-1].holds else heartbeats


def thin_heartbeats(beats: Sequence[Beat], filled: Ints) -> list[Beat]:
    """Those (in order) that still say something, where the batches of these numbers (sorted) hold events.

    Of heartbeats without events in between the last. A watermark is left out where the one before it holds back more
    and the one after it less, so that who reads without it is never further than who read with it: one that goes back,
    as a part speaks again that was silent, stays.
    """
    groups = np.searchsorted(filled, [beat.number for beat in beats]).tolist()
    kept, heard = list[Beat](), BEGINNING
    for place, item in enumerate(beats):
        before = beats[place - 1] if place else None
        after = beats[place + 1] if place + 1 < len(beats) else None
        heard = heard if item.holds else max(heard, item.until)
        if after is None or after.holds != item.holds:
            gone = False
        elif item.holds:
            grows = before is not None and before.holds and before.until <= item.until <= after.until
            gone = grows and after.number // SPARSE == item.number // SPARSE
        else:
            gone = groups[place] == groups[place + 1]
        if not gone:
            kept.append(item if item.holds else Beat(item.number, heard))
    return kept
