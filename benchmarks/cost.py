"""`make bench-cost`: measure the CPU of a micro-batch, part by part, at low rates on the real product.

Another process pushes the player demo's events over REST. For each placement and rate: milliseconds of CPU (user and
system, from /proc) of each part of the product in a fixed span, per second and per batch, and of Java by thread. CPU is
counted, not time, so that the figures of a busy machine are comparable. `yardstick_ms` is the CPU of a plain loop in
the same span; it shows how slow the machine was.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.ending import exit_on_sigterm
from benchmarks.latency import DEMO, run_pusher
from benchmarks.live import Client, identify_program, print_progress, run
from tests.browser.product import add_user, build_rebuffering
from workers.stack import Stack, health
from workers.stack.processes import list_marked

TICK_MS = 1_000 / os.sysconf("SC_CLK_TCK")
YARDSTICK_LOOPS = 2_000_000
RUNNERS = {
    "python_streaming_source_runner": "spark_planner",
    "transform_with_state_driver_worker": "spark_state_driver",
    "daemon": "spark_workers",
}
"""The roles of Spark's Python processes, by a word of their command lines."""


def name_part(process: psutil.Process) -> str:
    """Return the part of the product that a process belongs to; Spark's Python by its role."""
    program, line = identify_program(process), " ".join(process.cmdline())
    return next(
        (name for word, name in RUNNERS.items() if program == "spark_python" and word in line), program
    )


def read_threads(pid: int) -> Counter[str]:
    """Return the CPU milliseconds of the threads of a process, by name without numbers."""
    spent: Counter[str] = Counter()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            head, _, tail = (task / "stat").read_text().rpartition(")")
            user, system = tail.split()[11:13]
            spent[re.sub(r"[\d# -]+$", "", head.partition("(")[2])] += round(
                (int(user) + int(system)) * TICK_MS
            )
    return spent


def read_parts(identity: str) -> tuple[dict[int, tuple[str, float]], Counter[str]]:
    """Return the CPU milliseconds of each process with its part, and of Java's threads."""
    times_by_pid: dict[int, tuple[str, float]] = {}
    threads: Counter[str] = Counter()
    for process in list_marked(identity):
        with suppress(psutil.Error):
            program = name_part(process)
            times_by_pid[process.pid] = program, sum(process.cpu_times()[:2]) * 1_000
            if program == "spark":
                threads = read_threads(process.pid)
    return times_by_pid, threads


def count_batches(data: Path) -> int:
    """Return how many batches all queries have committed."""
    folders = (data / "checkpoints").glob("*/commits")
    return sum(
        max((int(path.name) + 1 for path in folder.iterdir() if path.name.isdigit()), default=0)
        for folder in folders
    )


def measure_yardstick() -> float:
    """Return the CPU milliseconds of a plain loop."""
    started = time.process_time()
    for _ in range(YARDSTICK_LOOPS):
        pass
    return round((time.process_time() - started) * 1_000, 1)


def measure_span(stack: Stack, span: float) -> dict[str, Any]:
    """Return what each part uses in a span, in milliseconds per second and per batch."""
    identity, data = stack.layout.identity, stack.layout.data
    yardstick, before, batches = measure_yardstick(), read_parts(identity), count_batches(data)
    started = time.monotonic()
    time.sleep(span)
    (times_by_pid, threads), seconds = read_parts(identity), time.monotonic() - started
    batches_made = count_batches(data) - batches
    spent: defaultdict[str, float] = defaultdict(float)
    for pid, (program, milliseconds) in times_by_pid.items():
        spent[program] += milliseconds - before[0].get(pid, (program, 0.0))[1]
    threads.subtract(before[1])
    total = sum(spent.values())
    return {
        "ms_a_second": round(total / seconds),
        "batches_a_second": round(batches_made / seconds, 2),
        "ms_a_batch": round(total / max(batches_made, 1), 1),
        "yardstick_ms": (yardstick + measure_yardstick()) / 2,
        "parts_ms_a_batch": {name: round(value / max(batches_made, 1), 1) for name, value in sorted(spent.items())},
        "parts_ms_a_second": {name: round(value / seconds, 1) for name, value in sorted(spent.items())},
        "java_ms_a_batch": {name: round(value / max(batches_made, 1), 1) for name, value in threads.most_common(14)},
    }  # fmt: skip


def measure_placement(
    stack: Stack, client: Client, placement: str, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Measure one placement at each rate, and at rest."""
    plan = client.call("POST", "plans/", {"name": placement, "document": build_rebuffering(DEMO)})["id"]
    figures: dict[str, Any] = {}
    for rate in arguments.rates:
        with run_pusher(stack.url, client.login["token"], rate):
            if not figures:
                time.sleep(5)
                run(client, plan, placement)
            time.sleep(arguments.settle)
            figures[f"{rate:.0f}"] = measure_span(stack, arguments.span)
            print_progress(f"{placement}, {rate:.0f} events/s: {json.dumps(figures[f'{rate:.0f}'])}")
    if arguments.idle:
        time.sleep(arguments.settle)
        figures["idle"] = measure_span(stack, arguments.span)
        print_progress(f"{placement}, idle: {json.dumps(figures['idle'])}")
    client.call("POST", f"plans/{plan}/stop/")
    time.sleep(10)
    client.call("DELETE", f"plans/{plan}/")
    return figures


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", nargs="+", type=float, default=[100.0, 1_000.0], help="events a second")
    parser.add_argument("--span", type=float, default=60.0, help="seconds of a measurement")
    parser.add_argument("--settle", type=float, default=40.0, help="seconds before each")
    parser.add_argument("--idle", action="store_true", help="also without events")
    parser.add_argument(
        "--only", nargs="+", choices=("together", "isolated"), default=["together", "isolated"]
    )
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(Path(folder), demo=False, port=health.find_free_port()) as stack,
    ):
        api = add_user(stack, "ada")
        api.declare(DEMO)
        client = Client(stack.url, {"token": api.token})
        print_progress(f"{folder}: {stack.pids()}")
        figures = {
            placement: measure_placement(stack, client, placement, arguments) for placement in arguments.only
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
