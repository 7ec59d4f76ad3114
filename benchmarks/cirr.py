"""The question of `make bench-evaluate`, CIRR on CDN1, for the peers that read a Parquet file in one go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.peers.duckdb_sql import run_duckdb_sql
from benchmarks.peers.evaluated import build_document, evaluate_plan
from benchmarks.peers.numpy_kernel import run_numpy_kernel
from benchmarks.peers.polars_lazy import run_polars_lazy
from benchmarks.peers.question import Answer

CDN = "CDN1"


def product(path: Path, last: int, *, ids: bool = False) -> Answer:
    """Run the product; if the stream declares ids, copies of an event count once."""
    return evaluate_plan(build_document(ids=ids, cdn=CDN), path, last)


WAYS: dict[str, Callable[[Path, int], Answer]] = {
    "product": product,
    "product_ids": partial(product, ids=True),
    "numpy": partial(run_numpy_kernel, cdn=CDN),
    "duckdb": partial(run_duckdb_sql, cdn=CDN),
    "polars": partial(run_polars_lazy, cdn=CDN),
}
