"""The driver's part: discovers restrictions, plans batches, and acknowledges durable ones.

It does not use Spark: the intake calls it batch by batch, and the kit in unusual ways.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from timeline_app.connectors.masked_addresses import mask_addresses
from timeline_app.connectors.source_contract import Restriction, SplittableSource
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.admission import compute_shares, pack_into_bins, split_part
from timeline_app.connectors.splits.backoff import Permanent, Troubles
from timeline_app.connectors.splits.discovered import DiscoveredRestrictions
from timeline_app.connectors.splits.notes import Store
from timeline_app.connectors.splits.offsets import Part, Plan
from timeline_app.connectors.splits.readers import READ_PREFIX
from timeline_app.connectors.splits.tracker import Position, Tracker
from timeline_app.connectors.splits.watermarks import compute_least, find_greatest, read_current
from timeline_app.times.steady import read_steady_clock

SPLITS_PER_TASK = 4
"""A running task cannot be split, so a slow one must be small."""
RETAINED_BATCHES = 3
"""The notes of the last batches are kept: the last may be read again, and earlier ones by a checkpoint repair."""
MAX_WAIT_AFTER_START_S = 60.0
"""A part waits no longer after a restart: the clock may have been ahead when its time was set."""
IDENTITY, STATUS = "identity", "status.json"
Offset = dict[str, Any]


class ForeignStore(Permanent):
    """The offsets and the store belong to different queries."""


class Planner:
    """One per query. Offsets are plans (`offsets.py`); an unchanged offset says that there is nothing new."""

    def __init__(
        self,
        source: SplittableSource,
        store: Store,
        *,
        parallelism: int = 2,
        heartbeat: float | None = None,
        clock: Callable[[], float] = read_steady_clock,
    ) -> None:
        """After `heartbeat` seconds without a batch, an empty one reports the watermark, if it moved."""
        self.source, self.store, self.clock = source, store, clock
        _check_declaration(source)
        self.tasks, self.heartbeat = parallelism, heartbeat
        self.reader = source.reader(source, store, clock)
        self.troubles = Troubles(clock)
        self.discovered: DiscoveredRestrictions | None = None
        self.identity = ""
        self.ends: dict[str, Restriction] = {}
        self.held_up: frozenset[str] = frozenset()
        self.after: tuple[int, list[Part], int | None] = -1, [], None
        self.settled, self.unsettled = -1, list[int]()
        self.next_look = self.next_search = self.last_batch = 0.0
        self.looked = self.since = 0.0
        self.targets: dict[str, Position | None] | None = None
        self.drained: set[str] = set()
        self.backlog: int | None = None
        self.last_status, self.next_tell = b"", 0.0

    def initial(self) -> Offset:
        """Return the first offset, always the same."""
        return {"number": 0}

    def latest(self, start: Offset, most: int | None = None) -> Offset:
        """Return the plan of the next batch, or `start` itself, which counts as committed.

        Errors of the source are recorded and retried later; only broken promises are raised.
        """
        plan = Plan.from_document(start)
        with self.troubles.guard("acknowledging") as allowed:
            if allowed:
                self._acknowledge_committed(plan)
        planned: Plan | None = None
        with self.troubles.guard("looking for what there is to read") as allowed:
            if allowed and (self.reader.goes_on_unacknowledged or not self.unsettled):
                planned = self._next(plan, most or self.source.most)
        self._tell()
        return start if planned is None else planned.document()

    def rest(self, end: Offset) -> Offset:
        """Return what is left after a batch that was read, as a plan that needs none of its notes."""
        plan = Plan.from_document(end)
        residuals = self.reader.left(plan)
        over = self._over(plan, residuals)
        return replace(
            plan, splits=(), waiting=(*plan.waiting, *_select_open(residuals)), over=over
        ).document()

    def partitions(self, start: Offset, end: Offset) -> list[list[int]]:
        """Return the splits of a batch, by index, for each task; none between an offset and itself."""
        if start == end:
            return []
        plan = Plan.from_document(end)
        if plan.number != start["number"] + 1:
            words = f"batch {plan.number} was asked for behind {start['number']}; batches come one by one"
            raise ForeignStore(f"{words}: was the checkpoint changed by hand?")
        sizes = [self._size(part) for part in plan.splits]
        return pack_into_bins(sizes, SPLITS_PER_TASK * self.tasks) or [[]]

    def prepare(self) -> None:
        """Restrict further plans to what is there now. Raises the source's errors."""
        self._search()
        assert self.discovered is not None
        self.targets = {key: self.source.now(key) for key in self.discovered.keys}

    def status(self) -> dict[str, Any]:
        """Return the status for monitoring: backlog, failures, and what cannot be read."""
        return {
            "backlog": self.backlog,
            "troubles": self.troubles.describe(),
            "left": self.source.complaint(),
        }

    def due(self) -> float:
        """Return when the last waiting part may be read (seconds since the epoch); 0 where nothing has to wait."""
        return max((part.due for part in self.after[1]), default=0.0)

    def close(self) -> None:
        """Release what the source holds."""
        self.source.close()

    def _acknowledge_committed(self, plan: Plan) -> None:
        """Acknowledge committed batches that are not yet acknowledged, in order."""
        if self.settled < 0:
            self.unsettled = self.reader.unsettled(plan)
        elif plan.number > self.settled and plan.number not in self.unsettled:
            self.unsettled.append(plan.number)
        self.settled = plan.number
        while self.unsettled:
            for key, payloads in self.reader.acks(plan, self.unsettled[0]).items():
                self.source.finalize(key, payloads)
            self.unsettled.pop(0)
            self.reader.drop_notes(plan.number - RETAINED_BATCHES)

    def _next(self, plan: Plan, most: int) -> Plan | None:
        now = self.clock()
        fresh = plan.number != self.after[0]
        if now < self.next_look and not fresh:
            return None
        self.next_look = now + self.source.poll
        self._wait_anew(now)
        parts = self._parts(plan, now)
        assert self.discovered is not None
        ready = [part for part in parts if self._is_ready(part, now)]
        chosen = self._admitted(ready, most)
        watermark, over = self._watermark(plan, parts, now), self.after[2]
        if not chosen and not self._beats(plan, watermark, now):
            return None
        self.last_batch = now
        chosen_ids = {id(part) for part, _ in chosen}
        splits = tuple(piece for part, share in chosen for piece in self._pieces(part, share, chosen))
        waiting = tuple(part for part in parts if id(part) not in chosen_ids)
        number, moved = plan.number + 1, watermark != plan.watermark
        return Plan(number, self.identity, self.discovered.number, splits, waiting, watermark, over, moved)

    def _wait_anew(self, now: float) -> None:
        """Restart the idle times after a pause, or while errors prevented reading."""
        if self.troubles.now or now - self.looked > (self.source.idle or 0.0):
            self.since = now
        self.looked = now

    def _parts(self, plan: Plan, now: float) -> list[Part]:
        """Return everything left to read, the longest waiting first."""
        if self.discovered is None or (now >= self.next_search and self.targets is None):
            self._search()
        assert self.discovered is not None
        self._belongs(plan)
        if plan.number != self.after[0]:
            self._follow(plan)
        parts = [
            *self.after[1],
            *(Part.from_restriction(restriction, now) for restriction in self.discovered.since(plan.found)),
        ]
        return self._ended(parts) if self.reader.asks_for_ends else parts

    def _follow(self, plan: Plan) -> None:
        """Determine what is left after a plan that was committed meanwhile."""
        assert self.discovered is not None
        residuals = self.reader.left(plan)
        if self.targets is not None and self.after[0] >= 0:
            self.drained.update(_format_label(part) for part in residuals if part.due)
        parts = [*plan.waiting, *_select_open(residuals)]
        if self.after[0] < 0:
            latest = self.clock() + MAX_WAIT_AFTER_START_S
            parts = [replace(part, due=min(part.due, latest)) for part in parts]
        self.after = plan.number, parts, self._over(plan, residuals)
        self.discovered.merge(plan.found)

    def _over(self, plan: Plan, residuals: list[Part]) -> int | None:
        """Return the greatest watermark of finished parts."""
        return find_greatest(plan.over, *(read_current(self.source, part) for part in residuals if part.last))

    def _ended(self, parts: list[Part]) -> list[Part]:
        """Return planned restrictions with their current ends, without those that are gone or finished."""
        ended = [part for part in parts if part.key in self.ends or part.key in self.held_up]
        with_ends = [self._with_end(part) for part in ended]
        return [part for part in with_ends if not (part.last and part.start == part.end)]

    def _with_end(self, part: Part) -> Part:
        """Return a part with its current end; a held-up part is unchanged."""
        restriction = self.ends.get(part.key)
        if restriction is None:
            return part
        if restriction.end is None:
            raise BrokenSourcePromise("restrictions", f"{part.key!r} of a planned source has no end")
        grown = replace(part, end=restriction.end, last=restriction.closed)
        self._has_not_shrunk(grown)
        return grown

    def _has_not_shrunk(self, part: Part) -> None:
        """Report a restriction that ends before what was read of it; the others go on."""
        if part.start == part.end or not Tracker(part.start, part.end).is_done:
            return
        with self.troubles.guard(f"reading on in {mask_addresses(part.key)}") as allowed:
            if allowed:
                self.source.has_data(part.key, part.start, part.end)  # its own error may be clearer
                raise OSError(f"it was read to {part.start!r}, and ends at {part.end!r} now")

    def _search(self) -> None:
        restrictions = list(self.source.restrictions())
        if self.discovered is None:
            self.identity = self.store.put(IDENTITY, uuid.uuid4().hex.encode()).decode()
            self.discovered = DiscoveredRestrictions(self.store)
        self.discovered.add(restrictions)
        self.ends = {restriction.key: restriction for restriction in restrictions}
        self.held_up = frozenset(self.source.held_up()) - self.ends.keys()
        self.next_search = self.clock() + self.source.poll

    def _belongs(self, plan: Plan) -> None:
        """Refuse a store of another query, whose notes would be misread."""
        if plan.number and plan.store != self.identity:
            raise ForeignStore(
                "the store of the source is not that of this checkpoint; give each query its own"
            )
        if not plan.number and self.store.names(READ_PREFIX):
            raise ForeignStore(
                "the store of the source has been used by another checkpoint; give each query its own"
            )

    def _is_ready(self, part: Part, now: float) -> bool:
        if self.targets is not None:
            target = self.targets.get(part.key)
            here = part.key in self.targets and _format_label(part) not in self.drained
            if not here or (target is not None and Tracker(part.start, target).is_done):
                return False
        if part.key in self.held_up or part.due > now or Tracker(part.start, part.end).is_done:
            return False
        return self.source.has_data(part.key, part.start, part.end)

    def _admitted(self, ready: list[Part], most: int) -> list[tuple[Part, int]]:
        """Return the parts to read, with the share of each."""
        sizes = [self.source.size(part.key, part.start, part.end) for part in ready]
        sizes_known = [size for size in sizes if size is not None]
        self.backlog = sum(sizes_known) if len(sizes_known) == len(sizes) else None
        return list(zip(ready[:most], compute_shares(sizes[:most], most), strict=True))

    def _pieces(self, part: Part, share: int, chosen: list[tuple[Part, int]]) -> Iterator[Part]:
        """Yield the splits of a part, more of a larger one."""
        total = sum(share for _, share in chosen)
        yield from split_part(
            self.source, self._target(part), share, SPLITS_PER_TASK * self.tasks * share / max(total, 1)
        )

    def _target(self, part: Part) -> Part:
        target = (self.targets or {}).get(part.key)
        return part if target is None or self.reader.asks_for_ends else replace(part, until=target)

    def _size(self, part: Part) -> int:
        return part.most or self.source.size(part.key, part.start, part.end) or 1

    def _watermark(self, plan: Plan, parts: list[Part], now: float) -> int | None:
        """Return the watermark of the next plan, which never goes back."""
        return find_greatest(
            plan.watermark, compute_least(self.source, parts, now, self.since) if parts else self.after[2]
        )

    def _beats(self, plan: Plan, watermark: int | None, now: float) -> bool:
        """Return whether an empty batch is due: one that reports the watermark, or the next, which applies it."""
        if self.heartbeat is None or self.targets is not None or now < self.last_batch + self.heartbeat:
            return False
        return plan.moved or watermark != plan.watermark

    def _tell(self) -> None:
        """Store the status when it has changed, at most once a second."""
        status, now = json.dumps(self.status()).encode(), self.clock()
        if status != self.last_status and now >= self.next_tell:
            self.store.write(STATUS, status)
            self.last_status, self.next_tell = status, now + 1.0


def _select_open(residuals: list[Part]) -> list[Part]:
    return [part for part in residuals if not part.last]


def _format_label(part: Part) -> str:
    return f"{part.key} {part.end!r}"


def _check_declaration(source: SplittableSource) -> None:
    """Refuse a class with an incomplete declaration."""
    missing = [name for name in ("schema", "reader") if not hasattr(source, name)]
    if missing:
        raise BrokenSourcePromise("declaration", f"the class does not say its {' and its '.join(missing)}")
    if source.event_time is not None and source.event_time not in source.schema.names:
        words = f"the event time is {source.event_time!r}"
        raise BrokenSourcePromise(
            "declaration", f"{words}, which is none of its columns: {', '.join(source.schema.names)}"
        )
    estimator = source.estimator()
    if source.reader.asks_for_ends and estimator is not None and estimator.current() is None:
        words = "it is planned, and its estimator must know the watermark without having seen events"
        raise BrokenSourcePromise("declaration", f"{words}: use Wall, or a JournalledReader")
