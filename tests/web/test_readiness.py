"""`/healthz` says that the process lives, `/readyz` whether all that it stands on does; neither hangs or chatters."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from timeline_app.web.core import process_heartbeats
from timeline_app.web.models import Query
from timeline_app.web.models.operations import Heartbeat
from timeline_app.web.ops import probes, readiness
from timeline_app.web.ops.bounded_probes import BoundedProbe, ProbeTimeout
from timeline_app.web.ops.probes import Degraded

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]
TOKEN = "a token of some length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
Say = Callable[[str, Callable[[], str]], None]


@pytest.fixture
def replace_probe(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Let a part answer something else."""

    def replace_question(name: str, answer: Callable[[], str]) -> None:
        monkeypatch.setitem(readiness.PROBES, name, BoundedProbe(answer, 0.3, 0.0))

    return replace_question


@pytest.fixture
def healthy_parts(replace_probe: Say) -> None:
    for name in readiness.PARTS:
        replace_probe(name, lambda: "answers")


def fail(error: Exception) -> Callable[[], str]:
    def raise_error() -> str:
        raise error

    return raise_error


def test_alive_asks_nothing(django_assert_num_queries: Callable[..., object]) -> None:
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.usefixtures("healthy_parts")
def test_ready_when_every_part_is() -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ready"
    assert list(answer.json()["parts"]) == list(readiness.PARTS)


@pytest.mark.parametrize("name", readiness.PARTS)
@pytest.mark.usefixtures("healthy_parts")
def test_one_part_makes_it_not_ready(name: str, replace_probe: Say) -> None:
    replace_probe(name, fail(OSError("10.1.2.3:5432 refused ada's password")))
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["parts"][name] == {"ready": False, "degraded": True, "word": "away"}
    assert sum(part["ready"] for part in answer.json()["parts"].values()) == len(readiness.PARTS) - 1


@pytest.mark.usefixtures("healthy_parts")
def test_only_those_who_run_it_are_told_why(
    replace_probe: Say, api: APIClient, roots: APIClient, settings: Settings
) -> None:
    replace_probe("spark", fail(OSError("sc://10.1.2.3 refused")))
    settings.METRICS_TOKEN = TOKEN
    for client in (Client(), api):
        assert b"10.1.2.3" not in client.get("/readyz").content
    assert Client().get("/readyz", headers={"Authorization": "Bearer wrong"}).json()["parts"]["spark"] == {
        "ready": False,
        "degraded": True,
        "word": "away",
    }
    for item in (roots.get("/readyz").json(), Client().get("/readyz", headers=BEARER).json()):
        assert "10.1.2.3" in item["parts"]["spark"]["detail"]
        assert "SPARK_REMOTE" in item["parts"]["spark"]["hint"]


def test_without_a_token_none_is_right() -> None:
    assert (
        "detail"
        not in Client()
        .get("/readyz?only=redis", headers={"Authorization": "Bearer "})
        .json()["parts"]["redis"]
    )


@pytest.mark.usefixtures("healthy_parts")
def test_what_hangs_keeps_nobody_waiting_and_costs_one_thread(replace_probe: Say) -> None:
    release = threading.Event()
    begun: list[int] = []

    def hang() -> str:
        begun.append(1)
        release.wait(30)
        return "late"

    replace_probe("redis", hang)
    replace_probe("spark", hang)
    try:
        for _ in range(5):
            parts = Client().get("/readyz").json()["parts"]
            assert parts["redis"]["word"] == parts["spark"]["word"] == "does not answer"
            assert parts["database"]["ready"]
        assert len(begun) == 2
    finally:
        release.set()


@pytest.mark.usefixtures("healthy_parts")
def test_a_database_that_is_away_is_not_asked_who_you_are(replace_probe: Say, roots: APIClient) -> None:
    replace_probe("database", fail(OperationalError("could not connect to db.internal")))
    answer = roots.get("/readyz")
    assert (answer.status_code, answer.json()["parts"]["database"]["word"]) == (503, "away")


@pytest.mark.usefixtures("healthy_parts")
def test_a_balancer_asks_for_what_it_needs(replace_probe: Say) -> None:
    replace_probe("spark", fail(OSError("away")))
    answer = Client().get("/readyz?only=redis,database")
    assert (answer.status_code, list(answer.json()["parts"])) == (200, ["redis", "database"])


@pytest.mark.parametrize(
    "only", ["", "postgres", "database,", "database;redis", "<script>", "database, redis"]
)
def test_a_part_that_is_none_is_refused(only: str) -> None:
    answer = Client().get("/readyz", {"only": only})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert "database, migrations, redis" in answer.json()["message"]


@pytest.mark.parametrize("address", ["/healthz", "/readyz?only=database"])
def test_a_probe_may_come_by_any_name(address: str) -> None:
    assert Client().get(address, headers={"Host": "10.0.0.7:8000"}).status_code == 200
    assert Client().get("/login/", headers={"Host": "10.0.0.7:8000"}).status_code == 400


def test_answers_are_fresh_for_a_moment_so_that_asking_is_cheap() -> None:
    requests: list[int] = []

    def count() -> str:
        requests.append(1)
        return "yes"

    question = BoundedProbe(count, 5.0, fresh=60.0)
    assert [question.answer() for _ in range(10)] == ["yes"] * 10
    assert len(requests) == 1
    question.clear()
    assert (question.answer(), len(requests)) == ("yes", 2)


