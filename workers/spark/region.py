"""The host of nodes that are computed from events: any operators, any streams, one vectorised pass a batch.

Of every key it keeps the events of the collection (only the fields that the program looks at), down to the retention.
For the keys that a batch touches it evaluates the program before and after, and publishes what changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.storage.columns import codes, only
from timeline_app.storage.segments import FILE, HOLDS
from workers.spark.final import HowFar, said_in
from workers.spark.held import Decoded, before_and_after
from workers.spark.history import History
from workers.spark.inputs import Keys
from workers.spark.pages import Pages
from workers.spark.processor import PagedProcessor
from workers.spark.telling import Mode, marks, modes, tell


class RegionHost(PagedProcessor):
    """Events in, revisions of the nodes out."""

    follows = True

    @property
    def width(self) -> int:
        """Of a folded key the operators remember so many whole numbers."""
        return sum(self.program.memories.values())

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Merge the new events into what is held, evaluate the touched keys, publish what changed.

        What is older than the horizon, as it was before this batch, is counted and not applied.
        """
        horizon, reached = pages.horizon, self._reached(rows)
        events = only(rows, pc.is_valid(rows["key"]))
        came = only(events, pc.greater_equal(events["time"], horizon)).drop_columns([FILE, HOLDS])
        keys = Keys.of(came)
        key = codes(came["key"], keys.names)
        how = modes(self.taken, reached, pages.memory)
        history = History(self.program, pages)
        whole = Mode.WHOLE in how.values()
        known = history.of(came, keys, key, horizon, whole=whole)
        folded = known.folded
        both = pa.concat_tables([known.rows, came], promote_options="default")
        decoded = Decoded.of(self.program, both, keys.names, horizon, np.concatenate((known.key, key)))
        old, new = before_and_after(decoded, len(known.rows), folded)
        yield from self._marks(rows, reached, new.collected, pages)
        yield from tell(self.program, how, old.results, new.results, folded.until)
        history.keep(new, decoded, known, pages.horizon)

    def _reached(self, rows: pa.Table) -> dict[str, int]:
        """By stream, the greatest number of a landing file in a batch."""
        found = rows.group_by("stream").aggregate([(FILE, "max")])
        pairs = zip(found["stream"].to_pylist(), found[f"{FILE}_max"].to_pylist(), strict=True)
        return {self.program.streams[place]: number for place, number in pairs}

    def _marks(
        self, rows: pa.Table, reached: Mapping[str, int], collected: list[Collected], pages: Pages
    ) -> Iterator[pa.Table]:
        """How far each stream has come in this bucket, and what was taken; the horizon moves, by events alone."""
        pages.memory.setdefault("seen", {})
        told = []
        for place, stream in enumerate(self.program.streams):
            if stream not in reached:
                continue
            own = only(rows, pc.equal(rows["stream"], place))
            events = only(own, pc.is_valid(own["key"]))
            times, lateness = events["time"].to_numpy(), self.program.declarations[stream].allowed_lateness
            far = HowFar.of(pages.memory, stream, lateness)
            counted = {
                "events": len(times),
                "late": int(np.count_nonzero(times < far.final)),
                "duplicates": collected[place].duplicates,
                "conflicts": collected[place].conflicts,
                "too_late": int(np.count_nonzero(times < pages.horizon)),
            }
            far.take(events[FILE].to_numpy(), times, said_in(own), lateness)
            far.keep(pages.memory, stream)
            told.append(((stream, far.final, far.seen), counted))
        pages.horizon = max(pages.horizon, self._horizon(pages))
        for how_far, counted in told:
            yield from marks(self.program, self.taken, reached[how_far[0]], how_far, pages.where, counted)

    def _horizon(self, pages: Pages) -> int:
        """How far back events matter: the retention before the greatest event time seen, of the slowest stream.

        An event of the future does not count as seen before its time comes, so that one wrong clock folds nothing.
        """
        seen, now = pages.memory["seen"], time.time_ns() // 1_000
        declared = self.program.declarations
        if any(stream not in seen or declared[stream].keeps_everything for stream in declared):
            return BEGINNING
        return min(min(int(seen[stream]), now) - item.retention for stream, item in declared.items())
