"""What the sources of the product give: events as JSON texts, each with where it comes from."""

from __future__ import annotations

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


def batch_of(events: Sequence[str], origin: str, places: Sequence[int]) -> pa.RecordBatch:
    """Events of one origin."""
    columns = [
        pa.array(events, pa.string()),
        pa.repeat(pa.scalar(origin), len(events)),
        pc.cast(pa.array(places, pa.int64()), pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=EVENTS)


def legible(line: bytes) -> str:
    """A line as text. What is not UTF-8 is shown in a way that is no JSON, so that it is refused and not changed."""
    text = line.decode("utf-8", "backslashreplace")
    return text if not text.startswith(_UNREAD) else f"\\x00{text[1:]}"


LONGEST_CODE = 40
"""So many letters a reason's code has room for where it is kept aside."""
_UNREAD = "\0"
"""No JSON begins so, and nothing that is `legible`: nobody can send a reason of ours."""


def unread(code: str, words: str) -> str:
    """Stands for an event that cannot be read: why, and what to do. It is kept aside with that reason."""
    return _UNREAD + orjson.dumps([code, words]).decode()


def why_unread(value: bytes) -> tuple[str, str] | None:
    """The reason, where that is what it is."""
    if not value.startswith(_UNREAD.encode()):
        return None
    try:
        told = orjson.loads(value[1:])
    except ValueError:  # somebody's own text
        return None
    match told:
        case [str(code), str(words)] if code.isidentifier() and len(code) <= LONGEST_CODE:
            return code, words
    return None
