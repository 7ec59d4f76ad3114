"""The text language: the examples of the contract and of the guide, comments, names and sizes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.plan.texts import build_node, format_canonical
from timeline_app.operators import operators
from timeline_app.plan import Refused
from timeline_app.plan.text import read_text, write_text

DOCS = Path(__file__).parents[2] / "docs"

CIRR = """
    # connection-induced rebuffering on CDN1, not within 5 s of a seek
    cirr = duration_where(
        has_existed(player.player_state == "play")
        and not has_existed_within(player.user_action == "seek", 5s)
        and latest_event_to_state(player.player_state) == "buffer"
        and latest_event_to_state(player.cdn) == "CDN1")
    cirr_by_cdn = aggregate(cirr, sum, by = latest_event_to_state(player.cdn))
"""
SUSPICIOUS = """
    # the suburb changed less than ten minutes ago, and it is not the first suburb seen
    suspicious = duration_in_current_state(latest_event_to_state(card.suburb)) < 10min
                 and changed_to(latest_event_to_state(card.suburb)) > 1
"""
COMPLETION = """
    # completion rate from its two primitives, each of them a result of its own
    attempts   = event_count(playback.type == "attempt")
    completed  = event_count(playback.type == "complete")
    completion = aggregate(completed, sum) / aggregate(attempts, sum)
"""


def build_leaf(op: str, stream: str = "player", **params: Any) -> dict[str, Any]:
    return {"op": op, "stream": stream, "params": params}


def test_the_first_example_of_the_contract() -> None:
    assert read_text(CIRR)["nodes"] == {
        "cirr_1": build_leaf("has_existed", where='player_state == "play"'),
        "cirr_2": build_leaf("has_existed_within", where='user_action == "seek"', duration="5s"),
        "cirr_3": build_node("not", "cirr_2"),
        "cirr_4": build_leaf("latest_event_to_state", field="player_state"),
        "cirr_5": build_node("equal_to", "cirr_4", value="buffer"),
        "cirr_6": build_leaf("latest_event_to_state", field="cdn"),
        "cirr_7": build_node("equal_to", "cirr_6", value="CDN1"),
        "cirr_8": build_node("and", ["cirr_1", "cirr_3", "cirr_5", "cirr_7"]),
        "cirr": {
            **build_node("duration_where", "cirr_8"),
            "comment": "connection-induced rebuffering on CDN1, not within 5 s of a seek",
        },
        "cirr_by_cdn_1": build_leaf("latest_event_to_state", field="cdn"),
        "cirr_by_cdn": {
            "op": "aggregate",
            "inputs": {"of": "cirr", "by": "cirr_by_cdn_1"},
            "params": {"function": "sum"},
        },
    }


def test_the_second_example_of_the_contract() -> None:
    nodes = read_text(SUSPICIOUS)["nodes"]
    assert nodes["suspicious_3"] == build_node("less_than", "suspicious_2", value="10min")
    assert nodes["suspicious_6"] == build_node("greater_than", "suspicious_5", value=1)
    assert nodes["suspicious"]["inputs"] == {"of": ["suspicious_3", "suspicious_6"]}


def test_the_third_example_of_the_contract() -> None:
    nodes = read_text(COMPLETION)["nodes"]
    assert nodes["completed"] == build_leaf("event_count", "playback", where='type == "complete"')
    assert nodes["completion_2"] == build_node("aggregate", "attempts", function="sum")
    assert nodes["completion"] == {
        "op": "divide",
        "inputs": {"of": "completion_1", "other": "completion_2"},
    }


@pytest.mark.parametrize("text", [CIRR, SUSPICIOUS, COMPLETION])
def test_what_was_written_in_one_expression_is_shown_so_again(text: str) -> None:
    def split_words(text: str) -> list[str]:
        return text.split()

    assert split_words(write_text(read_text(text))) == split_words(text)


def test_comments_and_names_stay_where_they_are() -> None:
    text = """\
# What this file is about.

plan "Rebuffering"
stream player(key = session_id, time = t, fields = {bitrate: number, `odd name`: bool})
stream ads

# Two lines
#   of one comment.
played = has_existed(player.bitrate > 1_000)
""".replace("1_000", "1000").replace("`odd name`", '"odd name"')
    text += """
# A part of its own.

low = latest_event_to_state(player.bitrate) < 300
`is` = low and event_count(ads) > 1

results `is`, played

note "Beside\\n\\"all\\"." 40 -200.5 240 96

# The end.

