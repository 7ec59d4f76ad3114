"""Summaries replace rows older than the retention: only what later answers still need is kept.

Only touched keys are summarized, and only where it pays, so that each event is examined a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.algebra.order import mark_firsts
from timeline_app.compiler import Program
from timeline_app.events.columns import code_texts
from workers.spark.state.evaluation import evaluate_rows, summarize_until
from workers.spark.state.rows import KeySummaries

Summarize = Callable[[pa.Table, pa.Array, KeySummaries, Ints], tuple[pa.Table, KeySummaries]]
"""`summarize(rows, names, summaries, at)` returns the rows up to each key's instant that later answers still
need, and the summaries of the others."""
MIN_SUMMARIZED_EVENTS = 16
"""Fewer events than these are not summarized …"""
MIN_SUMMARIZED_SHARE = 2
"""… nor is a smaller part than 1/2 of a key's events."""


def summarize_expired(
    rows: pa.Table, names: pa.Array, summaries: KeySummaries, reach: int, summarize: Summarize, horizon: int
) -> pa.Table:
    """Summarize keys up to the horizon where that pays. Return the rows that stay, and update `summaries`.

    Rows up to `reach` before an instant decide values from there on. Keys with archived rows are left unchanged.
    """
    if horizon == BEGINNING:
        return rows
    until = horizon - 1 - reach
    old = rows.filter(pc.less_equal(rows["time"], until))
    worth = np.flatnonzero(
        is_worth_it(_count_rows([old], names), _count_rows([rows], names)) & (summaries.archived_from == OPEN)
    )
    if not len(worth):
        return rows
    chosen = names.take(pa.array(worth))
    is_chosen = pc.is_in(rows["key"], value_set=chosen)
    at = np.full(len(worth), until)
    rows_of_keys = rows.filter(is_chosen)
    rows_left, new = _replace_summarized(
        rows_of_keys, chosen, summarize(rows_of_keys, chosen, summaries.take(worth), at), until
    )
    changed = np.flatnonzero(new.until != BEGINNING)
    summaries.update(worth[changed], new.take(changed))
    return pa.concat_tables([rows.filter(pc.invert(is_chosen)), *rows_left], promote_options="default")


def _replace_summarized(
    rows: pa.Table, names: pa.Array, summarized: tuple[pa.Table, KeySummaries], until: int
) -> tuple[list[pa.Table], KeySummaries]:
    """Return the rows that stay. A key that turns out not to be worth it keeps its rows and gets no summary."""
    witnesses, new = summarized
    later = rows.filter(pc.greater(rows["time"], until))
    before, after = _count_rows([rows], names), _count_rows([witnesses, later], names)
    is_reduced = is_worth_it(before - after, before)
    new.until[~is_reduced] = BEGINNING
    chosen = names.filter(pa.array(is_reduced))
    unchanged = rows.filter(pc.invert(pc.is_in(rows["key"], value_set=chosen)))
    return [
        unchanged,
        *(item.filter(pc.is_in(item["key"], value_set=chosen)) for item in (witnesses, later)),
    ], new


def is_worth_it(removed: Ints, everything: Ints) -> Mask:
    """Return which keys are worth a summary, by the events that would go and all that there are."""
    return np.asarray((removed >= MIN_SUMMARIZED_EVENTS) & (removed * MIN_SUMMARIZED_SHARE >= everything))


def _count_rows(tables: list[pa.Table], names: pa.Array) -> Ints:
    """Return the number of rows of each key."""
    return np.bincount(
        np.concatenate([code_texts(item["key"], names) for item in tables]), minlength=len(names)
    )


def summarize_events(
    program: Program,
    ids_since: int,
    frontiers: Mapping[str, int],
    rows: pa.Table,
    names: pa.Array,
    summaries: KeySummaries,
    at: Ints,
) -> tuple[pa.Table, KeySummaries]:
    """Return the events up to each key's instant that later answers still need, and the summaries of the others.

    `rows` must reach at least `program.reach` beyond the instant.
    """
    item = evaluate_rows(program, rows, names, summaries, ids_since, frontiers)
    witnesses = [_select_needed(program, stream, events, at) for stream, events in item.events.items()]
    until = at + 1 + program.reach
    new = summarize_until(program, item.events, item.results, summaries, until)
    return pa.concat_tables(item.select_rows(witnesses)), new


def _select_needed(program: Program, stream: str, events: Events, at: Ints) -> Mask:
    """Return which events up to each key's instant are kept: its first, and those that a leaf still needs."""
    leaves = [mask for step in program.live if step.stream == stream for mask in step.keeps(events, at)]
    needed = np.logical_or.reduce([mark_firsts(events.key), *leaves])
    return np.asarray(needed & (events.time <= at[events.key]))
