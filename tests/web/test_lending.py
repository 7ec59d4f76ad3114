"""A plan tells its readers what it reads of a stream that is not shared with them, and nothing else of any stream."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from timeline_app.demos.player import STREAM
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.jobs.uploads import read_uploaded_events
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.people import Member, Role
from timeline_app.web.models.samples import Sample
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.samples.services import keep_sample
from timeline_app.web.samples.test_services import create_plan_test
from timeline_app.web.streams.selectors import load_declarations
from timeline_app.web.streams.services import create_stream

BITRATE = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "bitrate"}}
DECLARED = STREAM | {"fields": {"bitrate": "number", "cdn": "text", "player_state": "text", "live": "bool"}}
NODES: dict[str, Any] = {
    "played": has_existed(),
    "never": build_negation("played"),
    "bitrate": BITRATE,
    "fast": {"op": "greater_than", "inputs": {"of": "bitrate"}, "params": {"value": 9}},
}


@pytest.fixture
def shared_plan(ada: User, bob: User) -> Plan:
    """Ada's plan, which bob may look at; her stream, of which he knows nothing, and another one of hers."""
    for name in ("player", "vault"):
        create_stream(user=ada, name=name, document=DECLARED)
    plan = create_plan(user=ada, name="Shared", document=build_document(**NODES))
    for stream in Stream.objects.all():
        open_to_all(thing=stream, user=ada, is_open=False)
    open_to_all(thing=plan, user=ada, is_open=False)
    share_exactly(thing=plan, user=ada, holder=bob, rights=[Right.READ])
    Member.objects.filter(user=bob).update(role=Role.VIEWER)
    return plan


def share_plan(bob: User, plan: Plan, *rights: Right) -> APIClient:
    """Bob may do more with the plan."""
    Member.objects.filter(user=bob).update(role=Role.EDITOR)
    share_exactly(thing=plan, user=User.objects.get(username="ada"), holder=bob, rights=rights)
    return log_in_client(User.objects.get(pk=bob.pk))


def check(client: APIClient, nodes: dict[str, Any], plan: Plan | None) -> dict[str, Any]:
    sent = {"document": build_document(**nodes)} | ({} if plan is None else {"plan": plan.pk})
    answer = client.post("/api/plans/check/", sent, format="json")
    assert answer.status_code == 200, answer.json()
    return dict(answer.json())


def list_codes(document: dict[str, Any]) -> set[str]:
    return {problem["code"] for problem in document["problems"]}


def save(client: APIClient, plan: Plan, nodes: dict[str, Any]) -> dict[str, Any]:
    plan.refresh_from_db()
    sent = {"document": build_document(**nodes), "version": plan.version}
    answer = client.put(f"/api/plans/{plan.pk}/", sent, format="json")
    assert answer.status_code == 200, answer.json()
    return dict(answer.json())


def test_a_reader_of_a_plan_sees_no_problem_in_what_its_owner_may_read(
    bobs: APIClient, shared_plan: Plan
) -> None:
    answer = bobs.get(f"/api/plans/{shared_plan.pk}/").json()
    assert (answer["problems"], answer["not_shared"]) == ([], ["player"])
    assert bobs.get("/api/plans/").json()["results"][0]["problems"] == []
    checked = check(bobs, NODES, shared_plan)
    assert checked["ok"]
    assert checked["problems"] == []
    assert checked["nodes"]["bitrate"]["kind"] == "number"


def test_the_digests_are_those_of_the_owner(api: APIClient, bobs: APIClient, shared_plan: Plan) -> None:
    assert check(bobs, NODES, shared_plan)["nodes"] == check(api, NODES, shared_plan)["nodes"]


def test_the_owner_is_told_of_nothing_that_is_not_shared(api: APIClient, shared_plan: Plan) -> None:
    assert api.get(f"/api/plans/{shared_plan.pk}/").json()["not_shared"] == []


def test_a_text_of_the_plan_is_checked_likewise(bobs: APIClient, shared_plan: Plan) -> None:
    text = bobs.get(f"/api/plans/{shared_plan.pk}/text/").json()["text"]
    assert (
        bobs.post("/api/text/", {"text": text, "plan": shared_plan.pk}, format="json").json()["problems"]
        == []
    )
    alone = bobs.post("/api/text/", {"text": text}, format="json").json()
    assert list_codes(alone) == {"unknown_stream"}
    assert bobs.post("/api/text/", {"text": text, "plan": 999}, format="json").status_code == 404


