"""What goes on by a right ends with the right: plans, nodes, sinks, recordings, whichever way it is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from tests.web.log import T, revise
from timeline_app.demos.player import STREAM
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import set_role, transfer
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.people.services import delete_team, set_active, set_teams
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.streams.services import create_stream
from timeline_app.web.workspace.ended_rights import end_lost_rights

EVENT = {"session_id": "s1", "t": T // 1000, "event_id": "e1", "player_state": "play"}


@pytest.fixture
def stream(ada: User) -> Stream:
    """A closed stream of ada's."""
    new_stream = create_stream(user=ada, name="player", document=STREAM)
    open_to_all(thing=new_stream, user=ada, is_open=False)
    return Stream.objects.get(pk=new_stream.pk)


@pytest.fixture
def crew(bob: User) -> Group:
    new_team = Group.objects.create(name="crew")
    new_team.user_set.add(bob)
    return new_team


def create_running_plan(user: User, where: str = 'player_state == "play"') -> Plan:
    plan = create_plan(user=user, name="reading", document=build_document(played=has_existed(where)))
    return run_plan(plan=plan, user=user, placement="isolated")


def share_with_bob(stream: Stream, ada: User, bob: User, *rights: Right) -> None:
    share_exactly(thing=stream, user=ada, holder=bob, rights=rights)


@pytest.fixture
def shared_running_plan(stream: Stream, ada: User, bob: User) -> Plan:
    """A running plan of bob's on ada's closed stream, which is shared with him."""
    share_with_bob(stream, ada, bob, Right.READ)
    plan = create_running_plan(bob)
    revise(Node.objects.get(), "s1", [[None, False], [T, True]])
    return plan


Take = Callable[[Stream, User, User], None]


def unshare_from_bob(stream: Stream, ada: User, bob: User) -> None:
    share_with_bob(stream, ada, bob)


def give_away(stream: Stream, ada: User, bob: User) -> None:
    """The new owner shares it with nobody."""
    share_with_bob(stream, ada, bob)
    transfer(things=[stream], user=ada, to=User.objects.create_user("carol"))


def shut_bob_out(stream: Stream, ada: User, bob: User) -> None:
    root = User.objects.create_superuser("boss")
    set_active(person=bob, user=root, active=False)


@pytest.mark.parametrize("take", [unshare_from_bob, give_away, shut_bob_out])
def test_a_running_plan_stops_with_the_right_to_its_stream(
    stream: Stream, ada: User, bob: User, shared_running_plan: Plan, take: Take
) -> None:
    node = Node.objects.get()
    take(stream, ada, bob)
    plan = Plan.objects.get(pk=shared_running_plan.pk)
    assert (plan.running, plan.running_document) == (False, None)
    assert plan.ended == "bob may not look at player any more, which this plan reads"
    assert Query.objects.get().desired == Query.Desired.STOPPED
    entry = AuditEntry.objects.get(act="plan.stop")
    assert (entry.actor_name, entry.reason) == ("the system", plan.ended)
    assert Node.objects.get().owner_name != "bob"
    bobs = log_in_client(User.objects.get(pk=bob.pk))
    for rest in ("", "timeline/?key=s1", f"why/?key=s1&at={T}", "keys/", "states/", "sinks/", "audit/"):
        assert bobs.get(f"/api/nodes/{node.digest}/{rest}").status_code in (401, 404), rest
    assert not PlanNode.objects.exists()


def test_its_owner_is_told_on_the_page_and_may_run_it_when_the_right_is_back(
    stream: Stream, ada: User, bob: User, bobs: APIClient, shared_running_plan: Plan
) -> None:
    unshare_from_bob(stream, ada, bob)
    address = f"/api/plans/{shared_running_plan.pk}/"
    assert bobs.get(address).json()["ended"] == "bob may not look at player any more, which this plan reads"
    assert bobs.post(f"{address}run/", {}, format="json").status_code == 422
    share_with_bob(stream, ada, bob, Right.READ)
    assert not Plan.objects.get().running, "nothing begins again by itself"
    assert bobs.post(f"{address}run/", {}, format="json").status_code == 200
    assert bobs.get(address).json()["ended"] == ""


