"""Evaluating a compiled plan on whole collections of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.blocks import iterate_blocks, join_blocks
from timeline_app.algebra.events import TEXT, Rows, collect
from timeline_app.algebra.fold import format_point, to_points
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind, Labels
from timeline_app.algebra.names import reindex, unite_names
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled, Program
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.columns import build_rows, sort_names, to_labels
from timeline_app.events.validate import EventBatch

Answer = dict[str, Any]
Delivered: TypeAlias = Mapping[str, EventTable] | Mapping[str, EventBatch]
"""All delivered events by stream: read from a file, or ingested."""

_KEYS_PER_BLOCK = 1 << 6


def _ignore_step(_: str) -> None:
    """Ignore progress."""


def evaluate(
    compiled: Compiled,
    delivered: Delivered,
    digests: Iterable[str] | None = None,
    before_each: Callable[[str], None] = _ignore_step,
    until: int | None = None,
) -> dict[str, Timelines]:
    """Return the wanted nodes' timelines by digest (None: every node's), keys that were never born left out.

    Time has come as far as the greatest event time of each stream, and `until` at least.

    `before_each` is called with the digest of each node before that is computed; what it raises ends the work.
    """
    requested = set(compiled.programs if digests is None else digests)
    programs = {digest: compiled.programs[digest] for digest in list_required_nodes(compiled, requested)}
    tables = _select_tables(compiled, programs, delivered)
    last = find_last_events(
        compiled, {name: item.last for name, item in tables.items() if item.last is not None}
    )
    frontiers = compute_frontiers(tables, until)
    fed = [program for program in programs.values() if program.feeds]
    needed = requested.union(*(program.inputs for program in fed))
    region = [program for program in programs.values() if not program.feeds]
    results = _evaluate_by_key(region, needed, *_build_rows(tables), before_each, frontiers)
    for index, program in enumerate(fed):
        before_each(program.digest)
        inputs = [select_born(results[feed.digest]) for feed in program.feeds]
        names = unite_names(*inputs)
        feeds = {
            feed.digest: reindex(item, names, feed.start)
            for feed, item in zip(program.feeds, inputs, strict=True)
        }
        program.evaluate({}, feeds, last[program.digest], frontiers=_map_mark_frontiers(program, frontiers))
        results[program.digest] = feeds[program.digest]
        for digest in results.keys() - requested.union(*(later.inputs for later in fed[index + 1 :])):
            del results[digest]
    return {digest: select_born(results[digest]) for digest in programs if digest in requested}


def _evaluate_by_key(
    programs: Sequence[Program],
    needed: Set[str],
    names: Labels,
    rows: Mapping[str, Rows],
    before_each: Callable[[str], None],
    frontiers: Mapping[str, int],
) -> dict[str, Timelines]:
    """Return the needed ones of the nodes that are computed from events, block of keys by block of keys."""
    parts: dict[str, list[Timelines]] = {item.digest: [] for item in programs if item.digest in needed}
    for block in iterate_blocks(names, rows):
        region: dict[str, Timelines] = {}
        for program in programs:
            before_each(program.digest)
            program.evaluate(block, region, frontiers=frontiers)
        for digest, blocks in parts.items():
            blocks.append(region[digest])
    return {digest: join_blocks(blocks, names) for digest, blocks in parts.items()}


def compute_frontiers(tables: Delivered, until: int | None) -> dict[str, int]:
    """Return how far time has come, by stream in which something has landed: its greatest event time, and `until`."""
    landed = {
        name: [time for time in (item.last, until) if time is not None] for name, item in tables.items()
    }
    return {name: max(times) for name, times in landed.items() if times}


def _map_mark_frontiers(program: Program, frontiers: Mapping[str, int]) -> dict[str, int]:
    """Return the frontiers by the progress rows of a program's feeds, whose names end with the stream."""
    streams = {mark: mark.rsplit("/", 1)[-1] for mark in program.sources}
    return {mark: frontiers[stream] for mark, stream in streams.items() if stream in frontiers}


def list_required_nodes(compiled: Compiled, requested: Iterable[str]) -> list[str]:
    """Return the nodes that it takes to know some, those included, inputs first."""
    needed = set(requested)
    for digest in reversed(list(compiled.programs)):
        if digest in needed:
            needed.update(compiled.programs[digest].inputs)
    return [digest for digest in compiled.programs if digest in needed]


def find_last_events(compiled: Compiled, newest: Mapping[str, int]) -> dict[str, int]:
    """Return by digest the greatest event time in the streams below; `BEGINNING` where there is none."""
    times_by_digest: dict[str, int] = {}
    for digest, program in compiled.programs.items():
        times = [newest[name] for name in program.streams if name in newest]
        times_by_digest[digest] = max(
            [*times, *(times_by_digest[name] for name in program.inputs)], default=BEGINNING
        )
    return times_by_digest


def select_born(item: Timelines) -> Timelines:
    """Only the keys that were born."""
    born = item.birth != OPEN
    return item if born.all() else item.take(np.flatnonzero(born))