def test_without_the_plan_the_stream_is_not_there(bobs: APIClient, shared_plan: Plan) -> None:
    assert list_codes(check(bobs, NODES, None)) == {"unknown_stream"}
    hidden = bobs.post("/api/plans/check/", {"document": build_document(**NODES), "plan": 999}, format="json")
    assert hidden.status_code == 404
    assert bobs.get("/api/streams/player/").status_code == 404
    assert bobs.get("/api/streams/player/ticks/?key=s1&from=0&to=9").status_code == 404


def test_a_changed_document_learns_nothing_of_other_streams(bobs: APIClient, shared_plan: Plan) -> None:
    answer = check(bobs, {"x": BITRATE | {"stream": "vault"}}, shared_plan)
    away = check(bobs, {"x": BITRATE | {"stream": "nothing"}}, shared_plan)
    assert list_codes(answer) == list_codes(away) == {"unknown_stream"}
    assert [problem["hint"].replace("vault", "nothing") for problem in answer["problems"]] == [
        problem["hint"] for problem in away["problems"]
    ]


@pytest.mark.parametrize("field", ["cdn", "user_action", "nonsense", "session_id", "t", "event_id"])
def test_nor_of_the_fields_that_the_plan_does_not_read(
    bobs: APIClient, shared_plan: Plan, field: str
) -> None:
    """Neither whether there is one, nor its type, nor what others are called."""
    for params in ({"field": field}, {"where": f"{field} > 3"}, {"where": f'{field} == "3"'}):
        op = "latest_event_to_state" if "field" in params else "has_existed"
        answer = check(bobs, {"x": {"op": op, "stream": "player", "params": params}}, shared_plan)
        (result,) = answer["problems"]
        assert result["code"] == "not_shared"
        assert field in result["message"]
        assert "ask the stream's owner" in result["hint"]
        assert not answer["ok"]


def test_who_may_change_the_draft_cannot_make_it_tell_more(bob: User, shared_plan: Plan) -> None:
    """What is saved by somebody who may not look at a stream opens nothing of it."""
    client = share_plan(bob, shared_plan, Right.EDIT)
    more = NODES | {"cdn": BITRATE | {"params": {"field": "cdn"}}, "hidden": BITRATE | {"stream": "vault"}}
    answer = save(client, shared_plan, more)
    assert {(problem["node"], problem["code"]) for problem in answer["problems"]} == {
        ("cdn", "not_shared"),
        ("hidden", "unknown_stream"),
    }
    assert answer["not_shared"] == ["player"]


def test_what_was_taken_out_is_not_opened_by_putting_it_back(bob: User, shared_plan: Plan) -> None:
    client = share_plan(bob, shared_plan, Right.EDIT)
    save(client, shared_plan, {"played": has_existed()})
    assert list_codes(save(client, shared_plan, {"played": has_existed(), "bitrate": BITRATE})) == {
        "not_shared"
    }
    assert list_codes(save(client, shared_plan, {"none": build_negation("none")})) == {"cycle"}
    assert list_codes(save(client, shared_plan, {"played": has_existed()})) == {"unknown_stream"}


def test_the_owner_opens_what_another_has_drawn_by_running_it(
    api: APIClient, bob: User, shared_plan: Plan
) -> None:
    client = share_plan(bob, shared_plan, Right.EDIT)
    assert list_codes(save(client, shared_plan, NODES | {"cdn": BITRATE | {"params": {"field": "cdn"}}})) == {
        "not_shared"
    }
    assert api.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json").status_code == 200
    assert client.get(f"/api/plans/{shared_plan.pk}/").json()["problems"] == []


def test_so_does_an_operator_who_may_look_at_everything(bob: User, shared_plan: Plan) -> None:
    transfer(things=[shared_plan], user=User.objects.get(username="ada"), to=bob)
    shared_plan.refresh_from_db()
    Plan.objects.update(lent={})
    operator = User.objects.create_user("olga")
    Member.objects.filter(user=operator).update(role=Role.OPERATOR)
    bobs = log_in_client(User.objects.get(pk=bob.pk))
    assert {"unknown_stream"} == list_codes(bobs.get(f"/api/plans/{shared_plan.pk}/").json())
    run_plan(plan=shared_plan, user=User.objects.get(pk=operator.pk), placement="isolated")
    assert bobs.get(f"/api/plans/{shared_plan.pk}/").json()["problems"] == []


