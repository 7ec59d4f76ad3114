"""State as pages of columns: a bucket's keys in a few blobs, instead of a value for each key.

A page holds the recent rows of its keys; what is older of long keys lies in tails (`tails`), values of their own. Keys
that nothing touches leave the pages (`cold`). When a page grows too large their number is doubled, and every row moves
to the page that its key's hash now names; what a query touches stays a few hundred kilobytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, Ints
from workers.spark import recent
from workers.spark.cold import Cold
from workers.spark.folded import Held, folded_schema, pack, unpack

FORMAT = 7
LARGEST = 1 << 20
MOST = 4_096

Place = tuple[str, str, int]
"""Where a value lies in the state: what it is, of which key (pages: of many), its number."""
_META: Place = ("meta", "", 0)


class MapState(Protocol):
    """What is used of Spark's MapState."""

    def getValue(self, key: Place) -> tuple[bytes] | None:
        """The value of a key."""

    def updateValue(self, key: Place, value: tuple[bytes]) -> None:
        """Set the value of a key."""

    def removeKey(self, key: Place) -> None:
        """Have no value of a key any more."""


class ForeignState(RuntimeError):
    """The state was written by another version; it must be rebuilt, never misread."""

    def __init__(self, found: object) -> None:
        """`found` is the format that it has."""
        super().__init__(
            f"ForeignState: state of format {found} cannot be read, this reads {FORMAT}; it must be rebuilt"
        )


@dataclass(slots=True)
class Pages:
    """The state of one bucket; open it once for each call of the processor, and save it at the end.

    `schema` is that of the rows, `width` says how many whole numbers are remembered of a folded key; it is number
    `bucket` of so many `buckets`.
    """

    state: MapState
    schema: pa.Schema
    width: int = 0
    bucket: int = 0
    buckets: int = 1
    meta: dict[str, Any] = field(default_factory=dict)
    loaded: set[int] = field(default_factory=set)
    touched: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    cold: Cold = field(init=False)

    def __post_init__(self) -> None:
        """What has left the pages is a part of the same state."""
        self.cold = Cold(self)

    def open(self) -> Pages:
        """Read what is known of the whole bucket: format, number of pages, what the processor remembers."""
        found = self.state.getValue(_META)
        self.meta = json.loads(found[0]) if found else {"format": FORMAT, "pages": 1, "memory": {}}
        if self.meta["format"] != FORMAT:
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

    def load(self, hashes: Ints) -> Held:
        """All that is held of these keys, and of those that share a page with them, tails aside."""
        self.touched = np.unique(hashes)
        self.loaded = set(np.unique(self._page(self.touched)).tolist())
        found = self._read(sorted(self.loaded))
        missing = np.setdiff1d(self.touched, found.hashes(), assume_unique=True)
        return Held.together((found, self.cold.of(missing)))

    def everything(self) -> Held:
        """All that is held, tails aside."""
        found = self._read(list(range(self.meta["pages"])))
        return Held.together((found, self.cold.all_but(found.hashes())))

    def save(self, held: Held) -> None:
        """Write back all that was loaded; what has not been touched for long leaves the pages."""
        held = self.cold.leave(held, self.touched)
        crowded = self._write(held)
        while crowded and self.meta["pages"] < MOST:
            held = Held.together((held, self._rest()))
            self.loaded = set(range(self.meta["pages"]))
            self.meta["pages"] *= 2
            crowded = self._write(held)
        self.state.updateValue(_META, (json.dumps(self.meta).encode(),))

    def read(self, place: Place) -> Any:
        """The value at a place; None where there is none."""
        found = self.state.getValue(place)
        return None if found is None else found[0]

    def write(self, place: Place, blob: bytes) -> None:
        """Set the value at a place."""
        self.state.updateValue(place, (blob,))

    def drop(self, place: Place) -> None:
        """Remove the value at a place, if there is one."""
        self.state.removeKey(place)

    @property
    def nothing(self) -> Held:
        """Nothing is held."""
        return Held(self.schema.empty_table(), folded_schema(self.width).empty_table())

    def _rest(self) -> Held:
        """The pages that are not loaded."""
        return self._read([number for number in range(self.meta["pages"]) if number not in self.loaded])

    def _write(self, held: Held) -> bool:
        """Whether a page that was written is too large, and a larger number of pages would help."""
        rows, places = _by_page(held.rows, self._page)
        folded, others = _by_page(held.folded, self._page)
        crowded = False
        for number in sorted({*self.loaded, *places.tolist(), *others.tolist()}):
            page = Held(_of_page(rows, places, number), _of_page(folded, others, number))
            blob = pack(page)
            self.write(_page(number), blob)
            stamps = self.meta.setdefault("stamps", {})
            stamps[str(number)] = recent.keep(blob, stamps.get(str(number)))
            self.loaded.add(number)
            crowded |= len(blob) > LARGEST and len(np.unique(page.rows["hash"].to_numpy())) > 1
        return crowded

    def _page(self, hashes: Ints) -> Ints:
        """The lower bits chose the bucket, so the page is chosen by higher ones."""
        return np.asarray(((hashes >> 16) & 0x7FFF_FFFF) % int(self.meta["pages"]))

    def _blob(self, number: int) -> Any:
        """A page as it stands; one that was written last is at hand, and asking Spark for it takes longer."""
        found = recent.known(self.meta.get("stamps", {}).get(str(number)))
        return self.read(_page(number)) if found is None else found

    def _read(self, numbers: list[int]) -> Held:
        blobs = [self._blob(number) for number in numbers]
        return Held.together([self.nothing, *(unpack(blob) for blob in blobs if blob is not None)])


def _page(number: int) -> Place:
    return ("page", "", number)


def _by_page(rows: pa.Table, page: Any) -> tuple[pa.Table, Ints]:
    places = page(rows["hash"].to_numpy())
    order = np.argsort(places, kind="stable")
    return rows.take(pa.array(order)).combine_chunks(), places[order]


def _of_page(rows: pa.Table, places: Ints, number: int) -> pa.Table:
    start, end = np.searchsorted(places, [number, number + 1])
    return rows.slice(start, end - start)
