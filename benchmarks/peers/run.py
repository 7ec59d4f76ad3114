"""Run peers in turn, each in a watched process of its own, and compare their answers."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.batches import Batch, Steady
from benchmarks.ending import exit_on_sigterm
from benchmarks.events import A_FILE, EVENTS, LAST, Events, print_progress
from benchmarks.peers.question import describe_difference, read_answer
from benchmarks.peers.ways import REFERENCE, STREAMS
from benchmarks.watch import Watch
from workers.spark.connect.server import build_environment

LOCAL = "SPARK_LOCAL_IP"
SHORT, TIMES = 5.0, 3
"""Runs shorter than this are repeated this often: one hiccup of the machine would distort them."""
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class PeerFigures:
    """The figures of one run of a peer."""

    eps: float
    seconds: float
    batch_ms: list[float]
    cores: float
    others_cores: float
    peak_mb: float
    batches: int

    @property
    def of_a_core(self) -> float | None:
        """Events per second of CPU time, the steadier figure; None if the run was too short to measure."""
        return self.eps / self.cores if self.cores > 0.01 else None

    def to_json(self) -> dict[str, Any]:
        return {
            "eps": round(self.eps),
            "eps_of_a_core": round(self.of_a_core or 0) or None,
            "seconds": round(self.seconds, 2),
            "batches": self.batches,
            "batch_ms": round(statistics.median(self.batch_ms)),
            "batch_ms_longest": round(max(self.batch_ms)),
            "cores": round(self.cores, 2),
            "others_cores": round(self.others_cores, 2),
            "peak_mb": round(self.peak_mb),
        }


class Bench:
    """The events, and the right answer."""

    child = "benchmarks.peers.child"
    """The module that runs a peer in a process of its own."""

    def __init__(self, folder: Path, events: Events) -> None:
        """Compute the reference answer."""
        self.folder, self.events, self.size = folder, events, events.size
        self.right: dict[str, int] = {}
        self.run(REFERENCE)

    def run(self, way: str) -> PeerFigures:
        """Run a peer once; exit if its answer is wrong or events are missing."""
        os.sync()  # what others have left to be written would be written meanwhile
        work = self.folder / "work"
        work.mkdir()
        try:
            answer, watch = self._run_watched(way, work)
            queries = [[Batch(**batch) for batch in batches] for batches in answer["queries"]]
            self._check(way, work, queries)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        figures = _build_figures(answer, queries, watch)
        if way in STREAMS and answer["cpu"] is None and any(len(batches) < 2 for batches in queries):
            print_progress(f"{way} made a single batch: its rate is not a steady one")
        print_progress(f"{way}: {json.dumps(figures.to_json())}")
        return figures

    def run_in_turn(self, ways: Iterable[str], runs: int) -> dict[str, PeerFigures]:
        """Run the peers in turn, short ones more often; return the run of median rate of each."""
        result: dict[str, list[PeerFigures]] = {way: [] for way in ways}
        for turn in range(max(runs, TIMES)):
            for way, items in result.items():
                if turn < runs or items[0].seconds < SHORT:
                    items.append(self.run(way))
        return {way: _find_middle(items) for way, items in result.items()}

    def _run_watched(self, way: str, work: Path) -> tuple[dict[str, Any], Watch]:
        command_arguments = [str(self.events.folder), str(LAST), str(work), way]
        command = [sys.executable, "-m", self.child, *command_arguments]
        with (work / "log").open("wb") as log:
            child = subprocess.Popen(
                command, cwd=ROOT, env=build_way_environment(), stdout=subprocess.PIPE, stderr=log
            )
            watch = Watch(child.pid)
            try:
                answer, _ = child.communicate()
            finally:
                watch.end()
                child.terminate()
        if child.returncode:
            raise SystemExit(f"{way} failed:\n{(work / 'log').read_text(errors='replace')[-4_000:]}")
        return json.loads(answer.splitlines()[-1]), watch

    def _check(self, way: str, work: Path, queries: list[list[Batch]]) -> None:
        for batches in queries:
            if (read_events := sum(batch.rows for batch in batches)) != self.size:
                raise SystemExit(f"{way}: {read_events:,} events were read, not {self.size:,}")
        answer_file = work / "answer.parquet"
        if not answer_file.exists():
            return
        answer = read_answer(answer_file)
        self.right = self.right or answer
        if difference := describe_difference(self.right, answer):
            raise SystemExit(f"{way} does not give the right answer: {difference}")


def _build_figures(document: dict[str, Any], queries: list[list[Batch]], watch: Watch) -> PeerFigures:
    """Return figures from the process itself if it did all the work, else as seen from outside."""
    steady = Steady.measure(queries)
    cores, others = watch.compute_cores(steady.began, steady.ended)
    peak = watch.peak
    if document["cpu"] is not None:
        cores, peak = document["cpu"] / steady.seconds, document["peak"]
    counted = [batch for batches in queries for batch in (batches[1:] or batches)]
    lengths = [1_000 * (batch.ended - batch.began) for batch in counted]
    return PeerFigures(
        steady.rate, steady.seconds, lengths, cores, others, peak / 1e6, sum(map(len, queries))
    )


def _find_middle(items: list[PeerFigures]) -> PeerFigures:
    return sorted(items, key=lambda item: item.eps)[(len(items) - 1) // 2]


def build_way_environment() -> dict[str, str]:
    """Return the environment of a peer: the product's own Spark, without settings of this process."""
    return {
        name: value
        for name, value in build_environment().items()
        if name == LOCAL or not name.startswith("SPARK_")
    }


def build_parser(about: str | None, ways: Sequence[str], prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog, description=about)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--sessions", type=int, help="default: one for each forty events")
    parser.add_argument("--file", type=int, default=A_FILE, help="events in a file")
    parser.add_argument(
        "--runs",
        type=int,
        default=1,
        help=f"of each way, and {TIMES} of what takes less than {SHORT:.0f} s; the median is told",
    )
    parser.add_argument("--only", nargs="+", choices=ways, default=ways, metavar="WAY", help=", ".join(ways))
    return parser


@contextmanager
def open_bench(arguments: argparse.Namespace) -> Iterator[Bench]:
    """Write events into a folder that is removed with the command, however that ends."""
    exit_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        print_progress(f"writing {arguments.events:,} events")
        events = Events(Path(folder) / "events")
        events.write(arguments.events, arguments.sessions, arguments.file)
        bench = Bench(Path(folder), events)
        print_progress(
            f"{bench.size:,} events of {len(bench.right):,} sessions in {len(events.count_by_file())} files"
        )
        yield bench


def load() -> list[float]:
    """Return the load of the machine over one, five and fifteen minutes."""
    return [round(item, 2) for item in os.getloadavg()]
