"""`make chaos ARGS="--faults 200 --seed 7"`: random faults while the product streams; one JSON object at the end."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from types import FrameType

from tests.chaos.arena import Arena, NotRecovered, open_arena
from tests.chaos.faults import FAULTS, list_possible
from tests.chaos.outcome import list_problems
from tests.chaos.places import enter_namespace, print_progress
from workers.stack.stack import StackError

Times = dict[str, list[float]]


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="no further fault after so long")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", action="append", choices=sorted(FAULTS), help="only these kinds")
    parser.add_argument("--each", action="store_true", help="each kind once, in random order")
    parser.add_argument("--pause", type=float, default=30.0, help="seconds for which a process stands still")
    parser.add_argument("--rate", type=int, default=6, help="events a second")
    parser.add_argument("--disk", type=int, default=4_096, help="size of the data directory, MB")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--placement", choices=["isolated", "together"], default="isolated")
    parser.add_argument("--logs", type=Path, help="where to keep the logs of a run that fails")
    return parser.parse_args()


def run_faults(arena: Arena, arguments: argparse.Namespace, times: Times) -> None:
    """Inject the faults in turn; append the seconds until recovery to `times`, by kind."""
    print_progress(f"everything runs: {arena.probe('at-first'):.1f} s from event to answer")
    each = (
        arena.dice.sample(_select_kinds(arena, arguments), len(_select_kinds(arena, arguments)))
        if arguments.each
        else []
    )
    count = len(each) or arguments.faults
    last = time.monotonic() + 60.0 * arguments.minutes
    for number in range(1, count + 1):
        kind = each[number - 1] if each else arena.dice.choice(_select_kinds(arena, arguments))
        words = FAULTS[kind](arena)
        seconds = arena.probe(f"probe-{number}")
        times[kind].append(seconds)
        print_progress(f"{number:3d}/{count}  {kind:18s}  {seconds:6.1f} s  {words}")
        time.sleep(arena.dice.uniform(0.0, 2.0))
        if time.monotonic() > last:
            print_progress(f"{arguments.minutes:g} minutes are over: the comparison follows")
            return


def _select_kinds(arena: Arena, arguments: argparse.Namespace) -> list[str]:
    """Return the kinds to choose from now: the requested ones that are possible, else all requested ones."""
    kinds = [name for name in list_possible(arena) if not arguments.only or name in arguments.only]
    return kinds or [name for name in list_possible(arena) if name.startswith("kill ")]


def print_table(times: Times) -> None:
    """Print the recovery times."""
    print_progress(f"\n{'kind':20s} {'times':>5s} {'median':>8s} {'longest':>8s}")
    for kind, seconds in sorted(times.items()):
        print_progress(f"{kind:20s} {len(seconds):5d} {median(seconds):6.1f} s {max(seconds):6.1f} s")


def run(arguments: argparse.Namespace, data: Path, outside: Path) -> tuple[Times, list[str], dict[str, int]]:
    """Run everything; return the recovery times, the problems at the end, and the responses that clients got."""
    times: Times = defaultdict(list)
    with open_arena(data, outside, arguments) as arena:
        try:
            run_faults(arena, arguments, times)
            arena.clock.jump(0)
            arena.keyless.stop()
            arena.files.stop()
            arena.probe("at-last")
            arena.pusher.stop()
            print_progress(f"{len(arena.sent())} events were taken; comparing with the evaluator")
            problems = list_problems(arena, outside)
        except (NotRecovered, StackError, OSError) as reason:
            problems = [f"{type(reason).__name__}: {reason}"]
        finally:
            for client in (arena.keyless, arena.files, arena.pusher):
                client.over.set()
        if problems and arguments.logs:
            shutil.copytree(data / "logs", arguments.logs, dirs_exist_ok=True)
            if arguments.database == "sqlite":
                for file in data.glob("timelines.sqlite3*"):
                    shutil.copy(file, arguments.logs)
        counts = {
            "events": len(arena.sent()),
            "from_files": len(arena.files.sent),
            "rejected": arena.files.wrong,
        }
        return times, problems, {**counts, "uncertain": len(arena.keyless.uncertain), **arena.pusher.answers}


def end_on_signal(number: int, _frame: FrameType | None) -> None:
    """Exit in order, so that no process of the product is left."""
    sys.exit(128 + number)


def main() -> int:
    arguments = parse_options()
    enter_namespace(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_on_signal)
    print_progress(f"seed {arguments.seed}: repeat with --seed {arguments.seed}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as folder:
        data, outside = Path(folder) / "data", Path(folder) / "outside"
        data.mkdir()
        outside.mkdir()
        times, problems, answers = run(arguments, data, outside)
    print_table(times)
    for line in problems[:20]:
        print_progress(f"WRONG: {line[:1_000]}")
    recovery = {
        kind: {"times": len(all_), "median_s": round(median(all_), 1), "max_s": round(max(all_), 1)}
        for kind, all_ in sorted(times.items())
    }
    answer = {
        "seed": arguments.seed,
        "faults": sum(map(len, times.values())),
        "wrong": len(problems),
        "answers": answers,
    }
    print(json.dumps({**answer, "seconds": round(time.monotonic() - started), "recovery": recovery}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
