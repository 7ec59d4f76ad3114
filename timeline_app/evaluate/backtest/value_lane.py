"""The values of one key, thinned for a strip: the least and the greatest of each column."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.evaluate.engine import evaluate

MAX_LANE_COLUMNS = 400


def find_lane(
    compiled: Compiled, node: str, streams: dict[str, StreamArrivals], key: str, start: int, end: int
) -> list[list[float]] | None:
    """Return time, least and greatest known value of each column with values; None without numbers."""
    digest = compiled.names[node]
    tables = {name: item.table for name, item in streams.items()}
    item = evaluate(compiled, tables, {digest})[digest]
    positions = np.flatnonzero(item.names == key)
    if item.kind is not Kind.NUMBER or not len(positions) or start >= end:
        return None
    return _cut_columns(item.take(positions), start, end)


def _cut_columns(item: Timelines, start: int, end: int) -> list[list[float]]:
    bounds = np.linspace(start, end, MAX_LANE_COLUMNS + 1).astype(np.int64)
    inside = np.flatnonzero((item.time > start) & (item.time < end))
    time = np.concatenate((bounds, item.time[inside], item.time[inside] - 1))
    piece = np.searchsorted(item.time, time, side="right") - 1
    value = evaluate_at(item, piece, np.where(time == BEGINNING, start, time))
    column = np.clip(np.searchsorted(bounds, time, side="right") - 1, 0, MAX_LANE_COLUMNS - 1)
    is_finite = np.isfinite(value)
    low, high = np.full(MAX_LANE_COLUMNS, np.inf), np.full(MAX_LANE_COLUMNS, -np.inf)
    np.minimum.at(low, column[is_finite], value[is_finite])
    np.maximum.at(high, column[is_finite], value[is_finite])
    return [[int(bounds[at]), float(low[at]), float(high[at])] for at in np.flatnonzero(low <= high).tolist()]