def test_a_node_that_somebody_else_may_read_goes_on_without_the_one_who_may_not(
    stream: Stream, ada: User, bob: User, shared_running_plan: Plan, bobs: APIClient, api: APIClient
) -> None:
    own_plan = create_running_plan(ada)
    Plan.objects.filter(pk=own_plan.pk).update(open_to_all=False)
    node = Node.objects.get()
    unshare_from_bob(stream, ada, bob)
    assert Plan.objects.get(pk=own_plan.pk).running
    assert Query.objects.get().desired == Query.Desired.RUNNING
    assert Node.objects.get().owner_name == "ada"
    assert bobs.get(f"/api/nodes/{node.digest}/").status_code == 404
    assert api.get(f"/api/nodes/{node.digest}/").status_code == 200


def test_who_may_look_at_another_plan_that_uses_the_node_still_sees_it(
    stream: Stream, ada: User, bob: User, shared_running_plan: Plan, bobs: APIClient
) -> None:
    own_plan = create_running_plan(ada)
    share_exactly(thing=own_plan, user=ada, holder=bob, rights=[Right.READ])
    unshare_from_bob(stream, ada, bob)
    node = Node.objects.get()
    assert bobs.get(f"/api/nodes/{node.digest}/timeline/?key=s1").status_code == 200
    share_exactly(thing=own_plan, user=ada, holder=bob, rights=[])
    assert bobs.get(f"/api/nodes/{node.digest}/timeline/?key=s1").status_code == 404


def test_what_reads_only_open_streams_is_left_alone(stream: Stream, ada: User, bob: User) -> None:
    create_stream(user=ada, name="open", document=STREAM)
    node = has_existed() | {"stream": "open"}
    plan = create_plan(user=bob, name=None, document=build_document(played=node))
    run_plan(plan=plan, user=bob, placement="isolated")
    share_with_bob(stream, ada, bob, Right.READ)
    unshare_from_bob(stream, ada, bob)
    set_active(person=bob, user=User.objects.create_superuser("boss"), active=False)
    assert Plan.objects.get(pk=plan.pk).running


def test_a_stream_that_is_closed_ends_the_plans_of_others(ada: User, bob: User, player: Stream) -> None:
    plan, own = create_running_plan(bob), create_running_plan(ada, 'player_state == "pause"')
    open_to_all(thing=player, user=ada, is_open=False)
    assert not Plan.objects.get(pk=plan.pk).running
    assert Plan.objects.get(pk=own.pk).running


@pytest.mark.parametrize("way", ["service", "team", "orm"])
def test_a_right_by_a_team_ends_with_the_membership(
    stream: Stream, ada: User, bob: User, root: User, crew: Group, way: str
) -> None:
    share_exactly(thing=stream, user=ada, holder=crew, rights=[Right.READ])
    plan = create_running_plan(bob)
    if way == "service":
        set_teams(person=bob, user=root, teams=[])
    elif way == "team":
        delete_team(team=crew, user=root)
    else:
        bob.groups.remove(crew)
    assert not Plan.objects.get(pk=plan.pk).running


def test_a_plan_of_a_team_goes_on_by_the_right_of_the_team(
    stream: Stream, ada: User, bob: User, root: User, crew: Group
) -> None:
    share_exactly(thing=stream, user=ada, holder=crew, rights=[Right.READ])
    plan = create_running_plan(bob)
    transfer(things=[plan], user=bob, to=crew)
    set_teams(person=bob, user=root, teams=[])
    assert Plan.objects.get(pk=plan.pk).running
    share_exactly(thing=stream, user=ada, holder=crew, rights=[])
    assert not Plan.objects.get(pk=plan.pk).running


