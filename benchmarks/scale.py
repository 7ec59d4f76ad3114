"""`make bench-scale`: measure a thousand to a million keys, and one to twenty million events.

The eight nodes of CIRR run `together` and `isolated`, each row in processes of its own with the right answer, and then
survive a kill. `--write` puts the table, and the arithmetic for a cluster, into docs/scale.md.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.events import A_FILE, Events, print_progress
from benchmarks.peers.run import ROOT, Bench, PeerFigures, load
from benchmarks.peers.ways import PRODUCT
from benchmarks.sizing import format_sizing

PAGE = ROOT / "docs" / "scale.md"
KEYS, EVENTS = (1_000, 100_000, 1_000_000), (1_000_000, 5_000_000, 20_000_000)
HEAD = """\
| keys | events | placement | events/s | of a core | batch s, median (longest) | state MB | bytes a key \
| checkpoint MB | feed bytes an event | memory MB | recovery s |
| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


Row: TypeAlias = dict[str, Any]
"""A row of the table as JSON; sizes are bytes."""


def build_row(keys: int, events: int, way: str, figures: PeerFigures, sizes_kept: Mapping[str, float]) -> Row:
    """Return the figures of a peer as a row."""
    sizes = {name: round(value, 1) for name, value in sizes_kept.items()}
    per_key = {"state_a_key": round(sizes_kept["state"] / keys)}
    return {"keys": keys, "events": events, "way": way, **figures.to_json(), **sizes, **per_key}


def format_row(item: Row) -> str:
    """Return a row in Markdown."""
    batch = f"{item['batch_ms'] / 1e3:.1f} ({item['batch_ms_longest'] / 1e3:.1f})"
    cells = [f"{item['keys']:,}", f"{item['events']:,}", f"`{item['way']}`", f"{item['eps']:,}"]
    cells += [f"{item['eps_of_a_core'] or 0:,}", batch, f"{item['state'] / 1e6:,.0f}"]
    cells += [f"{item['state_a_key']:,}", f"{item['checkpoint'] / 1e6:,.0f}"]
    cells += [f"{item['feed'] / item['events']:.0f}", f"{item['peak_mb']:,}", f"{item['recovery']:.0f}"]
    return f"| {' | '.join(cells)} |\n"


def select_newest(items: Iterable[Row]) -> list[Row]:
    """Return the rows in the order of the table; of repeated ones the newest."""
    result = {(item["events"], item["keys"], PRODUCT.index(item["way"])): item for item in items}
    return [result[row_key] for row_key in sorted(result)]


class Kept(Bench):
    """Like the other benchmarks, but with what each run leaves, read before it is removed."""

    child = "benchmarks.scale_child"
    left: dict[str, Any]

    def _check(self, way: str, work: Path, queries: Any) -> None:
        super()._check(way, work, queries)
        if (kept_file := work / "kept.json").exists():
            self.left = json.loads(kept_file.read_text())

    def measure_way(self, way: str, keys: int) -> Row:
        figures = self.run(way)
        print_progress(f"{way} left: {json.dumps(self.left)}")
        return build_row(keys, self.size, way, figures, self.left)


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("make bench-scale", description=__doc__)
    parser.add_argument("--keys", type=int, nargs="+", default=KEYS)
    parser.add_argument("--events", type=int, nargs="+", default=EVENTS)
    parser.add_argument("--only", nargs="+", choices=PRODUCT, default=PRODUCT, metavar="WAY")
    parser.add_argument("--file", type=int, default=A_FILE, help="events in a batch")
    parser.add_argument("--rows", type=Path, help="a file to which rows are added; the table has all of it")
    parser.add_argument(
        "--write", action="store_true", help="put the table into docs/scale.md, not to stdout"
    )
    arguments = parser.parse_args(words)
    if min(arguments.events) < 3 * arguments.file:
        parser.error("a rate needs three batches at least: more events, or smaller files (--file)")
    if max(arguments.keys) > min(arguments.events):
        parser.error("there are fewer events than keys in one of the rows")
    return arguments


def measure_rows(arguments: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows, smallest first; the events of each size are made for it, and removed with it."""
    for size in sorted(arguments.events):
        for keys in sorted(arguments.keys):
            with tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
                print_progress(f"writing {size:,} events of {keys:,} keys")
                events = Events(Path(folder) / "events")
                events.write(size, keys, arguments.file)
                bench = Kept(Path(folder), events)
                for way in arguments.only:
                    yield bench.measure_way(way, keys)


def append_rows(file: Path | None, new_rows: Iterable[Row]) -> list[Row]:
    """Append rows to a file as soon as they are measured; return all rows."""
    items = [json.loads(text) for text in file.read_text().splitlines()] if file and file.exists() else []
    for item in new_rows:
        items.append(item)
        if file:
            with file.open("a") as sink:
                sink.write(f"{json.dumps(item)}\n")
    return select_newest(items)


def put(text: str, name: str) -> None:
    """Put a text between the marks of that name in the page."""
    begin, end = f"<!-- {name} by make bench-scale -->\n", f"<!-- end of {name} -->"
    page = PAGE.read_text(encoding="utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"{PAGE} has no place for what is {name}")
    before, after_begin = page.split(begin)
    PAGE.write_text(f"{before}{begin}{text}{end}{after_begin.split(end)[1]}", encoding="utf-8")


def main() -> None:
    arguments, before = parse_arguments(), load()
    result = append_rows(arguments.rows, measure_rows(arguments))
    text = HEAD + "".join(map(format_row, result))
    sized = format_sizing(result)
    if arguments.write:
        put(text, "measured")
        put(sized, "computed")
    else:
        print(f"{text}\n{sized}")
    print(json.dumps({"load": {"before": before, "after": load()}, "rows": result}))


if __name__ == "__main__":
    main()
