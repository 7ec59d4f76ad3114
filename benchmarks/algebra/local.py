"""`python -m benchmarks.algebra.local EVENTS FEW RUNS`: run each operator by `evaluate` and by DuckDB, on one core."""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.algebra.peers import IN_DUCKDB, answer_with_duckdb
from benchmarks.algebra.plans import PLANS, make_plan
from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.retention import find_holding
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.evaluate.request import read_events

TOLERANCE = 1e-6


def answer(op: str, path: Path) -> Timelines:
    """Return the timelines of an operator, read and computed as `manage.py evaluate` does."""
    compiled, node = compile_plan(make_plan(op), {}), f"{op}_"
    digest = compiled.names[node]
    return evaluate(compiled, read_events(compiled, [str(path)], [node]), [digest])[digest]


def check(op: str, path: Path) -> None:
    """Exit if DuckDB computes another value after the last event of a session."""
    item, expected = answer(op, path), answer_with_duckdb(op, path)
    last_times = (
        pq.read_table(path, columns=["session_id", "t"]).group_by("session_id").aggregate([("t", "max")])
    )
    last = dict(zip(last_times["session_id"].to_pylist(), last_times["t_max"].to_pylist(), strict=True))
    at = np.array([last[name] * 1_000 for name in item.names], dtype=np.int64)
    value = evaluate_at(item, find_holding(item, at), at)
    for name, value_at_end in zip(item.names, value.tolist(), strict=True):
        other = expected.get(name, math.nan)
        if not math.isnan(value_at_end) and abs(value_at_end - other) > TOLERANCE * max(
            1.0, abs(value_at_end)
        ):
            raise SystemExit(f"{op}: {value_at_end} of {name}, and {other} in DuckDB")


def measure_rate(
    answer_op: Callable[[str, Path], object], op: str, small_file: Path, path: Path, runs: int
) -> int:
    """Return events per second of CPU time, the median of some runs."""
    answer_op(op, small_file)
    spent = []
    for _ in range(runs):
        started = time.process_time()
        answer_op(op, path)
        spent.append(time.process_time() - started)
    size: int = pq.read_metadata(path).num_rows
    return round(size / statistics.median(spent))


def main(events: str, small_file: str, runs: str) -> None:
    """Print the rates of all operators as JSON."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pa.set_cpu_count(1)
    path, small, times = Path(events), Path(small_file), int(runs)
    for op in IN_DUCKDB:
        check(op, small)
    evaluated = {op: measure_rate(answer, op, small, path, times) for op in PLANS}
    in_duckdb = {op: measure_rate(answer_with_duckdb, op, small, path, times) for op in IN_DUCKDB}
    print(json.dumps({"evaluate": evaluated, "duckdb": in_duckdb}))


if __name__ == "__main__":
    main(*sys.argv[1:])
