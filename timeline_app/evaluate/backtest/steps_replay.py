"""Replay nodes whose keys are groups, or whose values depend on the calendar: each step evaluates everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.evaluate.backtest.clock import ArrivalClock, StreamArrivals
from timeline_app.evaluate.backtest.replay import Versions
from timeline_app.evaluate.backtest.true_spans import TrueSpans
from timeline_app.evaluate.engine import evaluate
from timeline_app.evaluate.tables import EventTable

MAX_STEPS = 96


def replay_steps(
    compiled: Compiled,
    digest: str,
    streams: Mapping[str, StreamArrivals],
    steps: Mapping[str, Ints],
    clock: ArrivalClock,
) -> Versions:
    """Return a version of each key at each step, from the step at which the key is first known."""
    results = [
        evaluate(compiled, {name: _cut(item, steps[name], step) for name, item in streams.items()}, {digest})[
            digest
        ]
        for step in range(clock.size)
    ]
    names = sorted({str(name) for item in results for name in item.names})
    key = np.concatenate([_places(item, names) for item in results])
    step = np.repeat(np.arange(len(results)), [item.size for item in results])
    order = np.lexsort((step, key))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    bounds = np.cumsum([0, *(item.size for item in results)])
    spans = [
        TrueSpans.from_timelines(item, number[bounds[index] : bounds[index + 1]])
        for index, item in enumerate(results)
    ]
    valid_from = np.full(len(order), BEGINNING, dtype=np.int64)
    return Versions(tuple(names), key[order], step[order], valid_from, TrueSpans.join(spans))


def _places(item: Timelines, names: list[str]) -> Ints:
    return np.searchsorted(np.array(names, dtype=object), item.names).astype(np.int64)


def _cut(item: StreamArrivals, steps: Ints, step: int) -> EventTable:
    """Return the events that have arrived by a step."""
    rows = np.flatnonzero(steps <= step)
    table, texts = item.table, item.table.texts
    return replace(
        table, table=table.table.take(pa.array(rows)), texts=lambda rows_chosen: texts(rows[rows_chosen])
    )
