"""`make bench-peers`: answer one question with the product and with others, written as their manuals advise.

All answers must be equal. Streams are measured from the end of their first batch, batch queries as a whole after a few
other events. Each is a process of its own, on all cores.
"""

from __future__ import annotations

import argparse
import json

from benchmarks.peers.run import ROOT, build_parser, load, open_bench
from benchmarks.peers.table import ABOUT, format_table, write

PAGE = ROOT / "docs" / "peers.md"


def parse_arguments() -> argparse.Namespace:
    parser = build_parser(__doc__, tuple(ABOUT), "make bench-peers")
    parser.add_argument(
        "--write", action="store_true", help="put the table into docs/peers.md, not to stdout"
    )
    return parser.parse_args()


def main() -> None:
    arguments, before = parse_arguments(), load()
    with open_bench(arguments) as bench:
        result = bench.run_in_turn(arguments.only, arguments.runs)
    text = format_table(result)
    if arguments.write:
        write(PAGE, text)
    else:
        print(text)
    answer = {way: item.to_json() for way, item in result.items()}
    sizes = {"events": bench.size, "sessions": len(bench.right)}
    print(json.dumps({**sizes, "load": {"before": before, "after": load()}, "ways": answer}))


if __name__ == "__main__":
    main()
