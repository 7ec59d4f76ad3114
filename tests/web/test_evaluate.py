"""A plan is tried on events over REST: the truth of `manage.py evaluate`, at once; nothing is started."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from timeline_app.evaluate import trial
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.evaluate.request import read_events, read_plan
from timeline_app.web.models import Node, Plan, Query, Stream

START = 1_719_820_800_000
STATES = ["play", "buffer", "play", "buffer", "stopped"]
EVENTS: list[dict[str, Any]] = [
    {"event_id": f"{key}{index}", "session_id": key, "t": START + index * 1_000, "player_state": state}
    for index, state in enumerate(STATES)
    for key in ("s1", "s2")
]
NODES: dict[str, Any] = {
    "played": has_existed(),
    "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}},
    "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
    "seconds": {"op": "duration_where", "inputs": {"of": "buffering"}},
    "total": {"op": "aggregate", "inputs": {"of": "seconds"}, "params": {"function": "sum"}},
}


def request_evaluation(client: APIClient, **body: Any) -> Any:
    return client.post("/api/evaluate/", body, format="json")


def run_evaluate(folder: Path, player: Stream, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the command prints."""
    plan, file = folder / "plan.json", folder / "events.jsonl"
    plan.write_text(json.dumps({**build_document(**NODES), "streams": {"player": player.document}}))
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    compiled = read_plan(str(plan))
    answer = iterate_answers(compiled, read_events(compiled, [str(file)]), [], [], None)
    documents: list[dict[str, Any]] = json.loads(json.dumps(list(answer)))
    return documents


def test_what_is_judged_by_arrival_needs_events_that_say_when_they_arrived(
    api: APIClient, player: Stream
) -> None:
    document = build_document(lag={"op": "event_lag", "stream": "player"})
    over_lag = {"op": "greater_than", "inputs": {"of": "lag"}, "params": {"value": 2}}
    refused = request_evaluation(api, document=document, events={"player": EVENTS})
    assert refused.status_code == 400
    (problem,) = refused.json()["problems"]
    assert (problem["code"], problem["field"]) == ("no_arrival", "events")
    assert "none of them says it; give them the field _arrived" in refused.json()["message"]
    both = build_document(lag=document["nodes"]["lag"], slow=over_lag, played=has_existed())
    partly = request_evaluation(api, document=both, events={"player": EVENTS}, partly=True).json()
    assert {item["node"] for item in partly["answers"]} == {"played"}
    assert {item["node"]: item["code"] for item in partly["left_out"]} == {
        "lag": "no_arrival",
        "slow": "reads_a_problem",
    }
    items = [{**event, "_arrived": (event["t"] + 1_500) * 1_000} for event in EVENTS]
    answer = request_evaluation(api, document=document, events={"player": items})
    assert answer.status_code == 200, answer.content
    assert {item["points"][-1]["value"] for item in answer.json()["answers"]} == {1.5}


def test_it_says_what_the_command_says_and_starts_nothing(
    api: APIClient, player: Stream, tmp_path: Path
) -> None:
    answer = request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS})
    assert answer.status_code == 200, answer.content
    entry = answer.json()
    assert entry["answers"] == run_evaluate(tmp_path, player, EVENTS)
    assert (entry["keys"], entry["groups"]) == (["s1", "s2"], ["*"])
    assert (entry["events"], entry["mistyped"], entry["left_out"]) == ({"player": 10}, 0, [])
    assert not Node.objects.exists()
    assert not Query.objects.exists()
    player.refresh_from_db()
    assert player.events == 0


def format_parquet(events: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(events), sink)
    return sink.getvalue()


def format_csv(events: list[dict[str, Any]]) -> bytes:
    rows = [",".join(EVENTS[0]), *(",".join(map(str, event.values())) for event in events)]
    return "\n".join(rows).encode()


def format_lines(events: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, events)).encode()


