"""The ids of archived events: hashes in a buffer and in blocks by their upper bits, few of which are read per event.

Each hash stands with the time of its event. A match may be another id with the same hash, or a removed event; the
caller compares the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import OPEN, Ints, Mask
from timeline_app.algebra.timelines import concatenate_ranges
from timeline_app.compiler import Program
from timeline_app.events.columns import find_positions, is_among
from workers.spark.state.pages import Pages, StateKey

MIN_BLOCK_HASHES, MAX_BLOCK_HASHES = 512, 4_096
"""The least and most hashes of a block, and of the buffer before it is sorted into blocks."""
BLOCK_SHARE = 32
"""Within those limits a block holds about 1/32 of all hashes, so that an event reads and writes little."""
_BUFFER = -1

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ArchivedIds:
    """The ids in the archive of a bucket's keys."""

    pages: Pages

    def earliest_time(self, name: str, hashes: Hashes, horizon: int) -> int:
        """Return the earliest time, from the horizon on, of an archived event with one of these ids, or `OPEN`."""
        blocks, _, buffered, times = self._buffer(name)
        times_found = [_find_earliest_match(buffered, times, hashes, horizon)]
        bits = _count_bits(blocks)
        for number in np.unique(_compute_block(hashes, bits)).tolist() if blocks else []:
            block_hashes = hashes[_compute_block(hashes, bits) == number]
            times_found.append(_find_earliest_match(*self._block(name, number), block_hashes, horizon))
        return min(times_found)

    def add(self, name: str, hashes: Hashes, times: Ints, horizon: int) -> None:
        """Add ids whose events were archived, and drop those before the horizon in passing."""
        blocks, total, buffered, when = self._buffer(name)
        buffered, when = _sort_hashes(np.concatenate((buffered, hashes)), np.concatenate((when, times)))
        if len(buffered) <= _compute_block_size(total):
            self._write_block(name, _BUFFER, buffered, when, (blocks, total))
            return
        blocks_of_name = [(buffered[:0], when[:0]), *(self._block(name, number) for number in range(blocks))]
        sorted_hashes, their_times = (np.concatenate(column) for column in zip(*blocks_of_name, strict=True))
        places = np.searchsorted(sorted_hashes, buffered)
        buffered, when = np.insert(sorted_hashes, places, buffered), np.insert(their_times, places, when)
        later = when >= horizon
        self._write_blocks(name, buffered[later], when[later], blocks)

    def drop(self, name: str) -> None:
        """Drop all ids of a key."""
        blocks = self._buffer(name)[0]
        for number in range(_BUFFER, blocks):
            self.pages.drop(_build_block_key(name, number))

    def _write_blocks(self, name: str, hashes: Hashes, times: Ints, before: int) -> None:
        blocks = 1 << max(len(hashes) // _compute_block_size(len(hashes)), 1).bit_length() - 1
        edges = np.searchsorted(_compute_block(hashes, _count_bits(blocks)), np.arange(blocks + 1))
        for number in range(blocks):
            block = slice(edges[number], edges[number + 1])
            self._write_block(name, number, hashes[block], times[block])
        for number in range(blocks, before):
            self.pages.drop(_build_block_key(name, number))
        self._write_block(name, _BUFFER, hashes[:0], times[:0], (blocks, len(hashes)))

    def _buffer(self, name: str) -> tuple[int, int, Hashes, Ints]:
        """Return the number of blocks, the number of hashes in them, and the hashes and times in the buffer."""
        blob = self.pages.read(_build_block_key(name, _BUFFER))
        if blob is None:
            return 0, 0, np.empty(0, np.uint64), np.empty(0, np.int64)
        blocks, total = np.frombuffer(blob, np.int64, 2).tolist()
        return blocks, total, *_split_block(blob[16:])

    def _block(self, name: str, number: int) -> tuple[Hashes, Ints]:
        return _split_block(self.pages.read(_build_block_key(name, number)))

    def _write_block(
        self, name: str, number: int, hashes: Hashes, times: Ints, counts: tuple[int, ...] = ()
    ) -> None:
        head = np.array(counts, dtype=np.int64).tobytes()
        self.pages.write(_build_block_key(name, number), head + hashes.tobytes() + times.tobytes())


def _compute_block_size(total: int) -> int:
    return min(max(total // BLOCK_SHARE, MIN_BLOCK_HASHES), MAX_BLOCK_HASHES)


def hash_ids(program: Program, rows: pa.Table) -> tuple[pa.Table, Hashes]:
    """Return the rows that have an id, and the hashes of id and stream."""
    tables, hashes = [rows.slice(0, 0)], [np.empty(0, np.uint64)]
    for index, stream in enumerate(program.streams):
        if program.declarations[stream].id is None:
            continue
        rows_with_id = rows.filter(pc.equal(rows["stream"], index))
        rows_with_id = rows_with_id.filter(pc.is_valid(rows_with_id["id"]))
        values = np.asarray(rows_with_id["id"].to_numpy(zero_copy_only=False), dtype=object)
        tables.append(rows_with_id)
        hashes.append(pd.util.hash_array(values, categorize=False) ^ np.uint64(index * _SPREAD))
    return pa.concat_tables(tables), np.concatenate(hashes)


def find_copies(
    program: Program, rows: tuple[pa.Table, Ints], is_wanted: Mask, arrived: tuple[pa.Table, Ints]
) -> Mask:
    """Return which wanted rows have key, stream and id of an arrived event; both come with the key of each row."""
    at, (events, arrived_keys) = np.flatnonzero(is_wanted), arrived
    mask = np.zeros(len(at), dtype=bool)
    if not len(at) or not any(program.declarations[stream].id for stream in program.streams):
        return mask
    earlier, keys = rows[0].select(["stream", "id"]).take(pa.array(at)), rows[1][at]
    for index, stream in enumerate(program.streams):
        if program.declarations[stream].id is None:
            continue
        matching, new = (item["stream"].to_numpy() == index for item in (earlier, events))
        ids = [
            item["id"].filter(pa.array(selected)) for item, selected in ((earlier, matching), (events, new))
        ]
        names = pc.unique(pc.drop_null(ids[1]))
        pairs = [
            _combine_pairs(find_positions(item, names), key)
            for item, key in zip(ids, (keys[matching], arrived_keys[new]), strict=True)
        ]
        mask[matching] = is_among(*pairs) & (pairs[0] >= 0)
    return mask


def _combine_pairs(numbers: Ints, key: Ints) -> Ints:
    """Return one number for each id of a key; −1 where there is no id."""
    return np.where(numbers < 0, -1, (key << 32) | numbers)


_SPREAD = 0x9E3779B97F4A7C15 >> 8


def _split_block(blob: bytes) -> tuple[Hashes, Ints]:
    half = len(blob) // 2
    return np.frombuffer(blob[:half], np.uint64), np.frombuffer(blob[half:], np.int64)


def _sort_hashes(hashes: Hashes, times: Ints) -> tuple[Hashes, Ints]:
    order = np.argsort(hashes)
    return hashes[order], times[order]


def _find_earliest_match(hashes: Hashes, times: Ints, wanted_hashes: Hashes, horizon: int) -> int:
    """Return the least time, from the horizon on, of the wanted hashes among sorted ones."""
    first, behind = (np.searchsorted(hashes, wanted_hashes, side=side) for side in ("left", "right"))
    times_found = times[concatenate_ranges(first, behind - first)]
    return int(times_found[times_found >= horizon].min(initial=OPEN))


def _count_bits(blocks: int) -> int:
    return max(blocks, 1).bit_length() - 1


def _compute_block(hashes: Hashes, bits: int) -> Ints:
    """Return the upper bits."""
    return (hashes >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(hashes), np.int64)


def _build_block_key(name: str, number: int) -> StateKey:
    return ("ids", name, number)
