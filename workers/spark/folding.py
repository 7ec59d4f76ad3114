"""Folding: of what is older than the retention only what later answers still need is kept.

It is done for touched keys only, and only where it pays: every event is looked at for it a bounded number of times.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.algebra.order import firsts
from timeline_app.compiler import Program
from timeline_app.storage.columns import codes
from workers.spark.folded import Folded
from workers.spark.held import Evaluated, evaluate, remembered

LEAST = 16
"""So many events must go at least …"""
SHARE = 2
"""… and one in so many of the events of the key."""


def fold(program: Program, item: Evaluated, folded: Folded, names: pa.Array, horizon: int) -> pa.Table:
    """The events that stay of the keys `names`, folded at the horizon where that pays; `folded` is brought up to date.

    Keys with a tail are left as they are.
    """
    everything = pa.concat_tables(item.kept)
    worth = _worth(item, folded, _instant(program, horizon))
    if horizon == BEGINNING or not len(worth):
        return everything
    chosen = names.take(pa.array(worth))
    mine = pc.is_in(everything["key"], value_set=chosen)
    left = _folded(program, everything.filter(mine), chosen, (worth, folded), horizon)
    return pa.concat_tables([everything.filter(pc.invert(mine)), left])


def remember(
    program: Program, rows: pa.Table, names: pa.Array, folded: Folded, at: Ints, ids_since: int
) -> tuple[pa.Table, Folded]:
    """The events up to each key's instant that later answers still need, and what is remembered of the others.

    `rows` are events of keys as far as `program.reach` behind the instant at least.
    """
    item = evaluate(program, rows, names, folded, ids_since)
    witnesses = [_witnesses(program, stream, events, at) for stream, events in item.events.items()]
    until = at + 1 + program.reach
    new = Folded(until, folded.tail, remembered(program, item.events, item.results, folded, until))
    return pa.concat_tables(item.filtered(witnesses)), new


def _worth(item: Evaluated, folded: Folded, until: int) -> Ints:
    """The keys of which enough is old."""
    names = len(folded.until)
    return np.flatnonzero(_pays(item.counts(names, until), item.counts(names)) & (folded.tail == OPEN))


def _pays(gone: Ints, everything: Ints) -> Mask:
    return np.asarray((gone >= LEAST) & (gone * SHARE >= everything))


def _instant(program: Program, horizon: int) -> int:
    """What is later decides, as events, what the nodes say from the horizon on."""
    return horizon if horizon == BEGINNING else horizon - 1 - program.reach


def _folded(
    program: Program, rows: pa.Table, names: pa.Array, folded: tuple[Ints, Folded], horizon: int
) -> pa.Table:
    """The events that stay of these keys, which have these places in `folded`."""
    places, known = folded
    at = np.full(len(names), _instant(program, horizon))
    witnesses, new = remember(program, rows, names, known.take(places), at, horizon)
    later = rows.filter(pc.greater(rows["time"], int(at[0])))
    before, after = (_counts(tables, names) for tables in ([rows], [witnesses, later]))
    done = _pays(before - after, before)
    known.put(places[done], new.take(np.flatnonzero(done)))
    chosen = names.filter(pa.array(done))
    unchanged = rows.filter(pc.invert(pc.is_in(rows["key"], value_set=chosen)))
    changed = [item.filter(pc.is_in(item["key"], value_set=chosen)) for item in (witnesses, later)]
    return pa.concat_tables([unchanged, *changed])


def _counts(tables: list[pa.Table], names: pa.Array) -> Ints:
    """How many rows there are of each key."""
    return np.bincount(np.concatenate([codes(item["key"], names) for item in tables]), minlength=len(names))


def _witnesses(program: Program, stream: str, events: Events, at: Ints) -> Mask:
    """Of the events up to each key's instant, its first, and what a leaf still needs."""
    leaves = [mask for step in program.live if step.stream == stream for mask in step.keeps(events, at)]
    needed = np.logical_or.reduce([firsts(events.key), *leaves])
    return np.asarray(needed & (events.time <= at[events.key]))