def test_a_right_by_a_role_ends_with_the_role(stream: Stream, bob: User, root: User) -> None:
    set_role(person=bob, user=root, role=Role.OPERATOR)
    plan = create_running_plan(User.objects.get(pk=bob.pk))
    set_role(person=bob, user=root, role=Role.EDITOR)
    assert not Plan.objects.get(pk=plan.pk).running


def test_what_an_operator_opened_ends_with_the_operators_right(
    stream: Stream, ada: User, bob: User, root: User
) -> None:
    olga = User.objects.create_user("olga")
    set_role(person=olga, user=root, role=Role.OPERATOR)
    olga = User.objects.get(pk=olga.pk)
    plan = create_plan(user=bob, name=None, document=build_document(played=has_existed()))
    answer = log_in_client(olga).get(f"/api/plans/{plan.pk}/consequences/").json()
    assert answer["opens"] == [{"stream": "player", "fields": ["player_state"]}]
    assert "This opens player.player_state to bob, and to all who may look at the plan." in answer["words"]
    run_plan(plan=plan, user=olga, placement="isolated")
    end_lost_rights()
    assert Plan.objects.get(pk=plan.pk).running, "by olga's right"
    set_role(person=olga, user=root, role=Role.EDITOR)
    assert not Plan.objects.get(pk=plan.pk).running


def test_a_rerun_by_an_operator_does_not_keep_what_the_owner_had(
    stream: Stream, ada: User, bob: User, root: User, shared_running_plan: Plan
) -> None:
    run_plan(plan=shared_running_plan, user=root, placement="isolated")
    unshare_from_bob(stream, ada, bob)
    assert not Plan.objects.get(pk=shared_running_plan.pk).running


def test_running_ones_own_plan_opens_nothing(
    stream: Stream, ada: User, bob: User, api: APIClient, shared_running_plan: Plan
) -> None:
    answer = log_in_client(bob).get(f"/api/plans/{shared_running_plan.pk}/consequences/").json()
    assert (answer["opens"], "opens" in answer["words"]) == ([], False)


def test_a_plan_that_is_given_to_who_may_not_look_stops(stream: Stream, ada: User, bob: User) -> None:
    plan = create_running_plan(ada)
    transfer(things=[plan], user=ada, to=bob)
    assert not Plan.objects.get(pk=plan.pk).running
    assert Plan.objects.get(pk=plan.pk).ended


def test_stream_and_plan_that_are_given_together_go_on(stream: Stream, ada: User, bob: User) -> None:
    plan = create_running_plan(ada)
    transfer(things=[plan, stream, *Node.objects.all()], user=ada, to=bob)
    assert Plan.objects.get(pk=plan.pk).running


def test_a_stopped_plan_shows_nothing_of_before_either(
    stream: Stream, ada: User, bob: User, bobs: APIClient, shared_running_plan: Plan
) -> None:
    bobs.post(f"/api/plans/{shared_running_plan.pk}/stop/", {}, format="json")
    node = Node.objects.get()
    assert bobs.get(f"/api/nodes/{node.digest}/timeline/?key=s1").status_code == 200
    unshare_from_bob(stream, ada, bob)
    assert bobs.get(f"/api/nodes/{node.digest}/timeline/?key=s1").status_code == 404


def test_what_was_taken_in_another_way_is_noticed(
    stream: Stream, ada: User, bob: User, shared_running_plan: Plan
) -> None:
    Stream.objects.filter(pk=stream.pk).update(owner=User.objects.create_user("carol"))
    stream.user_permissions.all().delete()
    end_lost_rights()
    assert not Plan.objects.get(pk=shared_running_plan.pk).running
    entries = AuditEntry.objects.count()
    end_lost_rights()
    assert AuditEntry.objects.count() == entries, "once"


FOLDER = {"kind": "parquet", "delivers": "final", "options": {"folder": "mine"}}


def add_sink(client: APIClient, node: Node, **more: Any) -> int:
    answer = client.post(f"/api/nodes/{node.digest}/sinks/", FOLDER | more, format="json")
    assert answer.status_code == 201, answer.json()
    return int(answer.json()["number"])


