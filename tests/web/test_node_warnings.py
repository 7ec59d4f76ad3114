"""A node that runs says what no event has that it asks for."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from tests.web.log import T, revise
from timeline_app.web.models import Node, Stream
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.streams.selectors import load_declaration
from timeline_app.web.streams.services import change_stream

EVENT = {"session_id": "s1", "t": T // 1_000, "event_id": "1", "player_state": "play", "colour": "red"}


def run(ada: User, node: dict[str, Any]) -> Node:
    plan = create_plan(user=ada, name=None, document=build_document(x=node))
    run_plan(plan=plan, user=ada, placement="isolated")
    return Node.objects.get(uses__plan=plan)


def redeclare_stream(stream: Stream, user: User, fields: dict[str, str]) -> None:
    """The stream is declared anew, with these fields."""
    change_stream(
        stream=stream, user=user, document=load_declaration(stream).to_document() | {"fields": fields}
    )


def push_event(api: APIClient) -> None:
    answer = api.post("/api/streams/player/events/", [EVENT], format="json")
    assert answer.status_code == 202, answer.content


def list_warnings(client: APIClient, node: Node) -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = client.get(f"/api/nodes/{node.digest}/").json()["warnings"]
    return documents


def test_a_field_that_no_event_has_had_is_told(api: APIClient, ada: User, player: Stream) -> None:
    node = run(ada, has_existed('color == "red"'))
    assert list_warnings(api, node) == []
    push_event(api)
    [warning] = list_warnings(api, node)
    assert (warning["code"], warning["field"]) == ("absent_field", "color")
    assert warning["message"] == "none of the 1 events of stream player has had a field 'color'"
    assert "colour" in warning["hint"]


@pytest.mark.parametrize("declared", ["user_action", "cdn"])
def test_a_declared_field_that_no_event_has_had_is_a_problem_of_the_plan(
    api: APIClient, ada: User, player: Stream, declared: str
) -> None:
    assert declared in load_declaration(player).fields
    body = {"document": build_document(x=has_existed(f'{declared} == "x"'))}
    assert api.post("/api/plans/check/", body, format="json").json()["problems"] == []
    push_event(api)
    [problem] = api.post("/api/plans/check/", body, format="json").json()["problems"]
    assert (problem["code"], problem["severity"]) == ("unseen_field", "warning")
    assert problem["message"] == f"no event of stream player has had a field {declared!r} so far"


def test_a_condition_that_no_event_has_met_is_told(api: APIClient, ada: User, player: Stream) -> None:
    push_event(api)
    node = run(ada, has_existed('player_state == "plays"'))
    assert list_warnings(api, node) == [], "nothing is computed yet"
    revise(node, "s1", [[None, False]])
    revise(node, "s2", [[None, False]])
    [warning] = list_warnings(api, node)
    assert warning["code"] == "unmet_condition"
    assert warning["message"] == (
        'of its keys, none has an event that meets the condition player_state == "plays"'
    )
    revise(node, "s1", [[T, True]], start=T)
    assert list_warnings(api, node) == []


def test_a_condition_that_no_event_has_met_is_told_also_after_late_events(
    api: APIClient, ada: User, player: Stream
) -> None:
    """A late event makes its key's birth earlier: the newest revision is of the stretch between the two births."""
    push_event(api)
    node = run(ada, has_existed('player_state == "plays"') | {"op": "event_count"})
    revise(node, "s1", [[None, 0.0, 0.0]])
    revise(node, "s1", [[T - 5, 0.0, 0.0]], start=T - 5, end=T)
    [warning] = list_warnings(api, node)
    assert warning["code"] == "unmet_condition"
    revise(node, "s1", [[T - 2, 1.0, 0.0]], start=T - 2)
    assert list_warnings(api, node) == []


def test_what_was_true_for_a_while_is_no_warning(api: APIClient, ada: User, player: Stream) -> None:
    push_event(api)
    within = has_existed() | {"op": "has_existed_within"}
    within["params"] = within["params"] | {"duration": "5s"}
    node = run(ada, within)
    revise(node, "s1", [[None, False], [T, True]])
    revise(node, "s1", [[T + 5, False]], start=T + 5)
    assert list_warnings(api, node) == []


def test_values_that_are_computed_and_not_defined_are_counted(
    api: APIClient, ada: User, player: Stream
) -> None:
    push_event(api)
    ratio = {"op": "event_sum", "stream": "player", "params": {"field": "= bitrate / stalls"}}
    redeclare_stream(player, ada, {"bitrate": "number", "stalls": "number"})
    node = run(ada, ratio)
    for index, (bitrate, count) in enumerate([(8.0, 2.0), (8.0, 0.0), (9.0, 0.0)]):
        event = {
            "session_id": "s2",
            "t": T // 1_000,
            "event_id": f"r{index}",
            "bitrate": bitrate,
            "stalls": count,
        }
        assert api.post("/api/streams/player/events/", [event], format="json").status_code == 202
    [warning] = list_warnings(api, node)
    assert (warning["code"], warning["port"]) == ("undefined_value", "field")
    assert warning["message"] == (
        "bitrate / stalls is not defined for 2 of the newest 4 events, and missing there"
    )
    assert "divided by zero" in warning["hint"]


@pytest.mark.parametrize("name", ["level", "ctx.level"])
def test_values_of_another_type_than_a_running_node_takes_are_counted(
    api: APIClient, ada: User, player: Stream, name: str
) -> None:
    """The field was declared anew while the node runs: the door takes texts, the node goes on to take numbers."""
    redeclare_stream(player, ada, {name: "number"})
    node = run(ada, {"op": "latest_event_to_state", "stream": "player", "params": {"field": name}})
    redeclare_stream(player, ada, {name: "text"})
    for index, value in enumerate(["high", "12"]):
        level = {"ctx": {"level": value}} if "." in name else {"level": value}
        event = {"session_id": "s2", "t": T // 1_000, "event_id": f"r{index}", **level}
        assert api.post("/api/streams/player/events/", [event], format="json").status_code == 202
    [warning] = list_warnings(api, node)
    assert (warning["code"], warning["field"]) == ("mistyped", name)
    assert f"of field {name!r} not of type number, taken as missing: key s2 'high'" in warning["message"]
    assert "run the plan again" in warning["hint"]
