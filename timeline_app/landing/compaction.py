"""Compaction of a landing: merges many small files into few large ones, and drops events that nobody needs.

Batch numbers stay, and every event keeps its own. A file is removed only some time after the index stops naming it.
One process compacts a landing at a time, and may be killed at any moment: the index changes atomically.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.fs import durable
from timeline_app.fs.folder_lock import Still, is_alone
from timeline_app.fs.paths import measure_size, open_for_arrow
from timeline_app.fs.table_parts import gather_tables
from timeline_app.landing import heartbeats
from timeline_app.landing.batches import Piece
from timeline_app.landing.dedup import Memory
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import (
    FILE,
    FOLDER,
    INDEX,
    LANDED,
    OF_BATCH,
    SCHEMA,
    Index,
    Segment,
    name_of,
    read_spans,
)

MIN_BATCHES_PER_SEGMENT = 16
"""Fewer single batches are not worth a segment."""
MAX_SEGMENT_BYTES = 64 * 2**20
"""A segment of this size does not grow."""
ROWS_PER_GROUP = 32_768
"""Events are read, and written as one row group, in portions of this size."""
REMOVE_AFTER_S = 30.0
"""How long a file stays after the index stopped naming it; a slower reader starts over."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What readers need of a landing: events since `horizon` (microseconds; None: all), and batches from `unread` on.

    Segments are not merged into one that spans more event time than `spread`, because segments are dropped whole.
    """

    horizon: int | None
    unread: int
    spread: int | None = None


def compute_retention_limit(newest: int, retention: int) -> int:
    """Return the oldest retained time. As in the engine, an event of the future counts only when its time has come."""
    return min(newest, time.time_ns() // 1_000) - retention


def compact_landing(landing: Landing, needed: Needed) -> Index:
    """Run one round: sweep, drop what nobody needs, merge. Return the index afterwards."""
    with is_alone(landing.path) as may_go_on:
        if may_go_on():
            _sweep(landing)
            _drop(landing, needed, may_go_on)  # first, since it frees space on a full disk
            while may_go_on() and (chosen := _choose_batches(landing, needed.spread)) is not None:
                memory, segment = _gather_dedup_records(landing, chosen[1]), _merge(landing, *chosen)
                if may_go_on():
                    memory.save(landing.path)
                    landing.index().with_segment(segment).save(landing.path)
            _drop(landing, needed, may_go_on)
    return landing.index()


def _choose_batches(landing: Landing, spread: int | None) -> tuple[int, int] | None:
    """Choose the batches to merge: single ones, and preceding segments that are no larger than what follows.

    Each byte is thus rewritten only as often as the total size doubles.
    """
    index = landing.index()
    start = end = index.end
    last, size, times = landing.end(), 0, Span()
    if last - end < MIN_BATCHES_PER_SEGMENT:
        return None
    while end < last and size < MAX_SEGMENT_BYTES:
        size += measure_size(landing.file(end))
        times = times.with_all(read_spans(landing.file(end)))
        end += 1
    for segment in reversed(index.segments):
        times = times.with_all([(segment.first, segment.last)])
        alone = spread is not None and times.last - times.first > spread
        if segment.end != start or segment.size > size or size + segment.size > MAX_SEGMENT_BYTES or alone:
            break
        start, size = segment.start, size + segment.size
    return start, end


@dataclass(frozen=True, slots=True)
class Span:
    """The least and the greatest of some event times."""

    first: int = OPEN
    last: int = BEGINNING

    def with_all(self, spans: Sequence[tuple[int, int]]) -> Span:
        """Return the span extended by those of some row groups."""
        firsts, lasts = zip(*[(self.first, self.last), *spans], strict=True)
        return Span(min(firsts), max(lasts))


def _merge(landing: Landing, start: int, end: int) -> Segment:
    """Write a segment of these batches, not yet named by the index."""
    beats = [
        *heartbeats.merge_into_batch(landing.beats(landing.first(), start), start),
        *landing.beats(start, end),
    ]
    parts = (table for piece in landing.pieces(start, end) for table in _iterate_parts(piece))
    return _write_segment(landing, (start, end), gather_tables(parts, ROWS_PER_GROUP), beats)


def _write_segment(
    landing: Landing, batches: tuple[int, int], tables: Iterable[pa.Table], beats: Sequence[Beat]
) -> Segment:
    durable.make_folder(landing.path / FOLDER)
    events, times, filled = 0, Span(), set[int]()
    with durable.open_draft_file(landing.path / name_of(*batches)) as draft:
        with pq.ParquetWriter(draft.sink, LANDED, compression="zstd", use_dictionary=["key"]) as writer:
            for table in tables:
                writer.write_table(table)
                if len(table):
                    bounds = pc.min_max(table["time"]).as_py()
                    times, events = times.with_all([(bounds["min"], bounds["max"])]), events + len(table)
                    filled.update(pc.unique(table[FILE]).to_pylist())
            thinned = heartbeats.thin_heartbeats(beats, np.array(sorted(filled), dtype=np.int64))
            writer.add_key_value_metadata({heartbeats.FOOTER: heartbeats.encode_heartbeats(thinned)})
        segment = Segment(*batches, events, draft.sink.tell(), times.first, times.last)
        draft.replace()
    return segment


def _iterate_parts(piece: Piece) -> Iterator[pa.Table]:
    """Yield the tables of a piece, by row group where it is a segment."""
    if not piece.segment:
        yield piece.read(piece.start, piece.end, [*SCHEMA.names, *OF_BATCH]).select(LANDED.names)
        return
    with pq.ParquetFile(open_for_arrow(piece.path)) as file:
        for group in range(file.num_row_groups):
            part = file.read_row_group(group)
            for name in set(OF_BATCH).difference(part.column_names):  # older segments lack the column
                part = part.append_column(name, pa.nulls(len(part), pa.int64()))
            yield part.select(LANDED.names).cast(LANDED)


def _gather_dedup_records(landing: Landing, end: int) -> Memory:
    """Collect the receipts of all batches before `end`; once they are stored together, the batch files may go."""
    memory = Memory.load(landing.path)
    for number in range(max(memory.until, landing.index().end), end):  # what is lost stays lost
        memory.learn(landing.file(number), number)
        memory.until = number + 1
    memory.trim()
    return memory


def _drop(landing: Landing, needed: Needed, may_go_on: Still) -> None:
    index, horizon = landing.index(), needed.horizon
    if horizon is None:
        return
    dropped = {
        segment for segment in index.segments if segment.last < horizon and segment.end <= needed.unread
    }
    if (
        dropped
        and (last := index.segments[-1]) in dropped
        and (beats := heartbeats.read_heartbeats(landing.path / last.name))
    ):
        dropped.discard(last)  # its heartbeats and watermarks still count
        if last.events:
            batches = last.end - 1, last.end
            merged = _write_segment(landing, batches, [], heartbeats.merge_into_batch(beats, batches[0]))
            index = index.without({last}).with_segment(merged)
    if (dropped or index != landing.index()) and may_go_on():
        index.without(dropped).save(landing.path)


def _sweep(landing: Landing) -> None:
    """Remove files that the index has not named for a while, and leftovers of dead processes."""
    index = landing.index()
    named = {landing.path / segment.name for segment in index.segments}
    obsolete = [path for path in landing.loose() if int(path.stem) < index.end]
    obsolete += [path for path in (landing.path / FOLDER).glob("*.parquet") if path not in named]
    if obsolete and durable.measure_age(landing.path / INDEX) > REMOVE_AFTER_S:
        for path in obsolete:
            path.unlink(missing_ok=True)
    for folder in (landing.path, landing.path / FOLDER):
        durable.remove_abandoned(folder)