group all(nodes = [low, played])
group `Two words`(nodes = ["is"], colour = blue)
layout played 0 0, low 10.5 -20
"""
    document = read_text(text)
    assert document["comments"] == [
        "What this file is about.",
        {"text": "A part of its own.", "before": "low"},
        {"text": 'Beside\n"all".', "before": None, "at": [40, -200.5], "size": [240, 96]},
        {"text": "The end.", "before": None},
    ]
    assert document["groups"] == [
        {"title": "all", "nodes": ["low", "played"]},
        {"title": "Two words", "nodes": ["is"], "colour": "blue"},
    ]
    assert document["nodes"]["played"]["comment"] == "Two lines\n  of one comment."
    assert document["layout"] == {"played": [0, 0], "low": [10.5, -20]}
    assert write_text(document) == text


def test_no_word_of_a_comment_is_lost() -> None:
    text = "# a\nx = not (  # b\n  # c\n  y)  # d\n  # e\ny = event_count(s)  # f\nresults x # g\n# h"
    document = read_text(text)
    free = [item["text"] for item in document["comments"]]
    comments = [document["nodes"]["x"]["comment"], document["nodes"]["y"]["comment"], *free]
    assert "\n".join(comments).split() == list("abcdefgh")


def test_lines_may_end_as_on_other_systems() -> None:
    for text in (CIRR, SUSPICIOUS, COMPLETION):
        assert read_text("\ufeff" + text.replace("\n", "\r\n")) == read_text(text)


def test_names_of_nested_nodes_are_free_and_not_too_long() -> None:
    long, text = "x" * 100, "a = event_count(s)\na_1 = not not not a\n"
    document = read_text(f"{text}{long} = a_1 and (a_1 or not a_1)\n{long[:98]}_1 = not a")
    names = ["a", "a_1_1", "a_1_2", "a_1", f"{long[:98]}_2", f"{long[:98]}_3", long, f"{long[:98]}_1"]
    assert list(document["nodes"]) == names
    assert format_canonical(read_text(write_text(document))) == format_canonical(document)


@pytest.mark.deep
def test_a_thousand_nodes_and_deep_nesting_survive() -> None:
    many = "\n".join(f'n{n} = has_existed_within(s.x == {n} and s.y in ("a", "b"), 5s)' for n in range(1000))
    chain = "n0 = event_count(s) > 1\n" + "\n".join(f"n{n + 1} = not n{n}" for n in range(999))
    deep = "a = event_count(s) > 1\nb = " + "not " * 900 + "a"
    calls = "a = event_count(s) > 1\nb = " + "held_for(" * 900 + "a" + ", 5s)" * 900
    for text in (many, chain, deep, calls):
        document = read_text(text)
        assert len(document["nodes"]) >= 900
        assert format_canonical(read_text(write_text(document))) == format_canonical(document)


def test_what_is_no_json_cannot_be_written() -> None:
    deep: Any = 0
    for _ in range(200):
        deep = [deep]
    broken: list[Any] = [[], {"x": float("nan")}, {"x": {1: 2}}, {"x": deep}, {"x": b""}, {"x": {"y": {3}}}]
    for document in broken:
        with pytest.raises(Refused):
            write_text(document)


def test_the_examples_of_the_guide_are_read() -> None:
    examples = re.findall(r"```timeline\n(.*?)```", (DOCS / "text.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 6
    for text in examples:
        document = read_text(text)
        assert format_canonical(read_text(write_text(document))) == format_canonical(document)
        for name, node in document["nodes"].items():
            assert node["op"] in operators(), name


def test_the_guide_tells_mistakes_as_they_are_told() -> None:
    with pytest.raises(Refused) as refused:
        read_text("played = event_count(s) > 1\na = held_for(b, 5 sec)\n\nb = not playd")
    guide = " ".join((DOCS / "text.md").read_text(encoding="utf-8").split())
    for problem in refused.value.problems:
        line = f"line {problem.line}, column {problem.column}: {problem.message} ({problem.hint})"
        assert line in guide


def test_paths_need_no_quotes_and_keys_may_be_of_several_fields() -> None:
    text = """
    stream ce(key = [data.device, b], time = data.at, fields = {data.state: text, "items[0].sku": number})
    state = latest_event_to_state(ce.data.state)
    many = event_count(ce.items[0].sku > 5 and ce.a[1][2].b-c == "x")
    """
    document = read_text(text)
    assert document["streams"]["ce"]["key"] == ["data.device", "b"]
    assert document["streams"]["ce"]["time"] == "data.at"
    assert document["streams"]["ce"]["fields"] == {"data.state": "text", "items[0].sku": "number"}
    assert document["nodes"]["state"]["params"] == {"field": "data.state"}
    assert document["nodes"]["many"]["params"] == {"where": 'items[0].sku > 5 and a[1][2].b-c == "x"'}
    assert read_text(write_text(document)) == document
    assert "ce.items[0].sku > 5" in write_text(document)
