"""The rows of a feed: the revisions of a query's nodes, batch by batch, exactly once.

A feed lies in files (`files.py`). Each batch has a manifest, which appears last and whole. Only files that a manifest
names are read, so leftovers of failed or repeated batches do not count.

Files hold packets of rows (`packets.py`). Rows are pieces, each with the index of its node in the query; those of one
revision stand together, in time order. In a ratio, `number` and `slope` are the numerator, `den` and `den_slope` the
denominator.

A row without a key is progress, mostly of all nodes. `t` is the time before which `source` is final, `end` its
greatest event time, followed by the number of accepted events. `horizon` belongs to this `bucket` of the query's
`buckets`: no later revision of known keys changes anything before it (`BEGINNING`: unknown).
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, NO_LABELS, OPEN, Ints, Kind, Labels, Lines, Values
from timeline_app.algebra.lines import pair_as_ratio
from timeline_app.algebra.order import mark_firsts
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.timelines import Timelines, compute_offsets
from timeline_app.events.columns import code_texts, sort_names, to_labels
from timeline_app.feed.packets import build_empty_column

PIECES = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("birth", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("t", pa.int64()),
        ("flag", pa.int8()),
        ("text", pa.string()),
        ("number", pa.float64()),
        ("slope", pa.float64()),
        ("den", pa.float64()),
        ("den_slope", pa.float64()),
        ("events", pa.int64()),
        ("late", pa.int64()),
        ("duplicates", pa.int64()),
        ("conflicts", pa.int64()),
        ("too_late", pa.int64()),
        ("bucket", pa.int64()),
        ("buckets", pa.int64()),
        ("horizon", pa.int64()),
    ]
)
"""The rows of one node."""
SCHEMA = pa.schema([("node", pa.int16()), *PIECES])
PACKETS = pa.schema([("rows", pa.int64()), ("data", pa.binary())])
"""The written columns: packets, and the number of rows in each."""
ALL_NODES = -1
"""Replaces the node in a progress row of all nodes."""
_VALUE = {Kind.BOOL: "flag", Kind.TEXT: "text", Kind.NUMBER: "number", Kind.RATIO: "number"}


def build_rows(revisions: Revisions) -> pa.Table:
    """Convert revisions to rows of a feed."""
    counts = np.diff(revisions.offsets)
    pieces = len(revisions.time)
    columns: dict[str, object] = {
        "key": np.repeat(revisions.names, counts),
        "birth": np.repeat(revisions.birth, counts),
        "start": np.repeat(revisions.start, counts),
        "end": np.repeat(revisions.end, counts),
        "t": revisions.time,
        "slope": revisions.slope.real,
        _VALUE[revisions.kind]: _spell(revisions.kind, revisions.value, revisions.labels),
    }
    if revisions.kind is Kind.RATIO:
        columns |= {"den": revisions.value.imag, "den_slope": revisions.slope.imag}
    arrays = [
        pa.array(columns[name], kind) if name in columns else build_empty_column(pieces, kind)
        for name, kind in _list_fields()
    ]
    return pa.table(arrays, schema=PIECES)


def select_node_rows(rows: pa.Table, node: int = ALL_NODES) -> pa.Table:
    """Return rows of one node, or progress rows of all, in the columns of the feed."""
    return pa.table([pa.array(np.full(len(rows), node, dtype=np.int16)), *rows.columns], schema=SCHEMA)


def select_node_revisions(
    rows: pa.Table, node: int, sources: Container[str], also: Sequence[str] = ()
) -> pa.Table:
    """Return the revisions of a node by its index, and the progress of these sources; `also` names further columns."""
    sources_found = pc.unique(rows["source"]).to_pylist()
    own_sources = pa.array(
        [name for name in sources_found if name is not None and name in sources], pa.string()
    )
    is_for_all = pc.and_(pc.equal(rows["node"], ALL_NODES), pc.is_in(rows["source"], value_set=own_sources))
    return rows.filter(pc.or_(pc.equal(rows["node"], node), is_for_all)).select([*PIECES.names, *also])


def build_progress_row(
    source: str, until: int, newest: int = BEGINNING, frontier: int = BEGINNING, /, **counted: int
) -> pa.Table:
    """Return one row of progress of a source; `counted` are events, late, duplicates, conflicts and too_late.

    `until` is final, `newest` the greatest time of its events, `frontier` that of its events and heartbeats.
    """
    columns = {"source": source, "t": until, "end": newest, "start": frontier, **counted}
    arrays = [
        pa.array([columns[name]], kind) if name in columns else build_empty_column(1, kind)
        for name, kind in _list_fields()
    ]
    return pa.table(arrays, schema=PIECES)


def select_progress_rows(rows: pa.Table) -> pa.Table:
    """Return the progress rows."""
    return rows.filter(pc.is_null(rows["key"]))


def read_revisions(rows: pa.Table, kind: Kind) -> Revisions:
    """Read the revisions in the rows of one node and batch, ignoring progress."""
    rows = rows.filter(pc.is_valid(rows["key"]))
    names = sort_names(rows["key"])
    key, time = code_texts(rows["key"], names), _to_ints(rows["t"])
    order = np.lexsort((time, key))
    rows, key, time = rows.take(pa.array(order)), key[order], time[order]
    first = mark_firsts(key)
    value, labels = read_values(rows, kind)
    return Revisions(
        kind,
        to_labels(names),
        _to_ints(rows["birth"])[first],
        _to_ints(rows["start"])[first],
        _to_ints(rows["end"])[first],
        compute_offsets(np.bincount(key, minlength=len(names))),
        time,
        value,
        read_slopes(rows, kind),
        labels,
    )


def read_slopes(rows: pa.Table, kind: Kind) -> Lines:
    """Return the slopes of pieces."""
    slope = np.nan_to_num(rows["slope"].to_numpy())
    return pair_as_ratio(slope, np.nan_to_num(rows["den_slope"].to_numpy())) if kind is Kind.RATIO else slope


def read_values(rows: pa.Table, kind: Kind) -> tuple[Values, Labels]:
    """Return the values of pieces and the labels of their codes."""
    column = rows[_VALUE[kind]]
    if kind is Kind.TEXT:
        names = sort_names(column)
        return code_texts(column, names).astype(np.int32), to_labels(names)
    values = column.to_numpy()
    if kind is Kind.RATIO:
        return pair_as_ratio(values.astype(np.float64), rows["den"].to_numpy().astype(np.float64)), NO_LABELS
    return (values.astype(np.int8) if kind is Kind.BOOL else values.astype(np.float64)), NO_LABELS


def build_full_revisions(item: Timelines) -> Revisions:
    """Return timelines as revisions that cover all time."""
    start, end = np.full(item.size, BEGINNING), np.full(item.size, OPEN)
    return Revisions(
        item.kind,
        item.names,
        item.birth,
        start,
        end,
        item.offsets,
        item.time,
        item.value,
        item.slope,
        item.labels,
    )


def build_timelines(revisions: Revisions) -> Timelines:
    """Convert such revisions back to timelines."""
    r = revisions
    return Timelines(r.kind, r.names, r.birth, r.offsets, r.time, r.value, r.slope, r.labels)


def _spell(kind: Kind, value: Values, labels: Labels) -> Values:
    if kind is Kind.TEXT:
        return np.concatenate((labels, np.array([None], dtype=object)))[value]
    return value.real


def _list_fields() -> list[tuple[str, pa.DataType]]:
    return [(item.name, item.type) for item in PIECES]


def _to_ints(values: pa.ChunkedArray) -> Ints:
    return np.asarray(values.to_numpy(), dtype=np.int64)
