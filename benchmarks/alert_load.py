"""Measure alerts for `make bench-alerts`: `python -m benchmarks.alert_load KEYS FIRING`.

On the database of the environment, an alert follows a node of many keys, of which some fire. The publisher's own code
writes the revisions and incidents.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

import numpy as np  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from rest_framework.test import APIClient  # noqa: E402

from benchmarks.revision_log import (  # noqa: E402
    SECOND,
    Result,
    T,
    build_first_revisions,
    measure_times,
    print_progress,
    publish,
)
from timeline_app.algebra.kinds import FALSE, NO_LABELS, OPEN, TRUE, Kind, Labels, Values  # noqa: E402
from timeline_app.algebra.revisions import Revisions  # noqa: E402
from timeline_app.web.models import Node, Plan, PlanNode, Query  # noqa: E402
from timeline_app.web.models.alerts import ALL_KEYS, Alert, Incident  # noqa: E402
from workers.engine.alert_writer import write_alerts  # noqa: E402

SAMPLES = 100
KEYS_PER_FIRST_VERSION = 5_000
VERSIONS = 400
REVISIONS_PER_VERSION = 200
CHANGING_SHARE = 0.01
"""The share of the revisions of a version that begin or end an incident."""
NODES_PER_PLAN = 9
"""The nodes of the demo, of which one has an alert, for the last ratio."""
PAGES = {
    "alerts": "/api/alerts/?limit=200",
    "alert": "/api/alerts/1/",
    "incidents_of_alert": "/api/alerts/1/incidents/?limit=200",
    "firing": "/api/incidents/?state=firing&limit=200",
    "search": "/api/incidents/?q=is:firing",
    "time_to_resolve": "/api/incidents/summary/?since=2023-11-01T00:00:00Z&until=2023-12-01T00:00:00Z",
    "incident": "/api/incidents/1/",
}


def create_node(name: str) -> Node:
    """Create a bool node of the owner's plan, without revisions."""
    owner, _ = User.objects.get_or_create(username="bench", defaults={"is_superuser": True, "is_staff": True})
    plan, _ = Plan.objects.get_or_create(
        name="Bench", owner=owner, defaults={"document": {}, "running": True}
    )
    query = Query.objects.create(name=name, program={})
    node = Node.objects.create(digest=name, operator="alert", kind="bool", owner=owner, query=query)
    PlanNode.objects.create(plan=plan, node=node, name=name)
    return node


def build_values(names: Labels, now: int, values: Values) -> Revisions:
    """Return revisions that say a value for each key from now on."""
    size = len(names)
    start, slopes = np.full(size, now), np.zeros(size)
    ends, offsets = np.full(size, OPEN), np.arange(size + 1)
    return Revisions(
        Kind.BOOL, names, np.full(size, T), start, ends, offsets, start, values, slopes, NO_LABELS
    )


def write_version(node: Node, revisions: Revisions, now: int, *, alerts: bool) -> None:
    """Write a version as the publisher does, in one transaction."""
    with transaction.atomic():
        publish(node, now, revisions)
        if alerts:
            write_alerts(node, revisions, now, now)


def measure_pace(nodes: list[Node], names: Labels, quiet: Labels) -> Result:
    """Write versions to a node with an alert and to one without, in turn; return revisions per second of each."""
    rng, seconds = np.random.default_rng(5), [0.0, 0.0]
    changing = int(REVISIONS_PER_VERSION * CHANGING_SHARE)
    for step in range(VERSIONS):
        now = T + (10_000 + step) * SECOND
        some = rng.choice(quiet, REVISIONS_PER_VERSION - changing, replace=False)
        moved = rng.choice(names, changing, replace=False)
        values = np.repeat([FALSE, TRUE if step % 2 else FALSE], [len(some), changing])
        revisions = build_values(np.concatenate([some, moved]), now, values)
        for node in nodes if step % 2 else nodes[::-1]:
            has_alert = node.digest == "watched"
            started = time.perf_counter()
            write_version(node, revisions, now, alerts=has_alert)
            seconds[has_alert] += time.perf_counter() - started
    without, with_alert = (round(VERSIONS * REVISIONS_PER_VERSION / taken) for taken in seconds)
    plan = NODES_PER_PLAN / (NODES_PER_PLAN - 1 + without / with_alert)
    return {
        "revisions_per_s": without,
        "revisions_per_s_with_alert": with_alert,
        "ratio": round(with_alert / without, 3),
        "ratio_of_nine_nodes": round(plan, 3),
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
    nodes = [create_node("plain"), create_node("watched")]
    names = np.array([f"oven-{number:06}" for number in range(keys)], dtype=object)
    owner, plan = User.objects.get(), Plan.objects.get()
    Alert.objects.create(
        name="Hot", owner=owner, plan=plan, node_name="watched", node=nodes[1], taken_until=ALL_KEYS
    )
    for node in nodes:
        for begin in range(0, keys, KEYS_PER_FIRST_VERSION):
            some = names[begin : begin + KEYS_PER_FIRST_VERSION]
            first = build_first_revisions(some, Kind.BOOL)
            write_version(node, first, T + begin + 1, alerts=node is nodes[1])
    print_progress(f"{keys:,} keys")
    now = T + 1_000 * SECOND
    write_version(
        nodes[1], build_values(names[:firing], now, np.full(firing, TRUE)), now + SECOND, alerts=True
    )
    assert Incident.objects.filter(state=Incident.State.FIRING).count() == firing
    client = APIClient()
    client.force_authenticate(owner)
    pages = measure_pages(client)
    return {"pages": pages, "pace": measure_pace(nodes, names[firing : 2 * firing], names[2 * firing :])}


if __name__ == "__main__":
    print(json.dumps(measure(*map(int, sys.argv[1:3]))))
