"""One question for all: the seconds of connection-induced rebuffering of each session.

Rebuffering counts while the session has played before, has not sought within the last five seconds, and its latest
player state is buffer; up to the last event of the file (`last`, milliseconds). With a CDN it counts only while that is
the latest one of the session. An answer has sessions, and microseconds for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.batches import Batch
from benchmarks.events import Events
from timeline_app.algebra.kinds import Ints

WINDOW_MS = 5_000
"""The time after a seek that does not count."""
WARM = "warm"
"""The folder of what a Spark answers before it is measured: it compiles code while it first runs."""
Answer: TypeAlias = tuple[Sequence[str], Ints]
"""Sessions, and the microseconds of each."""


@dataclass(frozen=True, slots=True)
class Told:
    """The outcome of a peer: its answer (None if it has none), and the batches of each query."""

    answer: Answer | None
    queries: Sequence[Sequence[Batch]]
    cpu: float | None = None
    """CPU seconds, if this process did all the work."""


def time_answer(answers: Callable[[], Answer], size: int) -> Told:
    """Time an answer that this process computes."""
    started, before = time.time(), time.process_time()
    answer = answers()
    return Told(answer, [[Batch(started, time.time(), size)]], time.process_time() - before)


Way: TypeAlias = Callable[[Events, int, Path], Told]
"""Takes events, the last instant and an empty folder."""


def write_answer(path: Path, answer: Answer) -> None:
    """Write an answer, so that others can compare it."""
    sessions, micros = answer
    table = pa.table({"session": pa.array(sessions, pa.string()), "micros": pa.array(micros, pa.int64())})
    pq.write_table(table.sort_by("session"), path)


def read_answer(path: Path) -> dict[str, int]:
    table = pq.read_table(path)
    return dict(zip(table["session"].to_pylist(), table["micros"].to_pylist(), strict=True))


def describe_difference(right: Mapping[str, int], other: Mapping[str, int]) -> str:
    """Return how an answer differs from the right one; empty if it does not."""
    differing = sorted(name for name in right.keys() | other.keys() if right.get(name) != other.get(name))
    differences = ", ".join(
        f"{name} {other.get(name)} instead of {right.get(name)} µs" for name in differing[:3]
    )
    return f"{len(differing):,} of {len(right):,} sessions differ: {differences}" if differing else ""


def extrapolate_rows(rows: pa.Table, last: int) -> Answer:
    """Return the answer from rows (session, t, spent, since) of a stream: the latest row of each session, up to `last`.

    `spent` is the time counted at `t`; `since` is the instant from which it goes on, None if it does not.
    """
    rows = rows.sort_by([("session", "ascending"), ("t", "descending")])
    session = rows["session"].to_numpy(zero_copy_only=False)
    newest = np.flatnonzero(np.append(True, session[1:] != session[:-1])) if len(rows) else np.empty(0, int)
    rows = rows.take(pa.array(newest))
    since = rows["since"].fill_null(last).to_numpy()
    return session[newest].tolist(), (rows["spent"].to_numpy() + np.maximum(last - since, 0)) * 1_000
