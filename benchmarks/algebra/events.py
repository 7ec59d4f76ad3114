"""Add an amount and an end to the events of `benchmarks.events`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.events import FIELDS, SEED, land, write_events
from timeline_app.algebra.events import UNTIL

MAX_ROW_MS = 30_000


def write_amounts(path: Path, size: int, sessions: int | None = None) -> None:
    """Write a Parquet file whose events have amounts from 0.1 to 100 and last up to 30 s."""
    write_events(path, size, sessions)
    table, chance = pq.read_table(path), np.random.default_rng(SEED)
    amount = pa.array(chance.integers(1, 1_001, len(table)) / 10)
    end = pc.add(table["t"], pa.array(chance.integers(1, MAX_ROW_MS, len(table))))
    table = table.append_column("amount", amount).append_column("end", end)
    pq.write_table(table, path, row_group_size=1 << 17)


def land_amounts(root: Path, path: Path, a_file: int) -> None:
    """Write the same events as a landing."""
    table = pq.read_table(path)
    ends = pc.cast(pc.multiply(table["end"], 1_000), pa.string())
    amounts = pc.cast(table["amount"], pa.string())
    land(
        root,
        table.append_column(UNTIL, ends).set_column(6, "amount", amounts),
        a_file,
        (*FIELDS, "amount", UNTIL),
    )
