"""`make bench-evaluate`: measure the events per second of `manage.py evaluate`, beside numpy, DuckDB and Polars.

Every run is a process of its own, on one core. All answers must be equal before anything is timed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.events import EVENTS, LAST, USED, print_progress, write_events

DEFAULT_RUNS = 5
ONE_CORE = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}


def run_child(way: str, path: Path, small_file: Path) -> dict[str, Any]:
    """Answer once in this process: seconds (wall, CPU), peak memory, and the answer.

    An answer from a few events comes first, so that libraries are loaded.
    """
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    pa.set_cpu_count(1)
    from benchmarks.cirr import WAYS  # noqa: PLC0415 (after the core was chosen)

    WAYS[way](small_file, LAST)
    before, spent = _read_status("VmRSS"), _read_cpu_s()
    started = time.perf_counter()
    sessions, micros = WAYS[way](path, LAST)
    wall, spent = time.perf_counter() - started, _read_cpu_s() - spent
    peak = _read_status("VmHWM")
    answers = sorted(zip(sessions, micros.tolist(), strict=True))
    digest = hashlib.sha256(repr(answers).encode()).hexdigest()
    return {"wall": wall, "cpu": spent, "peak": peak, "rise": peak - before, "digest": digest}


def _read_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _read_status(name: str) -> int:
    """Return the memory now (VmRSS) or its peak (VmHWM) in bytes; `getrusage` would include the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def run(way: str, path: Path) -> dict[str, Any]:
    """Do the same in a process of its own."""
    small_file = path.with_name("few.parquet")
    command = [sys.executable, "-m", "benchmarks.evaluate", "--child", way, str(path), str(small_file)]
    process = subprocess.run(command, capture_output=True, env=os.environ | ONE_CORE, check=False)
    if process.returncode:
        raise SystemExit(f"{way}: {process.stderr.decode()}")
    document: dict[str, Any] = json.loads(process.stdout)
    return document


def compute_medians(way: str, path: Path, runs: int) -> dict[str, float]:
    items = [run(way, path) for _ in range(runs)]
    return {name: statistics.median(item[name] for item in items) for name in ("wall", "cpu", "peak", "rise")}


def measure(folder: Path, runs: int) -> dict[str, float]:
    """Measure all peers; exit if two of them disagree."""
    from benchmarks.cirr import WAYS  # noqa: PLC0415

    small, large = folder / "1m.parquet", folder / "10m.parquet"
    for path, size in ((folder / "few.parquet", 1_000), (small, EVENTS), (large, 10 * EVENTS)):
        print_progress(f"writing {size:,} events")
        write_events(path, size)
    size = pq.read_metadata(small).num_rows
    digests = {way: run(way, small)["digest"] for way in WAYS}
    if len(set(digests.values())) > 1:
        raise SystemExit(f"not the same answers: {digests}")
    print_progress(f"{len(WAYS)} ways give the same answers of {size:,} events")
    result = {}
    for way in WAYS:
        result[way] = compute_medians(way, small, runs)
        print_progress(f"{way}: {size / result[way]['wall']:,.0f} events/s, CPU {result[way]['cpu']:.2f} s")
    ten = compute_medians("product", large, max(1, runs // 2))
    cost = ten["cpu"] / pq.read_metadata(large).num_rows / (result["product"]["cpu"] / size)
    print_progress(f"10 million events: {ten['wall']:.1f} s, {ten['peak'] / 1e6:,.0f} MB")
    columns = pq.read_table(small, columns=USED).nbytes
    return {
        **{f"{way}_eps": round(size / item["wall"]) for way, item in result.items()},
        "peak_mb": round(result["product"]["peak"] / 1e6),
        "cost_10m_over_1m": round(cost, 2),
        "peak_over_columns": round(result["product"]["rise"] / columns, 1),
        "peak_10m_mb": round(ten["peak"] / 1e6),
        **{f"{way}_cpu_eps": round(size / item["cpu"]) for way, item in result.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=DEFAULT_RUNS)
    parser.add_argument("--child", nargs=3, metavar=("WAY", "FILE", "FEW"))
    arguments = parser.parse_args()
    if arguments.child:
        way, path, small_file = arguments.child
        print(json.dumps(run_child(way, Path(path), Path(small_file))))
        return
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        figures = measure(Path(folder), arguments.runs)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
