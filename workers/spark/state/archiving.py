"""Cutting: of a long key only what is recent stays in its page, its head; what is older moves to its tail.

Heads are small whatever lies behind them, so that an event in time order costs the same after a hundred others as after
a million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints
from timeline_app.algebra.order import lasts, order_of
from timeline_app.algebra.timelines import offsets_of, ranges
from timeline_app.storage.columns import codes
from workers.spark.state import archive as module
from workers.spark.state.archive import Archive
from workers.spark.state.rows import KeyRows, KeySummaries, split_by_key
from workers.spark.state.summaries import Summarize

KEPT_ROWS = 128
"""So many of the latest rows of a key stay in its head."""
MIN_ARCHIVED_ROWS = 256
"""So many rows must go at least …"""
MIN_ARCHIVED_SHARE = 4
"""… and one in so many of those of the head."""


def archive_rows(
    rows: pa.Table,
    names: pa.Array,
    hashes: Ints,
    summaries: KeySummaries,
    archive: Archive,
    summarize: Summarize,
    latest: int = OPEN,
) -> tuple[pa.Table, pa.Table]:
    """Rows that stay in the heads, and those that went to tails; `folded` is brought up to date.

    None goes after the `latest` instant.
    """
    key, time = codes(rows["key"], names), np.asarray(rows["time"].to_numpy(), dtype=np.int64)
    own = time > summaries.instants(1 + archive.reach)[key]
    last = last_to_archive(
        key[own],
        time[own],
        len(names),
        archive.reach,
        (KEPT_ROWS, MIN_ARCHIVED_ROWS, MIN_ARCHIVED_SHARE),
        np.full(len(names), latest),
    )
    chosen = np.flatnonzero(last != BEGINNING)
    if not len(chosen):
        return rows, rows.slice(0, 0)
    mine = (last != BEGINNING)[key]
    going = np.flatnonzero(mine & own)
    going = going[order_of(key[going], time[going])]
    places = np.searchsorted(chosen, key[going])
    queue = _ArchiveQueue(rows.take(pa.array(going)), places, time[going], last[chosen])
    keys = _ArchivedKeys(names.take(pa.array(chosen)), hashes[chosen], summaries.take(chosen))
    witnesses = _archive_segments(queue, keys, rows.filter(pa.array(mine & ~own)), archive, summarize)
    summaries.update(chosen, keys.summaries)
    gone = pa.array(time[going] <= last[chosen][places])
    staying = [rows.filter(pa.array(~mine)), witnesses, queue.rows.filter(pc.invert(gone))]
    return pa.concat_tables(staying, promote_options="default"), queue.rows.filter(gone)


def last_to_archive(
    key: Ints, time: Ints, names: int, reach: int, bounds: tuple[int, int, int], latest: Ints | None = None
) -> Ints:
    """The time of the last row of each key that goes, `BEGINNING` where none does; none goes after its `latest`.

    `bounds`: so many of the latest stay, so many must go at least, and one in so many of all.
    """
    keep, least, share = bounds
    last = np.full(names, BEGINNING, dtype=np.int64)
    count = np.bincount(key, minlength=names)
    long = np.flatnonzero(count >= keep + least)
    if not len(long):
        return last
    order = order_of(key, time)
    key, time, offsets = key[order], time[order], offsets_of(count)
    limit = last.copy()
    limit[long] = time[offsets[1:][long] - keep] - 1 - reach
    if latest is not None:
        limit = np.minimum(limit, latest)
    gone = np.bincount(key[time <= limit[key]], minlength=names)
    pays = np.flatnonzero((gone >= least) & (gone * share >= count))
    last[pays] = time[offsets[:-1][pays] + gone[pays] - 1]
    return last


@dataclass(slots=True)
class _ArchivedKeys:
    """Keys that are cut, and how they are folded by now."""

    names: pa.Array
    hashes: Ints
    summaries: KeySummaries

    def take(self, places: Ints) -> _ArchivedKeys:
        """Some of them."""
        return _ArchivedKeys(
            self.names.take(pa.array(places)), self.hashes[places], self.summaries.take(places)
        )

    def starts(self, witnesses: pa.Table) -> list[tuple[str, KeyRows]]:
        """The name of each, and what is held of it before the rows that wait."""
        parts = [
            split_by_key(rows, self.names)
            for rows in (witnesses, self.summaries.rows(self.names, self.hashes))
        ]
        return list(zip(self.names.to_pylist(), map(KeyRows, *parts), strict=True))


class _ArchiveQueue:
    """The rows of the keys by time, of which those up to `last` go, a segment at a time."""

    def __init__(self, rows: pa.Table, key: Ints, time: Ints, last: Ints) -> None:
        self.rows, self.time = rows.combine_chunks(), time
        self.offsets = offsets_of(np.bincount(key, minlength=len(last)))
        self.begin = self.offsets[:-1].copy()
        self.ends = self.begin + np.bincount(key[time <= last[key]], minlength=len(last))
        self.edges = np.flatnonzero(lasts(key, time)) + 1

    @property
    def pending(self) -> Ints:
        """The keys that have rows to go."""
        return np.flatnonzero(self.begin < self.ends)

    def stops(self, keys: Ints) -> Ints:
        """Where the next segment of each of them ends: never within an instant."""
        stop = np.minimum(self.begin[keys] + module.SEGMENT_ROWS, self.ends[keys])
        return np.asarray(self.edges[np.searchsorted(self.edges, stop - 1, side="right")])

    def lookahead(self, keys: Ints, stop: Ints, reach: int) -> Ints:
        """How far the rows go that decide what is said up to so long after each stop."""
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
    """Append segments to the tails until all has gone; the witnesses that stay in the heads."""
    done = []
    while len(waiting := queue.pending):
        begin, stop = queue.begin[waiting], queue.stops(waiting)
        coming = queue.rows.take(
            pa.array(ranges(begin, queue.lookahead(waiting, stop, archive.reach) - begin))
        )
        known = pa.concat_tables([witnesses, coming], promote_options="default")
        mine = keys.take(waiting)
        witnesses, new = summarize(known, mine.names, mine.summaries, queue.time[stop - 1])
        new.archived_from[:] = _append_segment(
            mine.starts(known.slice(0, len(known) - len(coming))), queue, (begin, stop), new, archive
        )
        keys.summaries.update(waiting, new)
        queue.begin[waiting] = stop
        left = pc.is_in(witnesses["key"], value_set=keys.names.take(pa.array(queue.pending)))
        done.append(witnesses.filter(pc.invert(left)))
        witnesses = witnesses.filter(left)
    return pa.concat_tables(done, promote_options="default")


def _append_segment(
    starts: list[tuple[str, KeyRows]],
    queue: _ArchiveQueue,
    spans: tuple[Ints, Ints],
    new: KeySummaries,
    archive: Archive,
) -> list[int]:
    """One segment for each key; the first cut of each."""
    columns = archive.pages.schema.names
    rows = queue.rows.select(columns)
    pieces = zip(starts, *(item.tolist() for item in (*spans, new.until)), strict=True)
    return [
        archive.append(
            KeyRows(start.rows.select(columns), start.folded), rows.slice(begin, stop - begin), name, until
        )
        for (name, start), begin, stop, until in pieces
    ]
