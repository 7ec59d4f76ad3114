"""State as pages of columns: a bucket's rows in a few blobs, by key, instead of a value for each key.

A page is an Arrow stream. When one grows too large their number is doubled, and every row moves to the page that
its key's hash now names; what a query touches stays a few hundred kilobytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

FORMAT = 4
LARGEST = 1 << 20
MOST = 4_096
_META = -1


class MapState(Protocol):
    """What is used of Spark's MapState."""

    def getValue(self, key: tuple[int]) -> tuple[bytes] | None:
        """The value of a key."""

    def updateValue(self, key: tuple[int], value: tuple[bytes]) -> None:
        """Set the value of a key."""


class ForeignState(RuntimeError):
    """The state was written by another version; it must be rebuilt, never misread."""


@dataclass(slots=True)
class Pages:
    """The pages of one bucket; open it once for each call of the processor."""

    state: MapState
    schema: pa.Schema
    meta: dict[str, Any] = field(default_factory=dict)
    loaded: set[int] = field(default_factory=set)

    def open(self) -> Pages:
        """Read the bucket's own page: format, number of pages, what the processor remembers."""
        found = self.state.getValue((_META,))
        self.meta = json.loads(found[0]) if found else {"format": FORMAT, "pages": 1, "memory": {}}
        if self.meta["format"] != FORMAT:
            raise ForeignState(f"state of format {self.meta['format']} cannot be read; this reads {FORMAT}")
        return self

    @property
    def memory(self) -> dict[str, Any]:
        """What the processor remembers of the whole bucket (JSON)."""
        memory: dict[str, Any] = self.meta["memory"]
        return memory

    def load(self, hashes: np.ndarray[Any, np.dtype[np.int64]]) -> pa.Table:
        """All rows of the pages in which these keys lie."""
        self.loaded = {int(number) for number in self._page(hashes)}
        return self._read(sorted(self.loaded))

    def rest(self) -> pa.Table:
        """All rows of the pages that are not loaded."""
        return self._read([number for number in range(self.meta["pages"]) if number not in self.loaded])

    def save(self, rows: pa.Table) -> None:
        """Write the rows back: all of the pages that were loaded, and nothing of others."""
        page = self._page(rows["hash"].to_numpy())
        order = np.argsort(page, kind="stable")
        rows, page = rows.take(pa.array(order)).combine_chunks(), page[order]
        largest = 0
        for number in self.loaded.union(page.tolist()):
            start, end = np.searchsorted(page, [number, number + 1])
            blob = self._pack(rows.slice(start, end - start))
            self.state.updateValue((number,), (blob,))
            largest = max(largest, len(blob))
        if largest > LARGEST and self.meta["pages"] < MOST:
            self._double()
        self.state.updateValue((_META,), (json.dumps(self.meta).encode(),))

    def _double(self) -> None:
        self.loaded = set(range(self.meta["pages"]))
        everything = self._read(sorted(self.loaded))
        self.meta["pages"] *= 2
        self.save(everything)

    def _page(self, hashes: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The lower bits chose the bucket, so the page is chosen by higher ones."""
        return np.asarray((hashes >> 16) & 0x7FFF_FFFF) % int(self.meta["pages"])

    def _read(self, numbers: list[int]) -> pa.Table:
        found = [self.state.getValue((number,)) for number in numbers]
        tables = [pa.ipc.open_stream(pa.py_buffer(blob[0])).read_all() for blob in found if blob is not None]
        return pa.concat_tables([self.schema.empty_table(), *tables])

    def _pack(self, rows: pa.Table) -> bytes:
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_stream(sink, self.schema, options=options) as writer:
            writer.write_table(rows)
        return bytes(sink.getvalue().to_pybytes())
