"""Pages: the keys of a bucket in a few values of columns, instead of a value for each key.

A page holds the recent rows of its keys; older rows of long keys lie in the archive, and untouched keys are evicted
(`idle_keys`). A batch writes a delta to a page (`page_deltas`), and occasionally the whole page. When a page grows
too large, the number of pages doubles, and each row moves to the page of its key's hash: a value stays a few hundred
kilobytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, Ints, Mask
from workers.spark.state import page_cache
from workers.spark.state.idle_keys import IdleKeys
from workers.spark.state.page_deltas import PageDelta, make_delta, merge_deltas
from workers.spark.state.page_view import PageView, mark_snapshot
from workers.spark.state.rows import KeyRows, build_summary_schema, pack, unpack

STATE_FORMAT = 10
MAX_PAGE_BYTES = 1 << 20
MAX_PAGES = 4_096
MAX_DELTAS, DELTA_REWRITE_SHARE = 16, 2
"""A page is written whole after this number of deltas, or when they hold more than half as many rows as it does.

Some pages are written after half as many deltas, to spread the work.
"""
PAGES_PER_READ = 16
"""Pages that are read together when all keys are read."""

StateKey = tuple[str, str, int]
"""The key of a value in Spark's state: its kind, the name of the timeline key (empty for pages), its number."""
_META: StateKey = ("meta", "", 0)


class MapState(Protocol):
    """The methods of Spark's MapState that are used."""

    def getValue(self, key: StateKey) -> tuple[bytes] | None:
        """Return the value of a key."""

    def updateValue(self, key: StateKey, value: tuple[bytes]) -> None:
        """Set the value of a key."""

    def removeKey(self, key: StateKey) -> None:
        """Remove the value of a key."""


class ForeignState(RuntimeError):
    """The state was written by another version; it must be rebuilt, never misread."""

    def __init__(self, version: object) -> None:
        """`version` is the format of the state."""
        super().__init__(
            f"ForeignState: state of format {version} cannot be read, this reads {STATE_FORMAT}; it must be rebuilt"
        )


class PageSize(NamedTuple):
    """The rows of a page when it was written whole, and those that deltas added."""

    whole: int
    added: int


