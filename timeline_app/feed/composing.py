"""Composing: many revisions of a node as one timeline for each key, from the retention limit on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.kinds import BEGINNING, Ints, Kind
from timeline_app.algebra.names import reindex
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.retention import find_holding
from timeline_app.algebra.revisions import apply_all
from timeline_app.algebra.timelines import Timelines, build_timelines, compute_offsets
from timeline_app.events.columns import code_texts, sort_names, to_labels
from timeline_app.feed import feed_rows
from timeline_app.feed.feed_rows import PIECES
from timeline_app.feed.segments import BATCH


def compose_revisions(rows: pa.Table, kind: Kind) -> Iterator[Timelines]:
    """Yield the timelines that result from revisions, applied in the order of their batches.

    Removed keys are included, so that readers that know them learn of the removal. Keys with similar numbers of
    revisions come together, so that no key is copied for those of another.
    """
    names = sort_names(rows["key"])
    key, batch = code_texts(rows["key"], names), rows[BATCH].to_numpy()
    order = np.lexsort((batch, key))
    rows, key, batch = rows.take(pa.array(order)), key[order], batch[order]
    begins = mark_firsts(key, batch)
    counts = np.bincount(key[begins], minlength=len(names))
    rank = np.cumsum(begins) - 1 - compute_offsets(counts)[key]
    sizes = np.frexp(counts)[1]
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes[key] == size)
        yield _apply_in_order(rows.take(pa.array(chosen)), rank[chosen], kind)


def _apply_in_order(rows: pa.Table, rank: Ints, kind: Kind) -> Timelines:
    """Apply the first revision of each key, then the second one, and so on."""
    labels = to_labels(sort_names(rows["key"]))
    order = np.argsort(rank, kind="stable")
    rows, offsets = rows.select(PIECES.names).take(pa.array(order)), compute_offsets(np.bincount(rank))
    steps = [
        feed_rows.read_revisions(rows.slice(start, end - start), kind)
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    nothing = feed_rows.build_timelines(feed_rows.read_revisions(PIECES.empty_table(), kind))
    return apply_all(reindex(nothing, labels, None), steps)[1]


def hide_values_before(item: Timelines, limit: int) -> Timelines:
    """Return the timelines as unknown before the limit, for keys that were born before it."""
    at = np.where(item.birth < limit, limit, BEGINNING)
    holding, is_after = find_holding(item, at), item.time > at[item.key]
    value = evaluate_at(item, holding, at) if item.kind.is_line else item.value[holding]
    everyone, old = np.arange(item.size), np.flatnonzero(at != BEGINNING)
    unknown = np.full(len(old), item.kind.unknown, dtype=item.kind.dtype)
    flat = np.zeros(len(old), item.slope.dtype)
    key = np.concatenate((old, everyone, item.key[is_after]))
    time = np.concatenate((np.full(len(old), BEGINNING), at, item.time[is_after]))
    order = order_of(key, time)
    return build_timelines(
        item.kind,
        item.names,
        item.birth,
        key[order],
        time[order],
        np.concatenate((unknown, value, item.value[is_after]))[order],
        np.concatenate((flat, item.slope[holding], item.slope[is_after]))[order],
        item.labels,
    )