def test_the_owner_opens_nothing_of_it_by_saving_something_else(
    api: APIClient, bob: User, shared_plan: Plan
) -> None:
    """Pages save by themselves: what another has put into a plan is not opened by moving a node of it."""
    client = share_plan(bob, shared_plan, Right.EDIT, Right.OPERATE)
    hidden = BITRATE | {"stream": "vault"}
    more = NODES | {"cdn": BITRATE | {"params": {"field": "cdn"}}, "hidden": hidden}
    save(client, shared_plan, more)
    save(
        api,
        shared_plan,
        more | {"live": BITRATE | {"params": {"field": "live"}}, "never": build_negation("fast")},
    )
    answer = client.get(f"/api/plans/{shared_plan.pk}/").json()
    assert {(problem["node"], problem["code"]) for problem in answer["problems"]} == {
        ("cdn", "not_shared"),
        ("hidden", "unknown_stream"),
    }
    assert client.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json").status_code == 422
    save(api, shared_plan, NODES | {"hidden": hidden | {"params": {"field": "cdn"}}})
    assert client.get(f"/api/plans/{shared_plan.pk}/").json()["problems"] == []


def test_another_stream_of_the_same_name_is_not_lent(
    api: APIClient, bobs: APIClient, shared_plan: Plan
) -> None:
    carl = User.objects.create_user("carl")
    Stream.objects.get(name="player").delete()
    new = create_stream(user=carl, name="player", document=STREAM)
    open_to_all(thing=new, user=carl, is_open=False)
    assert (
        list_codes(check(bobs, NODES, shared_plan))
        == list_codes(check(api, NODES, shared_plan))
        == {"unknown_stream"}
    )


def test_who_may_run_it_runs_it_though_the_stream_be_the_owners_alone(
    api: APIClient, bob: User, shared_plan: Plan
) -> None:
    client = share_plan(bob, shared_plan, Right.OPERATE)
    foreseen = client.get(f"/api/plans/{shared_plan.pk}/consequences/").json()
    assert foreseen["replayed_events"] == {}
    assert api.get(f"/api/plans/{shared_plan.pk}/consequences/").json()["replayed_events"] == {"player": 0}
    answer = client.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json")
    assert answer.status_code == 200, answer.json()
    shared_plan.refresh_from_db()
    programs = [node.program["streams"]["player"] for node in shared_plan.nodes.all()]
    assert programs
    assert all(program["fields"] == DECLARED["fields"] for program in programs)


def test_a_plan_does_not_run_on_a_stream_that_its_owner_may_not_look_at_any_more(
    bob: User, shared_plan: Plan
) -> None:
    client, carl = share_plan(bob, shared_plan, Right.OPERATE), User.objects.create_user("carl")
    transfer(things=[Stream.objects.get(name="player")], user=User.objects.get(username="ada"), to=carl)
    refused = client.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json")
    assert refused.status_code == 422
    (result,) = refused.json()["problems"]
    assert result["code"] == "not_shared"
    assert result["message"] == "the events of the stream 'player' are shared neither with you nor with ada"


def test_of_a_teams_plan_the_team_may_look(ada: User, bob: User, shared_plan: Plan) -> None:
    crew = Group.objects.create(name="crew")
    ada.groups.add(crew)
    client = share_plan(bob, shared_plan, Right.OPERATE)
    transfer(things=[shared_plan], user=ada, to=crew)
    assert client.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json").status_code == 422
    share_exactly(thing=Stream.objects.get(name="player"), user=ada, holder=crew, rights=[Right.READ])
    assert client.post(f"/api/plans/{shared_plan.pk}/run/", {}, format="json").status_code == 200


def test_a_reader_tries_the_plan_on_events_of_his_own(bobs: APIClient, shared_plan: Plan) -> None:
    event = {"session_id": "s1", "t": 1, "event_id": "e", "player_state": "play", "bitrate": 10}
    sent = {"document": shared_plan.document, "draft_of": shared_plan.pk, "events": {"player": [event]}}
    answer = bobs.post("/api/evaluate/", sent, format="json")
    assert answer.status_code == 200, answer.json()
    assert answer.json()["left_out"] == []
    alone = {name: value for name, value in sent.items() if name != "draft_of"}
    assert bobs.post("/api/evaluate/", alone, format="json").status_code == 422
    kept = {"plan": shared_plan.pk, "events": {"player": [event]}}
    assert bobs.post("/api/evaluate/", kept, format="json").status_code == 200


def test_a_reader_runs_its_tests_as_it_is_kept_and_asks_the_samples_for_nothing_else(
    ada: User, bobs: APIClient, shared_plan: Plan
) -> None:
    sample: Sample = keep_sample(user=ada, name="Nothing", events={})
    create_plan_test(plan=shared_plan, user=ada, sample=sample, name="T", expected=[])
    address = f"/api/plans/{shared_plan.pk}/tests/run/"
    for sent in ({}, {"document": shared_plan.document}):
        assert bobs.post(address, sent, format="json").status_code == 200
    other = {"document": build_document(played=has_existed('player_state == "stall"'))}
    assert bobs.post(address, other, format="json").status_code == 422