def test_a_question_that_hangs_says_so_at_once_to_the_next() -> None:
    release = threading.Event()
    question = BoundedProbe(lambda: release.wait(30), 0.1, 0.0)
    with pytest.raises(ProbeTimeout):
        question.answer()
    before = time.monotonic()
    with pytest.raises(ProbeTimeout):
        question.answer()
    assert time.monotonic() - before < 10
    release.set()


def test_the_real_database_is_ready_and_fully_migrated() -> None:
    result = readiness.check_parts(["database", "migrations"])
    assert [part["word"] for part in result.values()] == ["ok", "ok"]


def test_a_migration_that_is_missing_or_from_the_future_is_named() -> None:
    recorder = MigrationRecorder.Migration
    name = recorder.objects.filter(app="web").order_by("-name").values_list("name", flat=True)[0]
    recorder.objects.filter(app="web", name=name).delete()
    try:
        with pytest.raises(probes.NotReady, match=name) as missing:
            probes.probe_migrations()
        assert "migrate" in missing.value.hint
    finally:
        recorder.objects.create(app="web", name=name)
    newer = recorder.objects.create(app="web", name="9999_of_tomorrow")
    try:
        with pytest.raises(probes.NotReady, match="9999_of_tomorrow"):
            probes.probe_migrations()
    finally:
        newer.delete()


def test_a_redis_that_is_not_there_is_away() -> None:
    assert readiness.check_parts(["redis"])["redis"]["word"] == "away"


def test_a_redis_that_says_nothing_does_not_answer_which_is_not_away(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        settings.REDIS_URL = f"redis://127.0.0.1:{door.getsockname()[1]}"
        assert readiness.check_parts(["redis"])["redis"]["word"] == "does not answer"


def test_spark_must_answer_not_only_listen(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        settings.SPARK_REMOTE = f"sc://127.0.0.1:{port}"
        with pytest.raises(OSError, match=r"closed|refused|timed out"):
            probes.probe_spark()
        settings.SPARK_REMOTE = f"sc://127.0.0.1:{port}/;use_ssl=true"
        assert probes.probe_spark() == "listens"
    with pytest.raises(OSError, match=r"closed|refused|timed out"):
        probes.probe_spark()


@pytest.mark.parametrize(
    ("name", "probe"), [("supervisor", probes.probe_supervisor), ("publisher", probes.probe_publisher)]
)
def test_a_process_that_is_silent_is_found_out(name: str, probe: Callable[[], str]) -> None:
    with pytest.raises(probes.NotReady, match="never"):
        probe()
    assert process_heartbeats.record_heartbeat(name, lag=0.5, broken=0)
    assert "0 s ago" in probe()
    for away in (timedelta(minutes=-2), timedelta(days=1)):
        Heartbeat.objects.update(at=timezone.now() + away)
        with pytest.raises(probes.NotReady) as silent:
            probe()
        assert silent.value.word == "silent"


@pytest.mark.parametrize(
    ("facts", "word"), [({"lag": 61.0}, "behind"), ({"lag": 0.0, "broken": 2}, "cannot publish")]
)
def test_a_publisher_that_cannot_follow_is_not_ready(facts: dict[str, float], word: str) -> None:
    process_heartbeats.record_heartbeat("publisher", **facts)
    with pytest.raises(probes.NotReady) as result:
        probes.probe_publisher()
    assert result.value.word == word


@pytest.mark.usefixtures("healthy_parts")
def test_queries_in_trouble_degrade_it_and_keep_it_ready(replace_probe: Say, roots: APIClient) -> None:
    replace_probe("queries", probes.probe_queries)
    assert Client().get("/readyz").json()["status"] == "ready"
    seen = ["running", "retrying", "retrying", "failed", "starting"]
    for number, observed in enumerate(seen):
        Query.objects.create(name=f"q{number}", program={}, desired="running", observed=observed)
    Query.objects.create(name="nobody wants it", program={}, desired="stopped", observed="failed")
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    document = answer.json()["parts"]["queries"]
    assert document == {"ready": True, "degraded": True, "word": "1 failed, 2 retrying"}
    why = roots.get("/readyz?only=queries").json()["parts"]["queries"]
    assert why["detail"] == "of 5 queries that are wanted 1 failed, 2 retrying"
    assert "Nodes" in why["hint"]
    assert Client().get("/readyz?only=database,migrations").json()["status"] == "ready"
    replace_probe("redis", fail(OSError("away")))
    assert Client().get("/readyz").json()["status"] == "not ready"


def test_heartbeats_are_rare(root: User, django_assert_max_num_queries: Callable[..., object]) -> None:
    assert process_heartbeats.record_heartbeat("publisher", lag=1.0)
    with django_assert_max_num_queries(0):  # type: ignore[attr-defined]
        assert not any(process_heartbeats.record_heartbeat("publisher", lag=2.0) for _ in range(100))


def test_folders_that_others_can_open_degrade_it(settings: Settings, tmp_path: Path) -> None:
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    tmp_path.chmod(0o700)
    feeds = tmp_path / "feeds"
    feeds.mkdir(mode=0o700)
    (tmp_path / "of somebody else").mkdir(mode=0o755)
    assert probes.probe_folders() == "closed to other accounts"
    feeds.chmod(0o755)
    with pytest.raises(Degraded, match=f"can open {feeds}$") as result:
        probes.probe_folders()
    assert result.value.word == "open to other accounts"
