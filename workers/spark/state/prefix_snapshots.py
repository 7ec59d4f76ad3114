"""Near foldings: of a key with many rows the latest are evaluated, from what is remembered of the others.

Beside the folding that says what has left the page of a key (`Folded`) this is a second one, for which nothing leaves:
the older rows rest where they are, and of those that later answers still need copies stand by. A key is evaluated from
there on where all that came for it lies behind; one that is late, brings a copy, is due to be cut or folded, or must be
told of whole, is evaluated from all its rows, and then gets another one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask
from timeline_app.compiler import Program
from timeline_app.storage.columns import codes
from workers.spark.state import archiving
from workers.spark.state.archived_ids import find_copies
from workers.spark.state.archiving import last_to_archive
from workers.spark.state.page_view import PageView
from workers.spark.state.rows import KeySummaries
from workers.spark.state.summaries import Summarize, is_worth_it

MIN_EVALUATED_ROWS = 16
"""So many of the latest rows of a key are evaluated at least …"""
SNAPSHOT_EVERY_ROWS = 32
"""… and it is folded nearer when so many more have come."""
MIN_SNAPSHOT_SHARE = 4
"""They must be one in so many of those that are evaluated."""
MAX_COPIED_SHARE = 2
"""And no more than one in so many of them may be needed later."""


@dataclass(frozen=True, slots=True, eq=False)
class TouchedKeys:
    """What a batch is for the keys that it touches, key by key.

    `events`: how many came. `since`: where something came that is earlier than what was there, the time of the
    earliest; else `OPEN`. `lost`: which are folded nearer, but not so that it serves.
    """

    events: Ints
    since: Ints
    unusable: Mask

    @classmethod
    def of(cls, arrived: tuple[Ints, Ints], old: tuple[Ints, Ints], lost: Mask) -> TouchedKeys:
        """By key and time of what came, and of what was there."""
        first, last = np.full(len(lost), OPEN, dtype=np.int64), np.full(len(lost), BEGINNING, dtype=np.int64)
        np.minimum.at(first, *arrived)
        np.maximum.at(last, *old)
        return cls(np.bincount(arrived[0], minlength=len(lost)), np.where(first < last, first, OPEN), lost)

    def latest_snapshot(self, reach: int) -> Ints:
        """The last instant at which each key may be folded, so that what comes as late as now is behind it."""
        return np.maximum(self.since, BEGINNING + 1 + reach) - 1 - reach

    def may_have_snapshot(self, rows: Ints) -> Mask:
        """Which keys of so many rows may be folded nearer: those that passed another step, or were folded before.

        A key of which most rows are needed later is evaluated in vain to find that out.
        """
        steps, before = (
            (np.maximum(item, MIN_EVALUATED_ROWS) - MIN_EVALUATED_ROWS) // SNAPSHOT_EVERY_ROWS
            for item in (rows, rows - self.events)
        )
        return np.asarray((steps > before) | self.unusable)


def is_due(program: Program, summaries: KeySummaries, key: Ints, time: Ints, horizon: int) -> Mask:
    """Which keys may have to be cut or folded, by the rows that they have."""
    keys = len(summaries.until)
    own = time > summaries.instants(1 + program.reach)[key]
    count = np.bincount(key[own], minlength=keys)
    long: Mask = count >= archiving.KEPT_ROWS + archiving.MIN_ARCHIVED_ROWS
    if long.any():
        latest = np.full(keys, BEGINNING, dtype=np.int64)
        np.maximum.at(latest, key, time)
        gone = np.bincount(key[own & (time < latest[key] - program.reach)], minlength=keys)
        long &= (gone >= archiving.MIN_ARCHIVED_ROWS) & (gone * archiving.MIN_ARCHIVED_SHARE >= count)
    if horizon == BEGINNING:
        return long
    old = np.bincount(key[time <= horizon - 1 - program.reach], minlength=keys)
    return np.asarray(
        long | (is_worth_it(old, np.bincount(key, minlength=keys)) & (summaries.archived_from == OPEN))
    )


def rows_at_rest(
    program: Program,
    view: PageView,
    key: Ints,
    snapshots: KeySummaries,
    usable: Mask,
    arrived: tuple[pa.Table, Ints],
) -> Mask:
    """Which rows rest, of the keys that are `able`; one of which such a row may have a copy that came is not any more.

    `key` says of each row which key it is of (-1: none that is touched); so it stands beside what came.
    """
    time = view.rows["time"].to_numpy()
    rests = (
        view.of_asked_keys
        & ~view.in_snapshot
        & usable[key]
        & (time <= snapshots.instants(1 + program.reach)[key])
    )
    again = np.flatnonzero(rests)[find_copies(program, (view.rows, key), rests, arrived)]
    usable[key[again]] = False
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
    """Which keys are folded nearer after a batch, how these are, and the copies that stand by for their rows.

    A key of which more than one row in `SPARED` is needed later is not; none is after the `latest` instant.
    `rows` are the keys and times of the rows that were worked on; `both` says of which table they are, and where.
    """
    (key, time), (table, at) = rows, located
    own = time > summaries.instants(1 + reach)[key]
    own &= batch.may_have_snapshot(np.bincount(key[own], minlength=len(names)))[key]
    limits = np.minimum(batch.latest_snapshot(reach), latest)
    last = last_to_archive(
        key[own],
        time[own],
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
    standing = witnesses.filter(pa.array(spares[codes(witnesses["key"], names)]))
    return spares, new.take(np.flatnonzero(spares[chosen])), standing


def _count_by_key(rows: pa.Table, names: pa.Array) -> Ints:
    return np.bincount(codes(rows["key"], names), minlength=len(names))
