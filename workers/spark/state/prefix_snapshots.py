"""Prefix snapshots: a key with many rows is evaluated from its latest rows and a summary of the earlier ones.

A snapshot is a second summary, for which no row leaves the page: the earlier rows rest where they are, and copies of
those that later answers still need stand beside it. A batch whose events all come after the snapshot starts there. A
late or duplicate event, or a key that is due for archiving or full output, is evaluated from all rows, and the key
gets a new snapshot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.compiler import Program
from timeline_app.events.columns import code_texts
from workers.spark.state import archiving
from workers.spark.state.archived_ids import find_copies
from workers.spark.state.archiving import find_last_to_archive
from workers.spark.state.page_view import PageView
from workers.spark.state.rows import KeySummaries
from workers.spark.state.summaries import Summarize, is_worth_it

MIN_EVALUATED_ROWS = 16
"""The latest rows of a key, which are always evaluated …"""
SNAPSHOT_EVERY_ROWS = 32
"""… and the number of rows after which a new snapshot is taken."""
MIN_SNAPSHOT_SHARE = 4
"""A snapshot must spare at least 1/4 of the evaluated rows …"""
MAX_COPIED_SHARE = 2
"""… and may need copies of at most 1/2 of them."""


@dataclass(frozen=True, slots=True, eq=False)
class TouchedKeys:
    """The effect of a batch on the keys that it touches, by key.

    `events` counts the arrived events. `since` is the time of the earliest arrival where it precedes existing rows,
    else `OPEN`. `unusable` marks keys whose snapshot cannot be used.
    """

    events: Ints
    since: Ints
    unusable: Mask

    @classmethod
    def find(cls, arrived: tuple[Ints, Ints], old: tuple[Ints, Ints], lost: Mask) -> TouchedKeys:
        """Compute the effect from key and time of the arrived events, and of the existing rows."""
        first, last = np.full(len(lost), OPEN, dtype=np.int64), np.full(len(lost), BEGINNING, dtype=np.int64)
        np.minimum.at(first, *arrived)
        np.maximum.at(last, *old)
        return cls(np.bincount(arrived[0], minlength=len(lost)), np.where(first < last, first, OPEN), lost)

    def latest_snapshot(self, reach: int) -> Ints:
        """Return the last instant for a snapshot of each key, so that equally late events come after it."""
        return np.maximum(self.since, BEGINNING + 1 + reach) - 1 - reach

    def may_have_snapshot(self, rows: Ints) -> Mask:
        """Return which keys may get a snapshot, by their number of rows: those that passed another step, or had one.

        Only the evaluation shows whether most rows of a key are needed later, so it is tried rarely.
        """
        steps, before = (
            (np.maximum(item, MIN_EVALUATED_ROWS) - MIN_EVALUATED_ROWS) // SNAPSHOT_EVERY_ROWS
            for item in (rows, rows - self.events)
        )
        return np.asarray((steps > before) | self.unusable)


def is_due(program: Program, summaries: KeySummaries, key: Ints, time: Ints, horizon: int) -> Mask:
    """Return which keys may be due for archiving or summarizing, by their rows."""
    keys = len(summaries.until)
    within_reach = time > summaries.instants(1 + program.reach)[key]
    count = np.bincount(key[within_reach], minlength=keys)
    long: Mask = count >= archiving.KEPT_ROWS + archiving.MIN_ARCHIVED_ROWS
    if long.any():
        latest = np.full(keys, BEGINNING, dtype=np.int64)
        np.maximum.at(latest, key, time)
        expired = np.bincount(key[within_reach & (time < latest[key] - program.reach)], minlength=keys)
        long &= (expired >= archiving.MIN_ARCHIVED_ROWS) & (expired * archiving.MIN_ARCHIVED_SHARE >= count)
    if horizon == BEGINNING:
        return long
    old = np.bincount(key[time <= horizon - 1 - program.reach], minlength=keys)
    return np.asarray(
        long | (is_worth_it(old, np.bincount(key, minlength=keys)) & (summaries.archived_from == OPEN))
    )


def select_resting_rows(
    program: Program,
    view: PageView,
    key: Ints,
    snapshots: KeySummaries,
    usable: Mask,
    arrived: tuple[pa.Table, Ints],
) -> Mask:
    """Return which rows rest, of the keys whose snapshot is `usable`. A copy of a resting row makes it unusable.

    `key` is the key of each row (-1: none that is touched); `arrived` are the new events and their keys.
    """
    time = view.rows["time"].to_numpy()
    rests = (
        view.of_asked_keys
        & ~view.in_snapshot
        & usable[key]
        & (time <= snapshots.instants(1 + program.reach)[key])
    )
    copies = np.flatnonzero(rests)[find_copies(program, (view.rows, key), rests, arrived)]
    usable[key[copies]] = False
    return np.asarray(rests & usable[key])


def take_snapshots(
    names: pa.Array,
    summaries: KeySummaries,
    rows: tuple[Ints, Ints],
    located: tuple[pa.Table, Ints],
    reach: int,
    batch: TouchedKeys,
    summarize: Summarize,
    latest: int = OPEN,
) -> tuple[Mask, KeySummaries, pa.Table]:
    """Take snapshots after a batch; return which keys have a new one, summaries, and the copies of rows they need.

    A key that later needs more than 1/`MAX_COPIED_SHARE` of its rows gets none, and none is after the `latest`
    instant. `rows` are the keys and times of the evaluated rows; `located` is their table, and their indexes in it.
    """
    (key, time), (table, at) = rows, located
    within_reach = time > summaries.instants(1 + reach)[key]
    within_reach &= batch.may_have_snapshot(np.bincount(key[within_reach], minlength=len(names)))[key]
    limits = np.minimum(batch.latest_snapshot(reach), latest)
    last = find_last_to_archive(
        key[within_reach],
        time[within_reach],
        len(names),
        reach,
        (MIN_EVALUATED_ROWS, SNAPSHOT_EVERY_ROWS, MIN_SNAPSHOT_SHARE),
        limits,
    )
    going = last != BEGINNING
    chosen = np.flatnonzero(going)
    if not len(chosen):
        return going, summaries.take(chosen), table.slice(0, 0)
    needed = table.take(pa.array(at[going[key] & (time <= last[key] + reach)]))
    witnesses, new = summarize(needed, names.take(pa.array(chosen)), summaries.take(chosen), last[chosen])
    before, after = (_count_by_key(item, names) for item in (needed, witnesses))
    spares = going & (after * MAX_COPIED_SHARE <= before)
    standing = witnesses.filter(pa.array(spares[code_texts(witnesses["key"], names)]))
    return spares, new.take(np.flatnonzero(spares[chosen])), standing


def _count_by_key(rows: pa.Table, names: pa.Array) -> Ints:
    return np.bincount(code_texts(rows["key"], names), minlength=len(names))
