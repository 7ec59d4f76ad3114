"""Extracts events from a landing, the last ones or those after a batch, and converts them back to JSON."""

from __future__ import annotations

import json
import time as wall
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.events import UNTIL
from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.paths import NESTED
from timeline_app.fs.paths import open_for_arrow
from timeline_app.landing.batches import Piece
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import SCHEMA
from timeline_app.problems.problem import Problem
from timeline_app.times.reader import write_moment

MAX_KEPT_WARNINGS = 20
"""For each stream."""


@dataclass(frozen=True, slots=True)
class Events:
    """Events in the columns of a landing, how many values were mistyped, and further warnings.

    `notes` say how they were decoded.
    """

    table: pa.Table
    mistyped: int = 0
    warnings: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def describe_reading(self) -> dict[str, Any]:
        """Return everything but the table, as JSON."""
        warnings = [warning.to_document() for warning in self.warnings[:MAX_KEPT_WARNINGS]]
        return {"mistyped": self.mistyped, "warnings": warnings, "notes": list(self.notes)}

    @classmethod
    def from_reading(cls, table: pa.Table, reading: Mapping[str, Any]) -> Events:
        """Restore the events of a table from the result of `describe_reading`."""
        warnings = tuple(Problem(**warning) for warning in reading["warnings"])
        return cls(table, reading["mistyped"], warnings, tuple(reading["notes"]))


SEARCH_TIMEOUT_S = 5.0
"""For events of some keys."""


def load_last_rows(
    landing: Landing, most: int, keys: Sequence[str] = (), seconds: float = SEARCH_TIMEOUT_S
) -> tuple[pa.Table, bool]:
    """Return the last events that landed (of some keys), in order, and whether time sufficed to read everything."""
    until, tables, rows_left = wall.monotonic() + seconds, list[pa.Table](), most
    for piece in reversed(landing.pieces(0, landing.end())):
        for part in _iterate_backwards(piece):
            if wall.monotonic() > until:
                return _join_parts(tables), False
            rows = _filter_keys(part, keys)
            tables.append(rows.slice(max(len(rows) - rows_left, 0)))
            rows_left -= len(tables[-1])
            if rows_left <= 0:
                return _join_parts(tables), True
    return _join_parts(tables), True


def load_next_rows(landing: Landing, start: int, most: int, keys: Sequence[str] = ()) -> tuple[pa.Table, int]:
    """Return the first events (of some keys) from a batch on, and the number after the last batch read."""
    end = landing.end()
    tables, rows_left = list[pa.Table](), most
    for piece in landing.pieces(start, end):
        rows = _filter_keys(piece.read(start, end, SCHEMA.names).select(SCHEMA.names), keys)
        tables.insert(0, rows.slice(0, rows_left))
        rows_left -= len(tables[0])
        if rows_left <= 0:
            break
    return _join_parts(tables), max(end, start)


def _iterate_backwards(piece: Piece) -> Iterator[pa.Table]:
    """Yield the parts of a file, the last one first; none where it was removed."""
    try:
        with pq.ParquetFile(open_for_arrow(piece.path)) as file:
            for group in reversed(range(file.metadata.num_row_groups)):
                yield file.read_row_group(group, columns=SCHEMA.names).cast(SCHEMA)
    except FileNotFoundError:
        return


def _filter_keys(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    return table.filter(pc.is_in(table["key"], value_set=pa.array(keys, pa.string()))) if keys else table


def _join_parts(newest_first: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables([SCHEMA.empty_table(), *reversed(newest_first)]).combine_chunks()


def describe_events(table: pa.Table, declaration: StreamDeclaration) -> list[dict[str, Any]]:
    """Return events as they could be pushed again; where the stream declares an id, exactly as they were."""
    return [_describe_event(row, declaration) for row in table.to_pylist()]


def _describe_event(row: dict[str, Any], declaration: StreamDeclaration) -> dict[str, Any]:
    if row["text"] is not None:
        event: dict[str, Any] = json.loads(row["text"])
        return event
    fields = dict(_restore_field(name, text, declaration) for name, text in row["fields"] if name != UNTIL)
    names = split_key(declaration.key)
    keys = dict(zip(names, [row["key"]] if len(names) == 1 else json.loads(row["key"]), strict=True))
    if len(declaration.time_fields) > 1:
        return {**fields, **keys}
    time = write_moment(row["time"], declaration.unit, declaration.zone)
    return {**keys, declaration.time: time, **fields, **keys}


def _restore_field(name: str, text: str, declaration: StreamDeclaration) -> tuple[str, Any]:
    """Return a stored field as it could be pushed again."""
    if name.endswith(NESTED):
        return name.removesuffix(NESTED), json.loads(text)
    return name, _parse_value(text, declaration.kind_of(name))


def _parse_value(text: str, kind: Kind) -> str | float | bool:
    if kind is Kind.NUMBER:
        return float(text)
    return text == "true" if kind is Kind.BOOL else text
