"""All peers by name; each is imported where it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.events import Events
from benchmarks.peers.duckdb_sql import run_duckdb_sql
from benchmarks.peers.evaluated import build_document, evaluate_plan
from benchmarks.peers.numpy_kernel import run_numpy_kernel
from benchmarks.peers.polars_lazy import run_polars_lazy
from benchmarks.peers.question import Answer, Told, Way, time_answer

PRODUCT = ("together", "isolated")
BY_HAND = ("transform_with_state", "apply_in_pandas_with_state", "transform_with_state_in_pandas")
STREAMS = {
    **dict.fromkeys(PRODUCT, "product"),
    **dict.fromkeys([*BY_HAND, "noop"], "spark_streams"),
    **dict.fromkeys(["bytewax", "bytewax_durable"], "bytewax_flow"),
}
"""The modules of the streaming peers."""
REFERENCE = "numpy"
AT_ONCE: dict[str, Callable[[Path, int], Answer]] = {
    "evaluate": partial(evaluate_plan, build_document()),
    REFERENCE: run_numpy_kernel,
    "duckdb": run_duckdb_sql,
    "polars": run_polars_lazy,
}
"""The peers that read a whole file in this process."""
NAMES = (*STREAMS, *AT_ONCE, "pyspark_batch")


def find_way(name: str) -> Way:
    """Return the peer of that name."""
    if name in AT_ONCE:
        return partial(_answer_at_once, AT_ONCE[name])
    if name == "pyspark_batch":
        way: Way = import_module("benchmarks.peers.spark_batch").pyspark_batch
        return way
    streams: dict[str, Way] = import_module(f"benchmarks.peers.{STREAMS[name]}").WAYS
    return streams[name]


def _answer_at_once(answers: Callable[[Path, int], Answer], events: Events, last: int, work: Path) -> Told:  # noqa: ARG001
    """Answer after a warm-up on a few events, so that libraries are loaded."""
    answers(events.few, last)
    return time_answer(lambda: answers(events.whole, last), events.size)
