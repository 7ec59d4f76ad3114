"""The arrivals of a stream from its landing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import TEXT
from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.columns import get_texts
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.log import Landing, build_host_table
from timeline_app.landing.segments import ACCEPTED, ARRIVED, FILE
from timeline_app.landing.watermarks import select_too_late

WHEN = (FILE, ARRIVED, ACCEPTED)


def load_landed_rows(
    landing: Landing, declaration: StreamDeclaration, fields: tuple[str, ...], most: int
) -> tuple[pa.Table, list[Beat], bool]:
    """Return the newest landed events, in whole batches, their heartbeats, and whether these are all events.

    The columns are those of a host table, the number of the batch, its arrival, and the watermark before it.
    """
    first, end = landing.first(), landing.end()
    sizes = landing.sizes(first, end)
    fits = np.cumsum(sizes[::-1])[::-1] <= most
    start = first + int(len(sizes) - fits.sum())
    texts = ["text"] if declaration.id or TEXT in fields else []
    ids = ["id"] if declaration.id else []
    rows = landing.rows(start, end, ("key", "time", *ids, *texts, "fields", ARRIVED, ACCEPTED))
    host = build_host_table(rows, declaration, fields)
    for name in WHEN:
        host = host.append_column(name, rows[name])
    return host, landing.beats(start, end), start == first


def arrange_landed_rows(
    rows: pa.Table, declaration: StreamDeclaration, fields: tuple[str, ...], beats: list[Beat]
) -> StreamArrivals:
    """Return landed rows as arrivals, without those beyond the stream's retention."""
    time = rows["time"].to_numpy()
    accepted = pc.fill_null(rows[ACCEPTED], BEGINNING).to_numpy()
    accepted_rows = np.flatnonzero(~select_too_late(time, accepted, declaration.retention))
    if len(accepted_rows) < len(rows):
        rows = rows.take(pa.array(accepted_rows))
    batch: Ints = rows[FILE].to_numpy()
    arrived = pc.coalesce(rows[ARRIVED], rows["time"]).to_numpy()
    texts = get_texts(rows) if "text" in rows.column_names else lambda at: np.full(len(at), "", dtype=object)
    table = EventTable(declaration, fields, rows.drop_columns(list(WHEN)), texts)
    order = np.argsort(batch, kind="stable")
    if (order != np.arange(len(order))).any():
        raise AssertionError("the batches of a landing are in order")
    return StreamArrivals(table, batch, np.maximum.accumulate(arrived), beats)
