"""Keys by what they say, revisions of a key, what was known then; thinned for a chart."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.web.log import SECOND, T, make_node, revise
from timeline_app.web.models import Node
from timeline_app.web.nodes import key_states as selector

AT = T + 60 * SECOND


@pytest.fixture
def node(ada: User) -> Node:
    """a: true since T + 10 s; b: true from T + 5 s for 2 s and again since T + 30 s; c: false; d: unknown."""
    node = make_node(ada)
    revise(node, "a", [[None, False], [T + 10 * SECOND, True]])
    revise(node, "b", [[None, False], [T + 5 * SECOND, True]])
    revise(node, "b", [[T + 7 * SECOND, False], [T + 30 * SECOND, True]], start=T + 7 * SECOND)
    revise(node, "c", [[None, False]])
    revise(node, "d", [[None, None]])
    return node


def get_states(api: APIClient, **query: Any) -> Any:
    answer = api.get("/api/nodes/d1/states/", {"at": str(AT), **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_keys_where_it_is_true_the_longest_first(api: APIClient, node: Node) -> None:
    answer = get_states(api)
    assert [(key["key"], key["seconds"], key["at_least"]) for key in answer["keys"]] == [
        ("a", 50.0, False),
        ("b", 30.0, False),
    ]
    assert (answer["value"], answer["matching"], answer["known"], answer["looked_at"]) == (True, 2, 4, 4)
    assert answer["complete"]
    assert answer["values"] == [
        {"value": True, "keys": 2},
        {"value": False, "keys": 1},
        {"value": None, "keys": 1},
    ]
    assert [key["key"] for key in get_states(api, order="shortest")["keys"]] == ["b", "a"]
    assert [key["key"] for key in get_states(api, value="false")["keys"]] == ["c"]
    assert [key["key"] for key in get_states(api, value="unknown")["keys"]] == ["d"]
    assert [key["key"] for key in get_states(api, search="B")["keys"]] == ["b"]


def test_how_long_spans_lasted_that_ended(api: APIClient, node: Node) -> None:
    answer = get_states(api)["distribution"]
    assert (answer["of"], answer["count"], answer["median"], answer["greatest"]) == ("seconds", 1, 2.0, 2.0)
    assert [bucket for bucket in answer["buckets"] if bucket["count"]] == [
        {"from": 2.0, "to": 5.0, "count": 1}
    ]
    assert get_states(api, value="false")["distribution"]["count"] == 3, "before a birth nothing counts"


def test_what_began_before_the_lookback_lasts_at_least_so_long(api: APIClient, node: Node) -> None:
    [first, second] = get_states(api, lookback="40")["keys"]
    assert (first["key"], first["seconds"], first["at_least"]) == ("a", 40.0, True)
    assert (second["key"], second["at_least"]) == ("b", False)


def test_it_is_as_it_was_at_the_instant(api: APIClient, node: Node) -> None:
    answer = get_states(api, at=str(T + 6 * SECOND))
    assert [(key["key"], key["seconds"]) for key in answer["keys"]] == [("b", 1.0)]


def test_now_is_when_a_node_stopped(api: APIClient, node: Node) -> None:
    query = node.query
    query.desired = query.observed = "stopped"
    query.observed_since = datetime.fromtimestamp(AT // SECOND, UTC)
    query.save()
    answer = api.get("/api/nodes/d1/states/").json()
    assert (answer["at"], answer["stopped_at"]) == (AT, AT)
    assert [(key["key"], key["seconds"]) for key in answer["keys"]] == [("a", 50.0), ("b", 30.0)]


def test_numbers_are_ranked_by_their_value(api: APIClient, ada: User) -> None:
    node = make_node(ada, "n1", "number", "duration_where")
    for index, key in enumerate("abc"):
        revise(node, key, [[None, 0.0, 0.0], [T, 0.0, float(index)]])
    answer = api.get("/api/nodes/n1/states/", {"at": str(T + 10 * SECOND)}).json()
    assert [(item["key"], item["value"]) for item in answer["keys"]] == [("c", 20.0), ("b", 10.0), ("a", 0.0)]
    assert answer["distribution"]["of"] == "value"
    assert sum(bucket["count"] for bucket in answer["distribution"]["buckets"]) == 3
    least = api.get("/api/nodes/n1/states/", {"at": str(T + 10 * SECOND), "order": "least"}).json()
    assert [item["key"] for item in least["keys"]] == ["a", "b", "c"]


def test_what_is_looked_at_is_bounded_and_that_is_said(
    api: APIClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selector, "MAX_KEYS_READ", 3)
    answer = get_states(api)
    assert (answer["known"], answer["looked_at"], answer["complete"]) == (4, 3, False)
    assert [key["key"] for key in answer["keys"]] == ["b"], "the keys that were revised last"
    monkeypatch.setattr(selector, "MAX_KEYS_READ", 100)
    monkeypatch.setattr(selector, "MAX_POINTS_READ", 2)
    assert not get_states(api)["complete"]


def test_more_keys_take_no_more_queries(api: APIClient, node: Node) -> None:
    def count_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            get_states(api)
        return len(queries)

    before = count_queries()
    for index in range(30):
        revise(node, f"k{index}", [[None, False], [T, True]])
    assert count_queries() == before


BAD = [
    "value=maybe", "value=%00", "at=now", "lookback=0", "lookback=x", "lookback=-5", "lookback=99999999999",
    "order=most", "order=up", "limit=0", "limit=1001", "search=%00", f"search={'x' * 3000}",
]  # fmt: skip


@pytest.mark.parametrize("query", BAD)
def test_a_bad_question_is_refused_by_name(api: APIClient, node: Node, query: str) -> None:
    answer = api.get(f"/api/nodes/d1/states/?{query}")
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == query.partition("=")[0]


def test_what_was_not_final_then_is_told_so(api: APIClient, node: Node) -> None:
    revise(node, "a", [[None, False], [T + 10 * SECOND, True], [T + 50 * SECOND, False]])
    node.refresh_from_db()
    as_of = node.as_of or 0
    node.final_until = as_of - 30 * SECOND
    node.save()

    def get_final(known_at: int, name: str, key: str) -> Any:
        query = {"key": key, "known_at": str(known_at)}
        return api.get(f"/api/nodes/d1/{name}/", query).json()["final_until"]

    assert get_final(as_of, "timeline", "d") == as_of - 30 * SECOND
    assert get_final(as_of + SECOND, "difference", "d") == as_of - 30 * SECOND, "never later than now"
    assert get_final(as_of - 1, "difference", "d") == as_of - 1 - 30 * SECOND
    assert get_final(as_of - 1, "difference", "a") == min(T + 50 * SECOND, as_of - 1 - 30 * SECOND)


def test_when_something_became_known_newest_first(api: APIClient, node: Node) -> None:
    answer = api.get("/api/nodes/d1/revisions/?key=b").json()
    assert [(result["version"], result["start"], result["end"]) for result in answer["results"]] == [
        (2, T + 7 * SECOND, None),
        (1, None, None),
    ]
    assert (answer["next"], answer["known_from"]) == (None, None)
    assert api.get("/api/nodes/d1/revisions/?key=b&limit=1").json()["next"]
    assert api.get("/api/nodes/d1/revisions/?key=nobody").json()["results"] == []


def test_what_was_known_then_and_where_it_differs(api: APIClient, node: Node) -> None:
    answer = api.get("/api/nodes/d1/difference/", {"key": "b", "known_at": str(T + 1)}).json()
    assert [point["t"] for point in answer["points"]] == [None, T + 5 * SECOND]
    assert answer["differences"] == [{"from": T + 7 * SECOND, "to": T + 30 * SECOND}]
    assert (answer["different"], answer["seconds"], answer["open"], answer["known"]) == (1, 23.0, False, True)
    same = api.get("/api/nodes/d1/difference/", {"key": "b", "known_at": str(T + 2)}).json()
    assert (same["differences"], same["seconds"]) == ([], 0.0)


def test_then_nothing_was_known_yet(api: APIClient, node: Node) -> None:
    answer = api.get("/api/nodes/d1/difference/", {"key": "b", "known_at": str(T - 1)}).json()
    assert (answer["known"], answer["points"], answer["open"]) == (False, [], True)
    assert answer["differences"] == [{"from": None, "to": None}]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("key=b", "known_at"),
        (f"known_at={T}", "key"),
        ("key=b&known_at=x", "known_at"),
        (f"key=b&known_at={T}&from=5&to=5", "to"),
        (f"key=b&known_at={T}&from=x", "from"),
        (f"key=b&known_at={T}&points=9", "points"),
        (f"key=b&known_at={T}&points=x", "points"),
        ("key=%00&known_at=1", "key"),
    ],
)
def test_a_bad_comparison_is_refused_by_name(api: APIClient, node: Node, query: str, field: str) -> None:
    answer = api.get(f"/api/nodes/d1/difference/?{query}")
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == field


def test_what_nobody_knows_is_not_there(api: APIClient, node: Node) -> None:
    assert api.get(f"/api/nodes/d1/difference/?key=nobody&known_at={T}").status_code == 404
    for call in ("states/", "revisions/?key=b", f"difference/?key=b&known_at={T}"):
        assert api.get(f"/api/nodes/gone/{call}").json()["code"] == "unknown_node"


def test_a_chart_gets_no_more_points_than_pixels_and_zooming_in_brings_all(api: APIClient, ada: User) -> None:
    node = make_node(ada, "many")
    flips = [[T + index * SECOND, index % 2 == 0] for index in range(10_000)]
    revise(node, "s", [[None, False], *flips])
    answer = api.get("/api/nodes/many/timeline/?key=s&points=100").json()
    assert len(answer["points"]) < 500
    assert sum(item["changes"] for item in answer["left_out"]) + len(answer["points"]) == 10_001
    assert {point["t"] for point in answer["points"]} <= {None, *(t for t, _ in flips)}
    first = answer["left_out"][0]
    near = {"key": "s", "points": "1000", "from": str(first["from"]), "to": str(first["from"] + 50 * SECOND)}
    close = api.get("/api/nodes/many/timeline/", near).json()
    assert close["left_out"] == []
    assert len(close["points"]) == 50


def get_timelines(api: APIClient, **query: Any) -> Any:
    body = {"from": str(T), "to": str(AT), **query}
    return api.get("/api/nodes/d1/timelines/", body)


def test_the_timelines_of_many_keys_are_those_of_each(api: APIClient, node: Node) -> None:
    answer = get_timelines(api).json()
    assert (answer["kind"], answer["known"], answer["complete"]) == ("bool", 4, True)
    assert [row["key"] for row in answer["keys"]] == ["d", "c", "b", "a"], "revised last come first"
    for row in answer["keys"]:
        query = {"key": row["key"], "from": T, "to": AT}
        item = api.get("/api/nodes/d1/timeline/", query).json()
        assert row["points"] == [[point["t"], point["value"]] for point in item["points"]]
    assert [row["key"] for row in get_timelines(api, search="B").json()["keys"]] == ["b"]


def test_of_many_keys_what_is_left_out_is_said(
    api: APIClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = get_timelines(api, limit=2).json()
    assert ([row["key"] for row in some["keys"]], some["known"], some["complete"]) == (["d", "c"], 4, False)
    busy = [[T + second * SECOND, second % 2 == 0] for second in range(60)]
    revise(node, "e", [[None, False], *busy])
    [row] = get_timelines(api, search="e", points=10).json()["keys"]
    assert len(row["points"]) < 40
    assert sum(item["changes"] for item in row["left_out"]) + len(row["points"]) == 60
    monkeypatch.setattr(selector, "MAX_POINTS_READ", 3)
    assert not get_timelines(api).json()["complete"]


def test_the_timelines_of_many_keys_cost_as_many_queries_as_those_of_few(api: APIClient, node: Node) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as result:
            assert get_timelines(api).status_code == 200
        return len(result)

    few = count()
    for key in range(30):
        revise(node, f"k{key}", [[None, True]])
    assert count() == few


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": ""}, "from"),
        ({"to": "x"}, "to"),
        ({"to": str(T)}, "to"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "0"}, "limit"),
        ({"points": "9"}, "points"),
    ],
)
def test_a_bad_question_for_many_keys_is_refused(
    api: APIClient, node: Node, query: dict[str, str], field: str
) -> None:
    answer = get_timelines(api, **query)
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == field


def test_of_a_node_that_is_not_shared_nobody_else_sees_timelines(bobs: APIClient, node: Node) -> None:
    seen = bobs.get("/api/nodes/d1/timeline/", {"key": "a"}).status_code
    assert get_timelines(bobs).status_code == seen
