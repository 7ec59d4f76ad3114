"""Declarations and events as a child is given them, and as it gives events back."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.landing.recording import Events
from timeline_app.plan import StreamDeclaration

Packed = list[dict[str, Any]]
"""By blob, the stream and how its events were read."""


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The events of one stream of a sample, as the database keeps them: a Parquet file of our own."""

    stream: str
    reading: Mapping[str, Any]
    body: bytes

    def describe(self) -> dict[str, Any]:
        """Everything but the events, as JSON."""
        return {"stream": self.stream, "reading": self.reading}


def write_declarations(streams: Mapping[str, StreamDeclaration]) -> dict[str, Any]:
    """Declarations as JSON, with what is known beyond what was declared."""
    return {
        name: {
            "document": one.to_program(),
            "seen": sorted(one.seen),
            "lent": None if one.lent is None else sorted(one.lent),
        }
        for name, one in streams.items()
    }


def read_declarations(written: Mapping[str, Any]) -> dict[str, StreamDeclaration]:
    """Declarations that were written so."""
    return {
        name: replace(
            StreamDeclaration.from_program(name, one["document"]),
            seen=frozenset(one["seen"]),
            lent=None if one["lent"] is None else frozenset(one["lent"]),
        )
        for name, one in written.items()
    }


def pack_parts(parts: Iterable[KeptPart]) -> tuple[Packed, list[bytes]]:
    """Events of samples for a child."""
    chosen = list(parts)
    return [part.describe() for part in chosen], [part.body for part in chosen]


def unpack_parts(packed: Packed, blobs: Sequence[bytes]) -> dict[str, Events]:
    """Events of samples in a child."""
    return {
        one["stream"]: Events.from_reading(pq.read_table(io.BytesIO(blob)), one["reading"])
        for one, blob in zip(packed, blobs, strict=True)
    }


def pack_files(
    events: Mapping[str, Any], files: Mapping[str, tuple[str, bytes]], mapping: Mapping[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """Events that are sent along, as lists and as files (name, content), and how they are mapped, for a child."""
    named = [{"stream": stream, "name": name} for stream, (name, _) in files.items()]
    packed = {"events": events, "files": named, "mapping": mapping, "parts": None}
    return packed, [content for _, content in files.values()]


def pack_events(events: Mapping[str, Events]) -> tuple[Packed, list[bytes]]:
    """Events that a child has read, as Arrow's streams."""
    blobs = []
    for one in events.values():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, one.table.schema) as stream:
            stream.write_table(one.table)
        blobs.append(sink.getvalue().to_pybytes())
    return [{"stream": name, "reading": one.describe_reading()} for name, one in events.items()], blobs


def unpack_events(packed: Packed, blobs: Sequence[bytes]) -> dict[str, Events]:
    """The same in the web process."""
    return {
        one["stream"]: Events.from_reading(pa.ipc.open_stream(blob).read_all(), one["reading"])
        for one, blob in zip(packed, blobs, strict=True)
    }
