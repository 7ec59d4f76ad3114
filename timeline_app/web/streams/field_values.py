"""The values that the newest events of a stream have, with their shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.evaluate.tables import EventTable, build_table_of_landed
from timeline_app.landing.recording import load_last_rows
from timeline_app.web.models import Stream
from timeline_app.web.streams.selectors import landing_by_name, load_declaration

MAX_EVENTS_SAMPLED = 2_000
"""As many as a preview reads."""
SAMPLE_TIMEOUT_S = 1.0
MAX_FIELDS_SAMPLED = 100
MAX_VALUES_PER_FIELD = 20
MAX_VALUE_CHARS = 200
"""Longer texts are no values that somebody compares with."""

Document = dict[str, Any]


def describe_field_values(stream: Stream) -> Document:
    """Return the commonest values of each field in the newest events, with shares of the events that have the field."""
    declared = load_declaration(stream)
    names = sorted({*declared.fields, *stream.seen_fields})
    landed, _ = load_last_rows(landing_by_name(stream.name), MAX_EVENTS_SAMPLED, seconds=SAMPLE_TIMEOUT_S)
    fields = tuple(names[:MAX_FIELDS_SAMPLED])
    described: list[Document] = []
    if len(landed) and fields:
        table = build_table_of_landed(landed, declared, fields)
        described = [_describe_field(table, name, len(landed)) for name in fields]
    return {"events": len(landed), "complete": len(fields) == len(names), "fields": described}


def _describe_field(table: EventTable, name: str, events: int) -> Document:
    having = events - table.count_missing(name)
    counted = table.count_values(name)
    counts = counted.field("counts").to_numpy(zero_copy_only=False)
    first = np.argsort(-counts, kind="stable")[:MAX_VALUES_PER_FIELD]
    values = counted.field("values").take(pa.array(first)).to_pylist()
    frequent_values = [
        {"value": value, "share": int(count) / having}
        for value, count in zip(values, counts[first], strict=True)
        if not isinstance(value, str) or len(value) <= MAX_VALUE_CHARS
    ]
    return {"name": name, "share": having / events, "distinct": len(counts), "values": frequent_values}
