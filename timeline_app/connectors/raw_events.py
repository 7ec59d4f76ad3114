"""The output of the product's sources: events as JSON texts, each with its origin."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence

import orjson
import pyarrow as pa
import pyarrow.compute as pc

EVENTS = pa.schema(
    [
        pa.field("event", pa.string(), nullable=False),
        pa.field("origin", pa.string(), nullable=False),
        pa.field("place", pa.string(), nullable=False),
    ]
)
"""The event, its file or stream, and its place there."""


def build_batch(events: Sequence[str], origin: str, places: Sequence[int]) -> pa.RecordBatch:
    """Return a batch of events of one origin."""
    columns = [
        pa.array(events, pa.string()),
        pa.repeat(pa.scalar(origin), len(events)),
        pc.cast(pa.array(places, pa.int64()), pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=EVENTS)


def encode_bytes(value: bytes) -> str:
    """Return bytes as text: unchanged where they are UTF-8, else marked and in base64, so that no byte is lost."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return _PACKED + b64encode(value).decode()
    return text if not text.startswith(_UNREAD) else _PACKED + b64encode(value).decode()


def restore_bytes(value: bytes) -> bytes:
    """Restore the bytes that `encode_bytes` encoded."""
    return b64decode(value[len(_PACKED) :]) if value.startswith(_PACKED.encode()) else value


MAX_CODE_CHARS = 40
"""The limit of a reason's code in the quarantine."""
_UNREAD = "\0"
"""No JSON and no result of `encode_bytes` begins with it, so nobody can send one of our reasons."""
_PACKED = "\0base64:"


def encode_unreadable(code: str, words: str) -> str:
    """Encode why an event cannot be read, and what to do. It is quarantined with that reason."""
    return _UNREAD + orjson.dumps([code, words]).decode()


def decode_unreadable(value: bytes) -> tuple[str, str] | None:
    """Return the encoded reason; None for other values."""
    if not value.startswith(_UNREAD.encode()):
        return None
    try:
        parts = orjson.loads(value[1:])
    except ValueError:  # a sender's own text
        return None
    match parts:
        case [str(code), str(words)] if code.isidentifier() and len(code) <= MAX_CODE_CHARS:
            return code, words
    return None
