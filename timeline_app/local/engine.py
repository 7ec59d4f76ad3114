"""Evaluating a compiled plan on whole collections of events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.events import Events
from timeline_app.algebra.fold import moved
from timeline_app.algebra.kinds import OPEN, Kind, Scalar
from timeline_app.algebra.names import reindex, union_of_names
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.plan.events import EventBatch
from timeline_app.storage.columns import events_of, sorted_names
from timeline_app.storage.landing import host_table, table_of

Answer = dict[str, Any]


def evaluate(compiled: Compiled, batches: Mapping[str, EventBatch]) -> dict[str, Timelines]:
    """Every node's timelines by digest, keys that were never born left out."""
    events = _events(compiled, batches)
    region: dict[str, Timelines] = {}
    for program in compiled.programs.values():
        if not program.feeds:
            program.evaluate(events, region)
            continue
        inputs = [born(region[feed.digest]) for feed in program.feeds]
        names = union_of_names(*inputs)
        feeds = {
            feed.digest: reindex(item, names, feed.start)
            for feed, item in zip(program.feeds, inputs, strict=True)
        }
        region[program.digest] = program.evaluate({}, feeds)
    return {digest: born(region[digest]) for digest in compiled.programs}


def born(item: Timelines) -> Timelines:
    """Only the keys that were born."""
    return item.take(np.flatnonzero(item.birth != OPEN))


def _events(compiled: Compiled, batches: Mapping[str, EventBatch]) -> dict[str, Events]:
    fields: dict[str, set[str]] = {}
    for program in compiled.programs.values():
        for stream, used in program.fields.items():
            fields.setdefault(stream, set()).update(used)
    tables: dict[str, tuple[pa.Table, tuple[str, ...]]] = {}
    for stream, found in fields.items():
        wanted = tuple(sorted(found))
        tables[stream] = (host_table(table_of(batches[stream]), compiled.streams[stream], wanted), wanted)
    names = sorted_names(*(table["key"] for table, _ in tables.values()))
    return {
        stream: events_of(table, compiled.streams[stream], wanted, names)[0]
        for stream, (table, wanted) in tables.items()
    }


def horizons(compiled: Compiled, batches: Mapping[str, EventBatch]) -> dict[str, int | None]:
    """By digest, what lies before is final: the least, over the streams below, of greatest time minus lateness."""
    seen = {
        name: max(batch.times) - compiled.streams[name].allowed_lateness if batch.size else None
        for name, batch in batches.items()
    }
    found: dict[str, int | None] = {}
    for digest, program in compiled.programs.items():
        below = [seen[name] for name in program.streams] + [found[name] for name in program.inputs]
        known = [item for item in below if item is not None]
        found[digest] = min(known) if len(known) == len(below) else None
    return found


def answers(
    compiled: Compiled, batches: Mapping[str, EventBatch], nodes: list[str], keys: list[str], at: int | None
) -> Iterator[Answer]:
    """One answer for each node and key, ordered by node then key; all nodes and keys where none are named."""
    results, final = evaluate(compiled, batches), horizons(compiled, batches)
    wanted = set(keys)
    for name in sorted(nodes or compiled.names):
        digest = compiled.names[name]
        item = results[digest]
        for place in np.argsort(item.names, kind="stable"):
            key = str(item.names[place])
            if not wanted or key in wanted:
                head: Answer = {
                    "node": name,
                    "key": key,
                    "kind": item.kind.value,
                    "final_until": final[digest],
                }
                yield {**head, **describe(item, int(place), at)}


def describe(item: Timelines, place: int, at: int | None) -> Answer:
    """The points of one key's timeline, or its value at one instant."""
    points = list(item.points(place))
    if at is None:
        return {"points": [_point(item.kind, *point) for point in points]}
    time, value, slope = [point for point in points if point[0] is None or point[0] <= at][-1]
    if value is None or time is None or item.kind is not Kind.NUMBER:
        return {"value": value}
    return {"value": moved(item.kind, [time, value, slope], at)[1]}


def _point(kind: Kind, time: int | None, value: Scalar, slope: float) -> Answer:
    point: Answer = {"t": time, "value": value}
    return {**point, "slope": slope} if kind is Kind.NUMBER else point