FILES = {
    "e.jsonl": format_lines(EVENTS),
    "e.csv": format_csv(EVENTS),
    "e.parquet": format_parquet(EVENTS),
    "e.json": json.dumps(EVENTS).encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_as_the_command_reads_them(
    api: APIClient, player: Stream, tmp_path: Path, name: str
) -> None:
    request = json.dumps({"document": build_document(**NODES)})
    form = {"request": request, "player": SimpleUploadedFile(name, FILES[name])}
    answer = api.post("/api/evaluate/", form, format="multipart")
    assert answer.status_code == 200, answer.content
    assert answer.json()["answers"] == run_evaluate(tmp_path, player, EVENTS)


def test_a_browser_with_a_session_sends_files_as_well(player: Stream, ada: Any) -> None:
    """Django reads the form for its token before the API does."""
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(ada)
    client.get("/")
    request = json.dumps({"document": build_document(**NODES), "nodes": ["played"]})
    form = {"request": request, "player": SimpleUploadedFile("e.csv", FILES["e.csv"])}
    token = client.cookies["csrftoken"].value
    answer = client.post("/api/evaluate/", form, format="multipart", HTTP_X_CSRFTOKEN=token)
    assert answer.status_code == 200, answer.content
    assert len(answer.json()["answers"]) == 2
    assert client.post("/api/evaluate/", form, format="multipart").status_code == 403


def test_plans_are_named_or_sent_as_text(api: APIClient, plan: Plan) -> None:
    by_number = request_evaluation(api, plan=plan.pk, events={"player": EVENTS}).json()
    text = api.get(f"/api/plans/{plan.pk}/text/").json()["text"]
    assert request_evaluation(api, text=text, events={"player": EVENTS}).json() == by_number
    assert {answer["node"] for answer in by_number["answers"]} == {"played", "never"}


def test_nodes_keys_and_an_instant_are_chosen(api: APIClient, player: Stream) -> None:
    body: dict[str, Any] = {"document": build_document(**NODES), "events": {"player": EVENTS}}
    answer = request_evaluation(
        api, **body, nodes=["seconds"], keys=["s2"], at=(START + 1_500) * 1_000
    ).json()
    [item] = answer["answers"]
    assert (item["node"], item["key"], item["value"]) == ("seconds", "s2", 0.5)
    assert answer["keys"] == ["s1", "s2"]
    first = request_evaluation(api, **body, most=1).json()["answers"]
    assert {(item["node"], item["key"]) for item in first} == {
        *((name, "s1") for name in NODES if name != "total"),
        ("total", "*"),
    }
    assert request_evaluation(api, **body, most=0).json()["answers"] == []


def test_a_draft_with_an_unfinished_node_says_what_the_others_say(api: APIClient, player: Stream) -> None:
    unfinished = NODES | {"odd": {"op": "not"}, "above": build_negation("odd")}
    body: dict[str, Any] = {"document": build_document(**unfinished), "events": {"player": EVENTS}}
    refused = request_evaluation(api, **body)
    assert (refused.status_code, refused.json()["code"]) == (422, "plan_refused")
    answer = request_evaluation(api, **body, partly=True).json()
    assert {answer["node"] for answer in answer["answers"]} == set(NODES)
    assert {item["node"] for item in answer["left_out"]} == {"odd", "above"}
    named = request_evaluation(api, **body, partly=True, nodes=["above"])
    assert (named.status_code, named.json()["problems"][0]["node"]) == (422, "above")


def test_values_of_another_type_count_as_missing(api: APIClient, player: Stream) -> None:
    event = {"session_id": "s1", "t": START, "player_state": ["play"]}
    answer = request_evaluation(
        api, document=build_document(played=has_existed()), events={"player": [event]}
    ).json()
    assert answer["mistyped"] == 1
    assert answer["answers"][0]["points"] == [{"t": None, "value": False}]
    warning = answer["warnings"][0]
    assert (warning["code"], warning["stream"], warning["field"]) == ("mistyped", "player", "player_state")
    assert (warning["severity"], "line 1 a list" in warning["message"]) == ("warning", True)


def test_a_condition_that_no_event_meets_is_a_warning(api: APIClient, player: Stream) -> None:
    document = build_document(played=has_existed('player_state == "plays"'), other=has_existed())
    answer = request_evaluation(api, document=document, events={"player": EVENTS}).json()
    [warning] = [item for item in answer["warnings"] if item["code"] == "unmet_condition"]
    assert (warning["node"], warning["port"]) == ("played", "where")
    assert "did you mean 'play'" in warning["hint"]
    assert not [
        item
        for item in request_evaluation(
            api, document=document, events={"player": EVENTS}, nodes=["other"]
        ).json()["warnings"]
        if item["node"] == "played"
    ]


def test_no_events_are_events_as_well(api: APIClient, player: Stream) -> None:
    answer = request_evaluation(api, document=build_document(**NODES), events={"player": []}).json()
    assert (answer["answers"], answer["keys"], answer["events"]) == ([], [], {"player": 0})


def test_a_plan_says_what_it_says_of_the_newest_events_of_its_streams(
    api: APIClient, player: Stream, tmp_path: Path
) -> None:
    before = [{**event, "event_id": "0", "t": START - 10_000} for event in EVENTS[:1]]
    for events in (before, EVENTS):
        assert api.post("/api/streams/player/events/", events, format="json").status_code == 202
    answer = request_evaluation(api, document=build_document(**NODES), newest=len(EVENTS))
    assert answer.status_code == 200, answer.content
    assert answer.json()["answers"] == run_evaluate(tmp_path, player, EVENTS)
    assert answer.json()["events"] == {"player": 10}
    assert not Node.objects.exists()


def test_the_newest_events_of_a_stream_are_for_those_who_may_look_at_it(
    api: APIClient, player: Stream, plan: Plan, bob: User
) -> None:
    api.post("/api/streams/player/events/", EVENTS, format="json")
    Stream.objects.filter(pk=player.pk).update(open_to_all=False)
    for body in ({"plan": plan.pk}, {"document": PLAYED, "draft_of": plan.pk}):
        other = request_evaluation(log_in_client(bob), newest=5, **body)
        assert (other.status_code, other.json()["code"]) == (404, "unknown_stream")
    # Of a stream that one knows nothing of, neither its events nor that it is there.
    nothing = request_evaluation(log_in_client(bob), newest=5, document=PLAYED, partly=True)
    assert (nothing.status_code, nothing.json()["code"]) == (422, "plan_refused")


PLAYED = build_document(played=has_existed())
GOOD = {"document": PLAYED, "events": {"player": EVENTS}}
BAD: dict[str, tuple[int, str, Any]] = {
    "no plan": (400, "invalid", {"events": {"player": EVENTS}}),
    "two plans": (400, "invalid", GOOD | {"text": "a = 1"}),
    "a plan that is not there": (404, "unknown_plan", {"plan": 99, "events": {}}),
    "a plan with problems": (422, "plan_refused", GOOD | {"document": build_document(a={"op": "nonsense"})}),
    "a document without nodes": (422, "plan_refused", GOOD | {"document": {}}),
    "a text that is none": (400, "bad_text", {"text": "a = = b", "events": {"player": []}}),
    "no events": (400, "invalid", {"document": PLAYED}),
    "events and a sample": (400, "invalid", GOOD | {"sample": 1}),
    "events and the newest": (400, "invalid", GOOD | {"newest": 1}),
    "a sample and the newest": (400, "invalid", {"document": PLAYED, "sample": 1, "newest": 1}),
    "none of the newest": (400, "invalid", {"document": PLAYED, "newest": 0}),
    "more of the newest than a sample has": (400, "invalid", {"document": PLAYED, "newest": 50_001}),
    "a sample that is not there": (404, "unknown_sample", {"document": PLAYED, "sample": 99}),
    "events of no stream": (400, "unknown_stream", {"document": PLAYED, "events": {"gone": []}}),
    "events of too few streams": (400, "wrong_streams", {"document": PLAYED, "events": {}}),
    "events that are no list": (400, "invalid", {"document": PLAYED, "events": {"player": "x"}}),
    "an event without a key": (400, "bad_events", {"document": PLAYED, "events": {"player": [{"t": 1}]}}),
    "an event that is none": (400, "bad_events", {"document": PLAYED, "events": {"player": [7]}}),
    "a node that is not there": (400, "unknown_node", GOOD | {"nodes": ["plaid"]}),
    "nodes that are a text": (400, "invalid", GOOD | {"nodes": "played"}),
    "an instant of no year": (400, "invalid", GOOD | {"at": 2**62}),
    "less than no keys": (400, "invalid", GOOD | {"most": -1}),
}


@pytest.mark.parametrize(("status", "code", "body"), BAD.values(), ids=BAD.keys())
def test_a_bad_question_is_refused_with_a_reason(
    api: APIClient, player: Stream, status: int, code: str, body: Any
) -> None:
    answer = request_evaluation(api, **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    assert answer.json()["message"]


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("e.txt", b"x", "no_format"),
        ("e.csv", b"a,b\n1,2\n", "no_column"),
        ("e.parquet", b"PAR1\x15\x00 it is not", "bad_parquet"),
        ("e.jsonl", b"{\n", "bad_events"),
        ("e.json", b"[1", "bad_events"),
        ("e.jsonl", b"{\xff\xfe}", "bad_events"),
    ],
)
def test_a_bad_file_is_refused_with_a_reason(
    api: APIClient, player: Stream, name: str, body: bytes, code: str
) -> None:
    form = {"request": json.dumps({"document": PLAYED}), "player": SimpleUploadedFile(name, body)}
    answer = api.post("/api/evaluate/", form, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.content
    assert "/tmp" not in answer.json()["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"document": NaN}', b"\xff", b"[" * 99_999])
def test_a_bad_body_is_refused(api: APIClient, body: Any) -> None:
    answer = api.generic("POST", "/api/evaluate/", body, content_type="application/json")
    assert answer.status_code == 400, answer.content


def test_a_form_with_something_else_is_refused(api: APIClient) -> None:
    answer = api.post("/api/evaluate/", {"plan": "5"}, format="multipart")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")


def test_what_takes_too_long_or_is_too_large_is_refused(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    for name, limit in (("MAX_POINTS", 3), ("MAX_EVENTS_TIMES_NODES", 3)):
        with monkeypatch.context() as patched:
            patched.setattr(trial, name, limit)
            answer = request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS})
        assert (answer.status_code, answer.json()["code"]) == (413, "too_much")
        assert "Name" in answer.json()["message"]
    settings.EVALUATE_TIMEOUT_S = 0
    late = request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS})
    assert (late.status_code, "longer than 0 s" in late.json()["message"]) == (413, True)


