"""The host of nodes computed from events: any operators, any streams, one vectorised pass per batch.

For each key it keeps the retained events, with only the fields that the program uses. For the keys that a batch
touches it evaluates the program before and after, and publishes what changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Collected
from timeline_app.algebra.kinds import BEGINNING, OPEN, Mask
from timeline_app.events.columns import code_texts, filter_rows, sort_names
from timeline_app.landing.segments import ACCEPTED, FILE, HOLDS
from timeline_app.landing.watermarks import select_too_late
from workers.spark.hosts.emit import EmitMode, emit, emit_progress, select_modes
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.hosts.stream_progress import StreamProgress, read_frontiers, read_heartbeats
from workers.spark.hosts.untouched_keys import UntouchedKeys, find_first_moved_boundary
from workers.spark.state.evaluation import DecodedRows, Frontiers, evaluate_before_and_after
from workers.spark.state.history import History
from workers.spark.state.inputs import HashedKeys
from workers.spark.state.pages import Pages


class _BatchBounds(NamedTuple):
    """The last batch of a stream's log, and the watermarks before its first and its last event."""

    number: int
    before: int | None
    after: int | None


class RegionHost(PagedProcessor):
    """Turns events into revisions of the nodes."""

    tracks_positions = True

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Merge the new events, evaluate the touched keys before and after, and emit what changed.

        Events older than the retention are counted and not applied.
        """
        reached = self._batch_bounds(rows)
        self._advance_horizon({stream: value.before for stream, value in reached.items()}, pages)
        horizon = pages.horizon
        expired = self._select_too_late(rows, horizon)
        events = rows["key"].is_valid().to_numpy() & ~expired
        arrived = filter_rows(rows, pa.chunked_array([events])).drop_columns([FILE, ACCEPTED, HOLDS])
        how = select_modes(
            self.handover, {stream: value.number for stream, value in reached.items()}, pages.memory
        )
        history = History(self.program, pages)
        is_full = EmitMode.FULL in how.values()
        frontiers = self._advance_frontiers(rows, pages)
        reopened, since = list[pa.Table](), OPEN
        if (moved := find_first_moved_boundary(self.program, frontiers)) is not None:
            silent, since = UntouchedKeys(self.program, pages, frontiers, moved), moved
            yield from silent.emit(sort_names(arrived["key"]), how, horizon)
            reopened = silent.reopened
        keys = HashedKeys.from_tables(arrived, *reopened)
        key = code_texts(arrived["key"], keys.names)
        loaded = history.load(arrived, keys, key, horizon, since, load_everything=is_full)
        summaries = loaded.starting_points
        all_rows = pa.concat_tables([loaded.rows, arrived], promote_options="default")
        decoded = DecodedRows.decode(
            self.program, all_rows, keys.names, horizon, np.concatenate((loaded.key, key))
        )
        old, new = evaluate_before_and_after(decoded, len(loaded.rows), summaries, frontiers)
        yield from self._emit_progress(rows, expired, reached, new.collected, pages)
        yield from emit(self.program, how, old.results, new.results, summaries.until)
        history.save(new, decoded, loaded, pages.horizon)

    def _batch_bounds(self, rows: pa.Table) -> dict[str, _BatchBounds]:
        """Return the bounds of a batch by stream."""
        totals = rows.group_by("stream").aggregate([(FILE, "max"), (ACCEPTED, "min"), (ACCEPTED, "max")])
        names = ("stream", f"{FILE}_max", f"{ACCEPTED}_min", f"{ACCEPTED}_max")
        columns = zip(*(totals[name].to_pylist() for name in names), strict=True)
        return {self.program.streams[index]: _BatchBounds(*bounds) for index, *bounds in columns}

    def _advance_frontiers(self, rows: pa.Table, pages: Pages) -> Frontiers:
        """Return the frontiers of the streams before the batch and with it."""
        before = dict(pages.memory.get("frontiers", {}))
        if not self.program.of_calendar:
            return before, before
        pages.memory["frontiers"] = read_frontiers(rows, self.program.streams, before)
        return before, pages.memory["frontiers"]

    def _advance_horizon(self, watermarks: Mapping[str, int | None], pages: Pages) -> None:
        """Advance the horizon, up to which keys may be summarized, by the watermark of the slowest stream."""
        frontiers, declared = pages.memory.setdefault("accepted", {}), self.program.declarations
        for stream, until in watermarks.items():
            if until is not None:
                frontiers[stream] = max(until, frontiers.get(stream, BEGINNING))
        if all(
            frontiers.get(name, BEGINNING) > BEGINNING and not value.keeps_everything
            for name, value in declared.items()
        ):
            slowest = min(frontiers[name] - value.retention for name, value in declared.items())
            pages.horizon = max(pages.horizon, slowest)

    def _select_too_late(self, rows: pa.Table, horizon: int) -> Mask:
        """Return which rows are events older than their stream's retention, by the watermark before their batch.

        The answer thus does not depend on the bucket or batch of the query in which an event comes. No event before
        the horizon is accepted: keys may be summarized up to it, and it lies before all retained events.
        """
        stream, time = rows["stream"].to_numpy(), rows["time"].to_numpy()
        watermark = rows[ACCEPTED].fill_null(BEGINNING).to_numpy()
        old: Mask = (time < horizon) & rows["key"].is_valid().to_numpy()
        for index, name in enumerate(self.program.streams):
            row_numbers = np.flatnonzero(stream == index)
            old[row_numbers] |= select_too_late(
                time[row_numbers], watermark[row_numbers], self.program.declarations[name].retention
            )
        return old

    def _emit_progress(
        self,
        rows: pa.Table,
        expired: Mask,
        reached: Mapping[str, _BatchBounds],
        collected: list[Collected],
        pages: Pages,
    ) -> Iterator[pa.Table]:
        """Emit the progress of each stream in this bucket, with its counts, and advance the horizon."""
        progress, stream_of = [], rows["stream"].to_numpy()
        for index, stream in enumerate(self.program.streams):
            if stream not in reached:
                continue
            stream_rows = filter_rows(rows, pc.equal(rows["stream"], index))
            events = filter_rows(stream_rows, pc.is_valid(stream_rows["key"]))
            times, lateness = events["time"].to_numpy(), self.program.declarations[stream].allowed_lateness
            stream_progress = StreamProgress.load(pages.memory, stream, lateness)
            counted = {
                "events": len(times),
                "late": int(np.count_nonzero(times < stream_progress.final_until)),
                "duplicates": collected[index].duplicates,
                "conflicts": collected[index].conflicts,
                "too_late": int(np.count_nonzero(expired[stream_of == index])),
            }
            stream_progress.advance(events[FILE].to_numpy(), times, read_heartbeats(stream_rows), lateness)
            stream_progress.store(pages.memory, stream)
            progress.append(
                (
                    (
                        stream,
                        stream_progress.final_until,
                        stream_progress.max_event_time,
                        max(stream_progress.max_event_time, stream_progress.last_heartbeat),
                    ),
                    counted,
                )
            )
        self._advance_horizon({stream: value.after for stream, value in reached.items()}, pages)
        for how_far, counted in progress:
            number = reached[how_far[0]].number
            yield from emit_progress(self.program, self.handover, number, how_far, pages.where, counted)
