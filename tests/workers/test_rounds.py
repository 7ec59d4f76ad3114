"""A round of the supervisor: what one query does never keeps the others waiting."""

from __future__ import annotations

import socket
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from tests.workers.test_stall_restarts import PLAN
from timeline_app.compiler import compile_plan
from timeline_app.web.models import Query
from workers.engine import progress_monitor, status, supervisor
from workers.engine.progress_monitor import Stall
from workers.spark.connect.session import AWAY, Failure
from workers.spark.progress import Report

pytestmark = pytest.mark.django_db


def test_claims_that_ran_out_keep_no_place() -> None:
    """A worker that is killed while it starts eight queries leaves eight claims behind."""
    past = timezone.now() - timedelta(minutes=5)
    claimed = {"desired": "running", "observed": "starting", "claimed_until": past, "program": {}}
    queries = [Query.objects.create(name=f"q{number}", **claimed) for number in range(9)]
    assert len(supervisor._round(queries, None, {})) == supervisor.MAX_STARTS_PER_ROUND


def _create_launched(number: int, seconds: float) -> Query:
    """A query that was launched so many seconds ago, and has no first result yet; its claim may last still."""
    since = timezone.now() - timedelta(seconds=seconds)
    begun: dict[str, object] = {
        "desired": "running",
        "observed": "starting",
        "observed_since": since,
        "spark_run_id": "r",
    }
    begun["claimed_until"] = since + status.CLAIM_DURATION
    return Query.objects.create(name=f"begun{number}", program={}, **begun)


def _create_desired(count: int) -> list[Query]:
    """Queries that are to be launched."""
    return [
        Query.objects.create(name=f"q{number}", desired="running", observed="starting", program={})
        for number in range(count)
    ]


def test_the_next_is_launched_when_one_has_its_first_result() -> None:
    """Nine at once would all be as late as the last."""
    begun, waiting = (
        [_create_launched(number, 2.0) for number in range(supervisor.MAX_CONCURRENT_STARTS)],
        _create_desired(5),
    )
    assert supervisor._count_free_starts([*begun, *waiting]) == 0
    begun[0].observed, begun[0].claimed_until = Query.Observed.RUNNING, None
    assert supervisor._count_free_starts([*begun, *waiting]) == 1


def test_a_clock_that_was_set_back_keeps_nobody_out() -> None:
    """What began in the future is not on its way."""
    begun = [_create_launched(number, -3_600.0) for number in range(supervisor.MAX_CONCURRENT_STARTS)]
    assert supervisor._count_free_starts([*begun, *_create_desired(5)]) == supervisor.MAX_STARTS_PER_ROUND


def test_one_that_takes_long_to_begin_is_not_waited_for() -> None:
    """It reads a long history, perhaps; the others would wait for minutes."""
    late = supervisor.SLOW_START_AFTER.total_seconds() + 1
    begun = [_create_launched(number, late) for number in range(supervisor.MAX_CONCURRENT_STARTS)]
    assert supervisor._count_free_starts([*begun, *_create_desired(5)]) == supervisor.MAX_STARTS_PER_ROUND


def test_a_query_that_does_not_let_itself_be_stopped_is_counted_and_left_to_itself() -> None:
    class Hangs:
        def stop(self) -> None:
            raise TimeoutError("it does not stop")

    query = Query.objects.create(name="q", desired="running", observed="running", program={})
    supervisor._restart_stalled([(Stall(90.0, "stuck", busy=True), query, Hangs())])
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
    result = {f"q{number}": Gone() for number in range(9)}
    for name in result:
        Query.objects.create(name=name, desired="running", observed="running", words="running", program={})
    monkeypatch.setattr(supervisor, "_ask_spark", lambda: (object(), result, ""))
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.SPARK_REMOTE = f"sc://127.0.0.1:{server.getsockname()[1]}"
        if not there:
            server.close()
        supervisor.reconcile()
    assert Gone.asked == (9 if there else 1)
    words = "running" if there else f"starting, {AWAY}"
    assert {query.words for query in Query.objects.all()} == {words}


LATE = Failure.from_exception(RuntimeError("[STREAM_FAILED] … Python worker failed to connect back."))
BUSY = f"starting, {status.HINDRANCE}"


