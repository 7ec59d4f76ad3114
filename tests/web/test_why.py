"""Why, over REST: the same chain as the local evaluator gives, from the revision log and the landed events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, find_owner, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from tests.web.log import SECOND, T, revise
from timeline_app.algebra.fold import to_points
from timeline_app.compiler import compile_plan
from timeline_app.demos.player import CIRR
from timeline_app.evaluate.engine import compute_finality, evaluate
from timeline_app.evaluate.why import explain
from timeline_app.landing import key_lookup
from timeline_app.testing.points import build_batches
from timeline_app.web.core.permissions import Right
from timeline_app.web.models import Node, Plan, Revision, Stream
from timeline_app.web.models.people import Member, Role
from timeline_app.web.nodes import why as selector
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.streams.ingest import take_events
from timeline_app.web.streams.selectors import load_declarations

pytestmark = pytest.mark.deep

MS = T // 1000
EVENTS: list[dict[str, Any]] = [
    {"session_id": "s1", "t": MS, "event_id": "a", "player_state": "play", "cdn": "CDN1"},
    {"session_id": "s1", "t": MS + 3_000, "event_id": "b", "user_action": "seek"},
    {"session_id": "s1", "t": MS + 7_000, "event_id": "c", "player_state": "buffer", "note": "slow"},
    {"session_id": "s2", "t": MS + 7_000, "event_id": "d", "player_state": "buffer", "cdn": "CDN2"},
    {"session_id": "s1", "t": MS + 99_000, "event_id": "e", "player_state": "play"},
]
AT = T + 9 * SECOND


@pytest.fixture
def cirr(ada: User, player: Stream) -> Plan:
    """The demo's plan, run, its events landed one by one, and the log as its queries would have written it."""
    nodes = CIRR["nodes"] | {
        "total": {"op": "aggregate", "inputs": {"of": "cirr"}, "params": {"function": "sum"}},
        "recent": {"op": "count_within", "stream": "player", "params": {"duration": "9s"}},
    }
    plan = create_plan(user=ada, name=None, document={**CIRR, "nodes": nodes})
    run_plan(plan=plan, user=ada, placement="isolated")
    for event in EVENTS:
        take_events(stream=player, body=json.dumps(event).encode())
    compiled = compile_plan(plan.document, load_declarations(None))
    batches = build_batches(compiled, {"player": EVENTS})
    for digest, item in evaluate(compiled, batches).items():
        node = Node.objects.get(digest=digest)
        for index, key in enumerate(item.names):
            revise(node, key, to_points(item.take([index])))  # type: ignore[arg-type]
        node.final_until = compute_finality(compiled, batches)[digest]
        node.save()
    return plan


def compute_digest(plan: Plan, name: str) -> str:
    return str(compile_plan(plan.document, load_declarations(None)).names[name])


def get_reason(api: APIClient, drawn: Plan, node: str = "cirr", **query: Any) -> Any:
    question = {"key": "s1", "at": str(AT), **query}
    return api.get(f"/api/nodes/{compute_digest(drawn, node)}/why/", question)


def test_the_chain_is_that_of_the_local_evaluator(api: APIClient, cirr: Plan) -> None:
    compiled = compile_plan(cirr.document, load_declarations(None))
    batches = build_batches(compiled, {"player": EVENTS})
    for name in cirr.document["nodes"]:
        key = "s1" if name not in ("total", "cirr_by_cdn") else "*" if name == "total" else "CDN1"
        answer, local = get_reason(api, cirr, name, key=key).json(), explain(compiled, batches, name, key, AT)
        for link in (*answer["chain"], *local["chain"]):
            link.pop("events")
        assert answer["chain"] == local["chain"]
        assert (answer["node"], answer["plan"], answer["complete"]) == (name, cirr.pk, True)


def test_raw_events_come_whole_from_the_landing(api: APIClient, cirr: Plan) -> None:
    chain = {link["op"]: link for link in get_reason(api, cirr).json()["chain"]}
    [boundary] = chain["has_existed_within"]["events"]
    assert boundary == {
        "stream": "player",
        "t": T + 3 * SECOND,
        "events": [{"event_id": "b", "user_action": "seek"}],
        "found": True,
        "rule": "",
    }


def test_the_events_of_a_window_come_instant_by_instant(api: APIClient, cirr: Plan) -> None:
    [link] = get_reason(api, cirr, "recent").json()["chain"]
    assert link["sentence"] == "`count_within` is 2: 2 events came in the 9 s before."
    assert [(item["t"] - T, item["events"], item["found"]) for item in link["events"]] == [
        (3 * SECOND, [{"event_id": "b", "user_action": "seek"}], True),
        (7 * SECOND, [{"event_id": "c", "player_state": "buffer", "note": "slow"}], True),
    ]


