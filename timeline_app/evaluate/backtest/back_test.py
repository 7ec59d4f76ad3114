"""Back-tests: what an alert on a node would have made of the events that arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import ARRIVAL
from timeline_app.algebra.kinds import SECOND, Ints, Kind
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.backtest.arrived_rows import ArrivedRows, arrange_rows
from timeline_app.evaluate.backtest.clock import ArrivalClock, StreamArrivals, build_clock
from timeline_app.evaluate.backtest.eras import find_eras
from timeline_app.evaluate.backtest.flapping import MAX_STARTS, WINDOW_S, FlappingRule
from timeline_app.evaluate.backtest.flapping_changes import FlappingChanges, find_flapping
from timeline_app.evaluate.backtest.incidents import IncidentChanges, find_incidents
from timeline_app.evaluate.backtest.key_patterns import matches_key
from timeline_app.evaluate.backtest.replay import Versions, estimate_rows, replay_keys
from timeline_app.evaluate.backtest.steps_replay import MAX_STEPS, replay_steps
from timeline_app.evaluate.engine import list_fields, list_required_nodes
from timeline_app.evaluate.tables import EventTable
from timeline_app.evaluate.trial import TooMuch
from timeline_app.events.declaration import StreamDeclaration

RESOLUTIONS_S = (0, 1, 10, 60, 600, 3_600, 86_400)
"""Resolutions of arrival, finest first: late events within one are evaluated together if there are too many."""
MAX_EVALUATED_ROWS = 40_000_000
MAX_EVALUATED_ROWS_OF_GROUPS = 20_000_000
FLAPPING = ("flapping_starts", "flapping_window_s")
RULE = ("above", "below", "clear", "for", "clear_after")


@dataclass(frozen=True, slots=True)
class AlertRule:
    """A node, and the limits of an `alert` on it; a bool node needs none. `keys` may contain `*`."""

    node: str
    params: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    flapping_starts: int = MAX_STARTS
    flapping_window_s: int = WINDOW_S

    @property
    def flapping(self) -> FlappingRule:
        """The rule for flapping keys."""
        return FlappingRule(self.flapping_starts, self.flapping_window_s)


@dataclass(frozen=True, slots=True, eq=False)
class BackTest:
    """The incidents found, with every change, on the clock of arrival. `resolution` is in microseconds."""

    names: Sequence[str]
    clock: ArrivalClock
    changes: IncidentChanges
    flapping: FlappingChanges
    resolution: int
    events: int


def compile_rule(
    document: Mapping[str, Any], declarations: Mapping[str, StreamDeclaration], rule: AlertRule
) -> tuple[Compiled, str]:
    """Return the plan with the alert, and the alert's digest; raises `Refused`."""
    params = {name: rule.params[name] for name in RULE if rule.params.get(name) is not None}
    nodes = dict(document.get("nodes") or {})
    name = rule.node
    if params:
        name = next(name for name in _iterate_names() if name not in nodes)
        nodes[name] = {"op": "alert", "inputs": {"of": rule.node}, "params": params}
    drawn = {key: value for key, value in document.items() if key not in ("tests", "results")}
    compiled = compile_plan({**drawn, "nodes": nodes}, declarations)
    return compiled, compiled.names[name]


def _iterate_names() -> Any:
    yield "back_test"
    number = 2
    while True:
        yield f"back_test_{number}"
        number += 1


def _list_needed_streams(compiled: Compiled, digest: str) -> list[str]:
    """Return the streams that a node depends on."""
    needed, streams = [digest], set[str]()
    for stream in needed:
        streams.update(compiled.programs[stream].streams)
        needed += [feed for feed in compiled.programs[stream].inputs if feed not in needed]
    return sorted(streams)


def list_read_fields(compiled: Compiled, digest: str) -> dict[str, tuple[str, ...]]:
    """Return the sorted fields that a node depends on, by stream."""
    fields = list_fields(compiled, list_required_nodes(compiled, [digest]))
    return {name: fields.get(name, ()) for name in _list_needed_streams(compiled, digest)}