def test_a_sink_stops_with_its_owners_right(
    stream: Stream,
    ada: User,
    bob: User,
    root: User,
    bobs: APIClient,
    api: APIClient,
    shared_running_plan: Plan,
) -> None:
    create_running_plan(ada)
    Plan.objects.filter(owner=ada).update(open_to_all=False)
    node = Node.objects.get()
    his, hers = add_sink(bobs, node), add_sink(api, node, options={"folder": "hers"})
    before = NodeSink.objects.get(pk=his).changed_at
    unshare_from_bob(stream, ada, bob)
    sink = NodeSink.objects.get(pk=his)
    assert (sink.paused, sink.words) == (True, "paused: bob may not look at the node any more")
    assert sink.changed_at > before, "whoever delivers opens it anew"
    assert not NodeSink.objects.get(pk=hers).paused
    assert bobs.post(f"/api/nodes/{node.digest}/sinks/", FOLDER, format="json").status_code == 404
    roots = log_in_client(root)
    answer = roots.post(f"/api/nodes/{node.digest}/sinks/{his}/resume/", {}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "owner_may_not_look")
    entry = AuditEntry.objects.filter(act="node.sink").latest("pk")
    assert (entry.actor_name, entry.reason) == ("the system", "bob may not look at the node any more")


def test_a_sink_stops_when_the_plan_is_not_shared_any_more(player: Stream, ada: User, bob: User) -> None:
    plan = create_running_plan(ada)
    open_to_all(thing=plan, user=ada, is_open=False)
    share_exactly(thing=plan, user=ada, holder=bob, rights=[Right.OPERATE])
    number = add_sink(log_in_client(bob), Node.objects.get())
    assert not NodeSink.objects.get(pk=number).paused
    share_exactly(thing=plan, user=ada, holder=bob, rights=[])
    assert NodeSink.objects.get(pk=number).paused


def test_the_sinks_of_who_is_shut_out_stop(player: Stream, bob: User, root: User) -> None:
    create_running_plan(bob)
    number = add_sink(log_in_client(bob), Node.objects.get())
    set_active(person=bob, user=root, active=False)
    assert NodeSink.objects.get(pk=number).paused


def push_event(client: APIClient, number: int, state: str = "confidential") -> None:
    event = EVENT | {"event_id": f"e{number}", "player_state": state}
    answer = client.post("/api/streams/player/events/", [event], format="json")
    assert answer.status_code == 202, answer.content


def record(client: APIClient, **what: Any) -> int:
    answer = client.post("/api/samples/", {"name": "r", "streams": ["player"], **what}, format="json")
    assert answer.status_code == 201, answer.content
    return int(answer.json()["id"])


def test_a_recording_ends_with_the_right(
    stream: Stream, ada: User, bob: User, root: User, api: APIClient, bobs: APIClient
) -> None:
    share_with_bob(stream, ada, bob, Right.READ)
    number = record(bobs, next=100)
    push_event(api, 1, "shared")
    assert bobs.get(f"/api/samples/{number}/").json()["streams"][0]["events"] == 1
    unshare_from_bob(stream, ada, bob)
    push_event(api, 2)
    assert bobs.get(f"/api/samples/{number}/").status_code == 404
    assert bobs.get(f"/api/samples/{number}/events/").status_code == 404
    roots = log_in_client(root)
    answer = roots.get(f"/api/samples/{number}/").json()
    assert (answer["recording"], answer["streams"][0]["events"]) == (None, 1)
    assert "confidential" not in roots.get(f"/api/samples/{number}/events/").content.decode()
    assert AuditEntry.objects.get(act="sample.end_recording").reason


