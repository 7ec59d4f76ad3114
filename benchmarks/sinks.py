"""Measure how fast rows are delivered, sink by sink, from a revision log on SQLite, and how long one row takes.

`python -m benchmarks.sinks [--rows N] [--only KIND]` prints one JSON object: for each sink the rows per second of a
backlog (all that the delivery does: read, spool, stage, publish, record), and the milliseconds from a version in the
log to its row in the target. Rows per second of CPU time are the steadier figure on a busy machine. Webhooks go to a
server in the same process. Kafka and PostgreSQL are real, and on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.mkdtemp(prefix="timelines-bench-sinks-"))
os.environ |= {
    "TIMELINE_DATA": str(FOLDER),
    "DATABASE_URL": "",
    "TIMELINE_REACHES": "loopback",
    "DJANGO_SETTINGS_MODULE": "timeline_app.settings",
}

import django  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from tests.broker import Broker  # noqa: E402
from tests.connectors.receiver import Receiver  # noqa: E402
from tests.postgres import Server  # noqa: E402
from tests.web.log import T, make_node, revise  # noqa: E402
from timeline_app.algebra.kinds import BEGINNING, OPEN  # noqa: E402
from timeline_app.connectors.sink_contract import IdempotentSink  # noqa: E402
from timeline_app.web.models import Node, NodeKey, Revision  # noqa: E402
from timeline_app.web.models.sinks import NodeSink  # noqa: E402
from timeline_app.web.sinks import deliveries  # noqa: E402
from timeline_app.web.sinks import services as sink_services  # noqa: E402

KEYS = 2_000
SINGLE = 30
"""The number of one-row versions that are timed."""


def create_filled_node(rows: int) -> Node:
    """Create a node with this many revisions of one piece each."""
    node = make_node(User.objects.create_user("bench"), kind="number", operator="event_count")
    versions = rows // KEYS
    fields = {"version": versions - 1, "known_at": T + versions - 1, "birth": T}
    keys = NodeKey.objects.bulk_create(
        NodeKey(node=node, key=f"k{number}", digest=NodeKey.digest_of(f"k{number}"), **fields)
        for number in range(KEYS)
    )
    for version in range(versions):
        start = T + version * 1_000 if version else BEGINNING
        shown_time = start if version else None
        Revision.objects.bulk_create(
            Revision(
                node_key=key, version=version, known_at=T + version, birth=T, start=start, end=OPEN,
                pieces=[[shown_time, float(version), 0.0]],
            )
            for key in keys
        )  # fmt: skip
    Node.objects.filter(pk=node.pk).update(version=versions - 1, as_of=T + versions - 1, final_until=T)
    node.refresh_from_db()
    return node


def carry(sink: NodeSink, target: IdempotentSink) -> int:
    """Deliver everything as the delivery does; return the number of rows."""
    spool, before = sink_services.get_spool(sink), sink.rows
    while (step := deliveries.read_next_batch(sink)) is not None:
        batch = sink.batch + 1
        if len(step.rows):
            step = spool.put(batch, step)
            target.stage(batch, step.rows)
            target.publish(batch)
        deliveries.record_step(sink, step)
        spool.drop(batch)
    return sink.rows - before


def measure(node: Node, kind: str, options: dict[str, Any]) -> dict[str, float]:
    """Measure a backlog, then versions of one row each."""
    assert node.owner is not None
    sink = sink_services.add_sink(
        node=node, user=node.owner, kind=kind, delivers="revisions", options=options
    )
    target = sink_services.build_sink(sink)
    target.open(sink_services.build_delivery(sink))
    started, worked = time.perf_counter(), time.process_time()
    rows = carry(sink, target)
    seconds, cpu, times = time.perf_counter() - started, time.process_time() - worked, []
    for number in range(SINGLE):
        with transaction.atomic():
            revise(node, "k0", [[T + 10**9 + number, 1.0, 0.0]], start=T + 10**9 + number)
        started = time.perf_counter()
        assert carry(sink, target) == 1
        times.append(time.perf_counter() - started)
    target.close()
    return {
        "rows_per_second": round(rows / seconds),
        "rows_per_cpu_second": round(rows / cpu),
        "one_row_ms": round(statistics.median(times) * 1e3, 1),
    }


def build_targets(only: str | None, stack: ExitStack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the kind and the options of each sink."""
    if only in (None, "parquet"):
        yield "parquet", {"folder": "parquet", "every": 0.0}
    if only in (None, "delta"):
        yield "delta", {"folder": "delta", "every": 0.0}
    if only in (None, "postgres"):
        server = stack.enter_context(Server(()))
        where = {"host": "127.0.0.1", "port": server.port, "database": "postgres", "user": "tests"}
        yield "postgres", where | {"password": server.password, "table": "rows"}
    if only in (None, "webhook"):
        receiver = Receiver("a secret of the benchmark")
        stack.callback(receiver.end)
        yield "webhook", {"url": receiver.url, "secret": "a secret of the benchmark"}
    if only in (None, "kafka"):
        broker = stack.enter_context(Broker())
        yield "kafka", {"servers": broker.servers, "topic": "rows"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    call_command("migrate", verbosity=0)
    node = create_filled_node(arguments.rows)
    with ExitStack() as stack:
        result = {
            kind: measure(node, kind, options) for kind, options in build_targets(arguments.only, stack)
        }
    print(json.dumps({"rows": arguments.rows, "keys": KEYS, "sinks": result}))


if __name__ == "__main__":
    main()
