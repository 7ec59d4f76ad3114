"""Events in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.events.decode.arrow_values import is_text
from timeline_app.events.decode.chunks import Chunk
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.decode.tables import TableChunk, refuse_repeated, refuse_wide
from timeline_app.events.decode.unpacked import ROWS_PER_CHUNK, Unpacked, list_encoded_columns

MAX_ROWS_PER_CHUNK = 1 << 18
"""Row groups are usually smaller, and have their own texts."""

GROUP_ROWS = 10_000
_MARK = b"PAR1"
_INT96 = "us"
"""Nanoseconds in 64 bits, as int96 is read otherwise, end with the year 2262 and go on silently from 1677."""
_HINT = "Read it as files of JSON lines, which take any format."


class Parquet:
    """A Parquet file; only wanted columns are read."""

    format, why = "parquet", "the file begins with the mark of Parquet"

    def __init__(self, content: Content, identity: str | None) -> None:
        """Raises `DecodeError` where it cannot be read. `identity` names the ids."""
        self.content, self.identity = content.spool(), identity
        self.total = self.content.size
        with self.content.open() as raw, open_parquet(raw) as file:
            self.schema, self.events = file.schema_arrow, file.metadata.num_rows

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Yield chunks; texts except ids stay encoded as in the file."""
        refuse_repeated(self.schema, names)
        columns = [name for name in self.schema.names if names is None or name in names]
        texts = {item.name for item in self.schema if is_text(item.type)} - {self.identity}
        yield from self._chunks(columns, [name for name in columns if name in texts], MAX_ROWS_PER_CHUNK)

    def whole_chunks(self, unpacked: Unpacked) -> Iterator[Chunk]:
        """Chunks of whole events, counted as they come; raises `TooLarge`."""
        refuse_repeated(self.schema, None)
        with self.content.open() as raw, pq.ParquetFile(raw, coerce_int96_timestamp_unit=_INT96) as file:
            encoded = list_encoded_columns(file)
        for chunk in self._chunks(self.schema.names, encoded, ROWS_PER_CHUNK):
            unpacked.add(chunk.batch)
            yield chunk

    def _chunks(self, columns: list[str], encoded: list[str], rows: int) -> Iterator[TableChunk]:
        """Raises `BadEvents` where the events have too many fields, `DecodeError` where a page is damaged."""
        refuse_wide(self.schema, self.events)
        first = 1
        with (
            self.content.open() as raw,
            pq.ParquetFile(raw, read_dictionary=encoded, coerce_int96_timestamp_unit=_INT96) as file,
        ):
            batches = file.iter_batches(batch_size=rows, columns=columns)
            while (batch := _read_next_batch(batches)) is not None:
                events_done = (self.total or 0) * (first - 1 + batch.num_rows) // max(self.events, 1)
                yield TableChunk(batch, first, events_done, self.schema.names)
                first += batch.num_rows


def open_parquet(raw: BinaryIO) -> pq.ParquetFile:
    """Open a file and read its footer. Raises `DecodeError` for other files."""
    if not raw.read(len(_MARK)).startswith(_MARK):
        raise DecodeError("not_parquet", "This is no Parquet file.", _HINT)
    try:
        return pq.ParquetFile(raw, coerce_int96_timestamp_unit=_INT96)
    except MemoryError:
        raise  # pyarrow's MemoryError is an ArrowException as well, and says nothing about the file
    except (pa.ArrowException, OSError, ValueError) as why:
        if isinstance(why, OSError) and why.errno:
            raise
        raise describe_damage("Parquet", why) from None


def read_group(file: pq.ParquetFile, group: int, first: int) -> Iterator[TableChunk]:
    """Chunks of one row group, whose first row has that number; raises `DecodeError` where a page is damaged."""
    refuse_repeated(file.schema_arrow, None)
    batches = file.iter_batches(GROUP_ROWS, [group])
    while (batch := _read_next_batch(batches)) is not None:
        yield TableChunk(batch, first, 0, file.schema_arrow.names)
        first += batch.num_rows


def _read_next_batch(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    try:
        return next(batches, None)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as why:
        if isinstance(why, OSError) and why.errno:
            raise
        raise describe_damage("Parquet", why) from None


def describe_damage(form: str, why: Exception) -> DecodeError:
    """Describe a file that begins like a format, and cannot be read."""
    if "decrypt" in str(why).lower():
        words = f"This {form} file is encrypted, or columns of it are."
        return DecodeError("encrypted", words, "Write it without encryption.")
    words = f"This begins like {form}, but cannot be read as that: {str(why)[:200].rstrip('.')}."
    return DecodeError(f"bad_{form.split(maxsplit=1)[0].lower()}", words, "Is the file whole?")
