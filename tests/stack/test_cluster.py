"""The product on a Spark cluster that knows nothing of it, with PostgreSQL and Redis that run elsewhere."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.browser.product import Api, add_user, build_leaf, evaluate_truth, wait_until
from tests.spark_cluster import Cluster, kill_all, run_cluster
from tests.stack.test_faults import list_differences
from tests.stores import KINDS
from workers.stack import Stack, health
from workers.stack.layout import find_redis_executable

pytestmark = [pytest.mark.stack, pytest.mark.long]
BEGIN = 1_719_820_800_000
PLAN: dict[str, Any] = {
    "version": 1,
    "name": "Who buffers",
    "nodes": {
        "state": build_leaf("latest_event_to_state", "player", field="player_state"),
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        "how_many": {"op": "aggregate", "inputs": {"of": "buffering"}, "params": {"function": "count"}},
    },
    "results": ["how_many"],
}


@contextmanager
def run_redis(folder: Path) -> Iterator[str]:
    """The address of a Redis of one's own, with a password."""
    port, password = health.find_free_port(), secrets.token_hex(16)
    words = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--requirepass", password]
    with subprocess.Popen([find_redis_executable(), *words], stdout=subprocess.DEVNULL) as running:
        try:
            wait_until(lambda: health.is_port_open(port), 30)
            yield f"redis://:{password}@127.0.0.1:{port}/0"
        finally:
            running.kill()


def build_events(start: int, end: int) -> list[dict[str, Any]]:
    """Sessions that play and buffer in turn; every tenth event comes late."""
    return [
        {
            "session_id": f"s{number % 7}",
            "event_id": f"e{number}",
            "t": BEGIN + 1000 * number - 15_000 * (number % 10 == 0),
            "player_state": ("play", "buffer", "pause")[number % 3],
        }
        for number in range(start, end)
    ]


def push_and_compare(stack: Stack, api: Api, plan: int, span: tuple[int, int], folder: Path) -> None:
    """Send the events of the span; everything that has come is answered as `evaluate` answers it."""
    folder.mkdir(exist_ok=True)
    api.push("player", build_events(*span))
    expected, digests = evaluate_truth(PLAN, {"player": build_events(0, span[1])}, folder), api.digests(plan)

    def list_wrong() -> list[str]:
        stack.tend()
        return list_differences(api, digests, expected)

    def describe_state() -> str:
        seen = [f"{node['name']}: {node['status']['words']}" for node in api.get(f"plans/{plan}/")["nodes"]]
        return "\n".join([*seen, *list_wrong()[:5]])

    wait_until(lambda: not list_wrong(), 400, words=describe_state)


def kill_an_executor(spark: Cluster) -> None:
    """With SIGKILL; the cluster is to start another one."""
    victim = spark.executors()[0]
    victim.kill()
    victim.wait(10)


@pytest.fixture(params=["directory", "hdfs"])
def shared_address(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address at which the data lie; empty where that is a directory."""
    if request.param == "directory":
        yield ""
        return
    (tmp_path / "store").mkdir()
    with KINDS[request.param](tmp_path / "store") as served:
        for name, value in served.environment.items():
            monkeypatch.setenv(name, value)
        yield served.address


def test_a_cluster_without_our_code_answers_right_also_when_its_machines_die(
    shared_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cluster").mkdir()
    with (
        postgres.run_server() as database,
        run_redis(tmp_path) as broker,
        run_cluster(tmp_path / "cluster") as spark,
    ):
        monkeypatch.setenv("DATABASE_URL", database)
        data, port = tmp_path / "data", health.find_free_port()
        with Stack(
            data, demo=False, port=port, spark=spark.address, redis=broker, shared=shared_address
        ) as stack:
            assert set(stack.pids()) == {"web", "worker", "beat", "publisher", "intake", "delivery"}
            api = add_user(stack, "ada")
            api.declare("player")
            plan = api.add_plan(PLAN)["id"]
            api.call("POST", f"plans/{plan}/run/", {"placement": "together"})
            push_and_compare(stack, api, plan, (0, 60), tmp_path / "truth")
            kill_an_executor(spark)
            push_and_compare(stack, api, plan, (60, 120), tmp_path / "truth")
            kill_all(spark.processes["worker1"].pid)
            push_and_compare(stack, api, plan, (120, 180), tmp_path / "truth")
