"""One language finds plans, nodes, streams and dashboards: what they are called, whose, how they are, made of what."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, Query, Stream
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.streams.services import create_stream

pytestmark = pytest.mark.deep

CARD = {"key": "card", "time": "t", "unit": "s"}


@pytest.fixture
def board(ada: User, plan: Plan) -> Dashboard:
    """A chart of ada's plan."""
    chart = {"id": "c1", "type": "lane", "plan": plan.pk, "node": "played", "place": [0, 0, 6, 5]}
    return create_dashboard(user=ada, name="Wall", document={"charts": [chart], "range": "5m", "key": ""})


@pytest.fixture
def things(ada: User, bob: User, plan: Plan, board: Dashboard) -> dict[str, Plan]:
    """ada's plan runs, bob's reads another stream and stands still."""
    create_stream(user=bob, name="card", document=CARD)
    seen_node = {"op": "event_count", "stream": "card", "params": {"where": "card == 1"}}
    cards = create_plan(user=bob, name="Cards in two suburbs", document=build_document(seen=seen_node))
    run_plan(plan=plan, user=ada, placement="isolated")
    return {"plan": plan, "cards": cards}


def list_names(client: APIClient, kind: str, q: str) -> list[str]:
    """What a list answers."""
    answer = client.get(f"/api/{kind}/", {"q": q})
    assert answer.status_code == 200, answer.content
    return sorted(result.get("name") or result["operator"] for result in answer.json()["results"])


@pytest.mark.parametrize(
    ("q", "result"),
    [
        ("", ["A plan", "Cards in two suburbs"]),
        ("cards TWO", ["Cards in two suburbs"]),
        ("cards three", []),
        ('"two suburbs"', ["Cards in two suburbs"]),
        ('"suburbs two"', []),
        ("-cards", ["A plan"]),
        ("owner:me", ["A plan"]),
        ("owner:BOB", ["Cards in two suburbs"]),
        ("-owner:me", ["Cards in two suburbs"]),
        ("owner:nobody", []),
        ("team:viewing", []),
        ("-team:viewing", ["A plan", "Cards in two suburbs"]),
        ("is:running", ["A plan"]),
        ("is:stopped", ["Cards in two suburbs"]),
        ("-is:running", ["Cards in two suburbs"]),
        ("is:failing", []),
        ("is:mine", ["A plan"]),
        ("is:shared", []),
        ("is:open", ["A plan", "Cards in two suburbs"]),
        ("op:has_existed", ["A plan"]),
        ("op:duration_where", []),
        ("-op:has_existed", ["Cards in two suburbs"]),
        ("stream:player", ["A plan"]),
        ("uses:card", ["Cards in two suburbs"]),
        ("uses:never", ["A plan"]),
        ("plan is:running owner:ada uses:player", ["A plan"]),
    ],
)
def test_plans_are_found(things: dict[str, Plan], api: APIClient, q: str, result: list[str]) -> None:
    assert list_names(api, "plans", q) == result


@pytest.mark.parametrize(
    ("q", "result"),
    [
        ("has_existed", ["has_existed"]),
        ("happened", ["has_existed"]),
        ("never", ["not"]),
        ("op:not", ["not"]),
        ("-op:not", ["has_existed"]),
        ("is:running owner:me", ["has_existed", "not"]),
        ("is:stopped", []),
        ("is:shared", []),
        ("stream:player", ["has_existed", "not"]),
        ("stream:card", []),
        ("uses:played", ["not"]),
        ('uses:"a PLAN"', ["has_existed", "not"]),
    ],
)
def test_nodes_are_found(things: dict[str, Plan], api: APIClient, q: str, result: list[str]) -> None:
    assert list_names(api, "nodes", q) == result


@pytest.mark.parametrize(
    ("kind", "q", "result"),
    [
        ("streams", "play", ["player"]),
        ("streams", "is:running", ["player"]),
        ("streams", "is:stopped", ["card"]),
        ("streams", "stream:card", ["card"]),
        ("streams", "-owner:bob", ["player"]),
        ("dashboards", "wall owner:me", ["Wall"]),
        ("dashboards", "uses:played", ["Wall"]),
        ("dashboards", 'uses:"A plan"', ["Wall"]),
        ("dashboards", "stream:player", ["Wall"]),
        ("dashboards", "uses:card", []),
        ("dashboards", "-uses:card", ["Wall"]),
    ],
)
def test_streams_and_dashboards_are_found(
    things: dict[str, Plan], api: APIClient, kind: str, q: str, result: list[str]
) -> None:
    assert list_names(api, kind, q) == result


