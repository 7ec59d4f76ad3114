"""`/metrics`: true figures for those who run the product, at a cost that does not grow."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.test_logs import send_request
from timeline_app.settings import ROOT
from timeline_app.web.core import open_sockets, process_heartbeats
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.ops import figures, tasks, worker_counts
from timeline_app.web.ops.bounded_probes import BoundedProbe
from timeline_app.web.ops.metrics import REGISTRY, count_request
from timeline_app.web.sinks.services import add_sink

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "a token of some length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
Found = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture(autouse=True)
def _fresh(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is remembered from the test before, and Redis says what it would."""
    settings.METRICS_TOKEN = TOKEN
    done = {("supervise", "success"): (7, 1.5), ("launch", "failure"): (1, 0.25)}
    monkeypatch.setattr(worker_counts, "read", lambda _client: (done, 3))
    clear_figures()
    yield
    clear_figures()


def clear_figures() -> None:
    for name in list(REGISTRY._collector_to_names):
        if isinstance(name, figures.Figures):
            for part in name.parts.values():
                part.clear()


def scrape(**headers: str) -> Found:
    """All samples, by name and labels."""
    clear_figures()
    answer = Client().get("/metrics", headers=BEARER | headers)
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def read_value(result: Found, name: str, **labels: str) -> float:
    return result[f"timelines_{name}", tuple(sorted(labels.items()))]


def create_query(name: str, **has: Any) -> Query:
    known_values = {"observed": "running", "desired": "running", "program": {}}
    return Query.objects.create(name=name, **(known_values | has))


def test_figures_are_for_those_who_run_it(
    nobody: APIClient, api: APIClient, roots: APIClient, settings: Settings
) -> None:
    refused = nobody.get("/metrics")
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert api.get("/metrics").status_code == 403
    assert roots.get("/metrics").status_code == 200
    assert nobody.get("/metrics", headers=BEARER).status_code == 200
    for rejected in ("Bearer", "Bearer wrong", f"Token {TOKEN}", TOKEN, f"Bearer {TOKEN}x"):
        assert nobody.get("/metrics", headers={"Authorization": rejected}).status_code == 401
    settings.METRICS_TOKEN = ""
    for none in ("Bearer ", "Bearer", BEARER["Authorization"]):
        assert nobody.get("/metrics", headers={"Authorization": none}).status_code == 401


def test_both_formats_can_be_read_back() -> None:
    text = Client().get("/metrics", headers=BEARER)
    assert text.headers["Content-Type"].startswith("text/plain")
    newer = Client().get(
        "/metrics", headers=BEARER | {"Accept": "application/openmetrics-text; version=1.0.0"}
    )
    assert newer.headers["Content-Type"].startswith("application/openmetrics-text")
    read: Any = openmetrics.text_string_to_metric_families
    names = {family.name for family in read(newer.content.decode())}
    assert {"timelines_http_requests", "timelines_queries", "timelines_tasks"} <= names


def test_streams_are_counted_by_name(player: Stream) -> None:
    Stream.objects.update(events=10, late=3, too_late=2, refused=1)
    result = scrape()
    answer = {
        name: read_value(result, f"stream_events_{name}_total", stream="player")
        for name in ("taken", "late", "too_late", "refused")
    }
    assert answer == {"taken": 10, "late": 3, "too_late": 2, "refused": 1}


def test_queries_are_counted_by_state_and_told_one_by_one() -> None:
    create_query(
        "a", lag=5, restarts=2, batch_ms=1500, state_bytes=1024, backlog=9, backlog_since=timezone.now()
    )
    create_query("b", observed="retrying", backlog=7)
    create_query("c", observed="stopped", desired="stopped")
    result = scrape()
    states = {state: read_value(result, "queries", state=state) for state in Query.Observed.values}
    assert states == {"running": 1, "retrying": 1, "stopped": 1, "starting": 0, "stopping": 0, "failed": 0}
    assert read_value(result, "query_lag_events", query="a") == 5
    assert read_value(result, "query_restarts", query="a") == 2
    assert read_value(result, "query_batch_seconds", query="a") == 1.5
    assert read_value(result, "query_state_bytes", query="a") == 1024
    assert (
        read_value(result, "query_catch_up_events", query="a"),
        read_value(result, "query_catch_up_events", query="b"),
    ) == (9, 0)
    assert read_value(result, "queries_catching_up") == 1
    assert ("timelines_query_lag_events", (("query", "c"),)) not in result


def test_nodes_plans_and_the_log_are_summed(ada: User, plan: Plan) -> None:
    for index in range(3):
        Node.objects.create(
            digest=str(index), operator="not", kind="bool", owner=ada, query=create_query(str(index)),
            events=10, late=1, revisions=100,
        )  # fmt: skip
    Plan.objects.update(running=True)
    result = scrape()
    assert read_value(result, "nodes") == 3
    assert read_value(result, "node_events_total") == 30
    assert read_value(result, "node_late_total") == 3
    assert read_value(result, "revisions_written_total") == 300
    assert read_value(result, "plans_running") == 1
    assert read_value(result, "database_bytes") > 10_000


