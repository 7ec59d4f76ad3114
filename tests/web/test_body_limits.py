"""Long lists in a body are refused before their items are validated, each of which takes up to a millisecond."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from timeline_app.demos.player import STREAM
from timeline_app.web.core.body_limits import MAX_PROBLEMS_PER_BODY
from timeline_app.web.core.sharing import set_role
from timeline_app.web.models import Stream
from timeline_app.web.models.people import Role
from timeline_app.web.plans.services import create_plan
from timeline_app.web.streams.services import create_stream

MANY = 100_000
EMPTY = {"charts": [], "range": "5m", "key": "", "group": ""}
LONG_BODIES: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "charts": ("post", "dashboards/", {"document": {"charts": [{}] * MANY}}, "document.charts"),
    "sources": ("post", "dashboards/sources/", {"sources": [{}] * MANY}, "sources"),
    "keys": ("post", "dashboards/", {"document": EMPTY | {"more_keys": [1] * MANY}}, "document.more_keys"),
    "place": (
        "post",
        "dashboards/",
        {"document": {"charts": [{"place": ["x"] * MANY}]}},
        "document.charts.0.place",
    ),
    "choices": (
        "put",
        "plans/{plan}/",
        {"version": 1, "document": {}, "base": {}, "choices": [{}] * MANY},
        "choices",
    ),
    "labels": (
        "patch",
        "streams/player/display/",
        {"display": {f"f{n}": {"values": {f"v{m}": {} for m in range(150)}} for n in range(150)}},
        "display",
    ),
}


@pytest.fixture
def player(ada: User) -> Stream:
    return create_stream(user=ada, name="player", document=STREAM)


@pytest.mark.parametrize("name", LONG_BODIES)
def test_a_long_list_is_refused_at_once_by_its_name(
    api: APIClient, ada: User, player: Stream, name: str
) -> None:
    method, address, body, field = LONG_BODIES[name]
    address = address.format(plan=create_plan(user=ada, name="Long", document={}).pk)
    began = time.process_time()
    answer = getattr(api, method)(f"/api/{address}", body, format="json")
    took = time.process_time() - began
    assert answer.status_code == 400, answer.content
    [problem] = answer.json()["problems"]
    assert problem["field"].startswith(field)
    assert problem["code"] == "max_length"
    assert len(answer.content) < 10_000
    assert took < 3, "a hundredth of what the items take"


def test_a_viewer_makes_nobody_wait_either(ada: User, root: User) -> None:
    set_role(person=ada, user=root, role=Role.VIEWER)
    answer = log_in_client(ada).post("/api/dashboards/", {"document": {"charts": [{}] * MANY}}, format="json")
    assert answer.status_code in {400, 403}


def test_unknown_names_are_told_up_to_a_number(api: APIClient) -> None:
    answer = api.post("/api/dashboards/", {f"nam{number}": 1 for number in range(50_000)}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_field")
    assert len(answer.json()["problems"]) == MAX_PROBLEMS_PER_BODY


@pytest.mark.parametrize("number", [True, False, "NaN", "inf", "-1e999"])
def test_a_limit_of_an_axis_or_an_alert_is_a_finite_number(api: APIClient, number: Any) -> None:
    gauge = {"id": "c1", "type": "gauge", "plan": 1, "node": "n", "place": [0, 0, 3, 4], "low": number}
    answer = api.post("/api/dashboards/", {"document": {"charts": [gauge]}}, format="json")
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "document.charts.0.low")
    tested = {"document": {}, "node": "n", "above": number}
    answer = api.post("/api/alerts/test/", tested, format="json")
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "above")


def test_keys_of_dashboards_keep_their_blanks(api: APIClient) -> None:
    chart = {"id": "c1", "type": "lane", "plan": 1, "node": "n", "key": " a\n", "place": [0, 0, 3, 4]}
    document = EMPTY | {
        "charts": [chart],
        "key": " b",
        "group": "c ",
        "more_keys": [" "],
        "more_groups": ["\td"],
    }
    answer = api.post("/api/dashboards/", {"document": document}, format="json")
    assert answer.status_code == 201, answer.content
    kept = answer.json()["document"]
    assert kept["charts"][0]["key"] == " a\n"
    names = ("key", "group", "more_keys", "more_groups")
    assert {name: kept[name] for name in names} == {name: document[name] for name in names}
