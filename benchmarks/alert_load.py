"""Measure alerts for `make bench-alerts`: `python -m benchmarks.alert_load KEYS FIRING`.

On the database of the environment, an alert follows a node of many keys, of which some fire. The publisher's own code
writes the revisions and incidents, and notifies pages.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from rest_framework.test import APIClient  # noqa: E402

from benchmarks.revision_log import (  # noqa: E402
    SECOND,
    Result,
    T,
    build_first_revisions,
    measure_times,
    print_progress,
)
from timeline_app.algebra.kinds import FALSE, NO_LABELS, OPEN, TRUE, Kind, Labels, Values  # noqa: E402
from timeline_app.algebra.revisions import Revisions  # noqa: E402
from timeline_app.compiler import compile_plan, parse_program  # noqa: E402
from timeline_app.compiler.placement import merge_programs  # noqa: E402
from timeline_app.feed.feed_rows import build_progress_row, build_rows, select_node_rows  # noqa: E402
from timeline_app.web.models import Node, Plan, PlanNode, Query  # noqa: E402
from timeline_app.web.models.alerts import ALL_KEYS, Alert, Incident  # noqa: E402
from workers.engine import publisher  # noqa: E402

SAMPLES = 100
STREAM = {"key": "k", "time": "t", "allowed_lateness": "1s"}
KEYS_PER_FIRST_BATCH = 5_000
CHANGING_KEYS = 15_000
"""The keys that the measured batches revise; of a query with more nodes, the others have only these."""
BATCHES = 150
REVISIONS_PER_BATCH = 200
"""Of each node."""
CHANGING_SHARE = 0.01
"""The share of the revisions of a batch that begin or end an incident."""
NODES_PER_QUERY = (1, 9)
"""One of the nodes has an alert; the demo has nine."""
PAGES = {
    "alerts": "/api/alerts/?limit=200",
    "alert": "/api/alerts/1/",
    "incidents_of_alert": "/api/alerts/1/incidents/?limit=200",
    "firing": "/api/incidents/?state=firing&limit=200",
    "search": "/api/incidents/?q=is:firing",
    "time_to_resolve": "/api/incidents/summary/?since=2023-11-01T00:00:00Z&until=2023-12-01T00:00:00Z",
    "incident": "/api/incidents/1/",
}


def create_query(name: str, count: int) -> tuple[Query, Node]:
    """Create a query of some bool nodes that a plan of the owner runs; return it with its first node."""
    owner, _ = User.objects.get_or_create(username="bench", defaults={"is_superuser": True, "is_staff": True})
    plan = Plan.objects.create(name=name, owner=owner, document={}, running=True)
    state = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "x"}}
    texts = [f"{name}_{number}" for number in range(count)]
    equal = {text: {"op": "equal_to", "inputs": {"of": "x"}, "params": {"value": text}} for text in texts}
    document = {"version": 1, "streams": {"s": STREAM}, "nodes": {"x": state, **equal}}
    compiled = compile_plan(document, {})
    programs = {text: compiled.programs[compiled.names[text]] for text in texts}
    program = merge_programs(list(programs.values())).to_document()
    query = Query.objects.create(name=name, program=program, desired=Query.Desired.RUNNING)
    nodes = [
        Node.objects.create(
            digest=own.digest,
            operator=own.operator,
            kind="bool",
            owner=owner,
            program=own.to_document(),
            query=query,
        )
        for own in programs.values()
    ]
    PlanNode.objects.bulk_create(
        PlanNode(plan=plan, node=node, name=text) for node, text in zip(nodes, texts, strict=True)
    )
    return query, nodes[0]


def create_alert(node: Node) -> Alert:
    """Create an alert that follows a node from its beginning."""
    use = PlanNode.objects.get(node=node)
    return Alert.objects.create(
        name="Hot", owner=node.owner, plan=use.plan, node_name=use.name, node=node, taken_until=ALL_KEYS
    )


def build_values(names: Labels, now: int, values: Values) -> Revisions:
    """Return revisions that say a value for each key from now on."""
    size = len(names)
    start, slopes = np.full(size, now), np.zeros(size)
    ends, offsets = np.full(size, OPEN), np.arange(size + 1)
    return Revisions(
        Kind.BOOL, names, np.full(size, T), start, ends, offsets, start, values, slopes, NO_LABELS
    )


def publish(query: Query, revisions: Revisions, now: int, nodes: Sequence[str] | None = None) -> None:
    """Publish the next batch: the same revisions for each of the nodes (by default all), all events seen until now."""
    query.refresh_from_db()
    own, rows = parse_program(query.program).nodes, build_rows(revisions)
    parts = [select_node_rows(rows, own.index(digest)) for digest in (own if nodes is None else nodes)]
    progress = select_node_rows(build_progress_row("s", now - SECOND, now, now, events=revisions.size))
    publisher.publish(query, query.position + 1, pa.concat_tables([*parts, progress]))


def fill(query: Query, first: Node, names: Labels) -> None:
    """Publish the first revisions: of all keys for the first node, of those that change later for the others."""
    others = [digest for digest in parse_program(query.program).nodes if digest != first.digest]
    for begin in range(0, len(names), KEYS_PER_FIRST_BATCH):
        revisions = build_first_revisions(names[begin : begin + KEYS_PER_FIRST_BATCH], Kind.BOOL)
        publish(query, revisions, T + begin + 1, [first.digest])
        if others and begin < CHANGING_KEYS:
            publish(query, revisions, T + begin + 1, others)


def measure_pace(count: int, names: Labels, firing: int) -> Result:
    """Publish to a query with an alert on one of its nodes, and to one without, in turn.

    `names` are the keys, of which the first `firing` fire throughout. Return the revisions per second of both.
    """
    pairs = [create_query(f"{name}_{count}", count) for name in ("plain", "watched")]
    create_alert(pairs[1][1])
    now = T + 1_000 * SECOND
    for query, first in pairs:
        fill(query, first, names)
        publish(query, build_values(names[:firing], now, np.full(firing, TRUE)), now, [first.digest])
    print_progress(f"{count} nodes with {len(names):,} keys")
    rng, seconds = np.random.default_rng(5), [0.0, 0.0]
    quiet, moving = names[2 * firing : CHANGING_KEYS], names[firing : 2 * firing]
    changing = int(REVISIONS_PER_BATCH * CHANGING_SHARE)
    for step in range(BATCHES):
        now = T + (10_000 + step) * SECOND
        some = rng.choice(quiet, REVISIONS_PER_BATCH - changing, replace=False)
        moved = rng.choice(moving, changing, replace=False)
        values = np.repeat([FALSE, TRUE if step % 2 else FALSE], [len(some), changing])
        revisions = build_values(np.concatenate([some, moved]), now, values)
        for place in (0, 1) if step % 2 else (1, 0):
            started = time.perf_counter()
            publish(pairs[place][0], revisions, now)
            seconds[place] += time.perf_counter() - started
    without, with_alert = (round(BATCHES * REVISIONS_PER_BATCH * count / taken) for taken in seconds)
    return {
        "revisions_per_s": without,
        "revisions_per_s_with_alert": with_alert,
        "ratio": round(with_alert / without, 3),
    }


def measure_pages(client: APIClient) -> dict[str, Result]:
    """Measure what the pages of alerts ask for, without a network."""
    figures = {}
    for name, address in PAGES.items():

        def ask(address: str = address) -> None:
            answer = client.get(address, headers={"host": "localhost"})
            assert answer.status_code == 200, answer.content

        ask()
        figures[name] = measure_times(ask, SAMPLES)
        print_progress(f"{name}: {figures[name]}")
    return figures


def measure(keys: int, firing: int) -> dict[str, Any]:
    """Measure everything."""
    call_command("migrate", verbosity=0)
    names = np.array([f"oven-{number:06}" for number in range(keys)], dtype=object)
    paces = {f"pace_of_{count}_nodes": measure_pace(count, names, firing) for count in NODES_PER_QUERY}
    firing_now = Incident.objects.filter(alert=1, state=Incident.State.FIRING).count()
    assert firing_now >= firing, firing_now
    client = APIClient()
    client.force_authenticate(User.objects.get())
    return {"pages": measure_pages(client), **paces}


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:3]))))
