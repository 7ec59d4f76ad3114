"""Colours, labels, thresholds and formats are chosen for a stream's fields, or for nodes of a plan alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from timeline_app.plan.fields import find_fields
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.plans.services import create_plan, run_plan

pytestmark = pytest.mark.django_db

RED = {"values": {"error": {"colour": "bad", "label": "Broken"}}}
PERCENT = {"format": "percent", "decimals": 1}
LEAF = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "state"}}
NODES: dict[str, Any] = {
    "state": LEAF,
    "later": {"op": "shift", "inputs": {"of": "state"}, "params": {"duration": "5s"}},
    "most": {"op": "aggregate", "inputs": {"of": "later"}, "params": {"function": "mode"}},
    "failed": {"op": "equal_to", "inputs": {"of": "later"}, "params": {"value": "error"}},
}


@pytest.fixture
def plan(player: Stream, ada: User) -> Plan:
    return create_plan(user=ada, name="Shown", document={"version": 1, "nodes": NODES})


def choose(api: APIClient, address: str, **display: Any) -> Any:
    return api.patch(f"/api/{address}/display/", {"display": display}, format="json")


def get_dashboard_display(api: APIClient, plan: Plan, node: str) -> Any:
    body = {"sources": [{"plan": plan.pk, "node": node}]}
    return api.post("/api/dashboards/sources/", body, format="json").json()["sources"][0]["display"]


def test_what_is_chosen_for_a_field_is_told_with_the_stream(api: APIClient, player: Stream) -> None:
    assert choose(api, "streams/player", state=RED).status_code == 200
    assert choose(api, "streams/player", bitrate=PERCENT).json()["display"] == {
        "state": RED,
        "bitrate": PERCENT,
    }
    assert api.get("/api/streams/player/").json()["display"] == {"state": RED, "bitrate": PERCENT}
    assert choose(api, "streams/player", state=None).json()["display"] == {"bitrate": PERCENT}


def test_a_declaration_keeps_it(api: APIClient, player: Stream) -> None:
    choose(api, "streams/player", state=RED)
    answer = api.get("/api/streams/player/").json()
    assert api.put("/api/streams/player/", answer, format="json").status_code == 200
    assert api.get("/api/streams/player/").json()["display"] == {"state": RED}


def test_nodes_pass_on_the_field_that_their_values_are_of() -> None:
    circle = {"a": {"op": "shift", "inputs": {"of": "b"}}, "b": {"op": "shift", "inputs": {"of": "a"}}}
    computed = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "=bitrate * 2"}}
    fields = find_fields({"version": 1, "nodes": NODES | circle | {"computed": computed}})
    assert fields == dict.fromkeys(("state", "later", "most"), ("player", "state"))
    assert find_fields("nothing") == {}


def test_charts_and_node_pages_show_the_plans_choice_before_the_streams(
    api: APIClient, plan: Plan, ada: User
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    digests = {node["name"]: node["digest"] for node in api.get(f"/api/plans/{plan.pk}/").json()["nodes"]}
    assert get_dashboard_display(api, plan, "later") == {}
    choose(api, "streams/player", state=RED)
    assert get_dashboard_display(api, plan, "later") == RED
    choose(api, f"plans/{plan.pk}", later=PERCENT)
    assert get_dashboard_display(api, plan, "later") == PERCENT
    assert api.get(f"/api/nodes/{digests['later']}/").json()["display"] == PERCENT
    assert api.get(f"/api/nodes/{digests['state']}/").json()["display"] == RED
    assert api.get(f"/api/nodes/{digests['failed']}/").json()["display"] == {}


def test_nothing_of_what_runs_depends_on_it(api: APIClient, plan: Plan, ada: User) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    before = api.get(f"/api/plans/{plan.pk}/").json()
    choose(api, f"plans/{plan.pk}", later=PERCENT)
    choose(api, "streams/player", state=RED)
    assert api.get(f"/api/plans/{plan.pk}/").json() == before | {"display": {"later": PERCENT}}


WRONG: dict[str, Any] = {
    "a colour that is none": {"values": {"error": {"colour": "#ff0000"}}},
    "a label without end": {"values": {"error": {"label": "x" * 61}}},
    "a value without end": {"values": {"x" * 201: {"colour": "bad"}}},
    "a value with a NUL": {"values": {"a\0b": {"colour": "bad"}}},
    "values without end": {"values": {str(n): {"colour": "bad"} for n in range(201)}},
    "a threshold of NaN": {"thresholds": [{"start": "nan", "colour": "bad"}]},
    "a threshold without a colour": {"thresholds": [{"start": 1}]},
    "thresholds without end": {"thresholds": [{"start": n, "colour": "bad"} for n in range(21)]},
    "a format that is none": {"format": "roman"},
    "a currency without a code": {"format": "currency", "unit": "€€"},
    "many decimals": {"decimals": 7},
    "a text": "red",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_shown_is_refused(api: APIClient, player: Stream, what: str) -> None:
    answer = choose(api, "streams/player", state=WRONG[what])
    assert answer.status_code == 400, answer.content
    assert api.get("/api/streams/player/").json()["display"] == {}


def test_thresholds_are_kept_in_order(api: APIClient, player: Stream) -> None:
    high, low = {"start": 90.5, "colour": "bad"}, {"start": -1.0, "colour": "good"}
    answer = choose(api, "streams/player", bitrate={"thresholds": [high, low]})
    assert answer.json()["display"]["bitrate"]["thresholds"] == [low, high]


def test_who_may_not_change_the_stream_does_not_choose(player: Stream, bobs: APIClient) -> None:
    assert choose(bobs, "streams/player", state=RED).status_code == 403
    assert Stream.objects.get().display == {}


def test_a_choice_is_audited_and_one_that_changes_nothing_is_not(api: APIClient, player: Stream) -> None:
    choose(api, "streams/player", state=RED)
    choose(api, "streams/player", state=RED)
    [entry] = AuditEntry.objects.filter(act="stream.display")
    assert (entry.before, entry.after) == ({"state": None}, {"state": RED})
    [answer] = [
        result for result in api.get("/api/audit/").json()["results"] if result["act"] == "stream.display"
    ]
    assert "changed colours and formats of the stream" in str(answer)
    assert "It concerns state." in str(answer)


def test_names_are_bounded(api: APIClient, player: Stream) -> None:
    for start in (0, 200, 400):
        names = {f"f{n}": RED for n in range(start, start + 200)}
        status = choose(api, "streams/player", **names).status_code
    assert status == 409
    assert len(Stream.objects.get(name="player").display) == 400


def test_a_choice_for_a_node_ends_some_time_after_the_node(api: APIClient, plan: Plan, ada: User) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    choose(api, f"plans/{plan.pk}", later=PERCENT, new_name=PERCENT)
    Plan.objects.filter(pk=plan.pk).update(document={"version": 1, "nodes": {"new_name": LEAF}})
    answer = choose(api, f"plans/{plan.pk}", new_name=RED).json()["display"]
    assert answer == {"later": PERCENT, "new_name": RED}
    Plan.objects.filter(pk=plan.pk).update(running_document=None)
    assert choose(api, f"plans/{plan.pk}", new_name=PERCENT).json()["display"] == {"new_name": PERCENT}