def arrange_file_events(table: EventTable) -> StreamArrivals:
    """Return the events of a file or a sample in their order; without arrival times they arrive as they happened."""
    if ARRIVAL not in table.fields or table.says_nothing(ARRIVAL):
        return StreamArrivals.one_by_one(table)
    column = table.table[f"v{table.fields.index(ARRIVAL)}"]
    arrived = pc.coalesce(pc.cast(column, pa.float64()), pc.cast(table.table["time"], pa.float64()))
    return StreamArrivals.one_by_one(table, arrived.to_numpy().astype(np.int64))


def run_back_test(
    compiled: Compiled,
    digest: str,
    streams: Mapping[str, StreamArrivals],
    keys: Sequence[str] = (),
    flapping: FlappingRule = FlappingRule(),  # noqa: B008  (immutable)
) -> BackTest:
    """Replay the arrivals; raises `TooMuch`."""
    if compiled.table[digest].facts.kind is not Kind.BOOL:
        raise ValueError("an alert needs a bool node")
    program, events = compiled.programs[digest], sum(item.table.size for item in streams.values())
    is_full = bool(program.feeds or program.timed)
    if not is_full:
        streams = {name: select_keys(item, keys) for name, item in streams.items()}
    for seconds in RESOLUTIONS_S:
        resolution = seconds * SECOND
        clock, steps = build_clock(streams, resolution)
        try:
            if is_full:
                _refuse_steps(clock.size, events)
                versions = _filter_versions(replay_steps(compiled, digest, streams, steps, clock), keys)
            else:
                rows = arrange_rows(program, streams, steps)
                versions = _replay(compiled, digest, rows, clock)
        except TooMuch:
            continue
        changes = find_incidents(find_eras(versions, clock), clock)
        flaps = find_flapping(flapping, changes, clock)
        return BackTest(versions.names, clock, changes, flaps, resolution, events)
    raise TooMuch("there are too many late events to look at. Choose a shorter time, or fewer keys")


def _replay(compiled: Compiled, digest: str, rows: ArrivedRows, clock: ArrivalClock) -> Versions:
    if estimate_rows(rows, clock) > MAX_EVALUATED_ROWS:
        raise TooMuch("there are too many late events to look at each of them")
    return replay_keys(compiled.programs[digest], rows, clock, MAX_EVALUATED_ROWS)


def _refuse_steps(steps: int, events: int) -> None:
    if steps > MAX_STEPS or steps * events > 2 * MAX_EVALUATED_ROWS_OF_GROUPS:
        raise TooMuch("there are too many steps of arrival to look at each of them")


def select_keys(item: StreamArrivals, patterns: Sequence[str]) -> StreamArrivals:
    """Return the events of keys that match any of the patterns."""
    if not patterns:
        return item
    column = item.table.table["key"]
    names = pc.unique(column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column)
    meant = [name for name in names.to_pylist() if _is_meant(name, patterns)]
    mask = pc.is_in(column.cast(pa.string()), value_set=pa.array(meant, pa.string()))
    rows: Ints = np.flatnonzero(mask.to_numpy(zero_copy_only=False))
    texts = item.table.texts
    table = replace(
        item.table,
        table=item.table.table.take(pa.array(rows)),
        texts=lambda rows_chosen: texts(rows[rows_chosen]),
    )
    return replace(item, table=table, batch=item.batch[rows], arrived=item.arrived[rows])


def _is_meant(name: str, patterns: Sequence[str]) -> bool:
    return any(matches_key(pattern, name) for pattern in patterns)


def _filter_versions(versions: Versions, patterns: Sequence[str]) -> Versions:
    """Return the versions of groups that match any of the patterns."""
    if not patterns:
        return versions
    meant = np.array([_is_meant(name, patterns) for name in versions.names], dtype=bool)
    is_meant = meant[versions.key]
    number = np.cumsum(is_meant) - 1
    spans = versions.spans.filter(is_meant[versions.spans.owner])
    return Versions(
        versions.names,
        versions.key[is_meant],
        versions.step[is_meant],
        versions.valid_from[is_meant],
        replace(spans, owner=number[spans.owner]),
    )