def test_a_document_that_declares_streams_itself_learns_nothing_of_a_sample(
    ada: User, bob: User, shared_plan: Plan
) -> None:
    """Neither whoever reads a plan, by a document of his own, nor whoever may change it, by what he saves."""
    player, vault = DECLARED, DECLARED | {"id": None}
    events = [{"session_id": "s1", "t": 1, "event_id": "e", "player_state": "play", "cdn": "secret"}]
    held = read_uploaded_events(dict.fromkeys(("player", "vault"), events), {}, load_declarations(ada))
    sample = keep_sample(user=ada, name="Hers", events=held)
    open_to_all(thing=sample, user=ada, is_open=False)
    expected = [{"node": "played", "key": "s1", "spans": [{"from": 1_000, "to": None, "value": True}]}]
    create_plan_test(plan=shared_plan, user=ada, sample=sample, name="T", expected=expected)
    address, client = f"/api/plans/{shared_plan.pk}/tests/run/", share_plan(bob, shared_plan, Right.EDIT)
    stored = client.post(address, {}, format="json").json()
    assert stored["passed"] == 1

    field = {"op": "latest_event_to_state", "params": {"field": "cdn"}}
    for stream in ("player", "vault"):
        asks = build_document(played=field | {"stream": stream}) | {
            "streams": {"player": player, "vault": vault}
        }
        entry = client.post(address, {"document": asks}, format="json").json()
        assert "secret" not in str(entry)
        (test,) = entry["tests"]
        assert (test["status"], test["problems"][0]["code"]) == ("broken", "not_shared")
        shared_plan.refresh_from_db()
        saved = {"document": asks, "version": shared_plan.version}
        assert client.put(f"/api/plans/{shared_plan.pk}/", saved, format="json").status_code == 200
        answer = client.post(address, {}, format="json")
        assert "secret" not in answer.content.decode()


def test_a_draft_of_ones_own_learns_nothing_of_a_stream_by_asking_why(
    ada: User, bob: User, shared_plan: Plan
) -> None:
    """Neither whether there is one, nor its fields and their types."""
    run_plan(plan=shared_plan, user=ada, placement="isolated")
    digest = shared_plan.uses.get(name="played").node.digest
    Member.objects.filter(user=bob).update(role=Role.EDITOR)
    client, items = log_in_client(User.objects.get(pk=bob.pk)), []
    for stream in ("vault", "nothing"):
        nodes = {"x": {"op": "has_existed", "stream": stream, "params": {"where": 'bitrate == "much"'}}}
        own_plan = create_plan(user=bob, name="Mine", document=build_document(**nodes))
        answer = client.get(f"/api/nodes/{digest}/why/?key=s1&at=1&plan={own_plan.pk}").json()
        items.append(str(answer["problems"]).replace(stream, "…"))
        assert [problem["code"] for problem in answer["problems"]] == ["unknown_stream"]
    assert items[0] == items[1]


def test_a_document_that_declares_streams_itself_learns_not_what_others_compute(
    ada: User, bob: User, shared_plan: Plan
) -> None:
    """A node is known where somebody who asks may look at it: else a guess of a declaration could be tried out."""
    run_plan(plan=shared_plan, user=ada, placement="isolated")
    guessed = {**build_document(played=NODES["played"]), "streams": {"player": DECLARED}}

    def is_known(user: User) -> bool:
        answer = log_in_client(user).post("/api/plans/check/", {"document": guessed}, format="json").json()
        assert answer["ok"], answer
        return bool(answer["nodes"]["played"]["known"])

    assert is_known(bob), "it is shared with him"
    share_exactly(thing=shared_plan, user=ada, holder=bob, rights=[])
    assert not is_known(User.objects.get(pk=bob.pk))
    assert is_known(ada)


def test_a_stopped_plans_charts_are_found_by_its_readers(
    ada: User, bobs: APIClient, shared_plan: Plan
) -> None:
    run_plan(plan=shared_plan, user=ada, placement="isolated")
    digest = shared_plan.uses.get(name="played").node.digest
    stop_plan(plan=shared_plan, user=ada)
    body = {"sources": [{"plan": shared_plan.pk, "node": "played"}]}
    (result,) = bobs.post("/api/dashboards/sources/", body, format="json").json()["sources"]
    assert (result["state"], result["digest"]) == ("stopped", digest)
