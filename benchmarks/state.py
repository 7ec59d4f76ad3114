"""`make bench-state`: what an event costs a key with a hundred, ten thousand, a million others; the host without Spark.

The region host of a plan is driven directly, a dict for its state. Each key is filled in batches of ten thousand
events; then events come one by one, in time order and, apart, a little late.
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

from timeline_app.compiler import Program, compile_plan
from workers.spark.held import region_schema
from workers.spark.pages import Place
from workers.spark.region import RegionHost

SIZES = (100, 10_000, 1_000_000)
BATCH, ROUNDS, WARM_UP = 10_000, 200, 20
START = 1_700_000_000_000_000
STEP = 1_000_000
LATE = 20
STREAM = {"key": "k", "time": "t", "id": "id", "fields": {"n": "number"}, "retention": "36500d"}
PLANS: dict[str, dict[str, Any]] = {
    "count": {"it": {"op": "event_count", "stream": "s"}},
    "cirr": {
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
    },
}


def say(text: str) -> None:
    """Progress, for people."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Counting(dict[Place, bytes]):
    """A MapState that counts the bytes that go through it."""

    read = written = 0

    def getValue(self, key: Place) -> tuple[bytes] | None:  # noqa: N802 (Spark's name)
        """The value of a key."""
        found = self.get(key)
        if found is None:
            return None
        self.read += len(found)
        return (found,)

    def updateValue(self, key: Place, value: tuple[bytes]) -> None:  # noqa: N802 (Spark's name)
        """Set the value of a key."""
        self.written += len(value[0])
        self[key] = value[0]

    def removeKey(self, key: Place) -> None:  # noqa: N802 (Spark's name)
        """Have no value of a key any more."""
        self.pop(key, None)


@dataclass
class Bench:
    """One key of a region's state."""

    program: Program
    state: Counting = field(default_factory=Counting)
    count: int = 0

    def __post_init__(self) -> None:
        """The host of the program."""
        self.schema = region_schema(self.program)
        self.host = RegionHost("", self.schema, self.schema)
        self.host.program = self.program

    def events(self, size: int, late: int = 0) -> pa.Table:
        """The next events, a second apart; late ones so many seconds and a half before the last."""
        number = np.arange(self.count, self.count + size)
        self.count += size
        when = START + STEP * number - (late * STEP + STEP // 2 if late else 0)
        texts = {
            "key": np.full(size, "a"),
            "id": np.char.add("event-", number.astype(str)),
            "text": np.char.add('{"state": "play", "n": ', number.astype(str)),
            "s0v0": np.array(["play", "buffer", "seek"])[number % 3],
        }
        columns = {name: pa.array(values.astype(object), pa.string()) for name, values in texts.items()}
        columns |= {"stream": pa.array(np.zeros(size, np.int32)), "hash": pa.array(np.full(size, 7 << 40))}
        columns["time"] = pa.array(when)
        return pa.table([columns[item.name] for item in self.schema], schema=self.schema)

    def batch(self, rows: pa.Table) -> None:
        """One batch of the query."""
        for _ in self.host.process(rows, self.host.pages(self.state, 0)):
            pass

    def fill(self, size: int) -> float:
        """Events a second."""
        batches = [self.events(min(BATCH, size - start)) for start in range(0, size, BATCH)]
        began = time.perf_counter()
        for rows in batches:
            self.batch(rows)
        return size / (time.perf_counter() - began)

    def one_by_one(self, late: int = 0) -> dict[str, float]:
        """Milliseconds and bytes of a batch with one event."""
        for _ in range(WARM_UP):
            self.batch(self.events(1, late))
        rows = [self.events(1, late) for _ in range(ROUNDS)]
        self.state.read = self.state.written = 0
        took = []
        for item in rows:
            began = time.perf_counter()
            self.batch(item)
            took.append(1_000 * (time.perf_counter() - began))
        return {
            "ms_median": round(statistics.median(took), 2),
            "ms_mean": round(statistics.fmean(took), 2),
            "ms_most": round(max(took), 2),
            "bytes_read": round(self.state.read / ROUNDS),
            "bytes_written": round(self.state.written / ROUNDS),
        }


def measure(name: str, size: int) -> dict[str, Any]:
    """One key of so many events."""
    nodes = PLANS[name]
    compiled = compile_plan({"version": 1, "nodes": nodes, "streams": {"s": STREAM}}, {})
    bench = Bench(compiled.programs[compiled.names["it"]])
    rate = bench.fill(size)
    found = {
        "filled_per_second": round(rate),
        "in_order": bench.one_by_one(),
        "late": bench.one_by_one(LATE),
        "state_bytes": sum(map(len, bench.state.values())),
        "values": len(bench.state),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    say(f"{name} with {size:,} events: {json.dumps(found)}")
    return found


def main() -> None:
    """Measure all, and print the ratios."""
    found: dict[str, Any] = {}
    for name in PLANS:
        sizes = {str(size): measure(name, size) for size in SIZES}
        few, many = sizes[str(SIZES[0])], sizes[str(SIZES[-1])]
        ratio = {
            f"{kind}_{how}": round(many[kind][f"ms_{how}"] / few[kind][f"ms_{how}"], 2)
            for kind in ("in_order", "late")
            for how in ("median", "mean")
        }
        found[name] = {"sizes": sizes, "ratio": ratio}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
