"""`make bench-engine`: events a second of the engine, beside streaming queries in PySpark written by hand.

Eight nodes of the documentation's CIRR over the same events in files of 100,000: the product `together` and
`isolated`; the one question that matters, written by hand in three ways; and a query that reads and shuffles the same
events and does nothing. All that answer must give the same seconds for each session before any rate is told.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.events import A_FILE, EVENTS, Events, say
from benchmarks.peers.run import Bench, Figures, load
from benchmarks.peers.ways import BY_HAND, PRODUCT

WAYS = (*PRODUCT, *BY_HAND, "noop")


def figures(found: Mapping[str, Figures]) -> dict[str, Any]:
    """What is told of some ways; what was not run, and what it would be compared with, is missing."""
    rates = {way: found[way].eps for way in (*PRODUCT, "noop") if way in found}
    by_hand = {way: found[way].eps for way in BY_HAND if way in found}
    if by_hand:
        rates["handwritten"] = max(by_hand.values())
    told: dict[str, Any] = {f"{way}_eps": round(rate) for way, rate in rates.items()}
    if by_hand:
        told["handwritten"] = max(by_hand, key=lambda way: by_hand[way])
    for name, one, other in (
        ("together_vs_handwritten", "together", "handwritten"),
        ("isolated_vs_handwritten", "isolated", "handwritten"),
        ("noop_vs_together", "noop", "together"),
    ):
        if one in rates and other in rates:
            told[name] = round(rates[one] / rates[other], 2)
    return told


def asked(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--sessions", type=int, help="default: one for each forty events")
    parser.add_argument("--file", type=int, default=A_FILE, help="events in a file, and so in a batch")
    parser.add_argument(
        "--runs", type=int, default=1, help="of each way; the one with the median rate is told"
    )
    parser.add_argument("--only", nargs="+", choices=WAYS, default=WAYS, metavar="WAY", help=", ".join(WAYS))
    wanted = parser.parse_args(words)
    if wanted.events < 3 * wanted.file:
        parser.error("a rate needs three batches at least: more events, or smaller files (--file)")
    return wanted


def main() -> None:
    """Write events, compare, measure."""
    wanted = asked()
    before = load()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        say(f"writing {wanted.events:,} events")
        events = Events(Path(folder) / "events")
        events.write(wanted.events, wanted.sessions, wanted.file)
        bench = Bench(Path(folder), events)
        say(f"{bench.size:,} events of {len(bench.right):,} sessions in {len(events.sizes())} files")
        found = bench.in_turn(wanted.only, wanted.runs)
    told = {
        **figures(found),
        "events": bench.size,
        "sessions": len(bench.right),
        "load": {"before": before, "after": load()},
        "ways": {way: item.told() for way, item in found.items()},
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
