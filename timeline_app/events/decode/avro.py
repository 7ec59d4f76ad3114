"""Events in Avro object container files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

import fastavro
from fastavro.types import AvroMessage

from timeline_app.events.decode.arrow_values import plain
from timeline_app.events.decode.chunks import Chunk, Row
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.parquet import describe_damage
from timeline_app.events.decode.rows_chunk import EventChunk

_EVENTS = 1 << 14
_DAMAGE = (ValueError, EOFError, KeyError, IndexError, TypeError, struct.error, zlib.error, OverflowError)


class Avro:
    """An Avro file: its schema lies in it."""

    format, why = "avro", "the file begins with the mark of Avro"

    def __init__(self, content: Content) -> None:
        """Raises `DecodeError` where it cannot be read."""
        self.content, self.total = content, content.size
        next(self.chunks(), None)

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (a record is read whole)
        """Some thousands of events each."""
        with self.content.open() as raw:
            rows = self._rows(raw)
            while some := list(islice(rows, _EVENTS)):
                yield EventChunk(some, 0)

    def _rows(self, raw: Any) -> Iterator[Row]:
        try:
            records: Iterator[AvroMessage] = iter(fastavro.reader(raw))
            yield from ((row, plain(record)) for row, record in enumerate(records, 1))
        except _DAMAGE as why:
            raise describe_damage("Avro", why) from None