def create_ended(why: Failure, monkeypatch: pytest.MonkeyPatch) -> Query:
    """A query that ended so."""
    monkeypatch.setattr(status, "_hindrances", {})
    monkeypatch.setattr(status, "_slow_starts", [])
    query = Query.objects.create(name="q", program={}, desired=Query.Desired.RUNNING, spark_run_id="r")
    status.record_end(query, why)
    return Query.objects.get()


@pytest.mark.parametrize(
    ("told", "words", "first"),
    [
        ("[STREAM_FAILED] … Python worker failed to connect back.", BUSY, 5),
        ("status = StatusCode.DEADLINE_EXCEEDED", f"starting, {status.TOO_SLOW}", 5),
        ("Caused by: java.net.SocketTimeoutException: Read timed out", f"starting, {status.TOO_SLOW}", 5),
        ("[CANNOT_LOAD_STATE_STORE.UNRELEASED_THREAD_ERROR] An error", f"starting, {status.TOO_SLOW}", 5),
        ("[NO_ACTIVE_SESSION] No active Spark session found.", f"starting, {AWAY}", 0),
        ("[INVALID_HANDLE.SESSION_CHANGED] The handle 1 is invalid.", f"starting, {AWAY}", 0),
        ("status = StatusCode.UNAVAILABLE", f"starting, {AWAY}", 0),
        (
            "[Errno 103] S3 does not answer: Could not connect to the endpoint URL: 'x'",
            "starting, S3 does not answer: Could not connect",
            5,
        ),
        (
            "Traceback (most recent call last):\n  z\nConnectionError: HDFS does not answer: no route\nmore",
            "starting, HDFS does not answer: no route",
            5,
        ),
        (
            "[Errno 11] StandbyException: Operation category READ is not supported",
            "starting, StandbyException",
            5,
        ),
        (
            "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] SafeModeException: Name node is in safe mode",
            "starting, SafeModeException",
            5,
        ),
    ],
)
def test_what_the_machine_is_to_blame_for_is_tried_again_without_end_and_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, told: str, words: str, first: int
) -> None:
    why, waits = Failure.from_exception(RuntimeError(told)), []
    result = create_ended(why, monkeypatch)
    for _ in range(status.MAX_RESTARTS + 2):
        assert (result.observed, result.restarts, result.spark_run_id) == ("starting", 0, "")
        assert result.words.startswith(words)
        assert result.retry_at is not None
        waits.append(round((result.retry_at - timezone.now()).total_seconds()))
        status.record_end(result, why)
    assert waits == sorted(waits)
    assert (waits[0], waits[2], waits[-1]) == (first, 20 if first else 10, status.MAX_WAIT_S)
    assert result.words.endswith(f"{status.MAX_RESTARTS + 3} times in a row; again in 60 s")


def test_it_begins_anew_where_it_ran_well_for_a_while_and_says_what_ended_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = create_ended(LATE, monkeypatch)
    result.healthy_since = timezone.now() - status.RAN_WELL_AFTER - timedelta(seconds=1)
    status.record_end(result, LATE)
    assert result.words == f"{BUSY}; again in 5 s"
    stored = Query.objects.get()
    assert (stored.error, stored.healthy_since) == (LATE.words, None)
    status.forget_other_queries([])
    assert status._hindrances == {}


def test_what_is_said_by_code_of_others_or_of_states_is_no_want_of_time() -> None:
    own = Failure.from_exception(
        RuntimeError("[STREAM_FAILED] x\nTraceback (most recent call last):\n  StatusCode.UNAVAILABLE")
    )
    assert (own.of_state, own.of_start, own.of_session, own.of_time) == (False,) * 4
    state = Failure.from_exception(
        RuntimeError("[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] java.net.SocketTimeoutException")
    )
    assert (state.of_state, state.of_time) == (True, False)


