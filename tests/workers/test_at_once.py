"""Several that publish, compact and read at once, each in a thread with a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F
from pytest_django.fixtures import Settings

from tests.web.log import make_node as node_of
from tests.web.revising import RevisedNode
from tests.workers.conftest import MakeNode, build_state, compile_programs
from tests.workers.test_publisher import build_number_rows, put
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.web.core.errors import Conflict
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Node, NodeKey, Plan, Query, Revision
from timeline_app.web.nodes import log_compaction, revision_log
from timeline_app.web.nodes.timelines import read_key_timeline
from timeline_app.web.plans.draft_services import save_plan
from workers.engine import publisher

T = 1_700_000_000_000_000
MINUTE = 60_000_000


def run_at_once(*jobs: Callable[[], int]) -> list[int]:
    """Run each in a thread; what they return."""

    def alone(job: Callable[[], int]) -> int:
        try:
            return job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result() for future in [pool.submit(alone, job) for job in jobs]]


def test_two_publishers_publish_every_batch_once_and_in_order(make_node: MakeNode, data: Path) -> None:
    nodes = {"a": build_state("x"), "b": {"op": "changed_to", "inputs": {"of": "a"}}}
    number = make_node(compile_programs(nodes)["b"])
    rows = [
        build_number_rows("k1", (BEGINNING if batch == 0 else batch, float(batch), 0.0))
        for batch in range(30)
    ]
    for batch, table in enumerate(rows):
        put(data, number.digest, batch, table)

    def publish() -> int:
        return sum(publisher.publish_once() for _ in range(60))

    assert sum(run_at_once(publish, publish, publish)) == 30
    log = list(Revision.objects.order_by("known_at").values_list("version", flat=True))
    assert log == list(range(30))
    assert (Query.objects.get().position, Node.objects.get().version) == (29, 29)
    assert NodeKey.objects.get().unfolded == 30


def test_publishing_compacting_and_reading_at_once_never_shows_half_a_log(
    transactional_db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOG_WINDOW = MINUTE
    monkeypatch.setattr(log_compaction, "MAX_REVISIONS_PER_TRANSACTION", 50)
    monkeypatch.setattr(revision_log, "MAX_PIECES_PER_ROW", 5)
    document, done = RevisedNode(node_of(User.objects.create_user("ada"))), threading.Event()

    def say(step: int) -> None:
        points = [[None, False]] if step == 0 else [[step, step % 2 == 1]]
        with transaction.atomic():
            Node.objects.select_for_update(no_key=True).get(pk=document.node.pk)
            document.say(T + step, *((key, 0, points[0][0], None, points) for key in ("a", "b", "c")))

    def publish() -> int:
        try:
            for step in range(300):
                say(step)
        finally:
            done.set()
        return 0

    def compact() -> int:
        folded = 0
        while not done.wait(0.001):
            folded += log_compaction.compact_log(now=T + MINUTE + 250, seconds=1.0)
        return folded

    def read() -> int:
        wrong = 0
        while not done.is_set():
            points = getattr(read_key_timeline(document.node, "b"), "points", [])
            times = [point[0] for point in points[1:]]
            wrong += times != list(range(1, len(points)))
        return wrong

    _, went, wrong = run_at_once(publish, compact, read)
    assert wrong == 0
    assert went + log_compaction.compact_log(now=T + MINUTE + 300) == 3 * 300
    for key in ("a", "b", "c"):
        result = read_key_timeline(document.node, key)
        assert result is not None
        assert result.points == document.points(key, T + 300)


def test_of_two_who_save_a_plan_at_once_one_is_told(transactional_db: None) -> None:
    ada = User.objects.create_user("ada")
    plan = Plan.objects.create(name="p", owner=ada, document={})

    def save(name: str) -> bool:
        try:
            save_plan(plan=plan, user=ada, version=1, name=name, document={"nodes": {}})
        except Conflict:
            return False
        return True

    assert sorted(run_at_once(lambda: save("one"), lambda: save("two"), lambda: save("three"))) == [
        False,
        False,
        True,
    ]
    assert Plan.objects.get().version == 2


@pytest.mark.postgres
def test_of_two_that_wait_for_each_other_one_is_tried_again(transactional_db: None) -> None:
    for name in ("x", "y"):
        Query.objects.create(name=name, program={})
    both, turns = threading.Barrier(2), []

    @retry_on_deadlock
    def restart(first: str, second: str) -> int:
        with transaction.atomic():
            turns.append(first)
            Query.objects.filter(name=first).update(restarts=F("restarts") + 1)
            if len(turns) <= 2:
                both.wait()
            Query.objects.filter(name=second).update(restarts=F("restarts") + 1)
        return 1

    assert run_at_once(lambda: restart("x", "y"), lambda: restart("y", "x")) == [1, 1]
    assert len(turns) == 3
    assert set(Query.objects.values_list("restarts", flat=True)) == {2}
