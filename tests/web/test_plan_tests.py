"""Tests of a plan: what it is expected to say on a sample, compared with what it says now."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from timeline_app.landing.recording import Events
from timeline_app.web.jobs.uploads import read_uploaded_events
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.samples import PlanTest, Sample
from timeline_app.web.samples.services import keep_sample
from timeline_app.web.streams.selectors import load_declarations

START = 1_719_835_421_000  # 12:03:41
US = START * 1_000
EVENTS = [
    {"session_id": "s1", "t": START, "player_state": "play"},
    {"session_id": "s1", "t": START + 9_000, "player_state": "buffer"},
]
STATE = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}}


def create_sample(user: User, events: list[dict[str, Any]]) -> Sample:
    result: dict[str, Events] = read_uploaded_events({"player": events}, {}, load_declarations(user))
    return keep_sample(user=user, name="Two events", events=result)


@pytest.fixture
def sample(ada: User, player: Stream) -> Sample:
    return create_sample(ada, EVENTS)


@pytest.fixture
def tests(plan: Plan) -> str:
    return f"/api/plans/{plan.pk}/tests/"


def build_span(start: int | None, end: int | None, value: Any) -> dict[str, Any]:
    return {"from": start, "to": end, "value": value}


def build_expectations(
    node: str, *spans: dict[str, Any], key: str = "s1", **more: Any
) -> list[dict[str, Any]]:
    return [{"node": node, "key": key, "spans": list(spans), **more}]


def make(client: APIClient, address: str, sample: Sample, expected: Any, name: str = "A test") -> Any:
    body = {"name": name, "sample": sample.pk, "expected": expected}
    return client.post(address, body, format="json")


def run(client: APIClient, address: str, **body: Any) -> Any:
    answer = client.post(f"{address}run/", body, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_test_is_kept_changed_and_deleted(api: APIClient, tests: str, sample: Sample) -> None:
    answer = make(api, tests, sample, build_expectations("played", build_span(None, US, False)))
    assert answer.status_code == 201, answer.content
    document = answer.json()
    assert (document["name"], document["version"], document["sample_name"]) == ("A test", 1, "Two events")
    assert api.get(tests).json()["results"] == [document]
    address = f"{tests}{document['id']}/"
    change = {"name": "Better", "sample": sample.pk, "version": 1, "expected": []}
    saved = api.put(address, change, format="json")
    assert (saved.status_code, saved.json()["version"], saved.json()["name"]) == (200, 2, "Better")
    old = api.put(address, change, format="json")
    assert (old.status_code, old.json()["code"]) == (409, "conflict")
    assert api.delete(address).status_code == 204
    assert api.get(address).status_code == 404


def test_what_comes_out_now_is_taken_and_passes(api: APIClient, tests: str, sample: Sample) -> None:
    body = {"name": "Now", "sample": sample.pk, "take": {"nodes": ["played"]}}
    created = api.post(tests, body, format="json")
    assert created.status_code == 201, created.content
    [item] = created.json()["expected"]
    assert (item["node"], item["key"]) == ("played", "s1")
    assert item["spans"] == [build_span(None, US, False), build_span(US, None, True)]
    answer = run(api, tests)
    assert (answer["ok"], answer["passed"], answer["failed"], answer["broken"]) == (True, 1, 0, 0)
    assert answer["tests"][0]["words"] == "as expected"


def test_what_no_event_of_the_sample_has_is_a_warning(api: APIClient, tests: str, sample: Sample) -> None:
    plan = Plan.objects.get()
    plan.document["nodes"]["played"] = has_existed('player_state == "bufer"')
    plan.save()
    make(api, tests, sample, build_expectations("played", build_span(None, None, False)))
    [answer] = run(api, tests)["tests"]
    unmet = [warning for warning in answer["warnings"] if warning["code"] == "unmet_condition"]
    assert [(item["node"], item["hint"]) for item in unmet] == [
        ("played", "player_state: did you mean 'buffer'?")
    ]
    assert answer["status"] == "passed"


def test_one_that_asks_for_nothing_has_not_passed(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, [])
    answer = run(api, tests)
    assert (answer["ok"], answer["passed"], answer["empty"]) == (True, 0, 1)
    assert (answer["tests"][0]["status"], answer["tests"][0]["words"]) == (
        "empty",
        "expects nothing yet: take what a node says, or paint it",
    )


def test_differences_are_told_as_spans_and_in_words(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, US + 9_000_000, False)))
    answer = run(api, tests)
    [item] = answer["tests"]
    assert (answer["ok"], item["status"], item["count"]) == (False, "failed", 1)
    words = "node played, key s1: expected false from 12:03:41 to 12:03:50, got true"
    assert item["words"] == words
    assert item["differences"] == [
        {
            "node": "played",
            "key": "s1",
            "from": US,
            "to": US + 9_000_000,
            "expected": {"value": False},
            "got": {"value": True},
            "words": words,
        }
    ]


def test_tests_run_against_the_plan_as_it_is_drawn_now(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True)))
    changed = build_document(played=has_existed('player_state == "stopped"'))
    assert run(api, tests)["ok"] is True
    answer = run(api, tests, document=changed)
    assert answer["tests"][0]["words"].endswith("expected true from 12:03:41 on, got false")
    assert run(api, tests)["ok"] is True


def test_a_node_that_was_renamed_or_deleted_is_said_to_be(
    api: APIClient, tests: str, sample: Sample, plan: Plan
) -> None:
    body = {"name": "Now", "sample": sample.pk, "take": {"nodes": ["played"]}}
    api.post(tests, body, format="json")
    [renamed] = run(api, tests, document=build_document(started=has_existed()))["tests"]
    assert (renamed["status"], renamed["renamed"]) == ("broken", {"played": "started"})
    assert renamed["words"].startswith("node played is now called started")
    assert renamed["problems"][0]["code"] == "node_renamed"
    [gone] = run(api, tests, document=build_document(state=STATE))["tests"]
    assert (gone["status"], gone["renamed"]) == ("broken", {})
    assert gone["words"].startswith("node played is no longer in the plan")


def test_an_unfinished_node_breaks_only_the_tests_that_need_it(
    api: APIClient, tests: str, sample: Sample
) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True)), "fine")
    make(api, tests, sample, build_expectations("never", build_span(US, None, False)), "waits")
    unfinished = build_document(played=has_existed(), never={"op": "not"})
    answer = run(api, tests, document=unfinished)
    assert [test["status"] for test in answer["tests"]] == ["passed", "broken"]
    assert answer["tests"][1]["problems"][0]["code"] == "node_has_problem"


def test_a_node_that_asks_when_events_arrived_breaks_only_the_tests_that_need_it(
    api: APIClient, tests: str, sample: Sample
) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True)), "fine")
    make(api, tests, sample, build_expectations("lag", build_span(US, None, 1.0)), "deaf")
    document = build_document(played=has_existed(), lag={"op": "event_lag", "stream": "player"})
    answer = run(api, tests, document=document)["tests"]
    assert [item["status"] for item in answer] == ["passed", "broken"]
    assert "none of them says it; give them the field _arrived" in answer[1]["words"]


def test_a_key_that_the_sample_does_not_have(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True), key="s9"))
    [item] = run(api, tests)["tests"]
    assert (item["status"], item["problems"][0]["code"]) == ("broken", "no_key")


def test_a_plan_that_reads_another_stream_says_so(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True)))
    streams = {"other": {"key": "k", "time": "t"}}
    right = build_document(played=has_existed() | {"stream": "other"}) | {"streams": streams}
    [left] = run(api, tests, document=right)["tests"]
    assert (left["status"], "'other'" in left["words"]) == ("broken", True)


def test_numbers_have_a_tolerance_and_edges_a_slack(
    api: APIClient, tests: str, sample: Sample, plan: Plan
) -> None:
    edge = build_span(US - 200_000, None, True)
    make(api, tests, sample, build_expectations("played", edge), "sharp")
    make(api, tests, sample, build_expectations("played", edge, slack="250ms"), "soft")
    assert [test["status"] for test in run(api, tests)["tests"]] == ["failed", "passed"]


def test_one_test_runs_alone(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, [], "one")
    two = make(api, tests, sample, [], "two").json()["id"]
    assert [test["name"] for test in run(api, tests, tests=[two])["tests"]] == ["two"]
    gone = api.post(f"{tests}run/", {"tests": [99_999]}, format="json")
    assert (gone.status_code, gone.json()["code"]) == (404, "unknown_test")


def test_others_run_but_do_not_change(api: APIClient, bobs: APIClient, tests: str, sample: Sample) -> None:
    number = make(api, tests, sample, []).json()["id"]
    assert run(bobs, tests)["ok"] is True
    body = {"name": "Mine", "sample": sample.pk, "version": 1, "expected": []}
    for answer in (
        make(bobs, tests, sample, [], "another"),
        bobs.put(f"{tests}{number}/", body, format="json"),
        bobs.delete(f"{tests}{number}/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")


def test_names_are_there_once(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, [])
    repeated = make(api, tests, sample, [])
    assert (repeated.status_code, repeated.json()["code"]) == (409, "name_taken")


def test_a_deleted_plan_takes_its_tests_along(api: APIClient, tests: str, sample: Sample, plan: Plan) -> None:
    make(api, tests, sample, [])
    assert api.delete(f"/api/plans/{plan.pk}/").status_code == 204
    assert not PlanTest.objects.exists()
    assert api.delete(f"/api/samples/{sample.pk}/").status_code == 204


def test_an_export_holds_all_that_it_takes(
    api: APIClient, tests: str, sample: Sample, player: Stream
) -> None:
    make(api, tests, sample, build_expectations("played", build_span(US, None, True)))
    answer = api.get(f"{tests}export/").json()
    assert answer["plan"]["streams"] == {"player": player.document}
    [(name, events)] = answer["samples"].items()
    assert events == {"player": EVENTS}
    assert [(test["name"], test["sample"]) for test in answer["tests"]] == [("A test", name)]


def test_an_export_holds_the_colours_and_labels_of_the_nodes_that_are_drawn(
    api: APIClient, tests: str, plan: Plan
) -> None:
    display = {"played": {"values": {"true": {"colour": "good", "label": "Played"}}}}
    Plan.objects.filter(pk=plan.pk).update(display={**display, "gone": {"unit": "s"}})
    assert api.get(f"{tests}export/").json()["display"] == display


BAD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no name": {"name": None, "sample": 1, "expected": []},
    "an empty name": {"name": " ", "sample": 1, "expected": []},
    "a long name": {"name": "x" * 201, "sample": 1, "expected": []},
    "no sample": {"name": "x", "expected": []},
    "a sample that is a text": {"name": "x", "sample": "one", "expected": []},
    "neither expected nor take": {"name": "x", "sample": 1},
    "both expected and take": {"name": "x", "sample": 1, "expected": [], "take": {}},
    "expected that is an object": {"name": "x", "sample": 1, "expected": {}},
    "expected of no node": {"name": "x", "sample": 1, "expected": [{"key": "k", "spans": []}]},
    "a span without a value": {
        "name": "x",
        "sample": 1,
        "expected": build_expectations("n", {"from": 1, "to": 2}),
    },
    "spans that overlap": {
        "name": "x",
        "sample": 1,
        "expected": build_expectations("n", build_span(1, 3, True), build_span(2, 4, True)),
    },
    "take of a node that is not there": {"name": "x", "sample": 1, "take": {"nodes": ["gone"]}},
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_a_bad_test_is_refused_with_a_reason(
    api: APIClient, tests: str, sample: Sample, body: dict[str, Any]
) -> None:
    if body.get("sample") == 1:
        body = body | {"sample": sample.pk}
    answer = api.post(tests, body, format="json")
    assert answer.status_code == 400, answer.content
    assert answer.json()["problems"]
    assert not PlanTest.objects.exists()


@pytest.mark.parametrize(
    "body", [{"tests": "x"}, {"tests": [0]}, {"tests": [2**70]}, {"document": []}, {"document": {}}]
)
def test_a_bad_run_is_refused_with_a_reason(api: APIClient, tests: str, sample: Sample, body: Any) -> None:
    make(api, tests, sample, [])
    answer = api.post(f"{tests}run/", body, format="json")
    assert answer.status_code in (400, 404, 422), answer.content
    assert answer.json()["message"]


def test_a_node_above_reads_the_one_below(api: APIClient, tests: str, sample: Sample) -> None:
    make(api, tests, sample, build_expectations("never", build_span(US, None, False)))
    repeated = build_document(played=has_existed(), never=build_negation("played"))
    assert run(api, tests, document=repeated)["ok"] is True