def test_what_is_the_same_is_written_again_only_after_a_while() -> None:
    """A look at a query that has nothing to do costs no transaction, and pages see that somebody looks."""
    Query.objects.create(name="q", program={}, desired="running", observed="starting")

    def measure_age(words: str, **changed: object) -> timedelta:
        """Look at it as it is in the database; how old what is written of it is afterwards."""
        query = Query.objects.get()
        for name, value in changed.items():
            setattr(query, name, value)
        status.observe(query, "running", words)
        result = Query.objects.get()
        assert (result.words, result.looked_at) == (words, query.looked_at)
        assert {name: getattr(result, name) for name in changed} == changed
        return timezone.now() - (result.looked_at or timezone.now())

    def age(seconds: float) -> None:
        Query.objects.update(looked_at=timezone.now() - timedelta(seconds=seconds))

    fresh, lately = timedelta(seconds=1), timedelta(seconds=2)
    assert measure_age("idle") < fresh
    age(2)
    assert measure_age("idle") >= lately
    assert measure_age("idle", lag=3, offsets={"4": [5]}) < fresh
    age(2)
    assert measure_age("idle", lag=3, offsets={"4": [5]}) >= lately
    assert measure_age("running") < fresh
    age(status.REWRITE_AFTER.total_seconds())
    assert measure_age("running") < fresh, "somebody looks still"
    age(-2)
    assert measure_age("running") < fresh, "the clock was set back"


def test_what_is_written_twice_of_one_look_is_the_last() -> None:
    """The first is written, so the second is no return to what the database has."""
    Query.objects.create(name="q", program={}, desired="running")
    status.observe(Query.objects.get(), "running", "idle")
    query = Query.objects.get()
    for words in ("running", "idle"):
        status.observe(query, "running", words)
        assert Query.objects.get().words == words


def test_who_waits_for_the_machine_says_why_and_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    result = create_ended(LATE, monkeypatch)
    assert result.words == f"{BUSY}; again in 5 s"
    Query.objects.update(retry_at=timezone.now() + timedelta(seconds=3.1))
    assert supervisor._round([Query.objects.get()], None, {}) == []
    assert Query.objects.get().words == f"{BUSY}; again in 3 s"
    status.record_failure(result, "division by zero")
    assert supervisor._round([Query.objects.get()], None, {}) == []
    assert Query.objects.get().words == "retry 1 of 20 in 1 s", "that is what it waits for now"


def test_when_python_does_not_start_in_time_queries_are_started_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nine that start at once after a kill would take the time from each other, again and again."""
    hindered = create_ended(LATE, monkeypatch)
    Query.objects.filter(pk=hindered.pk).update(retry_at=None)
    for number in range(8):
        Query.objects.create(name=f"q{number}", desired="running", program={})
    (first,) = supervisor._round(list(Query.objects.order_by("pk")), None, {})
    assert {query.words for query in Query.objects.all()} == {f"starting, {status.IN_TURN}"}
    assert supervisor._round(list(Query.objects.all()), None, {}) == [], "its claim lasts"
    begun = {"claimed_until": None, "observed": "starting", "spark_run_id": "r"}
    Query.objects.filter(name=first).update(**begun)
    assert supervisor._count_free_starts(list(Query.objects.all())) == 0, "it has no result yet"
    Query.objects.filter(name=first).update(observed="running")
    assert supervisor._count_free_starts(list(Query.objects.all())) == 1
    monkeypatch.setattr(status, "SLOW_STARTS_FOR_S", 0.0)
    assert supervisor._count_free_starts(list(Query.objects.all())) == supervisor.MAX_STARTS_PER_ROUND


@pytest.mark.parametrize("told", ["division by zero", "Python worker exited unexpectedly (crashed)"])
def test_anything_else_is_a_failure(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = create_ended(Failure.from_exception(RuntimeError(told)), monkeypatch)
    assert (result.observed, result.restarts, result.error) == ("retrying", 1, told)


def test_an_idle_query_is_written_down_once_and_not_with_every_look(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    """By what Spark reports itself, which the database gives back in other types."""
    [program] = compile_plan(PLAN, {}).programs.values()
    Query.objects.create(name="q", program=program.to_document(), desired="running")
    last = Report(timezone.now() - timedelta(minutes=3), 1, 10, 100, (3,), 0, 0)
    monkeypatch.setattr(progress_monitor, "list_reports", lambda _: [last])
    monkeypatch.setattr(progress_monitor, "count_waiting", lambda *_: 0)
    running, updates = SimpleNamespace(id="i", runId="r", status={"isTriggerActive": False}), []
    for _ in range(3):
        with CaptureQueriesContext(connection) as result:
            progress_monitor.observe_progress(Query.objects.get(), running)
        updates.append(sum(item["sql"].startswith("UPDATE") for item in result))
    assert updates == [1, 0, 0]
    assert progress_monitor.list_last_offsets(Query.objects.get()) == [3]
