"""Evaluates a program on the rows and summaries of keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from timeline_app.algebra.events import Collected, Events, Rows
from timeline_app.algebra.kinds import BEGINNING, Ints, Labels, Mask
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.events.columns import build_rows, collect_events, get_texts, to_labels
from timeline_app.landing.log import build_host_schema, get_column_type
from timeline_app.landing.segments import ACCEPTED, FILE, HOLDS
from workers.spark.budget import enforce_budget
from workers.spark.state.rows import KeySummaries

_COMMON = [("stream", pa.int32()), ("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64())]
Results = dict[str, Timelines]
"""Timelines by digest."""
Frontiers = tuple[Mapping[str, int], Mapping[str, int]]
"""The frontiers by source, before a batch and with it."""
NO_FRONTIERS: Frontiers = ({}, {})
_IDENTITY = [("id", pa.string()), ("text", pa.string())]


def build_region_schema(program: Program) -> pa.Schema:
    """Return the columns of events in the state: those of all streams, `s0v1` the second field of the first."""
    identity = _IDENTITY if any(item.id for item in program.declarations.values()) else []
    values = [
        (f"s{index}v{number}", get_column_type(program.declarations[stream], name))
        for index, stream in enumerate(program.streams)
        for number, name in enumerate(program.fields[stream])
    ]
    return pa.schema([*_COMMON, *identity, *values])


def build_arriving_schema(program: Program) -> pa.Schema:
    """Return the columns of arriving events: also batch and watermark of each, and the kind of rows without a key."""
    of_batch = [(FILE, pa.int64()), (ACCEPTED, pa.int64()), (HOLDS, pa.bool_())]
    return pa.schema([*build_region_schema(program), *of_batch])


def read_memories(program: Program, summaries: KeySummaries) -> dict[str, Carried]:
    """Return the memory of each step that has one; empty where no key has a summary."""
    if (summaries.until == BEGINNING).all():
        return {}
    memories: dict[str, Carried] = {}
    start = 0
    for digest, width in program.memories.items():
        amounts, at = (
            summaries.memory[:, start : start + width],
            compute_valid_from(program, summaries, digest),
        )
        memories[digest] = Carried(at, amounts, *_read_texts(program, summaries, digest))
        start += width
    return memories


def _read_texts(program: Program, summaries: KeySummaries, digest: str) -> tuple[Labels, ...]:
    """Return the remembered texts of a step, if it remembers texts."""
    return (summaries.texts[:, program.texts.index(digest)],) if digest in program.texts else ()


def compute_valid_from(program: Program, summaries: KeySummaries, digest: str) -> Ints:
    """Return the instant from which a step is exact for each key: for the nodes, just before its summary."""
    return summaries.instants(1 + program.reach - program.lookback[digest])


def summarize_until(
    program: Program,
    events: Mapping[str, Events],
    results: Mapping[str, Timelines],
    old: KeySummaries,
    until: Ints,
) -> KeySummaries:
    """Return the summaries of keys up to `until`, with the memories of all steps."""
    before, at = read_memories(program, old), replace(old, until=until)
    live = {step.digest: step for step in program.live}
    memory = np.zeros((len(until), sum(program.memories.values())), dtype=np.int64)
    texts: Labels = np.full((len(until), len(program.texts)), None, dtype=object)
    start = 0
    for digest, width in program.memories.items():
        if step := live.get(digest):
            question = events, results, compute_valid_from(program, at, digest), before.get(digest)
            if step.remembers_text:
                texts[:, program.texts.index(digest)] = step.read_texts(*question)
            else:
                memory[:, start : start + width] = step.read(*question)
        start += width
    return KeySummaries(until, old.archived_from, memory, texts)


@dataclass(frozen=True, slots=True, eq=False)
class DecodedRows:
    """Rows of keys in the algebra's form, by stream, with their tables; `table` has all rows."""

    program: Program
    names: Labels
    stream: Ints
    parts: list[tuple[Rows, pa.Table]]
    table: pa.Table

    @classmethod
    def decode(
        cls, program: Program, rows: pa.Table, names: pa.Array, ids_since: int, key: Ints | None = None
    ) -> DecodedRows:
        """Decode rows. Rows before `ids_since` are not deduplicated; `key` is the key of each row, if known."""
        numbers = rows["stream"].to_numpy()
        columns_by_stream = []
        for index, stream in enumerate(program.streams):
            in_stream = numbers == index if len(program.streams) > 1 else None
            stream_rows = rows if in_stream is None else rows.filter(pa.array(in_stream))
            keys = key if in_stream is None or key is None else key[in_stream]
            fields, declaration = program.fields[stream], program.declarations[stream]
            column_names = build_host_schema(declaration, fields).names
            columns = [
                stream_rows[f"s{index}{name}" if name.startswith("v") else name] for name in column_names
            ]
            table = pa.table(columns, names=column_names)
            columns_by_stream.append(
                (build_rows(table, declaration, fields, names, ids_since, keys), stream_rows)
            )
        return cls(program, to_labels(names), numbers, columns_by_stream, rows)

    def first(self, count: int) -> DecodedRows:
        """Return the first `count` rows."""
        counts = np.bincount(self.stream[:count], minlength=len(self.parts)).tolist()
        first_parts = [
            (rows.first(kept_count), table)
            for (rows, table), kept_count in zip(self.parts, counts, strict=True)
        ]
        return DecodedRows(self.program, self.names, self.stream[:count], first_parts, self.table)

    def positions(self, collected: list[Collected]) -> Ints:
        """Return the indexes of the streams' events in the whole table, by stream."""
        if len(collected) == 1:
            return collected[0].rows
        positions_by_stream = [
            np.flatnonzero(self.stream == index)[item.rows] for index, item in enumerate(collected)
        ]
        return np.concatenate(positions_by_stream)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Events and the timelines of all steps; `tables` are their rows, by stream."""

    events: dict[str, Events]
    results: dict[str, Timelines]
    tables: list[pa.Table]
    collected: list[Collected]

    def select_rows(self, masks: list[Mask]) -> list[pa.Table]:
        """Return the rows of selected events, by stream, in their order."""
        columns = zip(self.tables, self.collected, masks, strict=True)
        return [table.take(pa.array(item.rows[mask])) for table, item, mask in columns]


def evaluate_rows(
    program: Program,
    rows: pa.Table,
    names: pa.Array,
    summaries: KeySummaries,
    ids_since: int,
    frontiers: Mapping[str, int],
) -> Evaluation:
    """Collect the rows as events and evaluate the program up to the frontiers."""
    decoded = DecodedRows.decode(program, rows, names, ids_since)
    return _evaluate_events(decoded, _collect_events(decoded), summaries, frontiers)


def evaluate_before_and_after(
    decoded: DecodedRows, count: int, summaries: KeySummaries, frontiers: Frontiers = NO_FRONTIERS
) -> tuple[Evaluation, Evaluation]:
    """Evaluate the first `count` rows, and all rows, each up to its frontiers; sorted rows are not sorted again."""
    after = _collect_events(decoded)
    first, before = decoded.first(count), list[_CollectedEvents]()
    for part, (events, collected) in zip(first.parts, after, strict=True):
        if collected.duplicates or events.rank is not None:
            before.append(collect_events(part[0], decoded.names, get_texts(part[1])))
        else:
            rows = np.flatnonzero(collected.rows < len(part[0].time))
            before.append((events.without_rank(rows), Collected(collected.rows[rows], 0, 0)))
    return _evaluate_events(first, before, summaries, frontiers[0]), _evaluate_events(
        decoded, after, summaries, frontiers[1]
    )


def evaluate_at_frontiers(
    decoded: DecodedRows, summaries: KeySummaries, frontiers: Frontiers
) -> tuple[Results, Results]:
    """Return the results before and after frontiers advance; steps that ignore the calendar are computed once."""
    program, before = (
        decoded.program,
        _evaluate_events(decoded, _collect_events(decoded), summaries, frontiers[0]),
    )
    after = {digest: item for digest, item in before.results.items() if digest not in program.timed}
    with enforce_budget(program.nodes[0]):
        program.evaluate(
            before.events, after, carried=read_memories(program, summaries), frontiers=frontiers[1]
        )
    return before.results, after


_CollectedEvents = tuple[Events, Collected]


def _collect_events(decoded: DecodedRows) -> list[_CollectedEvents]:
    return [collect_events(rows, decoded.names, get_texts(table)) for rows, table in decoded.parts]


def _evaluate_events(
    decoded: DecodedRows,
    collected: list[_CollectedEvents],
    summaries: KeySummaries,
    frontiers: Mapping[str, int] = NO_FRONTIERS[0],
) -> Evaluation:
    events = {stream: item for stream, (item, _) in zip(decoded.program.streams, collected, strict=True)}
    answer = Evaluation(
        events, {}, [table for _, table in decoded.parts], [rows_of_stream for _, rows_of_stream in collected]
    )
    memories = read_memories(decoded.program, summaries)
    with enforce_budget(decoded.program.nodes[0]):
        decoded.program.evaluate(events, answer.results, carried=memories, frontiers=frontiers)
    return answer
