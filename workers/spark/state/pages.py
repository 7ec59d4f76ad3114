"""State as pages of columns: a bucket's keys in a few blobs, instead of a value for each key.

A page holds the recent rows of its keys; what is older of long keys lies in tails (`tails`), values of their own. Keys
that nothing touches leave the pages (`cold`). A batch writes what it adds to a page (`additions`), and now and then the
whole. When a page grows too large their number is doubled, and every row moves to the page that its key's hash now
names; what a query touches stays a few hundred kilobytes.
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
from workers.spark.state.rows import KeyRows, pack, summary_schema, unpack

STATE_FORMAT = 10
MAX_PAGE_BYTES = 1 << 20
MAX_PAGES = 4_096
MAX_DELTAS, DELTA_REWRITE_SHARE = 16, 2
"""A page is written whole after so many additions (some after half as many, so that not all are at once), or when their
rows are one in so many of its own."""
PAGES_PER_READ = 16
"""So many pages are looked at together where all keys are."""

StateKey = tuple[str, str, int]
"""Where a value lies in the state: what it is, of which key (pages: of many), its number."""
_META: StateKey = ("meta", "", 0)


class MapState(Protocol):
    """What is used of Spark's MapState."""

    def getValue(self, key: StateKey) -> tuple[bytes] | None:
        """The value of a key."""

    def updateValue(self, key: StateKey, value: tuple[bytes]) -> None:
        """Set the value of a key."""

    def removeKey(self, key: StateKey) -> None:
        """Have no value of a key any more."""


class ForeignState(RuntimeError):
    """The state was written by another version; it must be rebuilt, never misread."""

    def __init__(self, found: object) -> None:
        """`found` is the format that it has."""
        super().__init__(
            f"ForeignState: state of format {found} cannot be read, this reads {STATE_FORMAT}; it must be rebuilt"
        )


class PageSize(NamedTuple):
    """How many rows a page had when it was written whole, and how many were added since."""

    whole: int
    added: int