@dataclass(slots=True)
class Pages:
    """The state of one bucket; open it once for each call of the processor, and save it at the end.

    `schema` is that of the rows, `remembered` that of summaries; it is number `bucket` of `buckets`. With
    `tracks_positions`, the caller of `load_tracked` says which loaded rows stay and which are new, and only new rows
    are written. Only then may keys have snapshots, whose rows are copies of others: the column `SNAPSHOT` marks them.
    """

    state: MapState
    schema: pa.Schema
    remembered: pa.Schema = field(default_factory=lambda: build_summary_schema(0))
    bucket: int = 0
    buckets: int = 1
    tracks_positions: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    loaded: set[int] = field(default_factory=set)
    touched: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sizes: dict[int, PageSize] = field(default_factory=dict)
    view: PageView = field(init=False)
    idle_keys: IdleKeys = field(init=False)

    def __post_init__(self) -> None:
        self.idle_keys = IdleKeys(self)

    def open(self) -> Pages:
        """Read what is stored for the whole bucket: format, number of pages, memory of the processor."""
        blob = self.state.getValue(_META)
        self.meta = json.loads(blob[0]) if blob else {"format": STATE_FORMAT, "pages": 1, "memory": {}}
        if self.meta["format"] != STATE_FORMAT:
            raise ForeignState(self.meta["format"])
        return self

    @property
    def memory(self) -> dict[str, Any]:
        """The memory of the processor for the whole bucket (JSON)."""
        memory: dict[str, Any] = self.meta["memory"]
        return memory

    @property
    def horizon(self) -> int:
        """The instant before which no later revision changes anything."""
        return int(self.memory.get("horizon", BEGINNING))

    @horizon.setter
    def horizon(self, horizon: int) -> None:
        self.memory["horizon"] = horizon

    @property
    def where(self) -> dict[str, int]:
        """The columns of feed progress that describe this bucket."""
        return {"bucket": self.bucket, "buckets": self.buckets, "horizon": self.horizon}

    def load_tracked(self, hashes: Ints) -> PageView:
        """Return a view of the pages of these keys, without archived rows; `write_tracked` writes changes."""
        self.touched = np.unique(hashes)
        self.loaded = set(np.unique(self._page_of(self.touched)).tolist())
        view = PageView.build(*self._read_with_deltas(sorted(self.loaded)), self.touched)
        self.view = view.with_idle_keys(self.idle_keys.read(view.absent_keys()))
        return self.view

    def load(self, hashes: Ints) -> KeyRows:
        """Return rows and summaries of these pages as tables; `save` writes all of them."""
        return self.load_tracked(hashes).all()

    def everything(self) -> KeyRows:
        """Return the rows and summaries of all keys, without archived rows."""
        page_rows = self._read_pages(list(range(self.meta["pages"])))
        return KeyRows.concat((page_rows, self.idle_keys.read_others(page_rows.hashes())))

    def untouched(self, touched: pa.Array) -> Iterator[KeyRows]:
        """Yield rows and summaries of all other keys, some pages at a time, for reading only."""
        hashes = [np.empty(0, dtype=np.int64)]
        for start in range(0, self.meta["pages"], PAGES_PER_READ):
            page_rows = self._read_pages([*range(start, min(start + PAGES_PER_READ, self.meta["pages"]))])
            hashes.append(page_rows.hashes())
            yield page_rows.split_by_names(touched)[1]
        for page_rows in self.idle_keys.iterate_others(np.unique(np.concatenate(hashes)), PAGES_PER_READ):
            yield page_rows.split_by_names(touched)[1]

    def save(self, key_rows: KeyRows) -> None:
        """Write the loaded pages whole."""
        assert not self.tracks_positions
        counts = np.ones(len(key_rows.rows), dtype=bool)
        self.view = PageView.build(key_rows.rows, counts, key_rows.summaries, self.touched)
        self.write_tracked()

    def write_tracked(self) -> None:
        """Write what is new, and evict keys that have long been idle."""
        self.idle_keys.evict(self.view, self.touched)
        fit = self._select_for_deltas() if self.tracks_positions else set()
        if fit:
            self._write_deltas(fit)
        if unfit := self.loaded - fit:
            self._rewrite(unfit)
        self.state.updateValue(_META, (json.dumps(self.meta).encode(),))

    def _rewrite(self, numbers: set[int]) -> None:
        """Write pages whole; where one is too large, double their number and write all."""
        fresh, summaries = (
            self._page_of(item["hash"].to_numpy()) for item in (self.view.new_rows, self.view.summaries)
        )
        page_rows = self.view.select_pages(self._page_of(self.view.hash), fresh, summaries, numbers)
        crowded = self._write_pages(page_rows, numbers)
        key_rows: KeyRows | None = None
        while crowded and self.meta["pages"] < MAX_PAGES:
            key_rows = key_rows or KeyRows.concat((self.view.all(), self._read_unloaded()))
            for number in range(self.meta["pages"]):
                self._drop_deltas(number)
            self.meta["pages"] *= 2
            self.loaded = set(range(self.meta["pages"]))
            crowded = self._write_pages(key_rows, self.loaded)

    def read(self, state_key: StateKey) -> Any:
        """Return the value of a state key; None where there is none."""
        blob = self.state.getValue(state_key)
        return None if blob is None else blob[0]

    def write(self, state_key: StateKey, blob: bytes) -> None:
        """Set the value of a state key."""
        self.state.updateValue(state_key, (blob,))

    def drop(self, state_key: StateKey) -> None:
        """Remove the value of a state key, if there is one."""
        self.state.removeKey(state_key)

    @property
    def empty(self) -> KeyRows:
        """Return no rows and no summaries."""
        tables = self.schema.empty_table(), self.remembered.empty_table()
        return (
            KeyRows(*(mark_snapshot(item, False) for item in tables))
            if self.tracks_positions
            else KeyRows(*tables)
        )

    def _read_unloaded(self) -> KeyRows:
        """Return the rows and summaries of the pages that are not loaded."""
        return self._read_pages([number for number in range(self.meta["pages"]) if number not in self.loaded])

    def _select_for_deltas(self) -> set[int]:
        """Return the loaded pages that get a delta instead of being written whole."""
        stamps = self.meta.get("stamps", {})
        return {
            number
            for number in self.loaded
            if 0 < len(stamps.get(str(number), ())) <= MAX_DELTAS - (number + self.bucket) % (MAX_DELTAS // 2)
            and self.sizes[number].added * DELTA_REWRITE_SHARE <= self.sizes[number].whole
        }

    def _write_deltas(self, fit: set[int]) -> None:
        """Write a delta to each of these pages that has something new."""
        delta = make_delta(self.view, self.touched)
        new = delta.key_rows
        rows, summaries = (_sort_by_page(item, self._page_of) for item in (new.rows, new.summaries))
        places = self._page_of(delta.replaced)
        for number in sorted(fit):
            page_part = KeyRows(_slice_page(*rows, number), _slice_page(*summaries, number))
            replaced = delta.replaced[places == number]
            if len(page_part.rows) or len(page_part.summaries) or len(replaced):
                stamps = self.meta["stamps"][str(number)]
                blob = PageDelta(page_part, replaced).to_bytes()
                self.write(_build_delta_key(number, len(stamps)), blob)
                stamps.append(page_cache.cache_page(blob))

    def _write_pages(self, key_rows: KeyRows, numbers: set[int]) -> bool:
        """Write pages whole. Return whether one is too large and more pages would help."""
        rows, summaries = (_sort_by_page(item, self._page_of) for item in (key_rows.rows, key_rows.summaries))
        crowded = False
        for number in sorted(numbers):
            page = KeyRows(_slice_page(*rows, number), _slice_page(*summaries, number))
            blob = pack(page)
            self.write(_build_page_key(number), blob)
            stale = self._drop_deltas(number)
            self.meta.setdefault("stamps", {})[str(number)] = [page_cache.cache_page(blob, *stale)]
            crowded |= len(blob) > MAX_PAGE_BYTES and len(np.unique(page.rows["hash"].to_numpy())) > 1
        return crowded

    def _drop_deltas(self, number: int) -> list[str | None]:
        """Drop the deltas of a page that is written whole. Return their stamps in the cache."""
        stamps: list[str | None] = self.meta.get("stamps", {}).pop(str(number), [])
        for delta_number in range(1, len(stamps)):
            self.drop(_build_delta_key(number, delta_number))
        return stamps

    def _page_of(self, hashes: Ints) -> Ints:
        """Return the page of each hash, by its upper bits: the lower ones chose the bucket."""
        return np.asarray(((hashes >> 16) & 0x7FFF_FFFF) % int(self.meta["pages"]))

    def _read_cached(self, state_key: StateKey, stamp: str | None) -> Any:
        """Return a value from the cache, or from Spark, which takes longer."""
        page = page_cache.get_cached_page(stamp)
        return self.read(state_key) if page is None else page

    def _read_pages(self, numbers: list[int]) -> KeyRows:
        """Return the rows and summaries of some pages."""
        rows, counts, summaries = self._read_with_deltas(numbers)
        return KeyRows(rows.filter(pa.array(counts)), summaries)

    def _read_with_deltas(self, numbers: list[int]) -> tuple[pa.Table, Mask, pa.Table]:
        """Return the rows of pages and their deltas, which of them count, and the summaries."""
        numbered_deltas = [(0, PageDelta(self.empty, np.empty(0, np.int64)))]
        for number in numbers:
            stamps = self.meta.get("stamps", {}).get(str(number), [])
            values = [
                self._read_cached(
                    _build_delta_key(number, delta_number) if delta_number else _build_page_key(number), stamp
                )
                for delta_number, stamp in enumerate(stamps)
            ]
            deltas = [PageDelta(unpack(blob), numbered_deltas[0][1].replaced) for blob in values[:1]]
            deltas += map(PageDelta.from_bytes, values[1:])
            lengths = [len(item.key_rows.rows) for item in deltas]
            self.sizes[number] = PageSize(sum(lengths[:1]), sum(lengths[1:]))
            numbered_deltas += enumerate(deltas)
        return merge_deltas(numbered_deltas)


def _build_page_key(number: int) -> StateKey:
    return ("page", "", number)


def _build_delta_key(number: int, delta_number: int) -> StateKey:
    return ("more", str(number), delta_number)


def _sort_by_page(rows: pa.Table, page: Any) -> tuple[pa.Table, Ints]:
    places = page(rows["hash"].to_numpy())
    order = np.argsort(places, kind="stable")
    return rows.take(pa.array(order)).combine_chunks(), places[order]


def _slice_page(rows: pa.Table, places: Ints, number: int) -> pa.Table:
    start, end = np.searchsorted(places, [number, number + 1])
    return rows.slice(start, end - start)
