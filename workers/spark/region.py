"""The host of nodes that are computed from events: any operators, any streams, one vectorised pass a batch.

Of every key it keeps the events of the collection (only the fields that the program looks at). For the keys that
a batch touches it evaluates the program before and after, and publishes what changed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected, Events
from timeline_app.algebra.revisions import diff
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Program
from timeline_app.storage import feed
from timeline_app.storage.columns import events_of, sorted_names
from timeline_app.storage.landing import arrow_type, host_schema
from workers.spark.pages import Pages
from workers.spark.processor import PagedProcessor

_COMMON = [("stream", pa.int32()), ("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64())]
_IDENTITY = [("id", pa.string()), ("text", pa.string())]


def region_schema(program: Program) -> pa.Schema:
    """The columns of a region's input and state: those of all its streams, `s0v1` the second field of the first."""
    identity = _IDENTITY if any(item.id for item in program.declarations.values()) else []
    values = [
        (f"s{place}v{number}", arrow_type(program.declarations[stream].kind_of(name)))
        for place, stream in enumerate(program.streams)
        for number, name in enumerate(program.fields[stream])
    ]
    return pa.schema([*_COMMON, *identity, *values])


class RegionHost(PagedProcessor):
    """Events in, revisions of one node out."""

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Merge the new events into the pages, evaluate the touched keys, publish what changed."""
        names = sorted_names(rows["key"])
        held = pages.load(rows["hash"].to_numpy())
        touched = pc.is_in(held["key"], value_set=names)
        before = held.filter(touched)
        old, _, _ = self._evaluate(before, names)
        new, kept, collected = self._evaluate(pa.concat_tables([before, rows]), names)
        yield from self._marks(rows, collected, pages)
        yield feed.rows_of(diff(old, new))
        pages.save(pa.concat_tables([held.filter(pc.invert(touched)), kept]))

    def _evaluate(self, rows: pa.Table, names: pa.Array) -> tuple[Timelines, pa.Table, list[Collected]]:
        """The node's timelines, the rows that are events, and what was left out, stream by stream."""
        events: dict[str, Events] = {}
        kept, left = [], []
        for place, stream in enumerate(self.program.streams):
            own = rows.filter(pc.equal(rows["stream"], place))
            fields, declaration = self.program.fields[stream], self.program.declarations[stream]
            wanted = host_schema(declaration, fields).names
            columns = [own[f"s{place}{name}" if name.startswith("v") else name] for name in wanted]
            events[stream], collected = events_of(pa.table(columns, names=wanted), declaration, fields, names)
            kept.append(own.take(pa.array(collected.rows)))
            left.append(collected)
        return self.program.evaluate(events, {}), pa.concat_tables(kept), left

    def _marks(self, rows: pa.Table, collected: list[Collected], pages: Pages) -> Iterator[pa.Table]:
        """How far each stream has come in this bucket, and what was taken."""
        seen = pages.memory.setdefault("seen", {})
        for place, stream in enumerate(self.program.streams):
            times = rows.filter(pc.equal(rows["stream"], place))["time"].to_numpy()
            if not len(times):
                continue
            lateness = self.program.declarations[stream].allowed_lateness
            late = int(np.count_nonzero(times < seen[stream] - lateness)) if stream in seen else 0
            seen[stream] = max(int(times.max()), seen.get(stream, int(times.max())))
            yield feed.mark(
                stream,
                seen[stream] - lateness,
                seen[stream],
                events=len(times),
                late=late,
                duplicates=collected[place].duplicates,
                conflicts=collected[place].conflicts,
            )
