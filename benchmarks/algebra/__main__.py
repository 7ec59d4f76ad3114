"""`make bench-algebra`: measure the events per second and core of each operator, in `evaluate` and in Spark.

Locally each operator runs in a process with one core, beside DuckDB where one window function computes the same. In
Spark the operators of a group are one query (`together`), so that its rate is that of all of them at once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.algebra.events import land_amounts, write_amounts
from benchmarks.algebra.plans import ALONE, GROUPS, PLANS, list_left_out, list_operators
from benchmarks.events import A_FILE, EVENTS, Events, print_progress
from benchmarks.peers.run import Bench, load
from benchmarks.peers.table import write

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
BEGIN = "<!-- measured by make bench-algebra -->"
SMALL_FILE_EVENTS = 20_000


class AlgebraBench(Bench):
    """Run groups of operators; there is no reference answer for them."""

    child = "benchmarks.algebra.child"

    def __init__(self, folder: Path, events: Events) -> None:
        self.folder, self.events, self.size = folder, events, events.size
        self.right = {}


def write_all(folder: Path, size: int, a_file: int) -> Events:
    """Write the same events as one file, as many files and as a landing."""
    events = Events(folder)
    events.parts.mkdir(parents=True)
    write_amounts(events.whole, size)
    write_amounts(events.few, SMALL_FILE_EVENTS)
    for number, start in enumerate(range(0, events.size, a_file)):
        rows = pq.read_table(events.whole, columns=["t"]).slice(start, a_file)
        pq.write_table(rows, events.parts / f"{number:06d}.parquet")
    land_amounts(events.landing, events.whole, a_file)
    return events


def measure_locally(events: Events, runs: int) -> dict[str, dict[str, int]]:
    """Measure the rates of all operators in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.algebra.local",
        str(events.whole),
        str(events.few),
        str(runs),
    ]
    process = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if process.returncode:
        raise SystemExit("an operator could not be measured")
    results: dict[str, dict[str, int]] = json.loads(process.stdout)
    return results


def format_tables(local: Mapping[str, Mapping[str, int]], groups: Mapping[str, int]) -> str:
    """Return a Markdown table: one row per operator, and one per group with its events per second and core."""
    rows = [(f"`{op}`", local["evaluate"][op], local["duckdb"].get(op)) for op in PLANS]
    lines = ["| operator | `evaluate` | DuckDB |", "| --- | ---: | ---: |"]
    lines += [f"| {op} | {_format(rate)} | {_format(other)} |" for op, rate, other in rows]
    lines += ["", "| one query in Spark | operators | events/s of a core | values/s of a core |"]
    lines += ["| --- | ---: | ---: | ---: |"]
    for name, rate in groups.items():
        size = len(list_operators(name))
        lines.append(f"| {name} | {size} | {_format(rate)} | {_format(rate * size)} |")
    return "\n".join(lines) + "\n"


def _format(rate: int | None) -> str:
    """Round to two digits: the third differs from run to run."""
    return "–" if not rate else f"{float(f'{rate:.2g}'):,.0f}"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("make bench-algebra", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--file", type=int, default=A_FILE, help="events in a file")
    parser.add_argument("--runs", type=int, default=3, help="of each operator; 0 measures Spark alone")
    names = [*GROUPS, *(op for op in PLANS if op not in ALONE)]
    parser.add_argument("--groups", nargs="*", choices=names, default=list(GROUPS), metavar="GROUP",
                        help=f"of operators in Spark: {', '.join(GROUPS)}; or single operators")  # fmt: skip
    parser.add_argument("--write", action="store_true", help="put the table into docs/scale.md")
    arguments = parser.parse_args()
    if arguments.write and (not arguments.runs or arguments.groups != list(GROUPS)):
        parser.error("the tables hold every operator and group: leave --groups out, with at least one run")
    return arguments


def main() -> None:
    """Write events, measure, and print one JSON object."""
    arguments, before = read_arguments(), load()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        print_progress(f"writing {arguments.events:,} events")
        events = write_all(Path(folder) / "events", arguments.events, arguments.file)
        local = measure_locally(events, arguments.runs) if arguments.runs else {}
        print_progress(json.dumps(local))
        bench = AlgebraBench(Path(folder), events)
        groups = {name: bench.run(name) for name in arguments.groups}
    if arguments.write:
        rates = {name: round(item.of_a_core or 0) for name, item in groups.items()}
        write(PAGE, format_tables(local, rates), BEGIN)
    report: dict[str, Any] = {
        **local,
        "together": {name: item.to_json() for name, item in groups.items()},
        "left_out": list_left_out(),
        "events": arguments.events,
        "load": {"before": before, "after": load()},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
