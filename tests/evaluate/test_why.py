"""`evaluate --why`: one JSON line with the chain of reasons, or a refusal that says what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evaluate.desk import CIRR, EVENTS, START, Desk

SEEK = {"session_id": "s1", "t": START + 3_000, "user_action": "seek"}
AT = "2024-07-01T08:00:08.500Z"


@pytest.fixture
def seeks(desk: Desk) -> str:
    return desk.write("seeks.jsonl", [*EVENTS, SEEK, {"session_id": "s2", "t": START}])


def read_chain(desk: Desk, *arguments: str) -> dict[str, Any]:
    answer = json.loads(desk.run(*arguments, "--why"))
    return {link["node"]: link for link in answer["chain"]}


def test_the_sentence_of_the_design(desk: Desk, plan: str, seeks: str) -> None:
    links = read_chain(desk, plan, seeks, "--node", "cirr", "--key", "s1", "--at", AT)
    assert list(links) == ["cirr", "induced", "played", "calm", "buffering", "seeking", "state"]
    assert links["seeking"]["sentence"] == (
        "`has_existed_within` 5 s turned false at 08:00:08"
        ' because the last event with `user_action == "seek"` was at 08:00:03.'
    )


def test_the_raw_events_are_those_of_the_key_and_instant_that_match(desk: Desk, plan: str) -> None:
    same = {**SEEK, "user_action": "pause"}
    file = desk.write("e.jsonl", [*EVENTS, SEEK, same, {**SEEK, "session_id": "s2"}])
    links = read_chain(desk, plan, file, "--node", "seeking", "--key", "s1", "--at", AT)
    answer = {
        "stream": "player",
        "t": (START + 3_000) * 1_000,
        "events": [{"user_action": "seek"}],
        "found": True,
        "rule": "",
    }
    assert links["seeking"]["events"] == [answer]


def test_the_event_that_won_is_told_where_copies_differ(desk: Desk) -> None:
    stream = {**CIRR["streams"]["player"], "id": "event_id"}  # type: ignore[index]
    plan = desk.write("plan.json", {**CIRR, "streams": {"player": stream}})
    copies = [{**SEEK, "event_id": "a", "n": 1}, {**SEEK, "event_id": "a", "n": 2}]
    file = desk.write("e.jsonl", [*EVENTS, *copies])
    links = read_chain(desk, plan, file, "--node", "seeking", "--key", "s1", "--at", AT)
    [result] = links["seeking"]["events"]
    assert [event["event_id"] for event in result["events"]] == ["a"]


def test_the_value_is_that_of_at(desk: Desk, plan: str, seeks: str) -> None:
    question = (plan, seeks, "--node", "cirr", "--key", "s1", "--at", AT)
    assert read_chain(desk, *question)["cirr"]["value"] == json.loads(desk.run(*question))["value"] == 0.5


def test_what_lies_before_the_horizon_is_final_and_its_end_is_past(desk: Desk, plan: str, seeks: str) -> None:
    early = read_chain(desk, plan, seeks, "--node", "seeking", "--key", "s1", "--at", "2024-07-01T08:00:04Z")
    assert early["seeking"]["final"]
    assert early["seeking"]["ends"].startswith("ended at 08:00:08")
    late = read_chain(desk, plan, seeks, "--node", "seeking", "--key", "s1", "--at", "2024-07-01T10:00:00Z")
    assert not late["seeking"]["final"]


def test_why_of_a_group_goes_on_with_its_greatest_key(desk: Desk, seeks: str) -> None:
    total = {"op": "aggregate", "inputs": {"of": "cirr"}, "params": {"function": "sum"}}
    plan = desk.write("plan.json", {**CIRR, "nodes": {**CIRR["nodes"], "total": total}})  # type: ignore[dict-item]
    links = read_chain(desk, plan, seeks, "--node", "total", "--key", "*", "--at", AT)
    assert "2 keys count" in links["total"]["sentence"]
    assert "`s1` with 0.5" in links["total"]["sentence"]
    assert (links["total"]["key"], links["cirr"]["key"]) == ("*", "s1")


REFUSED: dict[str, tuple[list[str], str]] = {
    "no node": (["--key", "s1", "--at", AT], "--why needs exactly one node, one key and an instant"),
    "no key": (["--node", "cirr", "--at", AT], "--why needs exactly one node, one key and an instant"),
    "no instant": (["--node", "cirr", "--key", "s1"], "--why needs exactly one node, one key and an instant"),
    "two nodes": (["--node", "cirr", "calm", "--key", "s1", "--at", AT], "exactly one node"),
    "two keys": (["--node", "cirr", "--key", "s1", "s2", "--at", AT], "exactly one node"),
    "a bad instant": (["--node", "cirr", "--key", "s1", "--at", "noon"], "'noon' is no instant"),
    "an absurd instant": (["--node", "cirr", "--key", "s1", "--at", "9" * 30], "outside the years 1 to 9999"),
    "an unknown node": (["--node", "cir", "--key", "s1", "--at", AT], "did you mean cirr?"),
    "an unknown key": (["--node", "cirr", "--key", "s3", "--at", AT], "no timeline of the key 's3'"),
    "another engine": (
        ["--node", "cirr", "--key", "s1", "--at", AT, "--engine", "spark"],
        "answered by the local engine",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_question_that_cannot_be_answered_is_refused(desk: Desk, plan: str, seeks: str, name: str) -> None:
    arguments, says = REFUSED[name]
    assert says in desk.refusal(plan, seeks, *arguments, "--why")


@pytest.mark.parametrize(
    ("ids", "rule"),
    [
        ([9, 10], "greatest id counts; ids are compared as numbers, so that 10 is greater than 9"),
        ([9, "z"], "greatest id counts; whole numbers come before all other ids"),
        (["a", "b"], "greatest id counts; ids that are no whole numbers are compared as text"),
        ([None, None], "no ids to order them: the greatest value counts"),
        ([1], None),
    ],
)
def test_the_rule_that_chose_between_events_of_one_instant(
    desk: Desk, ids: list[Any], rule: str | None
) -> None:
    plan = desk.write("p.txt", "stream s(key = k, time = t, id = n)\nx = latest_event_to_state(s.x)\n")
    events = [{"k": "a", "t": START, "n": number, "x": f"v{index}"} for index, number in enumerate(ids)]
    answer = read_chain(desk, plan, desk.write("e.jsonl", events), "--node", "x", "--key", "a", "--at", AT)[
        "x"
    ]
    assert answer["value"] == f"v{len(ids) - 1}"
    assert (rule or "") in answer["events"][0]["rule"]
    assert bool(answer["events"][0]["rule"]) is (rule is not None)
