"""Figures as Prometheus takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

Row = tuple[Any, ...]


def build_gauge_family(name: str, words: str, labels: Iterable[str] = (), rows: Iterable[Row] = ()) -> Metric:
    """A figure that goes up and down; each row is its labels and its value."""
    return _fill_family(GaugeMetricFamily(f"timelines_{name}", words, labels=list(labels)), rows)


def build_counter_family(
    name: str, words: str, labels: Iterable[str] = (), rows: Iterable[Row] = ()
) -> Metric:
    """A figure that only grows."""
    return _fill_family(CounterMetricFamily(f"timelines_{name}", words, labels=list(labels)), rows)


def _fill_family(family: Any, rows: Iterable[Row]) -> Metric:
    for *labels, value in rows:
        family.add_metric([str(label) for label in labels], float(value or 0))
    metric: Metric = family
    return metric
