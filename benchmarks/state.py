"""`make bench-state`: measure what an event costs in a key with a hundred, ten thousand, or a million others.

The hosts are driven directly, without Spark, with a dict as their state. Each key is filled in batches of ten thousand
events; then events come one at a time: in time order, a little late, and from the middle of the history. Milliseconds
are of CPU time, the steadier figure on a busy machine.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import NO_LABELS, OPEN, Ints, Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.sums import compute_amounts
from timeline_app.compiler import Program, compile_plan
from timeline_app.feed import feed_rows
from timeline_app.landing.segments import ACCEPTED, FILE, HOLDS
from workers.spark.hosts import aggregate
from workers.spark.hosts.aggregate import SUMS_SCHEMA, FinalAggregate, PartialAggregate
from workers.spark.hosts.feed_host import FEED_ROWS_SCHEMA
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.hosts.region import RegionHost
from workers.spark.state import inputs
from workers.spark.state.evaluation import build_arriving_schema, build_region_schema
from workers.spark.state.pages import StateKey

SIZES = (100, 10_000, 1_000_000)
BATCH, ROUNDS, WARM_UP, FEW = 10_000, 200, 20, 3
START = 1_700_000_000_000_000
STEP = 1_000_000
LATE_EVENTS = 20
STREAM = {"key": "k", "time": "t", "id": "id", "fields": {"n": "number"}, "retention": "36500d"}


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Counting(dict[StateKey, bytes]):
    """A MapState that counts the bytes it reads and writes."""

    read = written = 0

    def getValue(self, key: StateKey) -> tuple[bytes] | None:  # noqa: N802 (Spark's name)
        result = self.get(key)
        if result is None:
            return None
        self.read += len(result)
        return (result,)

    def updateValue(self, key: StateKey, value: tuple[bytes]) -> None:  # noqa: N802 (Spark's name)
        self.written += len(value[0])
        self[key] = value[0]

    def removeKey(self, key: StateKey) -> None:  # noqa: N802 (Spark's name)
        self.pop(key, None)


@dataclass
class Bench:
    """One key of a region's state."""

    program: Program
    state: Counting = field(default_factory=Counting)
    count: int = 0

    def __post_init__(self) -> None:
        self.host = self.build_host()
        self.host.program = self.program

    def build_host(self) -> PagedProcessor:
        return RegionHost("", build_region_schema(self.program), build_region_schema(self.program))

    def next(self, size: int, late: int) -> tuple[Ints, Ints]:
        """Return numbers and times of the next events, a second apart, or `late` seconds and a half earlier."""
        number = np.arange(self.count, self.count + size)
        self.count += size
        return number, START + STEP * number - (late * STEP + STEP // 2 if late else 0)

    def events(self, size: int, late: int = 0) -> pa.Table:
        number, when = self.next(size, late)
        texts = {
            "key": np.full(size, "a"),
            "id": np.char.add("event-", number.astype(str)),
            "text": np.char.add('{"state": "play", "n": ', number.astype(str)),
            "s0v0": np.array(["play", "buffer", "seek"])[number % 3],
        }
        columns = {name: pa.array(values.astype(object), pa.string()) for name, values in texts.items()}
        columns |= {"stream": pa.array(np.zeros(size, np.int32)), "hash": pa.array(np.full(size, 7 << 40))}
        columns |= {
            "time": pa.array(when),
            FILE: pa.array(number),
            ACCEPTED: pa.array(when),
            HOLDS: pa.nulls(size, pa.bool_()),
        }
        schema = build_arriving_schema(self.program)
        return pa.table([columns[item.name] for item in schema], schema=schema)

    def batch(self, rows: pa.Table) -> None:
        for _ in self.host.process(rows, self.host.pages(self.state, 0)):
            pass

    def fill(self, size: int) -> float:
        """Fill the key; return events per second."""
        batches = [self.events(min(BATCH, size - start)) for start in range(0, size, BATCH)]
        started = time.process_time()
        for rows in batches:
            self.batch(rows)
        return size / (time.process_time() - started)

    def run_one_by_one(self, late: int = 0, rounds: int = ROUNDS, warm_up: int = WARM_UP) -> dict[str, float]:
        """Return the milliseconds and the bytes of batches with one event."""
        for _ in range(warm_up):
            self.batch(self.events(1, late))
        rows = [self.events(1, late) for _ in range(rounds)]
        self.state.read = self.state.written = 0
        durations = []
        for item in rows:
            started = time.process_time()
            self.batch(item)
            durations.append(1_000 * (time.process_time() - started))
        return {
            "ms_median": round(statistics.median(durations), 2),
            "ms_mean": round(statistics.fmean(durations), 2),
            "ms_most": round(max(durations), 2),
            "bytes_read": round(self.state.read / rounds),
            "bytes_written": round(self.state.written / rounds),
        }


class Pieces(Bench):
    """One key of an aggregate's input: a number that changes with each event."""

    def build_host(self) -> PagedProcessor:
        return PartialAggregate("", FEED_ROWS_SCHEMA, inputs.STATE_SCHEMA)

    def events(self, size: int, late: int = 0) -> pa.Table:
        """Return the next changes as one revision."""
        number, when = self.next(size, late)
        labels = np.array(["a"], dtype=object)
        offsets, birth, end = np.array([0, size]), np.array([START]), np.array([OPEN])
        value, slope = (number % 10).astype(np.float64), np.zeros(size)
        revision = Revisions(
            Kind.NUMBER, labels, birth, when[:1], end, offsets, when, value, slope, NO_LABELS
        )
        rows = feed_rows.build_rows(revision)
        where = [pa.array(np.full(size, beginning)) for beginning in (0, 7 << 40, self.count)]
        return pa.table([*where, *rows.columns], names=FEED_ROWS_SCHEMA.names).cast(FEED_ROWS_SCHEMA)


class Sums(Bench):
    """One group of an aggregate, to which each event adds something."""

    def build_host(self) -> PagedProcessor:
        return FinalAggregate("", SUMS_SCHEMA, aggregate.STATE_SCHEMA)

    def events(self, size: int, late: int = 0) -> pa.Table:
        number, when = self.next(size, late)
        value = (number % 10).astype(np.float64)
        added = compute_amounts(np.ones(size, dtype=bool), value, np.zeros(size), when)
        added[:, :2] = 0
        fixed = [pa.array(np.full(size, 7 << 40)), pa.array(["*"] * size), pa.nulls(size, pa.string())]
        return pa.table(
            [*fixed, pa.array(when), *map(pa.array, np.ascontiguousarray(added.T))], schema=SUMS_SCHEMA
        )


COUNT = {"it": {"op": "event_count", "stream": "s"}}
CIRR = {
    "played": {"op": "has_existed", "stream": "s", "params": {"where": 'state == "play"'}},
    "seeking": {
        "op": "has_existed_within",
        "stream": "s",
        "params": {"where": 'state == "seek"', "duration": "5s"},
    },
    "calm": {"op": "not", "inputs": {"of": "seeking"}},
    "state": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "state"}},
    "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
    "induced": {"op": "and", "inputs": {"of": ["played", "calm", "buffering"]}},
    "it": {"op": "duration_where", "inputs": {"of": "induced"}},
}
SUM = {
    "n": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}},
    "it": {"op": "aggregate", "inputs": {"of": "n"}, "params": {"function": "sum"}},
}
PLANS: dict[str, tuple[type[Bench], dict[str, Any]]] = {
    "count": (Bench, COUNT),
    "cirr": (Bench, CIRR),
    "read by an aggregate": (Pieces, SUM),
    "sums of a group": (Sums, SUM),
}


