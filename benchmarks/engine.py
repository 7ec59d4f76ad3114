"""`make bench-engine`: measure the engine in events per second, beside hand-written streaming queries in PySpark.

All read the same events in files of 100,000. The product computes the eight nodes of the documentation's CIRR,
`together` and `isolated`; three hand-written queries answer the same question; one query reads and shuffles the events
and does nothing. All answers must be equal for each session before any rate is printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.peers.run import PeerFigures, build_parser, load, open_bench
from benchmarks.peers.ways import BY_HAND, PRODUCT

WAYS = (*PRODUCT, *BY_HAND, "noop")


def format_figures(result: Mapping[str, PeerFigures]) -> dict[str, Any]:
    """Format the figures of some peers; those that did not run, and their ratios, are left out."""
    rates = {way: result[way].eps for way in (*PRODUCT, "noop") if way in result}
    by_hand = {way: result[way].eps for way in BY_HAND if way in result}
    if by_hand:
        rates["handwritten"] = max(by_hand.values())
    document: dict[str, Any] = {f"{way}_eps": round(rate) for way, rate in rates.items()}
    if by_hand:
        document["handwritten"] = max(by_hand, key=lambda way: by_hand[way])
    for name, left, right in (
        ("together_vs_handwritten", "together", "handwritten"),
        ("isolated_vs_handwritten", "isolated", "handwritten"),
        ("noop_vs_together", "noop", "together"),
    ):
        if left in rates and right in rates:
            document[name] = round(rates[left] / rates[right], 2)
    return document


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = build_parser(__doc__, WAYS, "make bench-engine")
    arguments = parser.parse_args(words)
    if arguments.events < 3 * arguments.file:
        parser.error("a rate needs three batches at least: more events, or smaller files (--file)")
    return arguments


def main() -> None:
    arguments, before = parse_arguments(), load()
    with open_bench(arguments) as bench:
        result = bench.run_in_turn(arguments.only, arguments.runs)
    answer = {
        **format_figures(result),
        "events": bench.size,
        "sessions": len(bench.right),
        "load": {"before": before, "after": load()},
        "ways": {way: item.to_json() for way, item in result.items()},
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