def test_sinks_are_counted_by_state_and_told_one_by_one(ada: User) -> None:
    node = Node.objects.create(digest="d", operator="not", kind="bool", owner=ada, query=create_query("q"))
    sink = add_sink(node=node, user=ada, kind="parquet", delivers="final", options={"folder": "a"})
    add_sink(node=node, user=ada, kind="parquet", delivers="final", options={"folder": "b"}, paused=True)
    NodeSink.objects.filter(pk=sink.pk).update(observed="retrying", lag=7, rows=70)
    result, place = scrape(), {"sink": str(sink.pk), "kind": "parquet"}
    assert [read_value(result, "sinks", state=state) for state in ("retrying", "paused", "delivering")] == [
        1,
        1,
        0,
    ]
    assert read_value(result, "sink_lag_versions", **place) == 7
    assert read_value(result, "sink_rows_total", **place) == 70


def test_alerts_tell_what_fires_and_what_waits_to_be_sent(ada: User) -> None:
    plan = Plan.objects.create(name="Ovens", owner=ada, document={})
    alert = Alert.objects.create(name="hot", owner=ada, plan=plan, node_name="hot")
    for state, key in (("firing", "a"), ("firing", "b"), ("pending", "c"), ("resolved", "d")):
        Incident.objects.create(alert=alert, key=key, key_digest=b"x", state=state, known_at=0, changed_at=0)
    channel = AlertChannel.objects.create(name="hook", owner=ada, kind="webhook", sent=5)
    route = AlertRoute.objects.create(alert=alert, channel=channel)
    now = timezone.now()
    made: list[dict[str, Any]] = [{}, {"attempts": 2}, {"sent_at": now, "given_up": True}, {"sent_at": now}]
    for number, fields in enumerate(made):
        AlertNotification.objects.create(route=route, number=number, body={}, **fields)
    result = scrape()
    assert read_value(result, "alerts") == 1
    assert [read_value(result, "incidents", state=state) for state in ("firing", "pending")] == [2, 1]
    kind = {"kind": "webhook"}
    counts = {
        name: read_value(result, f"alert_messages_{name}", **kind)
        for name in ("waiting", "retried", "dropped")
    }
    assert counts == {"waiting": 2, "retried": 1, "dropped": 1}
    assert read_value(result, "alert_messages_sent_total", **kind) == 5


def test_processes_tell_of_themselves() -> None:
    assert ("timelines_publisher_lag_seconds", ()) not in scrape()
    process_heartbeats.record_heartbeat("publisher", lag=2.5, broken=1)
    process_heartbeats.record_heartbeat("supervisor")
    result = scrape()
    assert read_value(result, "publisher_lag_seconds") == 2.5
    assert read_value(result, "publisher_broken_feeds") == 1
    assert 0 <= read_value(result, "process_silent_seconds", process="supervisor") < 60


def test_tasks_come_from_redis() -> None:
    result = scrape()
    assert read_value(result, "tasks_total", task="supervise", outcome="success") == 7
    assert read_value(result, "tasks_seconds_total", task="launch", outcome="failure") == 0.25
    assert read_value(result, "tasks_waiting") == 3


async def test_requests_are_counted_by_the_name_of_their_address() -> None:
    before = REGISTRY.get_sample_value("timelines_http_requests_total", build_labels("healthz")) or 0
    for _ in range(3):
        await send_request("/healthz")
    await send_request("/nowhere/at/all")
    assert REGISTRY.get_sample_value("timelines_http_requests_total", build_labels("healthz")) == before + 3
    assert (REGISTRY.get_sample_value("timelines_http_requests_total", build_labels("none", "404")) or 0) > 0
    took = {"method": "GET", "route": "healthz"}
    assert (REGISTRY.get_sample_value("timelines_http_request_seconds_count", took) or 0) >= 3


def build_labels(route: str, status: str = "200") -> dict[str, str]:
    return {"method": "GET", "route": route, "status": status}


