"""Events in Arrow IPC files (Feather) and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa

from timeline_app.events.decode.chunks import Chunk
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.parquet import MAX_ROWS_PER_CHUNK, describe_damage
from timeline_app.events.decode.tables import TableChunk, refuse_repeated, refuse_wide
from timeline_app.events.decode.unpacked import ROWS_PER_CHUNK, Unpacked


class ArrowIpc:
    """An Arrow IPC file or stream."""

    def __init__(self, content: Content, form: str) -> None:
        """`form` is "arrow" or "arrow_stream"; raises `DecodeError` where it cannot be read."""
        self.content, self.format = content.spool() if form == "arrow" else content, form
        self.total = content.size
        self.why = "the file begins with the mark of Arrow IPC"
        for _ in self._batches():
            break

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Yield chunks of `MAX_ROWS_PER_CHUNK` rows."""
        return self._chunks(names, MAX_ROWS_PER_CHUNK)

    def whole_chunks(self, unpacked: Unpacked) -> Iterator[Chunk]:
        """Chunks of whole events, counted as they come; raises `TooLarge`."""
        for chunk in self._chunks(None, ROWS_PER_CHUNK):
            unpacked.add(chunk.batch)
            yield chunk

    def _chunks(self, names: list[str] | None, rows: int) -> Iterator[TableChunk]:
        first = 1
        for batch_read in self._batches():
            refuse_wide(batch_read.schema, batch_read.num_rows)
            refuse_repeated(batch_read.schema, names)
            columns = [name for name in batch_read.schema.names if names is None or name in names]
            for start in range(0, batch_read.num_rows, rows):
                batch = batch_read.select(columns).slice(start, rows)
                yield TableChunk(batch, first, 0, batch_read.schema.names)
                first += batch.num_rows

    def _batches(self) -> Iterator[pa.RecordBatch]:
        with self.content.open() as raw:
            try:
                yield from self._read(raw)
            except MemoryError:
                raise
            except (pa.ArrowException, OSError, ValueError) as why:
                if isinstance(why, OSError) and why.errno:
                    raise
                raise describe_damage("Arrow IPC", why) from None

    def _read(self, raw: BinaryIO) -> Iterator[pa.RecordBatch]:
        if self.format == "arrow_stream":
            with pa.ipc.open_stream(raw) as stream:
                yield from _validate_batches(iter(stream))
            return
        with pa.ipc.open_file(raw) as file:
            yield from _validate_batches(file.get_batch(index) for index in range(file.num_record_batches))


def _validate_batches(batches: Iterator[Any]) -> Iterator[pa.RecordBatch]:
    """Validate batches of foreign files, whose offsets Arrow otherwise trusts."""
    for batch in batches:
        batch.validate(full=True)
        yield batch