def test_more_events_than_a_sample_has_are_refused(api: APIClient, player: Stream) -> None:
    many = [{"session_id": "s", "t": index} for index in range(50_001)]
    answer = request_evaluation(api, document=PLAYED, events={"player": many})
    assert (answer.status_code, answer.json()["code"]) == (413, "sample_too_large")


FINE = """
    state = latest_event_to_state(player.player_state)
    waiting = duration_where(state == "buffer")
    middle = aggregate(waiting, p50, every = 1us)
"""


def test_a_rank_at_too_many_instants_is_refused_with_the_node_and_the_points(
    api: APIClient, player: Stream
) -> None:
    events = [{**EVENTS[0], "player_state": "buffer"}, {**EVENTS[1], "t": EVENTS[0]["t"] + 20_000}]
    refused = request_evaluation(api, text=FINE, events={"player": events})
    assert (refused.status_code, refused.json()["problems"][0]["code"]) == (422, "too_many_points")
    # What may be chosen for so short a retention is computed without one.
    player.document |= {"retention": "5s"}
    player.save()
    refused = request_evaluation(api, text=FINE, events={"player": events})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_much")
    words = refused.json()["message"]
    assert "node middle: it takes 20,000,002 points" in words
    assert "at most 5,000,000" in words
    assert "choose a longer one" in words


