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
    follow: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    loaded: set[int] = field(default_factory=set)
    touched: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sizes: dict[int, PageSize] = field(default_factory=dict)
    held: PageView = field(init=False)
    cold: IdleKeys = field(init=False)

    def __post_init__(self) -> None:
        """What has left the pages is a part of the same state."""
        self.cold = IdleKeys(self)

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

    def worked(self, hashes: Ints) -> PageView:
        """What is held of these keys, and of those that share a page with them, tails aside, where it lies.

        Whoever changes it saves it.
        """
        self.touched = np.unique(hashes)
        self.loaded = set(np.unique(self._page(self.touched)).tolist())
        found = PageView.of(*self._read(sorted(self.loaded)), self.touched)
        self.held = found.with_cold(self.cold.of(found.missing()))
        return self.held

    def load(self, hashes: Ints) -> KeyRows:
        """The same as tables; what is saved then is all of it."""
        return self.worked(hashes).all()

    def everything(self) -> KeyRows:
        """All that is held, tails aside."""
        found = self._all_of(list(range(self.meta["pages"])))
        return KeyRows.together((found, self.cold.all_but(found.hashes())))

    def untouched(self, touched: pa.Array) -> Iterator[KeyRows]:
        """What is held of all keys but some, tails aside, some pages at a time; it is only looked at."""
        hashes = [np.empty(0, dtype=np.int64)]
        for start in range(0, self.meta["pages"], PAGES_PER_READ):
            found = self._all_of([*range(start, min(start + PAGES_PER_READ, self.meta["pages"]))])
            hashes.append(found.hashes())
            yield found.parted(touched)[1]
        for found in self.cold.some_but(np.unique(np.concatenate(hashes)), PAGES_PER_READ):
            yield found.parted(touched)[1]

    def save(self, held: KeyRows) -> None:
        """Write back all that was loaded: whole pages."""
        assert not self.follow
        counts = np.ones(len(held.rows), dtype=bool)
        self.held = PageView.of(held.rows, counts, held.folded, self.touched)
        self.keep()

    def keep(self) -> None:
        """Write what is new; what has not been touched for long leaves the pages."""
        self.cold.leave(self.held, self.touched)
        fit = self._fit() if self.follow else set()
        if fit:
            self._add(fit)
        if rest := self.loaded - fit:
            self._whole(rest)
        self.state.updateValue(_META, (json.dumps(self.meta).encode(),))

    def _whole(self, numbers: set[int]) -> None:
        """Write pages whole, and where one is too large, all of twice as many."""
        fresh, folded = (self._page(item["hash"].to_numpy()) for item in (self.held.fresh, self.held.folded))
        part = self.held.of_pages(self._page(self.held.hash), fresh, folded, numbers)
        crowded = self._write(part, numbers)
        held: KeyRows | None = None
        while crowded and self.meta["pages"] < MAX_PAGES:
            held = held or KeyRows.together((self.held.all(), self._rest()))
            for number in range(self.meta["pages"]):
                self._drop_additions(number)
            self.meta["pages"] *= 2
            self.loaded = set(range(self.meta["pages"]))
            crowded = self._write(held, self.loaded)

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
    def nothing(self) -> KeyRows:
        """Nothing is held."""
        tables = self.schema.empty_table(), self.remembered.empty_table()
        return KeyRows(*(mark_snapshot(item, False) for item in tables)) if self.follow else KeyRows(*tables)

    def _rest(self) -> KeyRows:
        """The pages that are not loaded."""
        return self._all_of([number for number in range(self.meta["pages"]) if number not in self.loaded])

    def _fit(self) -> set[int]:
        """The loaded pages to which a batch may add."""
        stamps = self.meta.get("stamps", {})
        return {
            number
            for number in self.loaded
            if 0 < len(stamps.get(str(number), ())) <= MAX_DELTAS - (number + self.bucket) % (MAX_DELTAS // 2)
            and self.sizes[number].added * DELTA_REWRITE_SHARE <= self.sizes[number].whole
        }

    def _add(self, fit: set[int]) -> None:
        """Add to these pages what is new of them."""
        found = make_delta(self.held, self.touched)
        new = found.held
        rows, folded = (_sort_by_page(item, self._page) for item in (new.rows, new.folded))
        places = self._page(found.replaced)
        for number in sorted(fit):
            part = KeyRows(_rows_of_page(*rows, number), _rows_of_page(*folded, number))
            mine = found.replaced[places == number]
            if len(part.rows) or len(part.folded) or len(mine):
                stamps = self.meta["stamps"][str(number)]
                blob = PageDelta(part, mine).to_bytes()
                self.write(_delta_key(number, len(stamps)), blob)
                stamps.append(page_cache.cache_page(blob))

    def _write(self, held: KeyRows, numbers: set[int]) -> bool:
        """Write pages whole: whether one of them is too large, and a larger number of pages would help."""
        rows, folded = (_sort_by_page(item, self._page) for item in (held.rows, held.folded))
        crowded = False
        for number in sorted(numbers):
            page = KeyRows(_rows_of_page(*rows, number), _rows_of_page(*folded, number))
            blob = pack(page)
            self.write(_page_key(number), blob)
            stale = self._drop_additions(number)
            self.meta.setdefault("stamps", {})[str(number)] = [page_cache.cache_page(blob, *stale)]
            crowded |= len(blob) > MAX_PAGE_BYTES and len(np.unique(page.rows["hash"].to_numpy())) > 1
        return crowded

    def _drop_additions(self, number: int) -> list[str | None]:
        """Drop what was added to a page, which is written whole; the stamps by which it was at hand."""
        stamps: list[str | None] = self.meta.get("stamps", {}).pop(str(number), [])
        for place in range(1, len(stamps)):
            self.drop(_delta_key(number, place))
        return stamps

    def _page(self, hashes: Ints) -> Ints:
        """The lower bits chose the bucket, so the page is chosen by higher ones."""
        return np.asarray(((hashes >> 16) & 0x7FFF_FFFF) % int(self.meta["pages"]))

    def _blob(self, place: StateKey, stamp: str | None) -> Any:
        """A value as it stands; one that was written last is at hand, and asking Spark for it takes longer."""
        found = page_cache.cached_page(stamp)
        return self.read(place) if found is None else found

    def _all_of(self, numbers: list[int]) -> KeyRows:
        """What is held in pages."""
        rows, counts, folded = self._read(numbers)
        return KeyRows(rows.filter(pa.array(counts)), folded)

    def _read(self, numbers: list[int]) -> tuple[pa.Table, Mask, pa.Table]:
        """The rows in pages, which of them count, what is remembered of folded keys."""
        parts = [(0, PageDelta(self.nothing, np.empty(0, np.int64)))]
        for number in numbers:
            stamps = self.meta.get("stamps", {}).get(str(number), [])
            values = [
                self._blob(_delta_key(number, place) if place else _page_key(number), stamp)
                for place, stamp in enumerate(stamps)
            ]
            found = [PageDelta(unpack(blob), parts[0][1].replaced) for blob in values[:1]]
            found += map(PageDelta.from_bytes, values[1:])
            lengths = [len(item.held.rows) for item in found]
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