def measure(name: str, size: int) -> dict[str, Any]:
    """Measure one key with this many events."""
    kind, nodes = PLANS[name]
    compiled = compile_plan({"version": 1, "nodes": nodes, "streams": {"s": STREAM}}, {})
    bench = kind(compiled.programs[compiled.names["it"]])
    rate = bench.fill(size)
    document = {
        "filled_per_second": round(rate),
        "in_order": bench.run_one_by_one(),
        "late": bench.run_one_by_one(LATE_EVENTS),
        "from_the_middle": bench.run_one_by_one(size // 2, FEW, 0),
        "state_bytes": sum(map(len, bench.state.values())),
        "values": len(bench.state),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print_progress(f"{name} with {size:,} events: {json.dumps(document)}")
    return document


def main() -> None:
    """Measure all sizes, and print the ratios."""
    document: dict[str, Any] = {}
    for name in PLANS:
        sizes = {str(size): measure(name, size) for size in SIZES}
        fewest, most = sizes[str(SIZES[0])], sizes[str(SIZES[-1])]
        ratio = {
            f"{kind}_{how}": round(most[kind][f"ms_{how}"] / fewest[kind][f"ms_{how}"], 2)
            for kind in ("in_order", "late")
            for how in ("median", "mean")
        }
        document[name] = {"sizes": sizes, "ratio": ratio}
    print(json.dumps(document))


if __name__ == "__main__":
    main()
