"""`python -m benchmarks.back_test`: measure the CPU time of a back-test of 2 million events on one core."""

from __future__ import annotations

import argparse
import json
import os
import time

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints
from timeline_app.evaluate.backtest.back_test import AlertRule, compile_rule, run_back_test
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.evaluate.backtest.report import describe_back_test
from timeline_app.evaluate.tables import EventTable

DAY_US = 86_400_000_000
BEGIN_US = 1_700_000_000_000_000
BATCH_US = 1_000_000
STREAM = {"key": "oven", "time": "at", "unit": "us", "fields": {"temperature": "number"}}
NODE = {"op": "latest_event_to_state", "stream": "oven", "params": {"field": "temperature"}}
DOCUMENT = {"version": 1, "streams": {"oven": STREAM}, "nodes": {"temperature": NODE}}
RULE = AlertRule("temperature", {"above": 80, "clear": 75, "for": "5s", "clear_after": "5s"})
WAYS = ((25_000, 0.02), (1_000, 0.01), (23, 0.01))
"""The number of keys, and the share of late events."""


def make_arrivals(events: int, keys: int, late: float) -> tuple[pa.Table, Ints]:
    """Return a day of temperatures in the order of arrival, one batch per second, and their arrival times."""
    random = np.random.default_rng(0)
    time_us = np.sort(random.integers(0, DAY_US, events)) + BEGIN_US
    key = random.integers(0, keys, events).astype(np.int32)
    delay = np.where(random.random(events) < late, random.exponential(20e6, events), 0)
    value = 70 + 10 * np.sin(time_us / 3.6e9 * 2 * np.pi + key) + random.normal(0, 2, events)
    arrived = (time_us + delay).astype(np.int64)
    order = np.argsort(arrived, kind="stable")
    names = pa.array([f"oven-{number}" for number in range(keys)])
    columns = {
        "key": pa.DictionaryArray.from_arrays(pa.array(key[order]), names),
        "time": time_us[order],
        "v0": value[order],
    }
    return pa.table(columns), arrived[order]


def measure(events: int, keys: int, late: float) -> dict[str, float]:
    """Return the CPU seconds of a back-test with its report."""
    compiled, digest = compile_rule(DOCUMENT, {}, RULE)
    table, arrived = make_arrivals(events, keys, late)
    read = EventTable(compiled.streams["oven"], ("temperature",), table, lambda rows: np.full(len(rows), ""))
    arrivals = StreamArrivals(read, (arrived - arrived[0]) // BATCH_US, arrived)
    started = time.process_time()
    test = run_back_test(compiled, digest, {"oven": arrivals})
    replayed = time.process_time() - started
    totals = describe_back_test(test)["totals"]
    answered = time.process_time() - started
    return {
        "keys": keys, "late": late, "replay_s": round(replayed, 2), "with_answer_s": round(answered, 2),
        "answer_ratio": round(answered / replayed, 2), "resolution_s": test.resolution / 1e6,
        "incidents": totals["incidents"], "retracted": totals["retracted"], "amended": totals["amended"],
    }  # fmt: skip


def main() -> None:
    """Print a line for each combination."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2_000_000)
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pa.set_cpu_count(1)
    for keys, late in WAYS:
        print(json.dumps(measure(options.events, keys, late)))


if __name__ == "__main__":
    main()
