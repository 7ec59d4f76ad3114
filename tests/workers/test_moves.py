"""Placement through real Spark: nodes move while events stream, plans share them, and every answer stays right."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import EventBatch, StreamDeclaration
from timeline_app.web.models import Node, Plan, Query
from timeline_app.web.nodes.timelines import peek
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.streams.services import create_stream
from workers.engine import handover, launcher, publisher, supervisor
from workers.spark.connect.session import drop_session, get_session, list_active_queries

pytestmark = pytest.mark.spark
STREAMS: dict[str, dict[str, Any]] = {
    "player": {"key": "k", "time": "t", "id": "id", "allowed_lateness": "10s"},
    "ads": {"key": "k", "time": "t", "fields": {"n": "number"}, "allowed_lateness": "10s"},
}
NODES: dict[str, Any] = {
    "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "state"}},
    "cdn": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "cdn"}},
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "time": {"op": "duration_where", "inputs": {"of": "playing"}},
    "advert": {"op": "has_existed_within", "stream": "ads", "params": {"where": "n > 1", "duration": "3s"}},
    "spoilt": {"op": "and", "inputs": {"of": ["playing", "advert"]}},
    "by_cdn": {"op": "aggregate", "inputs": {"of": "time", "by": "cdn"}, "params": {"function": "sum"}},
    "much": {"op": "greater_than", "inputs": {"of": "by_cdn"}, "params": {"value": 20}},
}


SAME = {"op": "equal_to", "inputs": {"of": "x"}, "params": {"value": "play"}}


def build_plan(**nodes: Any) -> dict[str, Any]:
    """A plan."""
    return {"version": 1, "nodes": nodes}


class World:
    """An installation at the tests' Spark server: events land, queries are supervised, the log is written."""

    def __init__(self, data: Path, remote: str, seed: int) -> None:
        self.data, self.remote, self.chance = data, remote, random.Random(seed)
        self.user = User.objects.create_user("ada")
        self.declared = {name: StreamDeclaration.from_document(name, item) for name, item in STREAMS.items()}
        for name, item in STREAMS.items():
            create_stream(user=self.user, name=name, document=item)
        self.landed = {name: EventBatch(declared) for name, declared in self.declared.items()}

    def land(self, size: int = 60) -> None:
        """Some more events of both streams, late and doubled ones among them, in small files."""
        for _ in range(3):
            for name, make in (("player", self._player), ("ads", self._ad)):
                lines = [json.dumps(make()) for _ in range(size // 6)]
                batch = read_batch("\n".join(lines).encode(), self.declared[name])
                Landing(Places(self.data).landing, name).append(batch)
                for column in ("keys", "times", "ids", "texts", "fields"):
                    getattr(self.landed[name], column).extend(getattr(batch, column))

    def _player(self) -> dict[str, Any]:
        chance = self.chance
        event = {
            "k": f"u{chance.randrange(5)}",
            "t": 250 * chance.randrange(200),
            "id": chance.randrange(400),
        }
        return event | chance.choice([{"state": "play"}, {"state": "stop"}, {"cdn": "A"}, {"cdn": "B"}])

    def _ad(self) -> dict[str, Any]:
        return {
            "k": f"u{self.chance.randrange(6)}",
            "t": 250 * self.chance.randrange(200),
            "n": self.chance.randrange(4),
        }

    def rounds(self, until: Callable[[], bool]) -> None:
        """Reconcile, launch and publish until something is so."""
        last = time.monotonic() + 180
        while not until():
            assert time.monotonic() < last, list(
                Query.objects.values("name", "desired", "observed", "words", "error")
            )
            for name in supervisor.reconcile():
                launcher.launch(name)
            while publisher.publish_once():
                pass
            time.sleep(0.2)

    def truth(self, plan: Plan) -> dict[tuple[str, str], Any]:
        """What the evaluator says, by digest and key."""
        compiled = compile_plan(plan.document | {"streams": STREAMS}, {})
        answers = iterate_answers(compiled, self.landed, [], [], None)
        return {(compiled.names[item["node"]], item["key"]): item["points"] for item in answers}

    def logged(self, plan: Plan, known_at: dict[str, int] | None = None) -> dict[tuple[str, str], Any]:
        """What the revision log says of the same nodes and keys."""
        nodes = {node.digest: node for node in Node.objects.filter(plans=plan)}
        points_by_key = {}
        for digest, key in self.truth(plan):
            if digest in nodes:
                at = known_at[digest] if known_at else None
                timeline = peek(nodes[digest], key, known_at=at)
                points_by_key[digest, key] = timeline["points"] if timeline else None
        return points_by_key

    def agrees(self, plan: Plan) -> bool:
        """Whether the log says what the evaluator says."""
        return self.logged(plan) == self.truth(plan)

    def running(self) -> dict[str, str]:
        """Spark's run ids by name of the query."""
        active_queries = list_active_queries(get_session(self.remote, str(self.data)))
        return {name: str(query.runId) for name, query in active_queries.items()}

    def hosts(self, plan: Plan) -> dict[str, str]:
        """By name of a node, the name of the query that computes it."""
        return {
            use.name: use.node.query.name for use in plan.uses.exclude(name="").select_related("node__query")
        }

    def counted(self, plan: Plan) -> set[tuple[int, int]]:
        """Events counted by the nodes that read the player's stream alone, and how many there are."""
        uses = plan.uses.filter(name__in=["state", "cdn", "playing", "time"]).select_related("node")
        return {(use.node.events, self.landed["player"].size) for use in uses}


@pytest.fixture
def world(transactional_db: None, spark_remote: str, settings: Settings, data: Path) -> Iterator[World]:
    settings.SPARK_REMOTE = spark_remote
    settings.TRIGGER_INTERVAL = "200 milliseconds"
    drop_session(spark_remote)
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")  # shown when the test fails
    yield World(data, spark_remote, seed)
    for query in list_active_queries(get_session(spark_remote, str(data))).values():
        query.stop()
    drop_session(spark_remote)


def test_nodes_move_and_are_shared_while_events_stream_and_every_answer_is_right(world: World) -> None:
    plan = create_plan(user=world.user, name="a", document=build_plan(**NODES))
    plan = run_plan(plan=plan, user=world.user, placement="isolated")
    world.land()
    world.rounds(lambda: world.agrees(plan))
    assert len(world.running()) == len(NODES)
    then = {node.digest: node.as_of or 0 for node in Node.objects.all()}
    before = world.logged(plan)
    aggregate = world.hosts(plan)["by_cdn"]
    run = world.running()[aggregate]

    plan = run_plan(plan=plan, user=world.user, placement="together")
    world.land()
    world.rounds(lambda: world.agrees(plan) and len(world.running()) == 3)
    hosts = world.hosts(plan)
    assert len({hosts[name] for name in ("state", "cdn", "playing", "time", "advert", "spoilt")}) == 1
    assert set(hosts.values()) == set(world.running())
    assert world.running()[aggregate] == run, "who reads a node that moves goes on"
    assert world.counted(plan) == {(world.landed["player"].size,) * 2}
    answers = world.logged(plan, then)
    assert answers == {place: before.get(place) for place in answers}, "what was known then is still told"

    other = create_plan(user=world.user, name="b", document=build_plan(x=NODES["state"], y=SAME))
    other = run_plan(plan=other, user=world.user, placement="isolated")
    assert world.agrees(other), "it sees the whole history at once"
    assert set(world.hosts(other).values()) == {hosts["state"]}
    group = hosts["state"]
    smaller = build_plan(**{name: node for name, node in NODES.items() if name not in ("advert", "spoilt")})
    plan = save_plan(plan=plan, user=world.user, version=plan.version, name="a", document=smaller)
    plan = run_plan(plan=plan, user=world.user, placement="together")
    world.land()
    world.rounds(lambda: world.agrees(plan) and not Query.objects.get(name=group).stale)
    assert len(Query.objects.get(name=group).program["silent"]) == 2

    plan = run_plan(plan=plan, user=world.user, placement="isolated")
    world.land()
    world.rounds(lambda: world.agrees(plan) and world.agrees(other) and not handover.select_waiting_queries())
    hosts = world.hosts(plan)
    assert {name for name, query in hosts.items() if query == group} == {"state", "playing"}, (
        "others use them"
    )
    world.rounds(lambda: set(world.running()) == set(hosts.values()))
    assert world.counted(plan) == {(world.landed["player"].size,) * 2}
    answers = world.logged(plan, then)
    assert answers == {place: before.get(place) for place in answers}

    stop_plan(plan=plan, user=world.user)
    stop_plan(plan=other, user=world.user)
    world.rounds(lambda: world.running() == {})
    plan = run_plan(plan=plan, user=world.user, placement="together")
    world.land()
    world.rounds(lambda: world.agrees(plan) and len(world.running()) == 3)
