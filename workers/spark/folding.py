"""Folding: of what is older than the retention only what later answers still need is kept.

It is done for touched keys only, and only where it pays: every event is looked at for it a bounded number of times.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.order import firsts
from timeline_app.compiler import Program
from workers.spark.held import Evaluated, Folded, evaluate

LEAST = 16
"""So many events must go at least …"""
SHARE = 2
"""… and one in so many of the events of the key."""


def fold(item: Evaluated, folded: Folded, names: pa.Array, horizon: int | None) -> pa.Table:
    """The rows of state that stay of the keys `names`, folded at the horizon where that pays."""
    program, everything = folded.program, pa.concat_tables(item.kept)
    hashes = item.hashes(len(names))
    worth = _worth(item, len(names), None if horizon is None else _instant(program, horizon))
    if horizon is None or not len(worth):
        return _together(everything, folded.rows(names, hashes))
    chosen = names.take(pa.array(worth))
    mine = pc.is_in(everything["key"], value_set=chosen)
    old = Folded(program, folded.until[worth], folded.memory[worth])
    left, new = _folded(everything.filter(mine), chosen, old, horizon)
    folded.until[worth], folded.memory[worth] = new.until, new.memory
    return _together(everything.filter(pc.invert(mine)), *left, folded.rows(names, hashes))


def _worth(item: Evaluated, names: int, until: int | None) -> Ints:
    """The keys of which enough is old."""
    if until is None:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(_pays(item.counts(names, until), item.counts(names)))


def _pays(gone: Ints, everything: Ints) -> Mask:
    return np.asarray((gone >= LEAST) & (gone * SHARE >= everything))


def _instant(program: Program, horizon: int) -> int:
    """What is later decides, as events, what the nodes say from the horizon on."""
    return horizon - 1 - program.reach


def _folded(rows: pa.Table, names: pa.Array, old: Folded, horizon: int) -> tuple[list[pa.Table], Folded]:
    """The events that stay, and what is remembered of the others."""
    program = old.program
    item = evaluate(program, rows, names, old, horizon)
    at = np.full(len(names), _instant(program, horizon))
    needed = [_needed(program, stream, events, at) for stream, events in item.events.items()]
    staying = [events.key[mask] for events, mask in zip(item.events.values(), needed, strict=True)]
    count = item.counts(len(names))
    done = _pays(count - np.bincount(np.concatenate(staying), minlength=len(names)), count)
    new = Folded(program, np.where(done, horizon, old.until), old.memory.copy())
    new.memory[done] = _remembered(item, old, horizon)[done]
    stay = [mask | ~done[events.key] for mask, events in zip(needed, item.events.values(), strict=True)]
    return item.filtered(stay), new


def _needed(program: Program, stream: str, events: Events, at: Ints) -> Mask:
    """The events after each key's instant, its first, and what a leaf still needs."""
    leaves = [mask for step in program.live if step.stream == stream for mask in step.keeps(events, at)]
    return np.asarray(np.logical_or.reduce([events.time > at[events.key], firsts(events.key), *leaves]))


def _remembered(item: Evaluated, old: Folded, horizon: int) -> Ints:
    """What the steps with a memory have come to, side by side."""
    program, carried = old.program, old.carried()
    at = Folded(program, np.full_like(old.until, horizon), old.memory)
    live = {step.digest: step for step in program.live}
    columns = [np.zeros((len(old.until), 0), dtype=np.int64)]
    for digest, width in program.memories.items():
        if step := live.get(digest):
            columns.append(step.read(item.events, item.results, at.instants(digest), carried.get(digest)))
        else:
            columns.append(np.zeros((len(old.until), width), dtype=np.int64))
    return np.concatenate(columns, axis=1)


def _together(*tables: pa.Table) -> pa.Table:
    return pa.concat_tables(tables, promote_options="default")