@pytest.mark.parametrize(
    ("q", "result"),
    [
        ("", ["Evening", "Morning"]),
        ("eve", ["Evening"]),
        ("owner:ADA", ["Evening"]),
        ("is:mine -eve", []),
        ("stream:player", ["Evening"]),
        ("-stream:player", ["Morning"]),
        ("is:open", ["Evening"]),
    ],
)
def test_samples_are_found_in_their_list_and_given_away_together(
    api: APIClient, roots: APIClient, ada: User, bob: User, q: str, result: list[str]
) -> None:
    evening = Sample.objects.create(owner=ada, name="Evening")
    Sample.objects.create(owner=bob, name="Morning", open_to_all=False)
    for number in range(2):
        SamplePart.objects.create(sample=evening, stream=f"player{number or ''}", body=b"")
    assert list_names(roots, "samples", q.replace("is:mine", "owner:ada")) == result
    assert list_names(api, "samples", q) == [item for item in result if item == "Evening"]
    body = {"of": "sample", "q": q, "to": {"kind": "person", "name": "bob"}}
    answer = api.post("/api/transfer/", body, format="json")
    assert (answer.status_code, answer.json()["transferred"]) == (200, int("Evening" in result))
    assert api.get("/api/samples/?owner=BOB").json()["results"] == [
        result for result in api.get("/api/samples/").json()["results"] if result["owner"] == "bob"
    ]


def test_a_word_that_says_nothing_of_samples_is_refused(api: APIClient) -> None:
    answer = api.get("/api/samples/?q=op:not")
    assert (answer.status_code, answer.json()["code"]) == (400, "term_not_here")


def test_a_node_is_found_by_the_beginning_of_its_digest(things: dict[str, Plan], api: APIClient) -> None:
    node = Node.objects.get(operator="not")
    assert list_names(api, "nodes", node.digest[:10]) == ["not"]


@pytest.mark.parametrize("observed", [Query.Observed.FAILED, Query.Observed.RETRYING])
def test_what_fails_is_found_wherever_one_looks(
    things: dict[str, Plan], api: APIClient, observed: str
) -> None:
    Query.objects.filter(nodes__operator="not").update(observed=observed)
    assert list_names(api, "nodes", "is:failing") == ["not"]
    assert list_names(api, "plans", "is:failing") == ["A plan"]
    assert list_names(api, "plans", "-is:failing") == ["Cards in two suburbs"]
    assert list_names(api, "streams", "is:failing") == ["player"]
    stop_plan(plan=things["plan"], user=things["plan"].owner)  # type: ignore[arg-type]
    assert list_names(api, "nodes", "is:failing") == list_names(api, "plans", "is:failing") == []


def test_plans_that_share_a_node_use_one_another(
    things: dict[str, Plan], ada: User, bob: User, api: APIClient
) -> None:
    other = create_plan(user=bob, name="Other", document=build_document(mine=has_existed()))
    run_plan(plan=other, user=bob, placement="isolated")
    assert list_names(api, "plans", 'uses:"a plan"') == ["Other"]
    assert list_names(api, "plans", "uses:other") == ["A plan"]
    assert list_names(api, "nodes", "is:shared") == ["has_existed"]
    digest = Node.objects.get(operator="has_existed").digest
    assert list_names(api, "plans", f"uses:{digest}") == ["A plan", "Other"]


def test_what_is_shared_with_me_and_what_i_share(
    things: dict[str, Plan], ada: User, bob: User, api: APIClient, bobs: APIClient
) -> None:
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    share_exactly(thing=things["plan"], user=ada, holder=team, rights=[Right.EDIT])
    for client in (api, bobs):
        assert list_names(client, "plans", "is:shared") == ["A plan"]
    other = log_in_client(User.objects.create_user("carl"))
    assert list_names(other, "plans", "is:shared") == []
    transfer(things=[things["plan"]], user=ada, to=team)
    assert list_names(bobs, "plans", "owner:me team:viewing") == ["A plan"]
    assert list_names(api, "plans", "owner:me") == []


def test_only_what_the_asker_may_see_is_found_or_hinted_at(
    things: dict[str, Plan], ada: User, bobs: APIClient, roots: APIClient
) -> None:
    open_to_all(thing=things["plan"], user=ada, is_open=False)
    other = create_plan(
        user=User.objects.get(username="bob"), name="Other", document=build_document(mine=has_existed())
    )
    run_plan(plan=other, user=User.objects.get(username="bob"), placement="isolated")
    assert list_names(bobs, "plans", "") == ["Cards in two suburbs", "Other"]
    for q in ("played", 'uses:"A plan"', "uses:played"):
        assert list_names(bobs, "nodes", q) == [], q
    assert list_names(bobs, "plans", 'uses:"A plan"') == []
    assert list_names(bobs, "dashboards", 'uses:"A plan"') == []
    assert list_names(bobs, "dashboards", "stream:player") == []
    assert list_names(roots, "nodes", "played") == ["has_existed"]
    kinds = {result["kind"] for result in bobs.get("/api/search/", {"q": '"A plan"'}).json()["results"]}
    assert kinds == set()


def test_terms_follow_the_draft_and_what_runs(ada: User, plan: Plan, api: APIClient) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    plan.refresh_from_db()
    counted = {"op": "event_count", "stream": "player", "params": {"where": "a == 1"}}
    save_plan(plan=plan, user=ada, version=plan.version, name=None, document=build_document(counted=counted))
    assert list_names(api, "plans", "op:has_existed op:event_count uses:counted uses:played") == ["A plan"]
    stop_plan(plan=plan, user=ada)
    assert list_names(api, "plans", "op:event_count -op:has_existed -uses:played") == ["A plan"]