def test_time_comes_as_far_as_the_request_says(api: APIClient, player: Stream) -> None:
    """A boundary of the calendar after the last event is known where `until` lies behind it, as in the command."""
    document = build_document(
        number={"op": "event_count", "stream": "player"},
        hour={"op": "per", "inputs": {"of": "number"}, "params": {"every": "1h"}},
    )
    noon = START * 1000 // 3_600_000_000 * 3_600_000_000 + 3_600_000_000

    def hours(**more: Any) -> list[Any]:
        body = {
            "document": document,
            "events": {"player": EVENTS},
            "nodes": ["hour"],
            "keys": ["s1"],
            "at": noon,
        }
        return [answer["value"] for answer in request_evaluation(api, **body, **more).json()["answers"]]

    assert hours() == [None]
    assert hours(until=noon) == [len(STATES)]


def test_a_name_that_the_request_does_not_know_is_refused_at_any_depth(
    api: APIClient, player: Stream
) -> None:
    body = {"document": build_document(played=has_existed()), "events": {"player": EVENTS}}
    answer = request_evaluation(api, **body, untill=START, mapping={"player": []})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_field")
    assert answer.json()["message"] == "untill is no name of this request. Did you mean until?"
    (problem,) = answer.json()["problems"]
    assert (problem["field"], problem["hint"]) == ("untill", "Did you mean until?")
    form = {"request": json.dumps({"document": body["document"], "key": ["s1"]})}
    file = SimpleUploadedFile("player", json.dumps(EVENTS).encode())
    answer = api.post("/api/evaluate/", {**form, "player": file}, format="multipart")
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "key")
    dashboard = {"name": "d", "charts": [{"titel": "t"}]}
    answer = api.post("/api/dashboards/", dashboard, format="json")
    assert answer.status_code == 400, answer.json()
