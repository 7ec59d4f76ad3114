"""Keys that a batch does not touch, when time passes a boundary of the calendar: all of them change then.

Between boundaries they are not read. When one is passed, a bucket reads them once, some pages at a time, evaluates
each from its snapshot or summary on, and emits what changed. Nothing is written, and archived rows stay archived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.compiler import Program
from timeline_app.events.columns import code_texts, sort_names
from workers.spark.hosts.emit import EmitMode, emit
from workers.spark.state.evaluation import DecodedRows, Frontiers, evaluate_at_frontiers
from workers.spark.state.page_view import is_snapshot
from workers.spark.state.pages import Pages
from workers.spark.state.rows import SNAPSHOT, KeyRows, KeySummaries


@dataclass(slots=True)
class UntouchedKeys:
    """The keys of a bucket that a batch does not touch; `since` is the first boundary that moved.

    `reopened` are keys whose archived history is needed, so the batch must touch them.
    """

    program: Program
    pages: Pages
    frontiers: Frontiers
    since: int
    reopened: list[pa.Table] = field(default_factory=list)

    def emit(self, touched: pa.Array, how: Mapping[str, EmitMode], horizon: int) -> Iterator[pa.Table]:
        """Emit what changes in all keys but the touched ones."""
        for key_rows in self.pages.untouched(touched):
            rows, names, summaries = self._select_rows(key_rows)
            if len(names):
                decoded = DecodedRows.decode(self.program, rows, names, horizon)
                old, new = evaluate_at_frontiers(decoded, summaries, self.frontiers)
                yield from emit(self.program, how, old, new, summaries.until)

    def _select_rows(self, key_rows: KeyRows) -> tuple[pa.Table, pa.Array, KeySummaries]:
        """Return the rows to evaluate with their names, and the summary or snapshot of each key."""
        names = sort_names(key_rows.rows["key"], key_rows.summaries["key"])
        records, has_snapshot = key_rows.summaries.drop_columns([SNAPSHOT]), is_snapshot(key_rows.summaries)
        summaries, nearer = (
            KeySummaries.from_rows(records.filter(pa.array(mask)), names)
            for mask in (~has_snapshot, has_snapshot)
        )
        reach = self.program.reach
        able = (nearer.until != BEGINNING) & (self.since >= nearer.until)
        late = ~able & (summaries.archived_from != OPEN) & (self.since < summaries.until)
        key, time = code_texts(key_rows.rows["key"], names), key_rows.rows["time"].to_numpy()
        copies, behind = is_snapshot(key_rows.rows), time > nearer.instants(1 + reach)[key]
        selected = np.where(copies, able[key], ~able[key] | behind) & ~late[key]
        summaries.update(np.flatnonzero(able), nearer.take(np.flatnonzero(able)))
        rows = key_rows.rows.drop_columns([SNAPSHOT])
        self._reopen(rows.filter(pa.array(late[key] & ~copies)))
        on_time = np.flatnonzero(~late)
        return rows.filter(pa.array(selected)), names.take(pa.array(on_time)), summaries.take(on_time)

    def _reopen(self, rows: pa.Table) -> None:
        if len(rows):
            self.reopened.append(rows.select(["key", "hash"]))


def find_first_moved_boundary(program: Program, frontiers: Frontiers) -> int | None:
    """Return the first calendar boundary that moved, back or on; None where none did."""
    before, after = (program.boundaries(item) for item in frontiers)
    moved = [min(pair) for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return min(moved, default=None)
