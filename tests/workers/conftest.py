"""Queries and nodes in the database, as running plans make them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from timeline_app.compiler import Program, compile_plan
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import StreamDeclaration
from timeline_app.web.models import Node, Query
from workers.engine import launcher, publisher, supervisor
from workers.engine.attempts import Attempts
from workers.engine.publisher_crashes import _load_crash_counts
from workers.spark.connect.session import drop_session, get_session, list_active_queries

STREAM = {"key": "k", "time": "t", "allowed_lateness": "10s"}
MakeNode = Callable[..., Node]


def compile_programs(nodes: dict[str, Any]) -> dict[str, Program]:
    """The programs of a plan on the stream `s`, by the names of its nodes."""
    compiled = compile_plan({"version": 1, "streams": {"s": STREAM}, "nodes": nodes}, {})
    return {name: compiled.programs[digest] for name, digest in compiled.names.items()}


def build_state(field: str) -> dict[str, Any]:
    """A node that keeps the latest value of a field."""
    return {"op": "latest_event_to_state", "stream": "s", "params": {"field": field}}


@pytest.fixture(autouse=True)
def _new_publisher() -> None:
    """The publisher remembers nothing of another test: nodes of equal programs have equal names."""
    publisher.readings.clear()
    publisher.behind.broken.clear()
    publisher.attempts = Attempts()
    _load_crash_counts.cache_clear()
    publisher._resumed_at, publisher._any_resume = -math.inf, False


@pytest.fixture
def data(tmp_path: Path, settings: Settings) -> Path:
    """The data directory of the installation under test."""
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    return tmp_path


@pytest.fixture
def make_node(transactional_db: None, data: Path) -> MakeNode:
    """Makes a wanted query and its node from a program."""
    owner = User.objects.create_user("owner")

    def make(program: Program, **fields: Any) -> Node:
        query = Query.objects.create(
            name=program.digest,
            program=program.to_document(),
            desired=Query.Desired.RUNNING,
            **fields,
        )
        facts = {"operator": program.operator, "kind": program.kind.value, "owner": owner}
        facts |= {"program": query.program}
        return Node.objects.create(digest=program.digest, query=query, **facts)

    return make


@pytest.fixture
def remote(spark_remote: str, settings: Settings, data: Path) -> Iterator[str]:
    """Supervision of an installation of its own at the tests' Spark server."""
    settings.SPARK_REMOTE = spark_remote
    drop_session(spark_remote)
    yield spark_remote
    for query in list_active_queries(get_session(spark_remote, str(data))).values():
        query.stop()
    drop_session(spark_remote)


def run_rounds_until(until: Callable[[], bool]) -> None:
    """Reconcile, launch and publish until something is so."""
    last = time.monotonic() + 120
    while not until():
        assert time.monotonic() < last, list(Query.objects.values("observed", "words", "error"))
        for name in supervisor.reconcile():
            launcher.launch(name)
        publisher.publish_once()
        time.sleep(0.3)


def land_line(data: Path, line: bytes) -> None:
    """Events at the door."""
    declaration = StreamDeclaration.from_document("s", STREAM)
    Landing(Places(data).landing, "s").append(read_batch(line, declaration))


def read_query(node: Node) -> Query:
    """The query as it is now."""
    return Query.objects.get(pk=node.query_id)
