"""Metrics of the whole installation, read on each scrape with a constant number of statements."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone
from prometheus_client.metrics_core import Metric
from redis import Redis

from timeline_app.web.core import open_sockets
from timeline_app.web.core.disk_space import measure_free_bytes
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.models.operations import Heartbeat
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.ops import worker_counts
from timeline_app.web.ops.alert_figures import collect_alert_metrics
from timeline_app.web.ops.bounded_probes import BoundedProbe
from timeline_app.web.ops.metric_families import Row, build_counter_family, build_gauge_family

MAX_LABELLED_ROWS = 2_000
"""Of streams, queries and sinks with separate metrics."""
READ_TIMEOUT_S, FRESH_S = 5.0, 0.5
log = logging.getLogger(__name__)


class Figures:
    """A collector; what cannot be read in time is left out and reported."""

    def __init__(self) -> None:
        parts = {"database": collect_database_metrics, "redis": collect_task_metrics}
        self.parts = {
            name: BoundedProbe(lambda read=read: list(read()), READ_TIMEOUT_S, FRESH_S)  # type: ignore[misc]
            for name, read in parts.items()
        }

    def describe(self) -> list[Metric]:
        """Return nothing, so that registration reads nothing."""
        return []

    def collect(self) -> Iterator[Metric]:
        yield build_gauge_family(
            "sockets", "Sockets that are open in this process", (), [(open_sockets.count(),)]
        )
        followed = open_sockets.count_subscriptions().items()
        yield build_gauge_family("subscriptions", "What open pages follow, by kind", ["kind"], followed)
        failed: list[Row] = []
        for part in self.parts.values():
            part.begin()
        for name, part in self.parts.items():
            try:
                yield from part.answer()
                failed.append((name, 0))
            except Exception as why:
                log.warning("the figures of %s could not be read: %s: %s", name, type(why).__name__, why)
                failed.append((name, 1))
        yield build_gauge_family(
            "scrape_failed", "1 where a part could not be read, and its figures are missing", ["part"], failed
        )


def collect_database_metrics() -> Iterator[Metric]:
    """Yield metrics of streams, queries, nodes, plans, and background processes."""
    yield from _collect_stream_metrics()
    yield from _collect_query_metrics()
    yield from _collect_node_metrics()
    yield from _collect_sink_metrics()
    yield from collect_alert_metrics()
    yield build_gauge_family(
        "plans_running", "Plans that run", (), [(Plan.objects.filter(running=True).count(),)]
    )
    yield build_gauge_family(
        "database_bytes",
        "Size of the database, most of which is the revision log",
        (),
        [(measure_database_bytes(),)],
    )
    yield build_gauge_family(
        "disk_free_bytes", "Free bytes on the disk of the web process", (), [(measure_free_bytes(),)]
    )
    yield from _collect_process_metrics()


def _collect_stream_metrics() -> Iterator[Metric]:
    names = ("events", "refused", "late", "too_late")
    rows = list(Stream.objects.order_by("pk").values_list("name", *names)[:MAX_LABELLED_ROWS])
    words = {
        "events": "Events that were taken at the door",
        "refused": "Lines that were refused at the door",
        "late": "Events that came behind the allowed lateness",
        "too_late": "Events that came older than the retention",
    }
    for number, name in enumerate(names, 1):
        label = "taken" if name == "events" else name
        yield build_counter_family(
            f"stream_events_{label}", words[name], ["stream"], [(row[0], row[number]) for row in rows]
        )


PER_QUERY = {
    "lag": ("lag_events", "Events that wait to be read (of a query that reads nodes: batches)", 1.0),
    "restarts": ("restarts", "Used of the restart budget; given back after two healthy minutes", 1.0),
    "batch_ms": (
        "batch_seconds",
        "Mean time that the newest batches took, without the first after a start",
        0.001,
    ),
    "state_bytes": ("state_bytes", "Size of the state store", 1.0),
    "events_per_second": ("events_per_second", "Rows read a second", 1.0),
    "backlog": ("catch_up_events", "Greatest lag of the catch-up that is going on; 0: none is", 1.0),
}


def _collect_query_metrics() -> Iterator[Metric]:
    counts = dict(Query.objects.values_list("observed").annotate(Count("pk")))
    by_state = [(state, counts.get(state, 0)) for state in Query.Observed.values]
    yield build_gauge_family("queries", "Spark queries by what was seen of them", ["state"], by_state)
    queries = Query.objects.filter(desired=Query.Desired.RUNNING).order_by("pk")
    rows = list(queries.values_list("name", "backlog_since", *PER_QUERY)[:MAX_LABELLED_ROWS])
    for number, (column, (name, words, scale)) in enumerate(PER_QUERY.items(), 2):
        rows_of_metric = [
            (row[0], 0 if column == "backlog" and row[1] is None else row[number] * scale) for row in rows
        ]
        yield build_gauge_family(f"query_{name}", words, ["query"], rows_of_metric)
    yield build_gauge_family(
        "queries_catching_up", "Queries that catch up", (), [(sum(row[1] is not None for row in rows),)]
    )


def _collect_node_metrics() -> Iterator[Metric]:
    words = {
        "events": "Events that nodes have taken in",
        "late": "Of those, behind what was final",
        "too_late": "Of those, older than the retention and not applied",
        "duplicates": "Copies of events, left out",
        "conflicts": "Copies that differed from the first",
        "revisions": "Revisions that were written into the log",
    }
    totals = Node.objects.aggregate(nodes=Count("pk"), **{f"all_{name}": Sum(name) for name in words})
    yield build_gauge_family("nodes", "Nodes that are known", (), [(totals["nodes"],)])
    given_up = Node.objects.exclude(failure="").count()
    yield build_gauge_family(
        "nodes_given_up", "Nodes that were given up, though their query goes on", (), [(given_up,)]
    )
    for name, words_of_metric in words.items():
        full = "revisions_written" if name == "revisions" else f"node_{name}"
        yield build_counter_family(full, words_of_metric, (), [(totals[f"all_{name}"],)])


def _collect_sink_metrics() -> Iterator[Metric]:
    counts = dict(NodeSink.objects.values_list("observed").annotate(Count("pk")).order_by())
    by_state = [(state, counts.get(state, 0)) for state in NodeSink.Observed.values]
    yield build_gauge_family("sinks", "Sinks by what was seen of them", ["state"], by_state)
    rows = list(
        NodeSink.objects.filter(paused=False).values_list("pk", "kind", "lag", "rows")[:MAX_LABELLED_ROWS]
    )
    rows_of_metric = [(str(number), kind, lag) for number, kind, lag, _ in rows]
    yield build_gauge_family(
        "sink_lag_versions",
        "Versions of their nodes that wait to be delivered",
        ["sink", "kind"],
        rows_of_metric,
    )
    sent = [(str(number), kind, count) for number, kind, _, count in rows]
    yield build_counter_family("sink_rows", "Rows that were delivered", ["sink", "kind"], sent)


def _collect_process_metrics() -> Iterator[Metric]:
    now, beats = timezone.now(), {heartbeat.name: heartbeat for heartbeat in Heartbeat.objects.all()}
    silent = [(name, (now - beat.at).total_seconds()) for name, beat in beats.items()]
    yield build_gauge_family(
        "process_silent_seconds",
        "Since a process behind the pages last said that it works",
        ["process"],
        silent,
    )
    facts = beats["publisher"].facts if "publisher" in beats else {}
    yield build_gauge_family(
        "publisher_lag_seconds",
        "Longest that a batch lately waited for the publisher",
        (),
        _build_single_row(facts, "lag"),
    )
    words = "Feeds that cannot be published, and are tried again"
    yield build_gauge_family("publisher_broken_feeds", words, (), _build_single_row(facts, "broken"))


def _build_single_row(facts: dict[str, Any], name: str) -> list[Row]:
    return [(facts[name],)] if name in facts else []


def measure_database_bytes() -> int:
    """Return the size of the database on disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    files = (Path(f"{connection.settings_dict['NAME']}{end}") for end in ("", "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def collect_task_metrics() -> Iterator[Metric]:
    """Yield metrics of finished and waiting tasks."""
    with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1) as client:
        task_counts, waiting = worker_counts.read(client)
    counts = [(task, outcome, count) for (task, outcome), (count, _) in task_counts.items()]
    yield build_counter_family("tasks", "Tasks that workers have ended", ["task", "outcome"], counts)
    spent = [(task, outcome, seconds) for (task, outcome), (_, seconds) in task_counts.items()]
    yield build_counter_family("tasks_seconds", "Time that they took", ["task", "outcome"], spent)
    yield build_gauge_family("tasks_waiting", "Tasks that wait for a worker", (), [(waiting,)])
