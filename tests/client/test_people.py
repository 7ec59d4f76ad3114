"""What belongs to whom, who may do what, and what is refused: by the client, of the server itself."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from timelines import ApiError, Client, Conflict, Missing, NotAllowed, Plan, TimelinesError

from tests.browser.product import STREAM
from tests.client.conftest import DOCUMENT

pytestmark = pytest.mark.deep


def make_name(of: str = "Plan") -> str:
    return f"{of} {uuid.uuid4().hex}"


def create_plan(client: Client) -> Plan:
    return client.plans.create(DOCUMENT, name=make_name())


def test_a_plan_goes_to_a_person_and_to_a_team(ada: Client, bob: Client, root: Client) -> None:
    team = make_name("Team")
    root.http.post("teams/", {"name": team, "members": ["bob"]})
    assert [(item["name"], item["members"]) for item in ada.teams(team)] == [(team, ["bob"])]
    assert "bob" in {person["name"] for person in ada.people("bo")}
    plan = create_plan(ada)
    with pytest.raises(NotAllowed):
        bob.plan(plan.id).transfer(person="bob")
    plan.transfer(team=team, reason="they look after it now")
    assert (bob.plan(plan.id).owner, "own" in bob.plan(plan.id).rights) == (team, True)
    assert "own" not in plan.refresh().rights
    bob.plan(plan.id).transfer(person="ada")
    assert plan.refresh().owner == "ada"
    items = [(item["act"], item["actor"], item["reason"]) for item in plan.audit(act="plan.transfer")]
    assert items == [("plan.transfer", "bob", ""), ("plan.transfer", "ada", "they look after it now")]
    for nobody in ({"person": "nobody-at-all"}, {"team": "no team"}):
        with pytest.raises(ApiError) as refused:
            plan.transfer(**nobody)
        assert (refused.value.status, refused.value.problems[0].field) == (400, "name")
    for unclear in ({}, {"person": "ada", "team": team}):
        with pytest.raises(TimelinesError, match="either a person or a team"):
            plan.transfer(**unclear)


def test_streams_nodes_and_dashboards_have_owners_too(ada: Client, bob: Client, running: Plan) -> None:
    stream = ada.streams.declare(f"s{uuid.uuid4().hex}", **STREAM)
    stream.open_to_all(False)
    with pytest.raises(Missing):
        bob.stream(stream.name)
    stream.share("operate", person="bob", reason="bob sends")
    assert {share["name"]: share["rights"] for share in stream.sharing()["shares"]} == {
        "bob": ["read", "operate"]
    }
    assert next(iter(stream.audit()))["act"] == "stream.share"
    bob.stream(stream.name).push([{"session_id": "s1", "t": 1_783_080_000_000, "event_id": "e"}])
    stream.transfer(person="bob")
    assert bob.stream(stream.name).status()["owner"] == "bob"
    board = ada.dashboards.create(make_name("Board"))
    board.pin({"type": "lane", "plan": running.id, "node": "played"})
    board.save(board.document | {"range": "1h"}, name="Quality")
    assert (board.name, board.document["range"], len(board.document["charts"])) == ("Quality", "1h", 1)
    board.share("edit", person="bob")
    bobs = bob.dashboards.get(board.id).pin({"type": "number", "plan": running.id, "node": "never"})
    assert len(bobs.document["charts"]) == 2
    with pytest.raises(Conflict):
        board.save(board.document)
    assert "Quality" in {item["name"] for item in ada.dashboards.list("owner:me")}
    board.delete()
    with pytest.raises(Missing):
        bob.dashboards.get(board.id)


def test_a_node_is_stopped_by_those_who_may(ada: Client, bob: Client) -> None:
    name = f'player_state == "{uuid.uuid4().hex}"'
    node: dict[str, Any] = {"op": "has_existed", "stream": "player", "params": {"where": name}}
    own_plan = ada.plans.create({"version": 1, "nodes": {"own": node}}, name=make_name()).run()
    other_plan = bob.plans.create({"version": 1, "nodes": {"own": node}}, name=make_name()).run()
    assert own_plan.node("own").digest == other_plan.node("own").digest
    with pytest.raises(Conflict) as refused:
        own_plan.node("own").stop("enough")
    assert other_plan.name in str(refused.value)
    other_plan.stop()
    own_plan.node("own").stop("enough")
    assert (own_plan.refresh().running, next(iter(own_plan.audit()))["reason"]) == (False, "enough")


def test_a_version_is_restored(ada: Client) -> None:
    plan = create_plan(ada).run()
    first = plan.document
    plan.save({"version": 1, "name": plan.name, "nodes": {"other": DOCUMENT["nodes"]["played"]}})  # type: ignore[index]
    assert set(plan.restore(1).document["nodes"]) == set(first["nodes"])
    assert plan.running
    with pytest.raises(Missing) as refused:
        plan.restore(99)
    assert refused.value.code == "unknown_version"


def test_tests_are_kept_and_run(ada: Client) -> None:
    events = [{"session_id": "s1", "t": 1_783_080_000_000, "event_id": "e1", "player_state": "play"}]
    sample = ada.samples.keep(make_name("Sample"), {"player": events})
    assert sample.events()["player"][0]["player_state"] == "play"
    assert sample.id in {item["id"] for item in ada.samples.list()}
    plan = create_plan(ada)
    plan.keep_test("As it is now", sample.id, nodes=["played"])
    assert [test["name"] for test in plan.tests()] == ["As it is now"]
    assert (plan.run_tests()["ok"], plan.run_tests()["passed"]) == (True, 1)
    other = DOCUMENT["nodes"]["played"] | {"params": {"where": 'player_state == "stop"'}}  # type: ignore[index]
    plan.save({"version": 1, "name": plan.name, "nodes": {"played": other}})
    answer = plan.run_tests()
    assert (answer["ok"], answer["failed"], answer["tests"][0]["differences"][0]["node"]) == (
        False,
        1,
        "played",
    )
    with pytest.raises(Conflict):
        sample.delete()


def test_why_is_told_with_the_events_behind_it(ada: Client, revise: Any) -> None:
    stream = ada.streams.declare(f"s{uuid.uuid4().hex}", **STREAM)
    start = 1_783_080_000_000
    stream.push([{"session_id": "s1", "t": start, "event_id": "a", "player_state": "play"}])
    read = DOCUMENT["nodes"]["played"] | {"stream": stream.name}  # type: ignore[index]
    plan = ada.plans.create({"version": 1, "nodes": {"played": read}}, name=make_name()).run()
    node = plan.node("played")
    revise(node.digest, "s1", [[None, False], [start * 1000, True]])
    answer = node.why("s1", start * 1000 + 5)
    assert (answer["node"], answer["plan"]) == ("played", plan.id)
    assert answer["chain"][0]["op"] == "has_existed"
    assert answer["chain"][0]["events"][0]["events"][0]["player_state"] == "play"
    with pytest.raises(Missing) as refused:
        node.why("nobody", start * 1000)
    assert refused.value.code == "unknown_key"


@pytest.mark.parametrize(
    ("ask", "status", "code", "field"),
    [
        (lambda c: c.plan(10**9), 404, "unknown_plan", None),
        (lambda c: c.stream("no_such_stream"), 404, "unknown_stream", None),
        (lambda c: c.node("0" * 64), 404, "unknown_node", None),
        (lambda c: c.streams.declare("a b", key="k", time="t"), 400, None, None),
        (lambda c: c.streams.declare("same", key="k", time="k"), 400, None, None),
        (lambda c: list(c.audit(act="x", since="yesterday")), 400, "invalid", "since"),
        (lambda c: list(c.http.pages("plans/", limit=0)), 400, "invalid", "limit"),
        (lambda c: c.http.post("evaluate/", {}), 400, "invalid", None),
        (lambda c: c.plans.create(text="a = ("), 400, "bad_text", None),
        (lambda c: c.http.post("tokens/", {"name": "x", "scopes": ["read"]}), 403, None, None),
        (lambda c: c.http.post("people/", {"name": "eve"}), 403, None, None),
    ],
)
def test_a_refusal_says_what_and_where(ada: Client, ask: Any, status: int, code: Any, field: Any) -> None:
    with pytest.raises(ApiError) as refused:
        ask(ada)
    answer = refused.value
    assert (answer.status, answer.code) == (status, code or answer.code)
    assert answer.code != "no_reason"
    assert answer.message
    assert field is None or field in {problem.field for problem in answer.problems}
