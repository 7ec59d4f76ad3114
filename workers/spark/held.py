"""What a region holds of its keys: their events, and of folded keys what the operators remember of older ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected, Events
from timeline_app.algebra.kinds import BEGINNING, Ints, Mask
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.storage.columns import codes, events_of
from timeline_app.storage.landing import FILE, arrow_type, host_schema

FOLDED = -1
"""Stands for the stream in the row that says until when a key is folded (`time`) and what is remembered (`m0` …)."""
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
    """The same, and the landing file that brought each event."""
    return region_schema(program).append(pa.field(FILE, pa.int64()))


def state_schema(program: Program) -> pa.Schema:
    """The columns of its state: those of the input, and whole numbers that are remembered."""
    return pa.schema([*region_schema(program), *((name, pa.int64()) for name in _columns(program))])


def _columns(program: Program) -> list[str]:
    return [f"m{place}" for place in range(sum(program.memories.values()))]


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """Until when each key is folded, `BEGINNING` where it is not, and what is remembered: (keys, numbers)."""

    program: Program
    until: Ints
    memory: Ints

    @classmethod
    def of(cls, program: Program, held: pa.Table, names: pa.Array) -> Folded:
        """As the rows of state say."""
        rows = held.filter(pc.equal(held["stream"], FOLDED))
        key, columns = codes(rows["key"], names), _columns(program)
        until = np.full(len(names), BEGINNING, dtype=np.int64)
        until[key] = rows["time"].to_numpy()
        memory = np.zeros((len(names), len(columns)), dtype=np.int64)
        for place, name in enumerate(columns):
            memory[key, place] = rows[name].to_numpy()
        return cls(program, until, memory)

    def carried(self) -> dict[str, Carried]:
        """What each step with a memory remembers; nothing where no key is folded."""
        if (self.until == BEGINNING).all():
            return {}
        found: dict[str, Carried] = {}
        start = 0
        for digest, width in self.program.memories.items():
            found[digest] = Carried(self.instants(digest), self.memory[:, start : start + width])
            start += width
        return found

    def instants(self, digest: str) -> Ints:
        """From when on what a step says of each key is right: the node itself just before its key's horizon."""
        before = 1 + self.program.reach - self.program.lookback[digest]
        return np.where(self.until == BEGINNING, BEGINNING, self.until - before)

    def rows(self, names: pa.Array, hashes: Ints) -> pa.Table:
        """As rows of state."""
        there = np.flatnonzero(self.until != BEGINNING)
        schema = state_schema(self.program)
        columns = {
            "stream": pa.array(np.full(len(there), FOLDED, dtype=np.int32)),
            "hash": pa.array(hashes[there]),
            "key": names.take(pa.array(there)),
            "time": pa.array(self.until[there]),
            **{name: self.memory[there, place] for place, name in enumerate(_columns(self.program))},
        }
        return pa.table([columns.get(item.name, pa.nulls(len(there), item.type)) for item in schema], schema)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """Events and the timelines of all steps; `kept` are the rows of the events, stream by stream, in their order."""

    events: dict[str, Events]
    results: dict[str, Timelines]
    kept: list[pa.Table]
    collected: list[Collected]

    def counts(self, names: int, until: int | None = None) -> Ints:
        """How many events there are of each key, perhaps only up to an instant."""
        rows = [item.key if until is None else item.key[item.time <= until] for item in self.events.values()]
        return np.bincount(np.concatenate(rows), minlength=names)

    def hashes(self, names: int) -> Ints:
        """The hash of each key."""
        found = np.zeros(names, dtype=np.int64)
        for events, rows in zip(self.events.values(), self.kept, strict=True):
            found[events.key] = rows["hash"].to_numpy()
        return found

    def filtered(self, wanted: list[Mask]) -> list[pa.Table]:
        """The rows of some of the events, stream by stream."""
        return [rows.filter(pa.array(mask)) for rows, mask in zip(self.kept, wanted, strict=True)]


def evaluate(program: Program, rows: pa.Table, names: pa.Array, folded: Folded, ids_since: int) -> Evaluated:
    """The collection that the rows are, and what the program says of it (see `events_of`)."""
    found = Evaluated({}, {}, [], [])
    for place, stream in enumerate(program.streams):
        own = rows.filter(pc.equal(rows["stream"], place))
        fields, declaration = program.fields[stream], program.declarations[stream]
        wanted = host_schema(declaration, fields).names
        columns = [own[f"s{place}{name}" if name.startswith("v") else name] for name in wanted]
        table = pa.table(columns, names=wanted)
        found.events[stream], collected = events_of(table, declaration, fields, names, ids_since=ids_since)
        found.kept.append(own.take(pa.array(collected.rows)))
        found.collected.append(collected)
    program.evaluate(found.events, found.results, carried=folded.carried())
    return found