def test_nobody_can_make_labels() -> None:
    for method in ("BREW", "get", "G\nET", "x" * 1000):
        count_request(method, "", 400, 0.1)
    samples = [sample for family in REGISTRY.collect() for sample in family.samples]
    methods = {sample.labels["method"] for sample in samples if "method" in sample.labels}
    assert methods <= {"GET", "POST", "SOCKET", "other", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"}


@pytest.mark.parametrize("name", ['say "hi"', "back\\slash", "grün ✓", "{x=1}", "#help"])
def test_any_name_of_a_stream_is_carried(name: str, ada: User) -> None:
    Stream.objects.create(name=name, document={}, owner=ada, events=4)
    assert read_value(scrape(), "stream_events_taken_total", stream=name) == 4


def test_the_cost_does_not_grow(ada: User) -> None:
    with CaptureQueriesContext(connection) as before:
        list(figures.collect_database_metrics())
    Query.objects.bulk_create(Query(name=f"q{n}", program={}, desired="running") for n in range(500))
    Stream.objects.bulk_create(Stream(name=f"s{n}", document={}, owner=ada) for n in range(300))
    with CaptureQueriesContext(connection) as after:
        list(figures.collect_database_metrics())
    assert len(after) == len(before) <= 14


def test_there_is_an_end_to_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MAX_LABELLED_ROWS", 3)
    Query.objects.bulk_create(
        Query(name=f"q{n}", program={}, desired="running", observed="running") for n in range(9)
    )
    result = scrape()
    assert len([name for name, _ in result if name == "timelines_query_lag_events"]) == 3
    assert read_value(result, "queries", state="running") == 9


def test_what_cannot_be_read_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_client: Any) -> None:
        raise OSError("no Redis here")

    monkeypatch.setattr(worker_counts, "read", fail)
    result = scrape()
    assert read_value(result, "scrape_failed", part="redis") == 1
    assert read_value(result, "scrape_failed", part="database") == 0
    assert not any(name.startswith("timelines_tasks") for name, _ in result)


@pytest.mark.parametrize("trouble", ["away", "hangs"])
def test_figures_come_without_the_database_too(trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def raise_database_error() -> list[Any]:
        if trouble == "hangs":
            release.wait(20)
        raise DatabaseError("gone")

    (mine,) = [name for name in REGISTRY._collector_to_names if isinstance(name, figures.Figures)]
    monkeypatch.setitem(mine.parts, "database", BoundedProbe(raise_database_error, 0.2, 0.0))
    result = scrape()
    release.set()
    assert read_value(result, "scrape_failed", part="database") == 1
    assert ("timelines_sockets", ()) in result


def test_a_task_is_counted_and_a_redis_that_is_away_ends_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked:
        name = "workers.tasks.launch"
        request = None

    counted: list[tuple[str, str]] = []
    monkeypatch.setattr(
        worker_counts, "count", lambda task, outcome, _seconds: counted.append((task, outcome))
    )
    tasks.begin_task("t1", Asked)
    tasks.end_task("t1", Asked, "FAILURE")
    tasks.end_task("t2", Asked, "SUCCESS")
    assert counted == [("launch", "failure")]

    def raise_away(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(worker_counts, "count", raise_away)
    tasks.begin_task("t3", Asked)
    tasks.end_task("t3", Asked, "SUCCESS")


def test_open_sockets_are_counted_while_they_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_sockets, "_open", {})  # those that another test's page has left to the collector
    ranking = SimpleNamespace(top=3)
    followed = {"subscriptions": {"a": object(), "b": ranking}, "watches": {1: object()}}
    page = SimpleNamespace(**followed, presence=SimpleNamespace(plans={1: [], 2: []}))
    open_sockets.count_opened(page)
    result = scrape()
    assert read_value(result, "sockets") == open_sockets.count()
    answer = {kind: read_value(result, "subscriptions", kind=kind) for kind in open_sockets.KINDS}
    assert answer == {"node": 1, "ranking": 1, "status": 1, "presence": 2}
    open_sockets.count_closed(page)
    assert read_value(scrape(), "sockets") == 0


def parse_documented() -> dict[str, tuple[str, str]]:
    """Kind and labels of each figure that the page tells of."""
    rows = re.findall(
        r"^\| `((?:timelines|process)_\w+)` \| (\w+) \| ([^|]*) \|",
        (ROOT / "docs/operations.md").read_text(),
        re.M,
    )
    return {name: (kind, labels.strip()) for name, kind, labels in rows}


def test_the_page_tells_of_every_figure(player: Stream, ada: User) -> None:
    node = Node.objects.create(digest="d", operator="not", kind="bool", owner=ada, query=create_query("q"))
    add_sink(node=node, user=ada, kind="parquet", delivers="final", options={"folder": "a"})
    create_query("a")
    process_heartbeats.record_heartbeat("publisher", lag=0.0, broken=0)
    sockets_open = {"timelines_subscriptions": ["kind"]}
    count_request("GET", "x", 200, 0.1)
    result: dict[str, tuple[str, str]] = {}
    for family in REGISTRY.collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        named = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
        result[name] = (family.type, ", ".join(f"`{label}`" for label in named or sockets_open.get(name, [])))
    assert parse_documented() == result


@pytest.mark.parametrize("file", ["docs/grafana-dashboard.json", "docs/prometheus-alerts.yaml"])
def test_what_we_give_to_others_asks_for_figures_that_are_there(file: str) -> None:
    text = Path(ROOT / file).read_text()
    loaded = json.loads(text) if file.endswith("json") else yaml.safe_load(text)
    assert loaded
    names = set(re.findall(r"\b(?:timelines|process)_[a-z_]+", text))
    known = set(parse_documented()) | {"timelines_http_request_seconds_bucket"}
    assert names <= known
    assert len(names) > 5
