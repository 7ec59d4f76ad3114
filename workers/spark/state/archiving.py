"""Moves the older rows of long keys from their page to the archive.

Pages stay small whatever the archive holds, so an event in time order costs the same after a hundred others as after
a million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from timeline_app.algebra.order import mark_lasts, order_of
from timeline_app.algebra.timelines import compute_offsets, concatenate_ranges
from timeline_app.events.columns import code_texts
from workers.spark.state import archive as module
from workers.spark.state.archive import Archive
from workers.spark.state.rows import KeyRows, KeySummaries, split_by_key
from workers.spark.state.summaries import Summarize

KEPT_ROWS = 128
"""The latest rows of a key, which stay in its page."""
MIN_ARCHIVED_ROWS = 256
"""Fewer rows than these are not worth a segment …"""
MIN_ARCHIVED_SHARE = 4
"""… nor is a smaller part than 1/4 of the rows in the page."""


def archive_rows(
    rows: pa.Table,
    names: pa.Array,
    hashes: Ints,
    summaries: KeySummaries,
    archive: Archive,
    summarize: Summarize,
    latest: int = OPEN,
) -> tuple[pa.Table, pa.Table]:
    """Archive rows; update `summaries`. Return the rows that stay in pages, and those that were archived.

    No row after the `latest` instant is archived.
    """
    key, time = code_texts(rows["key"], names), np.asarray(rows["time"].to_numpy(), dtype=np.int64)
    within_reach = time > summaries.instants(1 + archive.reach)[key]
    last = find_last_to_archive(
        key[within_reach],
        time[within_reach],
        len(names),
        archive.reach,
        (KEPT_ROWS, MIN_ARCHIVED_ROWS, MIN_ARCHIVED_SHARE),
        np.full(len(names), latest),
    )
    chosen = np.flatnonzero(last != BEGINNING)
    if not len(chosen):
        return rows, rows.slice(0, 0)
    is_archived = (last != BEGINNING)[key]
    going = np.flatnonzero(is_archived & within_reach)
    going = going[order_of(key[going], time[going])]
    places = np.searchsorted(chosen, key[going])
    queue = _ArchiveQueue(rows.take(pa.array(going)), places, time[going], last[chosen])
    keys = _ArchivedKeys(names.take(pa.array(chosen)), hashes[chosen], summaries.take(chosen))
    witnesses = _archive_segments(
        queue, keys, rows.filter(pa.array(is_archived & ~within_reach)), archive, summarize
    )
    summaries.update(chosen, keys.summaries)
    is_expired = pa.array(time[going] <= last[chosen][places])
    staying = [rows.filter(pa.array(~is_archived)), witnesses, queue.rows.filter(pc.invert(is_expired))]
    return pa.concat_tables(staying, promote_options="default"), queue.rows.filter(is_expired)


def find_last_to_archive(
    key: Ints, time: Ints, names: int, reach: int, bounds: tuple[int, int, int], latest: Ints | None = None
) -> Ints:
    """Return the time of the last row of each key to archive, at most its `latest`; `BEGINNING` where none is.

    `bounds` are the rows that stay, the least number that goes, and the least share (as 1/n) that goes.
    """
    keep, least, share = bounds
    last = np.full(names, BEGINNING, dtype=np.int64)
    count = np.bincount(key, minlength=names)
    long = np.flatnonzero(count >= keep + least)
    if not len(long):
        return last
    order = order_of(key, time)
    key, time, offsets = key[order], time[order], compute_offsets(count)
    limit = last.copy()
    limit[long] = time[offsets[1:][long] - keep] - 1 - reach
    if latest is not None:
        limit = np.minimum(limit, latest)
    expired = np.bincount(key[time <= limit[key]], minlength=names)
    pays = np.flatnonzero((expired >= least) & (expired * share >= count))
    last[pays] = time[offsets[:-1][pays] + expired[pays] - 1]
    return last


@dataclass(slots=True)
class _ArchivedKeys:
    """Keys whose rows are being archived, with their summaries so far."""

    names: pa.Array
    hashes: Ints
    summaries: KeySummaries

    def take(self, places: Ints) -> _ArchivedKeys:
        """Return the keys at these indexes."""
        return _ArchivedKeys(
            self.names.take(pa.array(places)), self.hashes[places], self.summaries.take(places)
        )

    def starts(self, witnesses: pa.Table) -> list[tuple[str, KeyRows]]:
        """Return the name of each key, with its rows and summary before the pending rows."""
        parts_of_key = [
            split_by_key(rows, self.names)
            for rows in (witnesses, self.summaries.rows(self.names, self.hashes))
        ]
        return list(zip(self.names.to_pylist(), map(KeyRows, *parts_of_key), strict=True))


class _ArchiveQueue:
    """The rows of keys by time; those up to `last` are archived segment by segment."""

    def __init__(self, rows: pa.Table, key: Ints, time: Ints, last: Ints) -> None:
        self.rows, self.time = rows.combine_chunks(), time
        self.offsets = compute_offsets(np.bincount(key, minlength=len(last)))
        self.begin = self.offsets[:-1].copy()
        self.ends = self.begin + np.bincount(key[time <= last[key]], minlength=len(last))
        self.edges = np.flatnonzero(mark_lasts(key, time)) + 1

    @property
    def pending(self) -> Ints:
        """Return the keys that still have rows to archive."""
        return np.flatnonzero(self.begin < self.ends)

    def stops(self, keys: Ints) -> Ints:
        """Return where the next segment of each key ends; never between rows of one instant."""
        stop = np.minimum(self.begin[keys] + module.SEGMENT_ROWS, self.ends[keys])
        return np.asarray(self.edges[np.searchsorted(self.edges, stop - 1, side="right")])

    def lookahead(self, keys: Ints, stop: Ints, reach: int) -> Ints:
        """Return the end of the rows that decide values up to `reach` after each stop."""
        if not reach:
            return stop
        ends = self.offsets[1:][keys].tolist()
        pairs = zip(stop.tolist(), ends, strict=True)
        return np.array(
            [
                at + np.searchsorted(self.time[at:end], self.time[at - 1] + reach, side="right")
                for at, end in pairs
            ]
        )


def _archive_segments(
    queue: _ArchiveQueue, keys: _ArchivedKeys, witnesses: pa.Table, archive: Archive, summarize: Summarize
) -> pa.Table:
    """Append segments until nothing is pending. Return the rows that later answers still need in pages."""
    finished = []
    while len(waiting := queue.pending):
        begin, stop = queue.begin[waiting], queue.stops(waiting)
        coming = queue.rows.take(
            pa.array(concatenate_ranges(begin, queue.lookahead(waiting, stop, archive.reach) - begin))
        )
        rows_to_archive = pa.concat_tables([witnesses, coming], promote_options="default")
        waiting_keys = keys.take(waiting)
        witnesses, new = summarize(
            rows_to_archive, waiting_keys.names, waiting_keys.summaries, queue.time[stop - 1]
        )
        new.archived_from[:] = _append_segment(
            waiting_keys.starts(rows_to_archive.slice(0, len(rows_to_archive) - len(coming))),
            queue,
            (begin, stop),
            new,
            archive,
        )
        keys.summaries.update(waiting, new)
        queue.begin[waiting] = stop
        is_pending = pc.is_in(witnesses["key"], value_set=keys.names.take(pa.array(queue.pending)))
        finished.append(witnesses.filter(pc.invert(is_pending)))
        witnesses = witnesses.filter(is_pending)
    return pa.concat_tables(finished, promote_options="default")


def _append_segment(
    starts: list[tuple[str, KeyRows]],
    queue: _ArchiveQueue,
    spans: tuple[Ints, Ints],
    new: KeySummaries,
    archive: Archive,
) -> list[int]:
    """Append one segment for each key. Return the first cut of each."""
    columns = archive.pages.schema.names
    rows = queue.rows.select(columns)
    pieces = zip(starts, *(item.tolist() for item in (*spans, new.until)), strict=True)
    return [
        archive.append(
            KeyRows(start.rows.select(columns), start.summaries), rows.slice(begin, stop - begin), name, until
        )
        for (name, start), begin, stop, until in pieces
    ]
