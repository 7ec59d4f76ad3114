"""What the sources of the product give: events as JSON texts, each with where it comes from."""

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
"""The event, the file or stream that it lies in, and where there."""


def build_batch(events: Sequence[str], origin: str, places: Sequence[int]) -> pa.RecordBatch:
    """Events of one origin."""
    columns = [
        pa.array(events, pa.string()),
        pa.repeat(pa.scalar(origin), len(events)),
        pc.cast(pa.array(places, pa.int64()), pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=EVENTS)


def encode_bytes(value: bytes) -> str:
    """What came, as text: as it is where it is UTF-8, else in base64 behind a mark, so that no byte is changed."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return _PACKED + b64encode(value).decode()
    return text if not text.startswith(_UNREAD) else _PACKED + b64encode(value).decode()


def restore_bytes(value: bytes) -> bytes:
    """What came, of a text that `carry_bytes` made."""
    return b64decode(value[len(_PACKED) :]) if value.startswith(_PACKED.encode()) else value


LONGEST_CODE = 40
"""So many letters a reason's code has room for where it is kept aside."""
_UNREAD = "\0"
"""No JSON begins so, and nothing that `carry_bytes` makes of what came: nobody can send a reason of ours."""
_PACKED = "\0base64:"


def encode_unreadable(code: str, words: str) -> str:
    """Stands for an event that cannot be read: why, and what to do. It is kept aside with that reason."""
    return _UNREAD + orjson.dumps([code, words]).decode()


def decode_unreadable(value: bytes) -> tuple[str, str] | None:
    """The reason, where that is what it is."""
    if not value.startswith(_UNREAD.encode()):
        return None
    try:
        parts = orjson.loads(value[1:])
    except ValueError:  # somebody's own text
        return None
    match parts:
        case [str(code), str(words)] if code.isidentifier() and len(code) <= LONGEST_CODE:
            return code, words
    return None
