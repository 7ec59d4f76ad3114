"""Idle keys: keys that were evicted from the pages of a bucket, together in values that are written once.

A batch thus costs what it touches and what was touched recently, however many other keys there are. A directory says
in which value a key lies; a batch writes its changes to it, and occasionally all of it. A key that is touched again
is read into its page, which counts from then on; its old copy is stale. Values that are mostly stale are rewritten.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.events.columns import is_among
from workers.spark.state import page_cache
from workers.spark.state.idle_directory import (
    EMPTY_DIRECTORY,
    NOWHERE,
    DirectoryDelta,
    IdleDirectory,
    cache_directory,
    get_cached_directory,
    remove_keys,
)
from workers.spark.state.page_view import PageView
from workers.spark.state.rows import KeyRows, pack, unpack

if TYPE_CHECKING:
    from workers.spark.state.pages import Pages

MIN_UNTOUCHED_ROWS, MAX_UNTOUCHED_ROWS = 1 << 16, 1 << 20
"""The limit of untouched rows in the pages of a batch: at first, and at most."""
GROW_SHARE = 8
"""The limit doubles when more than 1/8 of a batch's keys had been evicted …"""
SHRINK_FACTOR = 0.98
"""… and shrinks by this factor after other batches."""
ROWS_PER_VALUE = 1 << 15
"""Approximate."""
STALE_SHARE = 2
"""A value is rewritten when at most 1/2 of its keys still lie there …"""
MAX_REWRITES_PER_BATCH = 4
"""… at most this number in a batch."""
MAX_DIRECTORY_DELTAS, DIRECTORY_REWRITE_SHARE = 32, 2
"""The directory is rewritten after this number of deltas, or when they hold more than 1/2 of its keys."""


@dataclass(slots=True)
class IdleKeys:
    """The idle keys of one bucket."""

    pages: Pages
    returned: int = 0

    @property
    def directory(self) -> IdleDirectory:
        """Return the current directory: the newest that this process has cached, with the deltas since."""
        stamps: list[str] = self.pages.meta.get("directory", [])
        if not stamps:
            return EMPTY_DIRECTORY
        cached = (
            number
            for number in reversed(range(len(stamps)))
            if get_cached_directory(stamps[number]) is not None
        )
        number = next(cached, 0)
        loaded = get_cached_directory(stamps[number]) or IdleDirectory.from_bytes(
            self._read_directory_delta(number, stamps)
        )
        if later := range(number + 1, len(stamps)):
            loaded = loaded.apply(
                *(
                    DirectoryDelta.from_bytes(self._read_directory_delta(delta_number, stamps))
                    for delta_number in later
                )
            )
        cache_directory(loaded, stamps[-1], instead=stamps[number])
        return loaded

    def _read_directory_delta(self, number: int, stamps: Sequence[str]) -> Any:
        return page_cache.get_cached_page(stamps[number]) or self.pages.read(_build_directory_key(number))

    def read(self, hashes: Ints) -> KeyRows:
        """Return rows and summaries of those of these keys (sorted hashes) that are idle."""
        numbers = self.directory.values_of(hashes)
        is_known = numbers != NOWHERE
        self.returned = int(np.count_nonzero(is_known))
        return self._read(hashes[is_known], numbers[is_known])

    def read_others(self, hashes: Ints) -> KeyRows:
        """Return rows and summaries of all idle keys but these (sorted hashes), whose pages count."""
        directory = self.directory.without_keys(hashes)
        return self._read(directory.hashes, directory.numbers)

    def iterate_others(self, hashes: Ints, at_once: int) -> Iterator[KeyRows]:
        """Yield the result of `read_others`, `at_once` values at a time."""
        directory = self.directory.without_keys(hashes)
        numbers = np.unique(directory.numbers)
        for start in range(0, len(numbers), at_once):
            chosen = directory.places_in(numbers[start : start + at_once].tolist())
            yield self._read(directory.hashes[chosen], directory.numbers[chosen])

    def evict(self, view: PageView, touched: Ints) -> None:
        """Evict the least recent keys from the view of a batch that touched these keys (sorted hashes)."""
        moves = remove_keys(self._emptied_keys(view, touched))
        going = _select_least_recent(view, touched, self._max_untouched(len(touched)))
        if len(going):
            moves = moves.and_then(self._write(view.evict(going), self.directory.apply(moves)))
        if len(moves):
            self._write_directory(moves)

    def _write_directory(self, moves: DirectoryDelta) -> None:
        """Write the delta of the directory, or all of it where that is hardly more."""
        directory, meta = self.directory.apply(moves), self.pages.meta
        stamps, moved = meta.get("directory", []), meta.get("moved", 0) + len(moves)
        rewrites = len(stamps) in (0, MAX_DIRECTORY_DELTAS) or moved * DIRECTORY_REWRITE_SHARE > len(
            directory.hashes
        )
        blob, old = (directory.to_bytes(), stamps) if rewrites else (moves.to_bytes(), ())
        stamp = page_cache.cache_page(blob, *old) or uuid.uuid4().hex
        for delta_number in range(1, len(old)):
            self.pages.drop(_build_directory_key(delta_number))
        meta["directory"] = [stamp] if rewrites else [*stamps, stamp]
        meta["moved"] = 0 if rewrites else moved
        self.pages.write(_build_directory_key(len(meta["directory"]) - 1), blob)
        cache_directory(directory, stamp, instead=stamps[-1] if stamps else None)

    def _max_untouched(self, touched: int) -> int:
        """Return how many untouched rows may stay: more where evicted keys keep returning."""
        meta = self.pages.meta
        room = int(meta.get("room", MIN_UNTOUCHED_ROWS))
        meta["room"] = (
            min(room * 2, MAX_UNTOUCHED_ROWS)
            if self.returned * GROW_SHARE > touched
            else max(int(room * SHRINK_FACTOR), MIN_UNTOUCHED_ROWS)
        )
        return int(meta["room"])

    def _emptied_keys(self, view: PageView, touched: Ints) -> Ints:
        """Return the sorted hashes of touched keys in the directory that have no rows left."""
        idle = touched[self.directory.values_of(touched) != NOWHERE]
        return np.intersect1d(idle, view.absent_keys(), assume_unique=True) if len(idle) else idle

    def _write(self, leaving: KeyRows, directory: IdleDirectory) -> DirectoryDelta:
        """Write keys into new values, with the remaining keys of some stale ones."""
        old = directory.stale(STALE_SHARE)[:MAX_REWRITES_PER_BATCH]
        chosen = directory.places_in(old)
        idle_rows = self._read(directory.hashes[chosen], directory.numbers[chosen])
        leaving_hashes = leaving.hashes()
        everything = KeyRows.concat((leaving, idle_rows.without_keys(leaving_hashes)))
        hashes, last, rows = _measure_ages(everything)
        order = np.argsort(last, kind="stable")
        numbers = np.empty(len(hashes), dtype=np.int64)
        first = int(self.pages.meta.get("values", 0))
        numbers[order] = first + np.cumsum(rows[order]) // ROWS_PER_VALUE
        self.pages.meta["values"] = int(numbers.max()) + 1
        for number, page_rows in everything.split_by_number(hashes, numbers):
            self.pages.write(_build_value_key(number), pack(page_rows))
        for number in old:
            self.pages.drop(_build_value_key(number))
        return DirectoryDelta(hashes, numbers, old)

    def _read(self, hashes: Ints, numbers: Ints) -> KeyRows:
        """Return rows and summaries of keys (sorted hashes) from their values."""
        page_rows = [
            unpack(self.pages.read(_build_value_key(number))).of_keys(hashes[numbers == number])
            for number in np.unique(numbers).tolist()
        ]
        return KeyRows.concat((self.pages.empty, *page_rows))


