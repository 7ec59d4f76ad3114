"""`make bench-peers`: one question asked of the product and of others, written as their manuals advise.

All answers must be the same. Streams are measured from the end of their first batch, what answers at once as a whole,
after a few other events. Each is a process of its own, on all cores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.events import A_FILE, EVENTS, Events, say
from benchmarks.peers.run import ROOT, Bench, load
from benchmarks.peers.table import ABOUT, table, write

PAGE = ROOT / "docs" / "peers.md"


def asked() -> argparse.Namespace:
    """What is wanted."""
    parser = argparse.ArgumentParser(prog="make bench-peers", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--sessions", type=int, help="default: one for each forty events")
    parser.add_argument("--file", type=int, default=A_FILE, help="events in a file, and so in a batch")
    parser.add_argument(
        "--runs", type=int, default=1, help="of each way; the one with the median rate is told"
    )
    parser.add_argument(
        "--only", nargs="+", choices=ABOUT, default=list(ABOUT), metavar="WAY", help=", ".join(ABOUT)
    )
    parser.add_argument(
        "--write", action="store_true", help=f"the table into docs/{PAGE.name}, not to stdout"
    )
    return parser.parse_args()


def main() -> None:
    """Write events, compare, measure, tell."""
    wanted, before = asked(), load()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        say(f"writing {wanted.events:,} events")
        events = Events(Path(folder) / "events")
        events.write(wanted.events, wanted.sessions, wanted.file)
        bench = Bench(Path(folder), events)
        found = bench.in_turn(wanted.only, wanted.runs)
    text = table(found)
    if wanted.write:
        write(PAGE, text)
    else:
        print(text)
    told = {way: item.told() for way, item in found.items()}
    sizes = {"events": bench.size, "sessions": len(bench.right)}
    print(json.dumps({**sizes, "load": {"before": before, "after": load()}, "ways": told}))


if __name__ == "__main__":
    main()