def list_fields(compiled: Compiled, digests: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return by stream the sorted fields that nodes use; canonical texts are no column (`EventTable.texts`)."""
    fields: dict[str, set[str]] = {}
    for digest in digests:
        for stream, used in compiled.programs[digest].fields.items():
            fields.setdefault(stream, set()).update(name for name in used if name != TEXT)
    return {stream: tuple(sorted(used)) for stream, used in fields.items()}


def _select_tables(compiled: Compiled, digests: Iterable[str], delivered: Delivered) -> dict[str, EventTable]:
    tables = {}
    for stream, fields in list_fields(compiled, digests).items():
        item = delivered[stream]
        tables[stream] = EventTable.from_batch(item, fields) if isinstance(item, EventBatch) else item
    return tables


def _build_rows(tables: Mapping[str, EventTable]) -> tuple[Labels, dict[str, Rows]]:
    """Return the names of all keys, and the collection of each stream's events."""
    names = sort_names(*(item.table["key"] for item in tables.values()))
    rows_by_stream = {}
    for stream, item in tables.items():
        rows = build_rows(item.table, item.declaration, item.fields, names, texts=item.texts)
        collected_rows = collect(rows, item.texts).rows
        rows_by_stream[stream] = rows if len(collected_rows) == item.size else rows.take(collected_rows)
    return to_labels(names), rows_by_stream


def compute_finality(
    compiled: Compiled, delivered: Delivered, until: int | None = None
) -> dict[str, int | None]:
    """Return by digest the time before which all is final: the least, over streams, of last time minus lateness."""
    frontiers = compute_frontiers(delivered, until)
    final_until_by_stream = {
        name: frontiers[name] - compiled.streams[name].allowed_lateness if name in frontiers else None
        for name in delivered
    }
    finality: dict[str, int | None] = {}
    for digest, program in compiled.programs.items():
        streams = [final_until_by_stream[name] for name in program.streams] + [
            finality[name] for name in program.inputs
        ]
        known_times = [item for item in streams if item is not None]
        finality[digest] = min(known_times) if len(known_times) == len(streams) else None
    return finality


def iterate_answers(
    compiled: Compiled,
    delivered: Delivered,
    nodes: list[str],
    keys: list[str],
    at: int | None,
    until: int | None = None,
) -> Iterator[Answer]:
    """Yield one answer for each node and key, ordered by node then key; all nodes and keys where none are named."""
    digests = {compiled.names[name] for name in nodes or compiled.names}
    results = evaluate(compiled, delivered, digests, until=until)
    return iterate_timeline_answers(
        compiled, results, compute_finality(compiled, delivered, until), nodes, keys, at
    )


def iterate_timeline_answers(
    compiled: Compiled,
    results: Mapping[str, Timelines],
    final: Mapping[str, int | None],
    nodes: list[str],
    keys: list[str],
    at: int | None,
) -> Iterator[Answer]:
    """Yield the answers of computed timelines by digest; `final` is `final_until` by digest."""
    wanted_keys = set(keys)
    for name in sorted(nodes or compiled.names):
        digest = compiled.names[name]
        item = results[digest]
        places = np.argsort(item.names, kind="stable")
        chosen = [index for index in places.tolist() if not wanted_keys or item.names[index] in wanted_keys]
        head: Answer = {"node": name, "key": None, "kind": item.kind.printed, "final_until": final[digest]}
        for start in range(0, len(chosen), _KEYS_PER_BLOCK):
            block = item.take(np.array(chosen[start : start + _KEYS_PER_BLOCK]))
            for key, answer in zip(block.names.tolist(), _describe(block, at), strict=True):
                yield {**head, "key": key, **answer}


def describe(item: Timelines, index: int, at: int | None) -> Answer:
    """Describe the points of one key's timeline, or its value at one instant."""
    return next(_describe(item.take(np.array([index])), at))


def _describe(item: Timelines, at: int | None) -> Iterator[Answer]:
    """Yield the description of every key."""
    if at is None:
        points = [format_point(item.kind, point) for point in to_points(item)]
        offsets = item.offsets.tolist()
        for start, end in pairwise(offsets):
            yield {"points": points[start:end]}
        return
    for point in to_points(_slice_at(item, at)):
        ratio = item.kind is Kind.RATIO and point[1] is not None
        yield {"value": point[1] / point[3] if ratio else point[1]}


def _slice_at(item: Timelines, time: int) -> Timelines:
    """Return the piece of every key that holds at a time, moved there."""
    rows = item.offsets[:-1] + np.add.reduceat(item.time <= time, item.offsets[:-1], dtype=np.int64) - 1
    times = np.full(len(rows), time)
    value = evaluate_at(item, rows, times) if item.kind.is_line else item.value[rows]
    offsets = np.arange(len(rows) + 1)
    return replace(item, offsets=offsets, time=times, value=value, slope=item.slope[rows])
