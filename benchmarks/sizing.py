"""Compute a cluster from measured rows: the arithmetic of docs/scale.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

TARGETS = ((1_000_000, 50_000), (10_000_000, 500_000))
"""Keys, and events per second."""
MAX_LOAD_SHARE = 0.6
"""The planned load of a core: the rest catches up after a restart."""
CORE_HOUR_PRICE = 0.05
"""Dollars per hour for a core with 4 GiB: insert your own."""
HEAD = """\
| keys | events/s | placement | cores | memory GB | state GB | state GB, each day kept | landing GB a day \
| feeds GB a day | $ a million events |
| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def format_sizing(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a Markdown table, computed from the row of each placement with the most keys and events."""
    result = {row["way"]: row for row in sorted(rows, key=lambda row: (row["keys"], row["events"]))}
    lines = [format_target(*target, way, row) for target in TARGETS for way, row in result.items()]
    return HEAD + "".join(lines)


def format_target(keys: int, rate: int, way: str, row: Mapping[str, Any]) -> str:
    """Return one target with the figures of one row."""
    of_a_core = row["eps_of_a_core"] or row["eps"]
    cores = math.ceil(rate / (of_a_core * MAX_LOAD_SHARE))
    memory = cores * row["peak_mb"] / max(row["cores"], 1) / 1e3
    state = keys * (row["state"] + row["checkpoint"]) / row["keys"] / 1e9
    sizes = (2 * row["state"], row["landing"], row["feed"])
    days = [rate * 86_400 * size / row["events"] / 1e9 for size in sizes]
    dollars = 1e6 / (of_a_core * MAX_LOAD_SHARE) / 3_600 * CORE_HOUR_PRICE
    cells = [f"{keys:,}", f"{rate:,}", f"`{way}`", f"{cores:,}"]
    cells += [f"{size:,.0f}" for size in (memory, state, *days)]
    return f"| {' | '.join([*cells, f'{dollars:.4f}'])} |\n"