def test_of_a_stream_that_is_not_shared_no_more_is_told_than_the_plan_reads(
    bob: User, ada: User, cirr: Plan, player: Stream
) -> None:
    """Neither the field `note` nor the id, which the plan reads no more than that."""
    for item in (cirr, player):
        open_to_all(thing=item, user=ada, is_open=False)
    share_exactly(thing=cirr, user=ada, holder=bob, rights=[Right.READ])
    Member.objects.filter(user=bob).update(role=Role.VIEWER)
    readers = log_in_client(User.objects.get(pk=bob.pk))

    def list_events(client: APIClient) -> list[dict[str, Any]]:
        chain = get_reason(client, cirr).json()["chain"]
        return [event for link in chain for boundary in link["events"] for event in boundary["events"]]

    owners, answer = list_events(log_in_client(ada)), list_events(readers)
    read = {"player_state", "user_action", "cdn"}
    assert {name for event in owners for name in event} > read
    assert answer == [{name: value for name, value in event.items() if name in read} for event in owners]
    assert any(answer)


def test_events_out_of_reach_are_said_to_be(
    api: APIClient, cirr: Plan, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_lookup, "MAX_FILES_AROUND", 0)
    [boundary] = next(link for link in get_reason(api, cirr).json()["chain"] if link["op"] == "has_existed")[
        "events"
    ]
    assert (boundary["events"], boundary["found"]) == ([], False)


def test_a_group_of_too_many_keys_tells_their_number(
    api: APIClient, cirr: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "`s1` with 1" in get_reason(api, cirr, "total", key="*").json()["chain"][0]["sentence"]
    monkeypatch.setattr(selector, "MAX_KEYS_LISTED", 1)
    [link] = get_reason(api, cirr, "total", key="*").json()["chain"]
    assert link["sentence"].endswith("there are 2 keys, too many to look at one by one.")


def test_without_a_plan_any_that_uses_the_node_gives_the_words(
    api: APIClient, bobs: APIClient, cirr: Plan
) -> None:
    assert get_reason(bobs, cirr).json()["plan"] == cirr.pk
    other = create_plan(user=find_owner(cirr), name=None, document=cirr.document)
    assert get_reason(api, cirr, plan=other.pk).json()["plan"] == other.pk


def test_of_two_names_of_a_node_the_wanted_one_speaks(api: APIClient, ada: User, player: Stream) -> None:
    nodes = build_document(
        played=has_existed(), never=build_negation("played"), again=build_negation("never")
    )
    plan = run_plan(plan=create_plan(user=ada, name=None, document=nodes), user=ada, placement="isolated")
    for node in Node.objects.all():
        revise(node, "s1", [[None, node.operator == "not"]])
    assert get_reason(api, plan, "again").json()["node"] == "played"
    answer = get_reason(api, plan, "again", name="again").json()
    assert [link["node"] for link in answer["chain"]] == ["again", "never", "played"]


def test_the_words_are_those_of_what_runs_not_of_the_draft(api: APIClient, ada: User, cirr: Plan) -> None:
    digest = compute_digest(cirr, "cirr")
    save_plan(plan=cirr, user=ada, version=cirr.version, name=None, document=build_document(a=has_existed()))
    question: dict[str, Any] = {"key": "s1", "at": AT, "plan": cirr.pk}
    assert api.get(f"/api/nodes/{digest}/why/", question).json()["node"] == "cirr"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"key": None}, "key"),
        ({"at": None}, "at"),
        ({"at": ""}, "at"),
        ({"at": "noon"}, "at"),
        ({"at": "1e9"}, "at"),
        ({"at": str(2**63)}, "at"),
        ({"at": "NaN"}, "at"),
        ({"key": "s\0"}, "key"),
        ({"key": "k" * 1025}, "key"),
        ({"plan": "x"}, "plan"),
        ({"plan": "-1"}, "plan"),
        ({"plan": ""}, "plan"),
        ({"name": "a\0"}, "name"),
    ],
)
def test_a_bad_question_is_refused_by_name(
    api: APIClient, cirr: Plan, query: dict[str, Any], field: str
) -> None:
    question = {"key": "s1", "at": str(AT), **query}
    answer = api.get(
        f"/api/nodes/{compute_digest(cirr, 'cirr')}/why/",
        {name: value for name, value in question.items() if value is not None},
    )
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, field)


def test_what_is_not_there_is_said_not_to_be(api: APIClient, ada: User, cirr: Plan) -> None:
    foreign = create_plan(
        user=ada, name="Other", document=build_document(a=has_existed('player_state == "x"'))
    )
    for query, code in (
        ({"key": "nobody"}, "unknown_key"),
        ({"plan": 10**6}, "unknown_plan"),
        ({"plan": foreign.pk}, "not_in_plan"),
        ({"name": "calm"}, "not_in_plan"),
        ({"name": ""}, "not_in_plan"),
    ):
        answer = get_reason(api, cirr, **query)
        assert (answer.status_code, answer.json()["code"]) == (404, code)
    for digest in ("gone", "%00"):
        answer = api.get(f"/api/nodes/{digest}/why/?key=s1&at=0")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_node")


