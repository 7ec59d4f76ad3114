"""Why a group has its number: how many keys count, and which have the greatest part."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import explain_at, read_chain
from tests.operators.small import build_event, build_leaf
from timeline_app.evaluate.why import _Everything

STATES = {
    "n": build_leaf("latest_event_to_state", field="n"),
    "cdn": build_leaf("latest_event_to_state", field="cdn"),
}
FLAGS = {"on": build_leaf("latest_event_to_state", field="on")}
EVENTS = [
    build_event(index, f"k{index}", n=10 * index, cdn="A" if index < 5 else "B") for index in range(1, 6)
]


def group(of: str, function: str, by: str | None = None) -> dict[str, Any]:
    inputs = {"of": of} if by is None else {"of": of, "by": by}
    return {"op": "aggregate", "inputs": inputs, "params": {"function": function, "every": "2s"}}


def test_a_sum_names_the_greatest_and_goes_on_with_the_first_of_them() -> None:
    nodes = {**STATES, "total": group("n", "sum", "cdn")}
    links = read_chain(nodes, 9, *EVENTS, key="A")
    assert links[0]["sentence"] == (
        '`aggregate` is 100, the sum of `n` over the keys whose `cdn` is "A": 4 keys count, the greatest'
        " `k4` with 40, `k3` with 30 and `k2` with 20."
    )
    assert [(link["node"], link["key"]) for link in links[1:]] == [("n", "k4"), ("cdn", "k4")]


def test_a_key_counts_from_its_birth_on() -> None:
    nodes = {**STATES, "total": group("n", "sum", "cdn")}
    assert explain_at(nodes, 2, *EVENTS, key="A")[0].endswith(
        ": 2 keys count: `k2` with 20 and `k1` with 10."
    )
    assert explain_at(nodes, 0, *EVENTS, key="A")[0] == (
        '`aggregate` is 0 because none of `n` over the keys whose `cdn` is "A" counts with a known value.'
    )


def test_different_values_and_the_most_frequent_one_say_how_many_keys_have_which() -> None:
    events = [*EVENTS, build_event(6, "k6", n=10, cdn="C"), build_event(7, "k7", cdn="A")]
    links = read_chain({**STATES, "kinds": group("cdn", "distinct")}, 9, *events, key="*")
    assert links[0]["sentence"] == (
        '`aggregate` is 3, the number of different values of `cdn` over all keys: 7 keys count; "A" is that of 5,'
        ' "B" is that of 1 and "C" is that of 1.'
    )
    links = read_chain({**STATES, "usual": group("cdn", "mode")}, 9, *events, key="*")
    assert links[0]["sentence"].startswith(
        '`aggregate` is "A", the most frequent value of `cdn` over all keys: 7'
    )
    assert (links[1]["node"], links[1]["key"]) == ("cdn", "k1")
    links = read_chain({**STATES, "usual": group("n", "mode", "cdn")}, 9, *events, key="A")
    assert links[0]["sentence"].endswith(
        ": 4 keys count; 10 is that of 1, 20 is that of 1, 30 is that of 1 and 1 other value is that of the rest."
    )


def test_a_share_says_how_many_are_true() -> None:
    events = [build_event(1, "a", on=True), build_event(2, "b", on=False)]
    sentence = explain_at({**FLAGS, "share": group("on", "share")}, 3, *events, key="*")[0]
    assert (
        sentence
        == "`aggregate` is 0.5, the share of true of `on` over all keys: 2 keys count, 1 of them true."
    )


def test_without_by_all_keys_are_one_group() -> None:
    nodes = {**STATES, "total": group("n", "avg")}
    sentence, ends, because = explain_at(nodes, 9, *EVENTS, key="*")
    assert sentence.startswith(
        "`aggregate` is 30, the avg of `n` over all keys: 5 keys count, the greatest `k5`"
    )
    assert (ends, because) == ("changes when a key of the group does", ["n"])


def test_a_rank_is_that_of_one_key_at_a_multiple() -> None:
    nodes = {**STATES, "median": group("n", "p50", "cdn")}
    links = read_chain(nodes, 9, *EVENTS, key="A")
    assert links[0]["sentence"] == (
        '`aggregate` is 20, the p50 of `n` over the keys whose `cdn` is "A" at 00:00:04, a multiple of 2 s:'
        " 4 keys count; it is that of `k2` with 20."
    )
    assert (links[1]["key"], links[1]["at"]) == ("k2", 4_000_000)
    before = explain_at(nodes, 1, *EVENTS, key="A")[0]
    assert before.startswith(
        "`aggregate` is unknown because no multiple of 2 s has come since the first of `n`"
    )


def test_a_count_of_a_bool_says_how_many_are_true() -> None:
    nodes = {**FLAGS, "trues": group("on", "count")}
    events = [build_event(1, "a", on=False), build_event(1, "b", on=True), build_event(1, "c", on=True)]
    links = read_chain(nodes, 2, *events, key="*")
    assert (
        links[0]["sentence"]
        == "`aggregate` is 2, the count of `on` over all keys: 3 keys count, 2 of them true."
    )
    assert links[1]["key"] == "b"


def test_of_too_many_keys_only_their_number_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Everything, "everyone", lambda *_: 12_345)
    nodes = {**STATES, "total": group("n", "sum", "cdn")}
    sentence, _, because = explain_at(nodes, 9, *EVENTS, key="A")
    assert sentence.endswith("; there are 12,345 keys, too many to look at one by one.")
    assert because == []
