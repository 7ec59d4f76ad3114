"""What the client promises, held against the server itself."""

from __future__ import annotations

import threading
import time
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from timelines import (
    Ambiguous,
    ApiError,
    Client,
    Conflict,
    Missing,
    Node,
    NotAllowed,
    Plan,
    Pushed,
    Silent,
    TimelinesError,
    Unreachable,
)
from timelines.live import Patience

from tests.browser.product import STREAM
from tests.client.conftest import DOCUMENT, Revise
from tests.web.log import SECOND, T
from workers.stack import Stack

pytestmark = pytest.mark.deep


def build_event(number: int, **more: Any) -> dict[str, Any]:
    return {"session_id": "s1", "t": T // 1000 + number, "event_id": f"e{number}", **more}


def test_it_knows_who_asks(ada: Client) -> None:
    assert (ada.me()["username"], ada.me()["role"]) == ("ada", "editor")


def test_address_and_token_may_stand_in_the_environment(
    stack: Stack, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TimelinesError, match="TIMELINES_URL"):
        Client()
    monkeypatch.setenv("TIMELINES_URL", stack.url)
    with pytest.raises(TimelinesError, match="TIMELINES_TOKEN"):
        Client()
    monkeypatch.setenv("TIMELINES_TOKEN", ada.http.token)
    with Client() as client:
        assert client.me()["username"] == "ada"


def test_events_land_once_in_batches_however_often_they_are_sent(ada: Client) -> None:
    name = f"s{uuid.uuid4().hex}"
    stream = ada.streams.declare(name, **STREAM)
    assert stream.push((build_event(n) for n in range(25)), batch=10) == Pushed(taken=25)
    assert stream.status()["events"] == 25
    sender = stream.sender("loader")
    first = sender.push([build_event(25), build_event(25), build_event(26, t=4_083_955_200_000)])
    assert (first.taken, first.duplicates, first.rejected) == (2, 1, 1)
    sender.number = 0
    assert sender.push([build_event(25), build_event(25), build_event(26, t=4_083_955_200_000)]) == first
    assert (stream.status()["events"], sender.number) == (27, 1)
    sender.number = 5
    with pytest.raises(Conflict) as refused:
        sender.push([build_event(26)])
    assert refused.value.code == "sequence_gap"
    assert len(stream.newest(5)) == 5
    assert stream.activity()
    stream.delete()
    with pytest.raises(Missing):
        ada.stream(name)
    assert ada.streams.declare(name, **STREAM).status()["events"] == 0


def test_a_wrong_event_is_refused_with_its_line_and_nothing_of_its_batch_lands(ada: Client) -> None:
    stream = ada.streams.declare(f"s{uuid.uuid4().hex}", **STREAM)
    with pytest.raises(ApiError) as refused:
        stream.push([build_event(1), {"t": 5}])
    assert (refused.value.status, refused.value.code) == (400, "bad_events")
    assert refused.value.problems[0].line == 2
    assert stream.status()["events"] == 0


def test_a_plan_is_made_found_saved_checked_and_stopped(ada: Client, bob: Client) -> None:
    name = f"Plan {uuid.uuid4().hex}"
    plan = ada.plans.create(DOCUMENT, name=name)
    assert (ada.plan(name).id, ada.plan(plan.id).name) == (plan.id, name)
    assert (plan.problems, plan.check(), plan.running) == ((), (), False)
    assert "has_existed" in plan.text()
    text = plan.text().replace("played", "began")
    assert plan.save(text=text).version == 2
    assert set(plan.document["nodes"]) == {"began", "never"}
    assert plan.consequences()
    plan.run()
    assert ada.plan(plan.id).running
    assert set(plan.nodes) == {"began", "never"}
    assert [version["number"] for version in plan.versions()] == [1]
    assert [item.id for item in ada.plans.list(f'is:running "{name}"')] == [plan.id]
    plan.stop("enough")
    assert not plan.running
    assert next(iter(plan.audit()))["reason"] == "enough"
    assert next(iter(ada.audit(kind="plan", thing=plan.id)))["act"] == "plan.stop"
    plan.share("operate", person="bob")
    assert bob.plan(name).rights == {"read", "operate"}
    plan.open_to_all(False)
    plan.share(person="bob")
    with pytest.raises(Missing):
        bob.plan(plan.id)
    plan.transfer(person="bob")
    assert bob.plan(name).owner == "bob"
    bob.plan(name).delete()


def test_two_who_change_the_same_are_told(ada: Client) -> None:
    own_plan = ada.plans.create(DOCUMENT, name=f"Plan {uuid.uuid4().hex}")
    other_plan = ada.plan(own_plan.id)
    own_plan.save({**DOCUMENT, "name": "One"})
    with pytest.raises(Conflict) as refused:
        other_plan.save({**DOCUMENT, "name": "Other"})
    assert refused.value.problems[0].hint


def test_what_cannot_run_says_why_with_place_and_hint(ada: Client) -> None:
    plan = ada.plans.create(
        {"version": 1, "nodes": {"a": {"op": "nonsense"}}}, name=f"Plan {uuid.uuid4().hex}"
    )
    with pytest.raises(ApiError) as refused:
        plan.run()
    assert refused.value.status == 422
    problem = refused.value.problems[0]
    assert (problem.node, problem.place) == ("a", "a")
    assert problem.hint
    assert problem.message in str(refused.value)
    assert ada.plans.check(text="a = nonsense(")[0].line == 1


def test_several_plans_of_one_name_are_told_apart_by_number(ada: Client) -> None:
    name = f'A "quoted" {uuid.uuid4().hex}'
    ada.plans.create(DOCUMENT, name=name)
    assert ada.plan(name).name == name
    ada.plans.create(DOCUMENT, name=name)
    with pytest.raises(Ambiguous, match="Ask by number"):
        ada.plan(name)


def test_lists_go_on_over_all_their_pages(ada: Client) -> None:
    names = {f"P{number} {uuid.uuid4().hex}" for number in range(7)}
    for name in names:
        ada.plans.create({"nodes": {}}, name=name)
    answer = list(ada.http.pages("plans/", limit=3))
    assert names <= {item["name"] for item in answer}
    assert len({item["id"] for item in answer}) == len(answer)


def test_a_node_is_peeked_at(ada: Client, running: Plan, revise: Revise) -> None:
    node = ada.node(plan=running.id, name="played")
    revise(node.digest, "peeked", [[None, False], [T + SECOND, True], [T + 3 * SECOND, None]])
    timeline = node.peek("peeked")
    assert [(point.t, point.value) for point in timeline.points] == [
        (None, False),
        (T + SECOND, True),
        (T + 3 * SECOND, None),
    ]
    assert (timeline.final_until, timeline.is_final(T), timeline.is_final(T - 1)) == (T, False, True)
    noon = datetime.fromtimestamp(T // SECOND + 2, UTC)
    assert timeline.value_at(noon) is True
    assert timeline.known_until is not None
    assert not timeline.is_projected(noon)
    assert timeline.is_projected(timeline.known_until + SECOND)
    assert node.peek("peeked", at=noon).value_at(noon) is True
    part = node.peek("peeked", start=T + 2 * SECOND, end=T + 4 * SECOND)
    assert [point.value for point in part.points] == [True, None]
    assert "peeked" in set(node.keys("peek"))
    assert len(list(node.revisions("peeked"))) == 1
    assert ada.node(node.digest).digest == node.digest
    assert node.status()["operator"] == "has_existed"
    with pytest.raises(Missing):
        node.peek("nobody")
    with pytest.raises(ValueError, match="no time zone"):
        node.peek("peeked", at=datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(Missing, match="never, played"):
        running.node("nothing")


def test_restart_and_stop_say_what_others_need(ada: Client, bob: Client, running: Plan) -> None:
    node = running.node("played")
    assert node.restart("for the test")["digest"] == node.digest
    with pytest.raises(NotAllowed):
        bob.node(node.digest).restart()


def test_a_search_finds_everything(ada: Client, running: Plan) -> None:
    kinds = {item["kind"] for item in ada.search("owner:me play")}
    assert {"plan", "node", "stream"} <= kinds
    with pytest.raises(ApiError) as refused:
        ada.search("nonsense:x")
    assert (refused.value.code, refused.value.problems[0].column) == ("unknown_term", 1)


def test_revisions_come_live_and_a_lost_connection_loses_and_doubles_none(
    ada: Client, running: Plan, revise: Revise
) -> None:
    node, collected = running.node("played"), []
    revise(node.digest, "live", [[None, False]])
    with ada.live((node, "live")) as live:
        for update in live:
            collected.append((update.kind, [(point.t, point.value) for point in update.timeline.points]))
            if len(collected) == 1:
                revise(node.digest, "live", [[T, True]], start=T)
            elif len(collected) == 2:
                revise(node.digest, "live", [[T + 5, False]], start=T + 5, end=T + 9)
            elif len(collected) == 3:
                # The line is cut, and meanwhile something happens.
                live._socket.socket.close()
                revise(node.digest, "live", [[T + 20, False]], start=T + 20)
            else:
                break
    assert collected == [
        ("snapshot", [(None, False)]),
        ("revision", [(None, False), (T, True)]),
        ("revision", [(None, False), (T, True), (T + 5, False), (T + 9, True)]),
        ("snapshot", [(None, False), (T, True), (T + 5, False), (T + 9, True), (T + 20, False)]),
    ]
    assert node.peek("live").points == update.timeline.points


async def test_the_same_without_blocking(ada: Client, running: Plan, revise: Revise) -> None:
    node, kinds = running.node("played"), []
    revise(node.digest, "async", [[None, False]])
    async for update in ada.live((node, "async")):
        kinds.append(update.kind)
        if len(kinds) == 2:
            break
        threading.Thread(target=revise, args=(node.digest, "async", [[T, True]], T)).start()
    assert kinds == ["snapshot", "revision"]


def test_who_has_patience_for_a_time_is_told_that_nothing_came(ada: Client, running: Plan) -> None:
    with pytest.raises(Silent, match=r"for 0\.5 s.*status"):
        list(ada.live((running.node("played"), "nobody"), patience=0.5))


async def test_the_same_patience_without_blocking(ada: Client, running: Plan) -> None:
    with pytest.raises(Silent):
        [update async for update in ada.live((running.node("played"), "nobody"), patience=0.5)]


def test_patience_begins_anew_with_each_update_and_there_may_be_no_end_of_it() -> None:
    patience = Patience(0.01)
    patience.begin()
    time.sleep(0.02)
    with pytest.raises(Silent):
        patience.left()
    patience = Patience(60.0)
    patience.begin()
    assert 0.0 < (patience.left(5.0) or 0.0) <= 5.0 < (patience.left() or 0.0)
    assert (Patience().left(), Patience().left(5.0)) == (None, 5.0)
    endless = Patience(float("inf"))
    endless.begin()
    assert endless.left() == 86_400.0


async def test_patience_ends_also_where_there_is_no_server() -> None:
    with Client("http://127.0.0.1:9", "x") as client:
        node = Node(client.http, "0" * 64)
        with pytest.raises(Silent):
            next(iter(client.live((node, "s1"), patience=0.3)))
        with pytest.raises(Silent):
            await anext(aiter(client.live((node, "s1"), patience=0.3)))


@pytest.mark.parametrize("patience", [0, -1, float("nan"), -float("inf")])
def test_no_patience_at_all_is_refused(patience: float) -> None:
    with Client("http://127.0.0.1:9", "x") as client, pytest.raises(TimelinesError, match="patience"):
        client.live((Node(client.http, "0" * 64), "s1"), patience=patience)


def test_a_wrong_token_is_told_everywhere(stack: Stack, running: Plan) -> None:
    with Client(stack.url, "nonsense") as client:
        with pytest.raises(NotAllowed):
            client.me()
        with pytest.raises(NotAllowed):
            next(iter(client.live((running.node("played"), "s1"))))


def test_nothing_is_followed_that_is_not_there(ada: Client, running: Plan) -> None:
    node = running.node("played")
    with pytest.raises(Missing):
        next(iter(ada.live((type(node)(ada.http, "0" * 64), "s1"))))


def test_a_server_that_is_not_there_is_told_after_a_few_tries() -> None:
    with (
        Client("http://127.0.0.1:9", "x", tries=2) as client,
        pytest.raises(Unreachable, match="asked 2 times"),
    ):
        client.me()