@pytest.mark.parametrize("document", [{"nodes": []}, {"nodes": {"a": 1, "": {"op": 5, "stream": ["x"]}}}])
def test_a_document_that_is_wrong_is_kept_all_the_same(
    ada: User, player: Stream, api: APIClient, document: dict[str, Any]
) -> None:
    create_plan(user=ada, name="Wrong", document=document)
    assert list_names(api, "plans", "wrong") == ["Wrong"]


BAD = {
    "an unknown term": ("nom:x", "unknown_term", 1),
    "an unknown term later": ("a  nom:x", "unknown_term", 4),
    "no value": ("owner:", "empty_term", 1),
    "an empty name": ('a -""', "empty_term", 3),
    "only a minus": ("-", "empty_term", 1),
    "a time": ("12:30", "unknown_term", 1),
    "an unknown state": ("is:happy", "unknown_state", 1),
    "an unknown operator": ("op:duration_were", "unknown_operator", 1),
    "an open quote": ('owner:"ada', "unclosed_quote", 1),
    "a quote in a word": ('a"b" c', "misplaced_quote", 1),
    "too many words": ("a " * 21, "too_many_terms", 41),
    "NUL": ("a\0b", "invalid", None),
    "too long": ("a" * 501, "invalid", None),
}


@pytest.mark.parametrize(("q", "code", "column"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("address", ["plans", "nodes", "streams", "dashboards", "search"])
def test_bad_words_are_refused_with_their_place_and_a_hint(
    api: APIClient, address: str, q: str, code: str, column: int | None
) -> None:
    answer = api.get(f"/api/{address}/", {"q": q})
    assert answer.status_code == 400
    document = answer.json()
    assert document["code"] == code
    [problem] = document["problems"]
    assert (problem["field"], problem["column"]) == ("q", column)
    assert problem["hint"]


def test_all_that_is_wrong_is_told_at_once(api: APIClient) -> None:
    problems = api.get("/api/plans/", {"q": "x:1 is:y owner:"}).json()["problems"]
    assert [problem["code"] for problem in problems] == ["unknown_term", "unknown_state", "empty_term"]
    assert [problem["column"] for problem in problems] == [1, 5, 10]


@pytest.mark.parametrize(
    ("kind", "q"),
    [("streams", "op:not"), ("streams", "uses:x"), ("dashboards", "is:running"), ("nodes", "is:open")],
)
def test_a_word_of_another_list_is_refused_with_those_of_this_one(api: APIClient, kind: str, q: str) -> None:
    answer = api.get(f"/api/{kind}/", {"q": q}).json()
    assert answer["code"] == "term_not_here"
    assert "owner:, team:" in answer["problems"][0]["hint"]


def test_one_search_over_everything(things: dict[str, Plan], api: APIClient) -> None:
    answer = api.get("/api/search/", {"q": "pla"}).json()
    assert [(result["kind"], result["name"]) for result in answer["results"]] == [
        ("plan", "A plan"),
        ("node", "played"),
        ("stream", "player"),
    ]
    assert (answer["more"], answer["next"], answer["previous"]) == ([], None, None)
    assert answer["results"][1]["words"] == "Ever happened in A plan, starting"
    only = api.get("/api/search/?q=owner:me&kind=node&limit=1").json()
    assert (len(only["results"]), only["more"]) == (1, ["node"])
    assert {result["kind"] for result in api.get("/api/search/", {"q": "op:not"}).json()["results"]} == {
        "plan",
        "node",
    }


def test_what_is_called_just_so_comes_first(api: APIClient, ada: User, player: Stream) -> None:
    for name in ("Cards of cirr", "cirr", "cirr by CDN", "Zirr"):
        create_plan(user=ada, name=name, document=build_document())
    result = api.get("/api/search/", {"q": "CIRR"}).json()["results"]
    assert [item["name"] for item in result] == ["cirr", "cirr by CDN", "Cards of cirr"]


@pytest.mark.parametrize("kind", ["plans", "nodes", "streams", "dashboards", "search"])
def test_the_number_of_queries_does_not_grow(
    things: dict[str, Plan], ada: User, api: APIClient, kind: str
) -> None:
    q = (
        "-is:mine -owner:me -uses:x -stream:x -is:shared -xyz"
        if kind != "streams"
        else "-is:mine -is:failing"
    )

    def count_queries() -> int:
        with CaptureQueriesContext(connection) as counted:
            assert api.get(f"/api/{kind}/", {"q": q}).status_code == 200
        return len(counted)

    def grow(number: int) -> None:
        name = f"p{number}"
        new_plan = create_plan(
            user=User.objects.get(username="bob"),
            name=name,
            document=build_document(
                **{name: has_existed(f'player_state == "{number}"'), "n": build_negation(name)}
            ),
        )
        run_plan(plan=new_plan, user=User.objects.get(username="bob"), placement="isolated")
        create_stream(user=User.objects.get(username="bob"), name=name, document=CARD)
        create_dashboard(user=User.objects.get(username="bob"), name=name)

    grow(0)
    before = count_queries()
    for number in range(1, 6):
        grow(number)
    assert count_queries() == before
