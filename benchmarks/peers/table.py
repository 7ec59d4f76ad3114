"""The table of the documentation: who answers how fast, and with what guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.peers.run import PeerFigures

BEGIN, END = "<!-- measured by make bench-peers -->", "<!-- end -->"
ORDERED = "one number a session; events of a session must arrive in the order of time"
ABOUT: dict[str, tuple[str, str]] = {
    "together": (
        "timelines, `together`",
        "stream, exactly once; eight timelines a session, of any instant; late, doubled and contradicting events are"
        " worked in",
    ),
    "isolated": ("timelines, `isolated`", "the same as eight queries, each of which may fail and lag alone"),
    "transform_with_state": ("PySpark `transformWithState`, by hand", f"stream, exactly once; {ORDERED}"),
    "apply_in_pandas_with_state": ("PySpark `applyInPandasWithState`, by hand", "the same"),
    "transform_with_state_in_pandas": ("PySpark `transformWithStateInPandas`, by hand", "the same"),
    "bytewax_durable": (
        "Bytewax with recovery, by hand",
        f"stream, state in SQLite each second, output at least once; {ORDERED}",
    ),
    "bytewax": ("Bytewax, by hand", f"stream in memory, a crash loses everything; {ORDERED}"),
    "evaluate": ("timelines, `manage.py evaluate`", "at once, in memory; the timelines of any node"),
    "pyspark_batch": (
        "PySpark batch, window functions",
        "at once, all events anew each time; one number a session",
    ),
    "duckdb": ("DuckDB, window functions", "the same"),
    "polars": ("Polars, lazy expressions", "the same"),
    "numpy": ("numpy, for this question only", "the same"),
}
"""The name and the guarantees of each peer, in the order of the table."""
HEAD = """\
| by | what one gets | events/s | events/s of a core | cores | memory, MB |
| --- | --- | ---: | ---: | ---: | ---: |
"""


def format_table(result: Mapping[str, PeerFigures]) -> str:
    """Return the table in Markdown."""
    return HEAD + "".join(_format_line(way, result[way]) for way in ABOUT if way in result)


def _format_line(way: str, item: PeerFigures) -> str:
    by, gets = ABOUT[way]
    of_a_core = "" if item.of_a_core is None else _round(item.of_a_core)
    return f"| {by} | {gets} | {_round(item.eps)} | {of_a_core} | {item.cores:.1f} | {item.peak_mb:,.0f} |\n"


def _round(rate: float) -> str:
    """Round to two digits: the third differs from run to run."""
    return f"{float(f'{rate:.2g}'):,.0f}"


def write(page: Path, text: str, begin: str = BEGIN) -> None:
    """Write a text between the marks of a page."""
    before, _, after_begin = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = after_begin.partition(END)
    if not after:
        raise SystemExit(f"{page} has no place for the table, from {begin} to {END}")
    page.write_text(f"{before}{begin}\n{text}{END}{after}", encoding="utf-8")
