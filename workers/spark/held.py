"""What a region makes of what it holds of its keys: events, and what the operators remember of older ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected, Events, Rows
from timeline_app.algebra.kinds import BEGINNING, Ints, Labels, Mask
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.storage.columns import collected, labels_of, rows_of, texts_in
from timeline_app.storage.landing import arrow_type, host_schema
from timeline_app.storage.segments import FILE, HOLDS
from workers.spark.folded import Folded

_COMMON = [("stream", pa.int32()), ("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64())]
_IDENTITY = [("id", pa.string()), ("text", pa.string())]


def region_schema(program: Program) -> pa.Schema:
    """The columns of a region's input: those of all its streams, `s0v1` the second field of the first."""
    identity = _IDENTITY if any(item.id for item in program.declarations.values()) else []
    values = [
        (f"s{place}v{number}", arrow_type(program.declarations[stream].kind_of(name)))
        for place, stream in enumerate(program.streams)
        for number, name in enumerate(program.fields[stream])
    ]
    return pa.schema([*_COMMON, *identity, *values])


def arriving_schema(program: Program) -> pa.Schema:
    """The same, the landing file that brought each event, and which of the rows without key are watermarks."""
    return pa.schema([*region_schema(program), (FILE, pa.int64()), (HOLDS, pa.bool_())])


def carried(program: Program, folded: Folded) -> dict[str, Carried]:
    """What each step with a memory remembers; nothing where no key is folded."""
    if (folded.until == BEGINNING).all():
        return {}
    found: dict[str, Carried] = {}
    start = 0
    for digest, width in program.memories.items():
        found[digest] = Carried(instants(program, folded, digest), folded.memory[:, start : start + width])
        start += width
    return found


def instants(program: Program, folded: Folded, digest: str) -> Ints:
    """From when on what a step says of each key is right: the nodes just before it is folded."""
    return folded.instants(1 + program.reach - program.lookback[digest])


def remembered(
    program: Program,
    events: Mapping[str, Events],
    results: Mapping[str, Timelines],
    old: Folded,
    until: Ints,
) -> Ints:
    """What the steps with a memory have come to when keys are folded `until` then: (keys, numbers)."""
    before, at = carried(program, old), Folded(until, old.tail, old.memory)
    live = {step.digest: step for step in program.live}
    columns = [np.zeros((len(until), 0), dtype=np.int64)]
    for digest, width in program.memories.items():
        if step := live.get(digest):
            columns.append(step.read(events, results, instants(program, at, digest), before.get(digest)))
        else:
            columns.append(np.zeros((len(until), width), dtype=np.int64))
    return np.concatenate(columns, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """Rows of keys as the algebra takes them, stream by stream, and the tables that they are from."""

    program: Program
    names: Labels
    stream: Ints
    parts: list[tuple[Rows, pa.Table]]

    @classmethod
    def of(cls, program: Program, rows: pa.Table, names: pa.Array, ids_since: int) -> Decoded:
        """Rows before `ids_since` are no copies of any other."""
        parts = []
        for place, stream in enumerate(program.streams):
            own = rows.filter(pc.equal(rows["stream"], place)) if len(program.streams) > 1 else rows
            fields, declaration = program.fields[stream], program.declarations[stream]
            wanted = host_schema(declaration, fields).names
            columns = [own[f"s{place}{name}" if name.startswith("v") else name] for name in wanted]
            table = pa.table(columns, names=wanted)
            parts.append((rows_of(table, declaration, fields, names, ids_since), own))
        return cls(program, labels_of(names), rows["stream"].to_numpy(), parts)

    def first(self, count: int) -> Decoded:
        """So many of the rows."""
        counts = np.bincount(self.stream[:count], minlength=len(self.parts)).tolist()
        parts = [(rows.first(own), table) for (rows, table), own in zip(self.parts, counts, strict=True)]
        return Decoded(self.program, self.names, self.stream[:count], parts)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """Events and the timelines of all steps; `tables` are the rows that they are from, stream by stream."""

    events: dict[str, Events]
    results: dict[str, Timelines]
    tables: list[pa.Table]
    collected: list[Collected]

    def counts(self, names: int, until: int | None = None) -> Ints:
        """How many events there are of each key, perhaps only up to an instant."""
        rows = [item.key if until is None else item.key[item.time <= until] for item in self.events.values()]
        return np.bincount(np.concatenate(rows), minlength=names)

    def kept(self) -> list[pa.Table]:
        """The rows of the events, stream by stream, in their order."""
        return [
            rows.take(pa.array(item.rows)) for rows, item in zip(self.tables, self.collected, strict=True)
        ]

    def filtered(self, wanted: list[Mask]) -> list[pa.Table]:
        """The rows of some of the events, stream by stream."""
        return [rows.filter(pa.array(mask)) for rows, mask in zip(self.kept(), wanted, strict=True)]


def evaluate(program: Program, rows: pa.Table, names: pa.Array, folded: Folded, ids_since: int) -> Evaluated:
    """The collection that the rows are, and what the program says of it."""
    return evaluated(Decoded.of(program, rows, names, ids_since), folded)


def evaluated(decoded: Decoded, folded: Folded) -> Evaluated:
    """The same of rows that are decoded."""
    program = decoded.program
    found = Evaluated({}, {}, [], [])
    for stream, (rows, table) in zip(program.streams, decoded.parts, strict=True):
        found.events[stream], taken = collected(rows, decoded.names, texts_in(table))
        found.tables.append(table)
        found.collected.append(taken)
    program.evaluate(found.events, found.results, carried=carried(program, folded))
    return found
