"""Plans in Python: what is shared is one node, names are readable, answers are those of the evaluator."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from timeline_app import timeline as tl
from timeline_app.plan import BadEvents, Refused
from timeline_app.plan.text import read_text

player = tl.stream("player", key="k", time="t", unit="s", fields={"n": "number", "state": "text"})
buffering = player.latest_event_to_state("state") == "buffer"
EVENTS = [{"k": "a", "t": 1, "state": "buffer", "n": 2}, {"k": "a", "t": 4, "state": "play"}]


def test_what_is_shared_is_one_node_also_where_it_is_built_twice() -> None:
    again = player.latest_event_to_state("state") == "buffer"
    plan = tl.plan("", of=buffering.duration_where(), held=again.held_for("2s"))
    assert [node["op"] for node in plan.document()["nodes"].values()].count("equal_to") == 1


def test_names_follow_from_what_there_is() -> None:
    plan = tl.plan("P", both=buffering & (buffering.held_for("1s") | (player.event_count() > 1)))
    assert plan.document() == {
        "version": 1,
        "name": "P",
        "nodes": {
            "equal_to_1": {
                "op": "latest_event_to_state",
                "stream": "player",
                "params": {"field": "state"},
            },
            "equal_to": {"op": "equal_to", "inputs": {"of": "equal_to_1"}, "params": {"value": "buffer"}},
            "both_1": {"op": "held_for", "inputs": {"of": "equal_to"}, "params": {"duration": "1s"}},
            "both_2": {"op": "event_count", "stream": "player"},
            "both_3": {"op": "greater_than", "inputs": {"of": "both_2"}, "params": {"value": 1}},
            "both_4": {"op": "or", "inputs": {"of": ["both_1", "both_3"]}},
            "both": {"op": "and", "inputs": {"of": ["equal_to", "both_4"]}},
        },
        "results": ["both"],
        "streams": {"player": dict(player.declaration)},
    }
    assert read_text(plan.text()) == plan.document()


def test_a_shared_leaf_is_called_after_its_fields() -> None:
    seen = player.has_existed('state == "a" and n > 1')
    twice = tl.plan("", tl.and_(seen, ~seen), tl.or_(seen, ~seen)).document()
    assert list(twice["nodes"]) == ["has_existed_n_state", "not_1", "and_1", "or_1"]
    assert twice["results"] == ["and_1", "or_1"]


def test_a_name_that_is_taken_is_numbered() -> None:
    document = tl.plan("", player.event_count(), player.event_count("n > 1").named("event_count")).document()
    assert document["results"] == ["event_count_1", "event_count"]


def test_a_result_names_what_others_use() -> None:
    cirr = buffering.duration_where()
    document = tl.plan("", by_cdn=cirr.aggregate("sum"), cirr=cirr).document()
    assert document["nodes"]["by_cdn"]["inputs"] == {"of": "cirr"}
    assert document["results"] == ["by_cdn", "cirr"]


def test_one_computation_may_have_two_names() -> None:
    document = tl.plan("", a=buffering, b=buffering).document()
    assert document["results"] == ["a", "b"]
    assert document["nodes"]["a"]["op"] == document["nodes"]["b"]["op"] == "equal_to"


def test_one_name_for_two_computations_is_refused() -> None:
    with pytest.raises(Refused, match="'a' is the name of two different timelines"):
        tl.plan("", buffering.named("a"), a=player.event_count())


def test_one_stream_declared_in_two_ways_is_refused() -> None:
    other = tl.stream("player", key="other", time="t").event_count()
    with pytest.raises(Refused, match="declared in two ways"):
        tl.plan("", other, buffering).document()
    elsewhere = tl.plan("", tl.stream("player").event_count(), buffering)
    assert elsewhere.document()["streams"] == {"player": dict(player.declaration)}


def test_the_check_tells_every_problem() -> None:
    plan = tl.plan("", climbs=buffering.duration_where() == 1, text=buffering == "a")
    assert sorted((item.node, item.port) for item in plan.check()) == [("climbs", "of"), ("text", "value")]


def test_a_stream_that_is_declared_nowhere_is_a_problem() -> None:
    [problem] = tl.plan("", tl.stream("oven").event_count()).check()
    assert problem.code == "unknown_stream"


def test_answers_from_dictionaries_and_from_files_are_the_same(tmp_path: Path) -> None:
    plan = tl.plan("", held=buffering.held_for("2s"), sum=player.event_sum("n"))
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, EVENTS)), encoding="utf-8")
    result = plan.evaluate(iter(EVENTS))
    assert result == plan.evaluate(path) == plan.evaluate({"player": str(path)})
    held, total = result
    assert held["points"] == [
        {"t": None, "value": None},
        *({"t": time * 1_000_000, "value": value} for time, value in [(1, False), (3, True), (4, False)]),
    ]
    assert (total["node"], total["key"], total["kind"]) == ("sum", "a", "number")


def test_answers_at_an_instant_of_some_nodes_and_keys() -> None:
    plan = tl.plan("", since=buffering.duration_where())
    events = [*EVENTS, {"k": "b", "t": 2, "state": "buffer"}]
    result = plan.evaluate(events, at=3_500_000)
    assert [(item["node"], item["key"], item["value"]) for item in result] == [
        ("since", "a", 2.5),
        ("since", "b", 1.5),
    ]
    [inner] = plan.evaluate(events, nodes=["since_2"], keys=["b"], at="1970-01-01T00:00:03Z")
    assert (inner["key"], inner["value"]) == ("b", True)


def test_a_plan_on_two_streams_takes_a_mapping() -> None:
    ads = tl.stream("ads", key="k", time="t", unit="s")
    plan = tl.plan("", both=player.event_count() + ads.event_count())
    [answer] = plan.evaluate({"player": EVENTS, "ads": [{"k": "a", "t": 2}]}, at=9_000_000)
    assert answer["value"] == 3


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda plan: plan.evaluate(EVENTS, nodes=["sinc"]), ValueError, "did you mean since"),
        (lambda plan: plan.evaluate({"ads": EVENTS}), ValueError, "no events of player"),
        (lambda plan: plan.evaluate(EVENTS, at="noon"), ValueError, "no instant"),
        (
            lambda plan: plan.evaluate([{"k": "a"}, {"t": 1}]),
            BadEvents,
            "line 1: .*'t' is missing; line 2: .*'k'",
        ),
        (
            lambda plan: tl.plan("", cast(Any, 4)),
            TypeError,
            "a result of a plan is a timeline, not 4",
        ),
        (
            lambda plan: tl.plan("", x=player.event_count() + player.latest_event_to_state("state")).evaluate(
                []
            ),
            Refused,
            "is text",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_told(
    wrong: Callable[[tl.Plan], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        wrong(tl.plan("", since=buffering.duration_where()))


def test_a_deep_plan_is_no_matter() -> None:
    deep = buffering
    for _ in range(400):
        deep = ~(deep & buffering)
    assert len(tl.plan("", deep=deep).document()["nodes"]) == 802


def test_what_no_event_has_is_said_of_the_nodes_that_are_named() -> None:
    plan = tl.plan("", slip=player.event_count('stat == "play"'), right=player.event_count('state == "play"'))
    assert [(warning.code, warning.field) for warning in plan.list_warnings(EVENTS)] == [
        ("absent_field", "stat")
    ]
    assert plan.list_warnings(EVENTS, nodes=["right"]) == []


OTHERS = [
    {"Kunde": "a", "t": 1, "state": "buffer", "Betrag": "1.234,5"},
    {"Kunde": "a", "t": 4, "Betrag": "0,5"},
]
RULES = [{"to": "k", "from": "Kunde"}, {"to": "n", "from": "Betrag", "cast": "decimal_comma"}]


@pytest.mark.parametrize("by_stream", [False, True])
def test_fields_are_mapped_of_lists_and_of_files(tmp_path: Path, by_stream: bool) -> None:
    plan, rules = tl.plan("", sum=player.event_sum("n")), {"player": RULES} if by_stream else RULES
    path = tmp_path / "others.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in OTHERS))
    for events in (OTHERS, path):
        [answer] = plan.evaluate(events, mapping=rules, at=5_000_000)
        assert (answer["key"], answer["value"]) == ("a", 1235.0)
        assert plan.list_warnings(events, mapping=rules) == []


@pytest.mark.parametrize(
    ("rules", "error", "words"),
    [
        ([{"to": "n", "cast": "numbr"}], ValueError, "There is no cast 'numbr'"),
        ({"plyer": RULES}, ValueError, "no stream 'plyer'; did you mean player"),
        ([{"to": "k", "from": "Kunde", "cast": "number"}], BadEvents, "line 1: .*'a', which is no number"),
    ],
)
def test_a_mapping_that_cannot_be_used_is_refused(rules: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tl.plan("", sum=player.event_sum("n")).evaluate(OTHERS, mapping=rules)