def _select_least_recent(view: PageView, touched: Ints, room: int) -> Ints:
    """Return the sorted hashes of the keys to evict: those with the oldest last row, until half of the room is free."""
    is_idle = view.kept & (view.asked_place < 0)
    summaries = view.summaries.filter(pa.array(~is_among(view.summaries["hash"], touched)))
    if int(np.count_nonzero(is_idle)) + len(summaries) <= room:
        return touched[:0]
    rows = pa.table({name: view.rows[name].filter(pa.array(is_idle)) for name in ("hash", "time")})
    hashes, last, counts = _measure_ages(KeyRows(rows, summaries))
    order = np.argsort(last, kind="stable")[::-1]
    going = order[np.cumsum(counts[order]) > room // 2]
    return np.sort(hashes[going])


def _measure_ages(key_rows: KeyRows) -> tuple[Ints, Ints, Ints]:
    """Return the sorted hashes of keys, the time of each one's last row, and its number of rows (at least one)."""
    hashes = key_rows.hashes()
    positions = np.searchsorted(hashes, key_rows.rows["hash"].to_numpy())
    last = np.full(len(hashes), BEGINNING, dtype=np.int64)
    np.maximum.at(last, positions, key_rows.rows["time"].to_numpy())
    summaries = np.searchsorted(hashes, key_rows.summaries["hash"].to_numpy())
    np.maximum.at(last, summaries, key_rows.summaries["until"].to_numpy())
    return hashes, last, np.maximum(np.bincount(positions, minlength=len(hashes)), 1)


def _build_directory_key(number: int) -> tuple[str, str, int]:
    """Return the state key of the directory (0), or of one of its deltas."""
    return ("where", "", number)


def _build_value_key(number: int) -> tuple[str, str, int]:
    return ("cold", "", number)