@dataclass(slots=True)
class Pages:
    """The state of one bucket; open it once for each call of the processor, and save it at the end.

    `schema` is that of the rows, `remembered` that of what is remembered of folded keys; it is number `bucket` of so
    many `buckets`. Where rows are `follow`ed, whoever has `worked` on some says which of those that were
    loaded stay and which are new, and only what is new is written. Of such rows keys may have a second, near folding,
    with rows of its own that are copies of others: `NEAR` tells these apart.
    """

    state: MapState
    schema: pa.Schema
    remembered: pa.Schema = field(default_factory=lambda: summary_schema(0))
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
        """What has left the pages is a part of the same state."""
        self.idle_keys = IdleKeys(self)

    def open(self) -> Pages:
        """Read what is known of the whole bucket: format, number of pages, what the processor remembers."""
        found = self.state.getValue(_META)
        self.meta = json.loads(found[0]) if found else {"format": STATE_FORMAT, "pages": 1, "memory": {}}
        if self.meta["format"] != STATE_FORMAT:
            raise ForeignState(self.meta["format"])
        return self

    @property
    def memory(self) -> dict[str, Any]:
        """What the processor remembers of the whole bucket (JSON)."""
        memory: dict[str, Any] = self.meta["memory"]
        return memory

    @property
    def horizon(self) -> int:
        """What comes later is of no time before this."""
        return int(self.memory.get("horizon", BEGINNING))

    @horizon.setter
    def horizon(self, horizon: int) -> None:
        self.memory["horizon"] = horizon

    @property
    def where(self) -> dict[str, int]:
        """What a mark says of the bucket."""
        return {"bucket": self.bucket, "buckets": self.buckets, "horizon": self.horizon}

    def load_tracked(self, hashes: Ints) -> PageView:
        """What is held of these keys, and of those that share a page with them, tails aside, where it lies.

        Whoever changes it saves it.
        """
        self.touched = np.unique(hashes)
        self.loaded = set(np.unique(self._page_of(self.touched)).tolist())
        found = PageView.of(*self._read_with_deltas(sorted(self.loaded)), self.touched)
        self.view = found.with_idle_keys(self.idle_keys.read(found.absent_keys()))
        return self.view

    def load(self, hashes: Ints) -> KeyRows:
        """The same as tables; what is saved then is all of it."""
        return self.load_tracked(hashes).all()

    def everything(self) -> KeyRows:
        """All that is held, tails aside."""
        found = self._read_pages(list(range(self.meta["pages"])))
        return KeyRows.concat((found, self.idle_keys.read_others(found.hashes())))

    def untouched(self, touched: pa.Array) -> Iterator[KeyRows]:
        """What is held of all keys but some, tails aside, some pages at a time; it is only looked at."""
        hashes = [np.empty(0, dtype=np.int64)]
        for start in range(0, self.meta["pages"], PAGES_PER_READ):
            found = self._read_pages([*range(start, min(start + PAGES_PER_READ, self.meta["pages"]))])
            hashes.append(found.hashes())
            yield found.split_by_names(touched)[1]
        for found in self.idle_keys.iterate_others(np.unique(np.concatenate(hashes)), PAGES_PER_READ):
            yield found.split_by_names(touched)[1]

    def save(self, key_rows: KeyRows) -> None:
        """Write back all that was loaded: whole pages."""
        assert not self.tracks_positions
        counts = np.ones(len(key_rows.rows), dtype=bool)
        self.view = PageView.of(key_rows.rows, counts, key_rows.summaries, self.touched)
        self.write_tracked()

    def write_tracked(self) -> None:
        """Write what is new; what has not been touched for long leaves the pages."""
        self.idle_keys.evict(self.view, self.touched)
        fit = self._select_for_deltas() if self.tracks_positions else set()
        if fit:
            self._write_deltas(fit)
        if rest := self.loaded - fit:
            self._rewrite(rest)
        self.state.updateValue(_META, (json.dumps(self.meta).encode(),))

    def _rewrite(self, numbers: set[int]) -> None:
        """Write pages whole, and where one is too large, all of twice as many."""
        fresh, summaries = (
            self._page_of(item["hash"].to_numpy()) for item in (self.view.new_rows, self.view.summaries)
        )
        part = self.view.select_pages(self._page_of(self.view.hash), fresh, summaries, numbers)
        crowded = self._write_pages(part, numbers)
        key_rows: KeyRows | None = None
        while crowded and self.meta["pages"] < MAX_PAGES:
            key_rows = key_rows or KeyRows.concat((self.view.all(), self._read_unloaded()))
            for number in range(self.meta["pages"]):
                self._drop_deltas(number)
            self.meta["pages"] *= 2
            self.loaded = set(range(self.meta["pages"]))
            crowded = self._write_pages(key_rows, self.loaded)

    def read(self, place: StateKey) -> Any:
        """The value at a place; None where there is none."""
        found = self.state.getValue(place)
        return None if found is None else found[0]

    def write(self, place: StateKey, blob: bytes) -> None:
        """Set the value at a place."""
        self.state.updateValue(place, (blob,))

    def drop(self, place: StateKey) -> None:
        """Remove the value at a place, if there is one."""
        self.state.removeKey(place)

    @property
    def empty(self) -> KeyRows:
        """Nothing is held."""
        tables = self.schema.empty_table(), self.remembered.empty_table()
        return (
            KeyRows(*(mark_snapshot(item, False) for item in tables))
            if self.tracks_positions
            else KeyRows(*tables)
        )

    def _read_unloaded(self) -> KeyRows:
        """The pages that are not loaded."""
        return self._read_pages([number for number in range(self.meta["pages"]) if number not in self.loaded])

    def _select_for_deltas(self) -> set[int]:
        """The loaded pages to which a batch may add."""
        stamps = self.meta.get("stamps", {})
        return {
            number
            for number in self.loaded
            if 0 < len(stamps.get(str(number), ())) <= MAX_DELTAS - (number + self.bucket) % (MAX_DELTAS // 2)
            and self.sizes[number].added * DELTA_REWRITE_SHARE <= self.sizes[number].whole
        }

    def _write_deltas(self, fit: set[int]) -> None:
        """Add to these pages what is new of them."""
        found = make_delta(self.view, self.touched)
        new = found.key_rows
        rows, summaries = (_sort_by_page(item, self._page_of) for item in (new.rows, new.summaries))
        places = self._page_of(found.replaced)
        for number in sorted(fit):
            part = KeyRows(_rows_of_page(*rows, number), _rows_of_page(*summaries, number))
            mine = found.replaced[places == number]
            if len(part.rows) or len(part.summaries) or len(mine):
                stamps = self.meta["stamps"][str(number)]
                blob = PageDelta(part, mine).to_bytes()
                self.write(_delta_key(number, len(stamps)), blob)
                stamps.append(page_cache.cache_page(blob))

    def _write_pages(self, key_rows: KeyRows, numbers: set[int]) -> bool:
        """Write pages whole: whether one of them is too large, and a larger number of pages would help."""
        rows, summaries = (_sort_by_page(item, self._page_of) for item in (key_rows.rows, key_rows.summaries))
        crowded = False
        for number in sorted(numbers):
            page = KeyRows(_rows_of_page(*rows, number), _rows_of_page(*summaries, number))
            blob = pack(page)
            self.write(_page_key(number), blob)
            stale = self._drop_deltas(number)
            self.meta.setdefault("stamps", {})[str(number)] = [page_cache.cache_page(blob, *stale)]
            crowded |= len(blob) > MAX_PAGE_BYTES and len(np.unique(page.rows["hash"].to_numpy())) > 1
        return crowded

    def _drop_deltas(self, number: int) -> list[str | None]:
        """Drop what was added to a page, which is written whole; the stamps by which it was at hand."""
        stamps: list[str | None] = self.meta.get("stamps", {}).pop(str(number), [])
        for place in range(1, len(stamps)):
            self.drop(_delta_key(number, place))
        return stamps

    def _page_of(self, hashes: Ints) -> Ints:
        """The lower bits chose the bucket, so the page is chosen by higher ones."""
        return np.asarray(((hashes >> 16) & 0x7FFF_FFFF) % int(self.meta["pages"]))

    def _read_cached(self, place: StateKey, stamp: str | None) -> Any:
        """A value as it stands; one that was written last is at hand, and asking Spark for it takes longer."""
        found = page_cache.cached_page(stamp)
        return self.read(place) if found is None else found

    def _read_pages(self, numbers: list[int]) -> KeyRows:
        """What is held in pages."""
        rows, counts, summaries = self._read_with_deltas(numbers)
        return KeyRows(rows.filter(pa.array(counts)), summaries)

    def _read_with_deltas(self, numbers: list[int]) -> tuple[pa.Table, Mask, pa.Table]:
        """The rows in pages, which of them count, what is remembered of folded keys."""
        parts = [(0, PageDelta(self.empty, np.empty(0, np.int64)))]
        for number in numbers:
            stamps = self.meta.get("stamps", {}).get(str(number), [])
            values = [
                self._read_cached(_delta_key(number, place) if place else _page_key(number), stamp)
                for place, stamp in enumerate(stamps)
            ]
            found = [PageDelta(unpack(blob), parts[0][1].replaced) for blob in values[:1]]
            found += map(PageDelta.from_bytes, values[1:])
            lengths = [len(item.key_rows.rows) for item in found]
            self.sizes[number] = PageSize(sum(lengths[:1]), sum(lengths[1:]))
            parts += enumerate(found)
        return merge_deltas(parts)


def _page_key(number: int) -> StateKey:
    return ("page", "", number)


def _delta_key(number: int, place: int) -> StateKey:
    return ("more", str(number), place)


def _sort_by_page(rows: pa.Table, page: Any) -> tuple[pa.Table, Ints]:
    places = page(rows["hash"].to_numpy())
    order = np.argsort(places, kind="stable")
    return rows.take(pa.array(order)).combine_chunks(), places[order]


def _rows_of_page(rows: pa.Table, places: Ints, number: int) -> pa.Table:
    start, end = np.searchsorted(places, [number, number + 1])
    return rows.slice(start, end - start)
