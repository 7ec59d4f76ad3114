"""A round of the supervisor: what one query does never keeps the others waiting."""

from __future__ import annotations

import os
import socket
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from timeline_app.web.models import Query
from workers import status, supervisor
from workers.spark.session import AWAY, Failure
from workers.watch import Stuck

pytestmark = pytest.mark.django_db


def test_claims_that_ran_out_keep_no_place() -> None:
    """A worker that is killed while it starts eight queries leaves eight claims behind."""
    past = timezone.now() - timedelta(minutes=5)
    claimed = {"desired": "running", "observed": "starting", "claimed_until": past, "program": {}}
    queries = [Query.objects.create(name=f"q{number}", **claimed) for number in range(9)]
    assert len(supervisor._round(queries, None, {})) == supervisor.A_ROUND


def test_a_query_that_does_not_let_itself_be_stopped_is_counted_and_left_to_itself() -> None:
    class Hangs:
        def stop(self) -> None:
            raise TimeoutError("it does not stop")

    query = Query.objects.create(name="q", desired="running", observed="running", program={})
    supervisor._free_the_way([(Stuck(90.0, "stuck", at_work=True), query, Hangs())])
    query.refresh_from_db()
    assert (query.observed, query.restarts) == ("retrying", 1)


class Gone:
    """What Spark had of a query when it was asked which there are."""

    asked = 0

    def __getattr__(self, name: str) -> object:
        """Nobody answers any more."""
        Gone.asked += 1
        raise ConnectionError(name)


@pytest.mark.parametrize("there", [False, True])
def test_where_the_server_goes_in_the_middle_of_a_round_nobody_else_asks_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(Gone, "asked", 0)
    found = {f"q{number}": Gone() for number in range(9)}
    for name in found:
        Query.objects.create(name=name, desired="running", observed="running", words="running", program={})
    monkeypatch.setattr(supervisor, "_ask_spark", lambda: (object(), found, ""))
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.SPARK_REMOTE = f"sc://127.0.0.1:{server.getsockname()[1]}"
        if not there:
            server.close()
        supervisor.reconcile()
    assert Gone.asked == (9 if there else 1)
    words = "running" if there else f"starting, {AWAY}"
    assert {query.words for query in Query.objects.all()} == {words}


LATE = Failure.of(RuntimeError("[STREAM_FAILED] … Python worker failed to connect back."))


def ended(load: float, why: Failure, monkeypatch: pytest.MonkeyPatch) -> Query:
    """A query that ended so on a machine of two cores with that load."""
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(status, "_excuses", {})
    monkeypatch.setattr(status, "_late_starts", [])
    query = Query.objects.create(name="q", program={}, desired=Query.Desired.RUNNING, spark_run_id="r")
    status.ended(query, why)
    return Query.objects.get()


def test_python_that_a_busy_machine_did_not_start_in_time_is_no_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = ended(3.0, LATE, monkeypatch)
    assert (found.observed, found.restarts, found.spark_run_id) == ("starting", 0, "")
    assert found.words == "starting, the machine was too busy to start Python in time"
    assert found.retry_at is not None
    assert timezone.now() < found.retry_at <= timezone.now() + status.HINDERED


@pytest.mark.parametrize(
    "told",
    [
        "[NO_ACTIVE_SESSION] No active Spark session found. Please create a new one.",
        "[INVALID_HANDLE.SESSION_CHANGED] The handle 1 is invalid. The existing Spark server has restarted.",
    ],
)
def test_a_session_that_went_with_its_server_is_no_failure_unless_it_goes_again_and_again(
    monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    gone = Failure.of(RuntimeError(told))
    found = ended(0.0, gone, monkeypatch)
    assert (found.observed, found.restarts, found.words) == (
        "starting",
        0,
        "starting, waiting for the Spark server",
    )
    assert (found.claimed_until, found.spark_run_id) == (None, "")
    for _ in range(status.EXCUSES):
        status.ended(found, gone)
    assert (found.observed, found.restarts) == ("retrying", 1)


def test_when_python_does_not_start_in_time_queries_are_started_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nine that start at once after a kill would take the time from each other, again and again."""
    hindered = ended(9.0, LATE, monkeypatch)
    Query.objects.filter(pk=hindered.pk).update(retry_at=None)
    for number in range(8):
        Query.objects.create(name=f"q{number}", desired="running", program={})
    (first,) = supervisor._round(list(Query.objects.order_by("pk")), None, {})
    assert {query.words for query in Query.objects.all()} == {f"starting, {status.IN_TURN}"}
    assert supervisor._round(list(Query.objects.all()), None, {}) == [], "its claim lasts"
    begun = {"claimed_until": None, "observed": "starting", "spark_run_id": "r"}
    Query.objects.filter(name=first).update(**begun)
    assert supervisor._places(list(Query.objects.all())) == 0, "it has no result yet"
    Query.objects.filter(name=first).update(observed="running")
    assert supervisor._places(list(Query.objects.all())) == 1
    monkeypatch.setattr(status, "CROWDED", 0.0)
    assert supervisor._places(list(Query.objects.all())) == supervisor.A_ROUND


def test_python_that_never_starts_is_one_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ended(9.0, LATE, monkeypatch)
    for _ in range(status.EXCUSES - 1):
        status.ended(found, LATE)
        assert (found.observed, found.restarts) == ("starting", 0)
    status.ended(found, LATE)
    assert (found.observed, found.restarts, found.error) == ("retrying", 1, LATE.words)


@pytest.mark.parametrize(("load", "why"), [(1.0, LATE), (9.0, Failure("division by zero"))])
def test_anything_else_is_one(load: float, why: Failure, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ended(load, why, monkeypatch)
    assert (found.observed, found.restarts, found.error) == ("retrying", 1, why.words)
