"""Metrics for Prometheus: counted in this process, or read from the database and Redis on each scrape."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

from timeline_app.web.ops.figures import Figures

REGISTRY = CollectorRegistry()
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "SOCKET"})
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
REQUESTS = Counter(
    "timelines_http_requests",
    "Requests that were answered, by the name of their address; sockets at their end",
    ["method", "route", "status"],
    registry=REGISTRY,
)
SECONDS = Histogram(
    "timelines_http_request_seconds",
    "Time from a request to the end of its answer",
    ["method", "route"],
    buckets=BUCKETS,
    registry=REGISTRY,
)
ProcessCollector(registry=REGISTRY)
REGISTRY.register(Figures())


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request. Only names of our own become labels."""
    method, route = (method if method in METHODS else "other"), route or "none"
    REQUESTS.labels(method, route, str(status)).inc()
    if method != "SOCKET":
        SECONDS.labels(method, route).observe(seconds)