def test_a_recording_asks_for_the_right_at_each_step(
    stream: Stream, ada: User, bob: User, root: User, api: APIClient, bobs: APIClient
) -> None:
    share_with_bob(stream, ada, bob, Right.READ)
    number = record(bobs, next=100)
    stream.user_permissions.all().delete()
    push_event(api, 1)
    roots = log_in_client(root)
    assert roots.get(f"/api/samples/{number}/").json()["recording"] is None
    assert "confidential" not in roots.get(f"/api/samples/{number}/events/").content.decode()


@pytest.mark.parametrize("what", [{"next": 100}, {"last": 1}])
def test_what_was_recorded_while_the_stream_was_open_is_closed_with_it(
    ada: User, bob: User, player: Stream, api: APIClient, bobs: APIClient, what: Any
) -> None:
    push_event(api, 1, "public")
    number = record(api, **what)
    assert Sample.objects.get().open_to_all
    assert bobs.get(f"/api/samples/{number}/").status_code == 200
    open_to_all(thing=player, user=ada, is_open=False)
    push_event(api, 2)
    assert api.get(f"/api/samples/{number}/").status_code == 200
    for rest in ("", "events/", "audit/"):
        assert bobs.get(f"/api/samples/{number}/{rest}").status_code == 404
    assert bobs.get("/api/samples/").json()["results"] == []


def test_a_sample_whose_stream_was_closed_is_deleted_by_its_owner(
    ada: User, player: Stream, api: APIClient, bobs: APIClient
) -> None:
    push_event(api, 1, "public")
    mine, adas = record(bobs, last=1), record(api, last=1)
    open_to_all(thing=player, user=ada, is_open=False)
    assert bobs.get(f"/api/samples/{mine}/").status_code == 404
    assert bobs.delete(f"/api/samples/{adas}/").status_code == 404
    assert bobs.delete(f"/api/samples/{mine}/").status_code == 204
    assert [sample.pk for sample in Sample.objects.all()] == [adas]


def test_what_somebody_sent_along_stays_the_own(ada: User, player: Stream, bobs: APIClient) -> None:
    body = {"name": "mine", "events": {"player": [EVENT]}}
    number = bobs.post("/api/samples/", body, format="json").json()["id"]
    open_to_all(thing=player, user=ada, is_open=False)
    assert bobs.get(f"/api/samples/{number}/").status_code == 200


def test_the_export_has_no_events_of_samples_that_are_not_shared(
    ada: User, bob: User, player: Stream, api: APIClient, bobs: APIClient, plan: Plan
) -> None:
    push_event(api, 1)
    number = record(api, last=1)
    Sample.objects.filter(pk=number).update(open_to_all=False)
    body = {"name": "t", "sample": number, "expected": []}
    assert api.post(f"/api/plans/{plan.pk}/tests/", body, format="json").status_code == 201
    address = f"/api/plans/{plan.pk}/tests/export/"
    assert api.get(address).json()["left_out"] == 0
    assert "confidential" in api.get(address).content.decode()
    answer = bobs.get(address).json()
    assert (answer["left_out"], answer["samples"], answer["tests"]) == (1, {}, [])


def test_the_owner_of_a_stream_sees_how_many_plans_of_whom_read_it(
    stream: Stream,
    ada: User,
    bob: User,
    api: APIClient,
    bobs: APIClient,
    crew: Group,
    shared_running_plan: Plan,
) -> None:
    more = create_running_plan(bob, 'player_state == "pause"')
    share_exactly(thing=stream, user=ada, holder=crew, rights=[Right.READ])
    transfer(things=[more], user=bob, to=crew)
    answer = api.get("/api/streams/player/activity/").json()
    assert answer["plans"] == []
    assert answer["others"] == {
        "plans": 2,
        "owners": [{"owner": "bob", "owner_kind": "person"}, {"owner": "crew", "owner_kind": "team"}],
    }
    assert bobs.get("/api/streams/player/activity/").json()["others"] is None
    share_exactly(thing=stream, user=ada, holder=crew, rights=[])
    unshare_from_bob(stream, ada, bob)
    assert api.get("/api/streams/player/activity/").json()["others"] == {"plans": 0, "owners": []}
