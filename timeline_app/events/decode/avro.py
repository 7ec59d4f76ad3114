"""Events in Avro object container files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import fastavro
from fastavro.types import AvroMessage

from timeline_app.events.decode.arrow_values import to_plain_value
from timeline_app.events.decode.chunks import Chunk, Row
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.decode.parquet import describe_damage
from timeline_app.events.decode.rows_chunk import EventChunk

_EVENTS_PER_CHUNK = 1 << 14
_CODECS = ("null", "deflate", "bzip2", "xz", "snappy", "zstandard", "lz4")
_PLAIN = frozenset({"null", "boolean", "int", "long", "float", "double", "string", "enum"})


def _is_plain(schema: Any) -> bool:
    """Return whether all values of a schema are as in JSON; named types may differ."""
    if isinstance(schema, list):
        return all(map(_is_plain, schema))
    if not isinstance(schema, dict):
        return schema in _PLAIN
    parts = [field["type"] for field in schema.get("fields", ())]
    parts += [schema[name] for name in ("items", "values") if name in schema]
    is_plain = schema["type"] in _PLAIN or bool(parts) or _is_plain_union(schema["type"])
    return is_plain and "logicalType" not in schema and all(map(_is_plain, parts))


def _refuse_codec(codec: str) -> None:
    if codec not in _CODECS:
        words = f"This Avro is compressed with {codec[:40]}, which is not read."
        raise DecodeError(
            "codec", words, f"Write it with one of the codecs {', '.join(_CODECS[1:])}, or without one."
        )


def _is_plain_union(kind: Any) -> bool:
    return isinstance(kind, list | dict) and _is_plain(kind)


class Avro:
    """An Avro file: its schema lies in it."""

    format, why = "avro", "the file begins with the mark of Avro"

    def __init__(self, content: Content) -> None:
        """Raises `DecodeError` where it cannot be read."""
        self.content, self.total = content, content.size
        next(self.chunks(), None)

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:  # noqa: ARG002 (a record is read whole)
        """Yield chunks of some thousand events."""
        with self.content.open() as raw:
            rows = self._rows(raw)
            while block := list(islice(rows, _EVENTS_PER_CHUNK)):
                yield EventChunk(block, 0)

    def _rows(self, raw: Any) -> Iterator[Row]:
        try:
            reader = fastavro.reader(raw)
            _refuse_codec(reader.codec)
            records: Iterator[AvroMessage] = iter(reader)
            if not _is_plain(reader.writer_schema):
                records = map(to_plain_value, records)
            yield from enumerate(records, 1)
        except (DecodeError, MemoryError):
            raise
        except Exception as why:  # each codec has its own errors, mostly without a common base class
            if isinstance(why, OSError) and why.errno is not None:
                raise
            raise describe_damage("Avro", why) from None
