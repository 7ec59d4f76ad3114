"""Every list has one shape and comes in pages: nothing is lost or told twice (what they cost: test_cost_of_lists)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.log import make_node, revise
from timeline_app.web.dashboards.services import create_dashboard, save_dashboard
from timeline_app.web.models import Dashboard, Node, NodeKey, Plan, Stream
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans.services import create_plan
from timeline_app.web.plans.version_services import make_version
from timeline_app.web.streams.services import create_stream

pytestmark = pytest.mark.deep

ROW_COUNT = 7


@pytest.fixture
def crowd(ada: User, player: Stream) -> dict[str, str]:
    """Addresses of lists with seven entries each."""
    plans = [
        create_plan(user=ada, name=f"P{n}", document=build_document(a=has_existed(), b=build_negation("a")))
        for n in range(ROW_COUNT)
    ]
    for n in range(ROW_COUNT):
        make_version(plan=plans[0], user=ada, name=f"V{n}")
        board = create_dashboard(user=ada, name=f"B{n}")
        create_token(user=ada, name=f"T{n}", scopes=["read"])
        make_node(ada, digest=f"d{n}")
        if n:
            create_stream(user=ada, name=f"s{n}", document={"key": "k", "time": "t"})
    for n in range(1, ROW_COUNT):
        save_dashboard(dashboard=board, user=ada, version=n, name=f"W{n}", document=board.document)
    node = Node.objects.get(digest="d0")
    for n in range(ROW_COUNT):
        revise(node, f"k{n}", [[None, False]])
    for n in range(ROW_COUNT, 2 * ROW_COUNT):
        revise(node, "k0", [[n, True]])
    return {
        "plans": "plans/",
        "plan versions": f"plans/{plans[0].pk}/versions/",
        "dashboards": "dashboards/",
        "dashboard versions": f"dashboards/{board.pk}/versions/",
        "nodes": "nodes/?q=is:unused",
        "streams": "streams/",
        "tokens": "tokens/",
        "keys": "nodes/d0/keys/",
        "revisions": "nodes/d0/revisions/?key=k0",
    }


def iterate_pages(api: APIClient, address: str, limit: int) -> Iterator[dict[str, Any]]:
    """All pages of a list, one after the other."""
    following: str | None = f"/api/{address}{'&' if '?' in address else '?'}limit={limit}"
    while following is not None:
        answer = api.get(following)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        assert {"results", "next", "previous"} <= page.keys()
        assert len(page["results"]) <= limit
        yield page
        following = page["next"]


LISTS = (
    "plans", "plan versions", "dashboards", "dashboard versions", "nodes", "streams", "tokens", "keys", "revisions",
)  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_pages_tell_everything_once_and_lead_back(api: APIClient, crowd: dict[str, str], name: str) -> None:
    [whole] = iterate_pages(api, crowd[name], 100)
    assert len(whole["results"]) >= ROW_COUNT
    assert (whole["next"], whole["previous"]) == (None, None)
    parts = list(iterate_pages(api, crowd[name], 3))
    assert [result for page in parts for result in page["results"]] == whole["results"]
    assert parts[0]["previous"] is None
    assert api.get(parts[1]["previous"]).json()["results"] == parts[0]["results"]


def test_keys_that_were_revised_at_once_are_all_told(api: APIClient, ada: User) -> None:
    node = make_node(ada, digest="many")
    for n in range(25):
        revise(node, f"k{n:02}", [[None, False]])
    NodeKey.objects.update(version=1)
    items = [
        result["key"] for page in iterate_pages(api, "nodes/many/keys/", 4) for result in page["results"]
    ]
    assert items == [f"k{n:02}" for n in range(25)]


def test_what_comes_meanwhile_moves_nothing_from_page_to_page(api: APIClient, ada: User) -> None:
    for n in range(4):
        create_plan(user=ada, name=f"P{n}", document={"nodes": {}})
    first = api.get("/api/plans/?limit=2").json()
    create_plan(user=ada, name="between", document={"nodes": {}})
    second = api.get(first["next"]).json()
    names = [result["name"] for result in first["results"] + second["results"]]
    assert names == ["P3", "P2", "P1", "P0"]


@pytest.mark.parametrize(
    "limit", ["0", "-1", "201", "x", "", "1.5", "1e3", "٣", "99999999999999999999", " 5"]
)
def test_a_limit_that_is_none_is_refused(api: APIClient, limit: str) -> None:
    answer = api.get("/api/plans/", {"limit": limit})
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "limit")


@pytest.mark.deep
@pytest.mark.parametrize("list_name", ["plans/", "streams/", "nodes/", "nodes/d0/keys/", "tokens/"])
@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "%00",
        "é",
        "cD0=",
        "cD14",
        "bz0tMQ==",
        "bz05OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk=",
        "cD0lMDA=",
        "cj0x" * 999,
    ],
)
def test_a_cursor_that_is_none_breaks_nothing(
    api: APIClient, crowd: dict[str, str], list_name: str, cursor: str
) -> None:
    answer = api.get(f"/api/{list_name}?cursor={cursor}")
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        assert answer.json()["problems"][0]["field"] == "cursor"


def test_short_lists_have_the_same_shape(api: APIClient, plan: Plan) -> None:
    for address in (
        "operators/",
        f"plans/{plan.pk}/tests/",
        "streams/player/events/",
        "streams/player/rejected/",
        "samples/",
    ):
        answer = api.get(f"/api/{address}").json()
        assert (answer["next"], answer["previous"]) == (None, None)
        assert isinstance(answer["results"], list)


def test_nobody_sees_more_by_a_cursor(api: APIClient, bobs: APIClient, ada: User) -> None:
    for n in range(3):
        create_token(user=ada, name=f"T{n}", scopes=["read"])
    following = api.get("/api/tokens/?limit=1").json()["next"]
    assert bobs.get(following).json()["results"] == []
    assert Dashboard.objects.count() == 0
