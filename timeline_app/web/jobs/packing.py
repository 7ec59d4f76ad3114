"""Encoding declarations and events for a child, and events from a child."""

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
"""The stream of each blob, and how its events were read."""


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The stored events of one stream of a sample: a Parquet file of our own."""

    stream: str
    reading: Mapping[str, Any]
    body: bytes

    def describe(self) -> dict[str, Any]:
        return {"stream": self.stream, "reading": self.reading}


def write_declarations(streams: Mapping[str, StreamDeclaration]) -> dict[str, Any]:
    """Return declarations as JSON, with what is known beyond them."""
    return {
        name: {
            "document": stream.to_program(),
            "seen": sorted(stream.seen),
            "lent": None if stream.lent is None else sorted(stream.lent),
        }
        for name, stream in streams.items()
    }


def read_declarations(written: Mapping[str, Any]) -> dict[str, StreamDeclaration]:
    """Return declarations from that JSON."""
    return {
        name: replace(
            StreamDeclaration.from_program(name, value["document"]),
            seen=frozenset(value["seen"]),
            lent=None if value["lent"] is None else frozenset(value["lent"]),
        )
        for name, value in written.items()
    }


def pack_parts(parts: Iterable[KeptPart]) -> tuple[Packed, list[bytes]]:
    """Encode the events of samples for a child."""
    chosen = list(parts)
    return [part.describe() for part in chosen], [part.body for part in chosen]


def unpack_parts(packed: Packed, blobs: Sequence[bytes]) -> dict[str, Events]:
    """Decode the events of samples in a child."""
    return {
        item["stream"]: Events.from_reading(pq.read_table(io.BytesIO(blob)), item["reading"])
        for item, blob in zip(packed, blobs, strict=True)
    }


def pack_files(
    events: Mapping[str, Any], files: Mapping[str, tuple[str, bytes]], mapping: Mapping[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """Encode events that are sent along, as lists and as files (name, content), with their mapping, for a child."""
    named = [{"stream": stream, "name": name} for stream, (name, _) in files.items()]
    packed = {"events": events, "files": named, "mapping": mapping, "parts": None}
    return packed, [content for _, content in files.values()]


def pack_events(events: Mapping[str, Events]) -> tuple[Packed, list[bytes]]:
    """Encode events that a child has read, as Arrow streams."""
    blobs = []
    for event in events.values():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, event.table.schema) as stream:
            stream.write_table(event.table)
        blobs.append(sink.getvalue().to_pybytes())
    return [
        {"stream": name, "reading": stream_events.describe_reading()}
        for name, stream_events in events.items()
    ], blobs


def unpack_events(packed: Packed, blobs: Sequence[bytes]) -> dict[str, Events]:
    """Decode them in the web process."""
    return {
        item["stream"]: Events.from_reading(pa.ipc.open_stream(blob).read_all(), item["reading"])
        for item, blob in zip(packed, blobs, strict=True)
    }