def test_a_stopped_plan_speaks_only_when_it_is_named(api: APIClient, ada: User, cirr: Plan) -> None:
    stop_plan(plan=cirr, user=ada)
    assert get_reason(api, cirr).json()["code"] == "not_in_plan"
    assert get_reason(api, cirr, plan=cirr.pk).status_code == 200


def test_a_plan_with_problems_is_refused_with_all_of_them(api: APIClient, ada: User, cirr: Plan) -> None:
    broken = create_plan(
        user=ada, name=None, document=build_document(a=build_negation("b"), c={"op": "nonsense"})
    )
    answer = get_reason(api, cirr, plan=broken.pk)
    assert (answer.status_code, answer.json()["code"]) == (422, "plan_refused")
    assert {problem["node"] for problem in answer.json()["problems"]} == {"a", "c"}


def test_a_draft_that_never_ran_says_so(api: APIClient, ada: User, cirr: Plan) -> None:
    nodes = dict(CIRR["nodes"])
    nodes["twice"] = build_negation("often")
    nodes["often"] = build_negation(next(name for name, node in nodes.items() if node["op"] == "and"))
    draft = create_plan(user=ada, name=None, document={**CIRR, "nodes": nodes})
    answer = get_reason(api, draft, "twice", plan=draft.pk, name="twice")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_running")


def test_instants_before_every_event_and_after_have_answers(api: APIClient, cirr: Plan) -> None:
    for at in ("0001-01-01T00:00:00Z", "0", "9999-12-31T23:59:59Z"):
        for link in get_reason(api, cirr, at=at).json()["chain"]:
            assert link["sentence"]
            assert link["ends"]
    leaf = get_reason(api, cirr, at="0").json()["chain"][-1]
    assert "had come for `s1` by then; the first one is of 2024-07-01 08:00:00" in leaf["sentence"]


def test_nobody_is_told_without_login(nobody: APIClient, cirr: Plan) -> None:
    assert get_reason(nobody, cirr).status_code == 401


def test_the_newest_revision_that_covers_the_instant_counts_for_a_member(api: APIClient, cirr: Plan) -> None:
    node = Node.objects.get(digest=compute_digest(cirr, "cirr"))
    revise(node, "s2", [[AT - 1, 70.0, 1.0]], start=AT - 1, end=AT + SECOND)
    revise(node, "s2", [[AT + SECOND, 0.0, 0.0]], start=AT + SECOND)
    assert Revision.objects.filter(node_key__node=node, node_key__key="s2").count() == 3
    assert "`s2` with 70.000001" in get_reason(api, cirr, "total", key="*").json()["chain"][0]["sentence"]


def test_why_as_it_was_known_then(api: APIClient, cirr: Plan) -> None:
    """Of what became known later nothing is said, and of what was not known yet nothing at all."""
    node = Node.objects.get(digest=compute_digest(cirr, "buffering"))
    then = revise(node, "s1", [[None, False], [T + 7 * SECOND, True]]).known_at
    revise(node, "s1", [[None, False]])
    [now, *_], [before, *_] = (
        get_reason(api, cirr, "buffering", **query).json()["chain"] for query in ({}, {"known_at": str(then)})
    )
    assert (now["value"], before["value"], before["from"]) == (False, True, T + 7 * SECOND)
    items = [
        get_reason(api, cirr, "buffering", **query).json()["known_at"]
        for query in ({}, {"known_at": str(then)})
    ]
    assert items == [None, then]
    answer = get_reason(api, cirr, "buffering", known_at=str(T - SECOND))
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_key")


def test_of_a_group_those_count_who_were_known_then(api: APIClient, cirr: Plan) -> None:
    node = Node.objects.get(digest=compute_digest(cirr, "cirr"))
    then = revise(node, "s2", [[None, 70.0, 0.0]]).known_at
    total = Node.objects.get(digest=compute_digest(cirr, "total"))
    Revision.objects.filter(node_key__node=total).update(known_at=then)
    Node.objects.filter(pk=total.pk).update(as_of=then)
    revise(node, "s2", [[None, 5.0, 0.0]])
    revise(node, "s3", [[None, 900.0, 0.0]])
    answer = get_reason(api, cirr, "total", key="*", known_at=str(then)).json()["chain"][0]["sentence"]
    assert "`s2` with 70" in answer
    assert "`s3` with 900" in get_reason(api, cirr, "total", key="*").json()["chain"][0]["sentence"]


def test_reasons_that_reach_through_too_many_changes_are_refused_in_words(
    api: APIClient, cirr: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = Node.objects.get(uses__plan=cirr, uses__name="cirr").digest
    address = f"/api/nodes/{digest}/why/?key=s1&at={AT}"
    assert api.get(address).status_code == 200
    monkeypatch.setattr(selector, "MAX_POINTS_PER_WHY", 5)
    refused = api.get(address)
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_points")
    assert "more than 5 changes" in refused.json()["message"]
