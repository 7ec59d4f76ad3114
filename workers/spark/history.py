"""The history of a region's keys: heads in pages, tails behind them, and which ids lie in these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import OPEN, Ints
from timeline_app.compiler import Program
from timeline_app.storage.columns import codes
from workers.spark.cutting import cut
from workers.spark.folded import Folded, Held
from workers.spark.folding import fold, remember
from workers.spark.held import Evaluated
from workers.spark.ids import Hashes, IdsOfTails, id_hashes
from workers.spark.pages import Pages
from workers.spark.tails import AGED, Tails, forgotten, taken_back


@dataclass(frozen=True, slots=True)
class History:
    """What a bucket holds of the events of keys."""

    program: Program
    pages: Pages

    @property
    def _tails(self) -> Tails:
        return Tails(self.pages, self.program.reach)

    def of(
        self, held: Held, came: pa.Table, names: pa.Array, horizon: int, *, whole: bool
    ) -> tuple[pa.Table, Folded]:
        """The events that are needed to work in those that came, and what is remembered of the others.

        Where whole timelines are to be told, that is all of them.
        """
        since = np.full(len(names), horizon if whole else OPEN, dtype=np.int64)
        np.minimum.at(since, codes(came["key"], names), came["time"].to_numpy())
        long = held.folded.filter(pc.less(held.folded["tail"], OPEN))["key"]
        if len(long):
            self._copies(came.filter(pc.is_in(came["key"], value_set=pc.unique(long))), names, since, horizon)
        return taken_back(self._tails, held, names, since)

    def keep(self, new: Evaluated, names: pa.Array, hashes: Ints, folded: Folded, horizon: int) -> Held:
        """What stays in the pages of keys; what is old of long ones moves to their tails."""
        self._forget(names, folded, horizon)
        ids, steps = IdsOfTails(self.pages), partial(remember, self.program, horizon)
        rows = fold(pa.concat_tables(new.kept()), names, folded, self.program.reach, steps, horizon)
        rows, gone = cut(rows, names, hashes, folded, self._tails, steps)
        if AGED in gone.column_names:
            gone = gone.filter(pc.is_null(gone[AGED]))
        for name, found, times in self._ids(gone):
            ids.add(name, found, times, horizon)
        return Held(rows.select(self.pages.columns), folded.rows(names, hashes))

    def _copies(self, came: pa.Table, names: pa.Array, since: Ints, horizon: int) -> None:
        """Events whose ids lie in the tails reach back to them."""
        ids, found = IdsOfTails(self.pages), self._ids(came)
        places = codes(pa.chunked_array([[name for name, _, _ in found]], pa.string()), names)
        reached = [ids.earliest(name, hashes, horizon) for name, hashes, _ in found]
        since[places] = np.minimum(since[places], np.array(reached, dtype=np.int64))

    def _ids(self, rows: pa.Table) -> list[tuple[str, Hashes, Ints]]:
        """By key, the hashes of ids and the times of their events."""
        rows, hashes = id_hashes(self.program, rows)
        names = pc.unique(rows["key"])
        key = codes(rows["key"], names)
        order = np.argsort(key, kind="stable")
        edges = np.searchsorted(key[order], np.arange(len(names) + 1))
        hashes, times = hashes[order], rows["time"].to_numpy()[order]
        return [
            (str(name), hashes[edges[place] : edges[place + 1]], times[edges[place] : edges[place + 1]])
            for place, name in enumerate(names.to_pylist())
        ]

    def _forget(self, names: pa.Array, folded: Folded, horizon: int) -> None:
        """Drop what lies before the horizon of the tails."""
        for name in forgotten(self._tails, names, folded, horizon):
            IdsOfTails(self.pages).drop(name)
