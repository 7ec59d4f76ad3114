"""The question of `make bench-evaluate`, CIRR on CDN1 only, in the ways that read a Parquet file and answer at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.peers.duckdb_sql import duckdb_sql
from benchmarks.peers.evaluated import document, evaluated
from benchmarks.peers.numpy_kernel import numpy_kernel
from benchmarks.peers.polars_lazy import polars_lazy
from benchmarks.peers.question import Answer

CDN = "CDN1"


def product(path: Path, last: int, *, ids: bool = False) -> Answer:
    """The product; of a stream that declares ids copies of an event count once."""
    return evaluated(document(ids=ids, cdn=CDN), path, last)


WAYS: dict[str, Callable[[Path, int], Answer]] = {
    "product": product,
    "product_ids": partial(product, ids=True),
    "numpy": partial(numpy_kernel, cdn=CDN),
    "duckdb": partial(duckdb_sql, cdn=CDN),
    "polars": partial(polars_lazy, cdn=CDN),
}
