"""Conditions that can be read, and are never true, or always, or compare numbers as text, are warned of."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.plan import check

FIELDS = {"n": "number", "on": "bool", "state": "text", "code": "text"}
STREAM = {"key": "k", "time": "t", "fields": FIELDS}


def list_warnings(nodes: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    checked = check({"version": 1, "nodes": nodes, "streams": {"s": STREAM}}, {})
    assert checked.ok, checked.problems
    return [(problem.code, problem.node, problem.message) for problem in checked.problems]


def list_codes(where: str) -> list[str]:
    return [
        code
        for code, _, _ in list_warnings(
            {"x": {"op": "event_count", "stream": "s", "params": {"where": where}}}
        )
    ]


NEVER = (
    'state == "a" and state == "b"', 'state in ("a", "b") and state == "c"', 'state == "a" and state != "a"',
    'state in ("a", "b") and state != "a" and state != "b"', "n > 5 and n < 3", "n > 5 and n <= 5",
    "n == 4 and n > 5", "on == true and on == false", 'state is missing and state == "a"',
    'on == true or (n > 5 and n < 3)', 'not (state != "a" or state == "a")',
    "state is missing and not state is missing",
)  # fmt: skip
ALWAYS = (
    'state != "a" or state != "b"', "n > 3 or n < 5", "n >= 3 or n < 3", 'state == "a" or state != "a"',
)  # fmt: skip
SOUND = (
    'state == "a" or state == "b"', 'state in ("a", "b") and state != "a"', "n > 3 and n < 5", "n >= 5 and n <= 5",
    "n > 5 or n < 3", 'state == "a" and code == "b"', 'state is missing or state == "a"', "n > 5 or n < 5",
    'state != "a" and state != "b"', 'code >= "2024-01-01" and code < "2024-02-01"', 'code > "B"',
    'state == "a" or not state in ("b", "c")', 'state == "a" or not state in ("a", "b")',
    "n != 3 and n > 2", 'code == "5"', "n != 0 or 0 - n is missing", "n == 1 and not n + 1 is missing",
)  # fmt: skip


@pytest.mark.parametrize("where", NEVER)
def test_parts_that_exclude_each_other_are_never_true(where: str) -> None:
    assert list_codes(where) == ["never_true"]


@pytest.mark.parametrize("where", ALWAYS)
def test_parts_of_which_one_holds_for_every_value_are_always_true(where: str) -> None:
    assert list_codes(where) == ["always_true"]


@pytest.mark.parametrize("where", SOUND)
def test_conditions_that_can_hold_and_fail_are_no_warning(where: str) -> None:
    assert list_codes(where) == []


def test_numbers_in_the_order_of_text_are_told() -> None:
    [(code, node, message)] = list_warnings(
        {"x": {"op": "event_count", "stream": "s", "params": {"where": 'code < "5"'}}}
    )
    assert (code, node) == ("text_order", "x")
    assert message == 'code < "5" goes by the order of text, in which "10" comes before "9"'


def build_state(field: str = "state") -> dict[str, Any]:
    return {"op": "latest_event_to_state", "stream": "s", "params": {"field": field}}


def build_comparison(of: str, value: Any, op: str = "equal_to") -> dict[str, Any]:
    return {"op": op, "inputs": {"of": of}, "params": {"value": value}}


def list_joined(word: str, first: Any, second: Any) -> list[str]:
    """Two comparisons of one state, which stands there twice, as text is read."""
    nodes = {"one": build_state(), "two": build_state(), "n": build_state("n"), "x": first, "y": second}
    join = {"op": word, "inputs": {"of": ["x", "y"]}}
    return [code for code, node, _ in list_warnings(nodes | {"z": join}) if node == "z"]


def test_a_state_is_not_two_values_at_once() -> None:
    assert list_joined("and", build_comparison("one", "a"), build_comparison("two", "b")) == ["never_true"]
    assert list_joined(
        "and", build_comparison("n", 5, "greater_than"), build_comparison("n", 3, "less_than")
    ) == ["never_true"]
    assert list_joined(
        "or", build_comparison("one", "a", "not_equal_to"), build_comparison("one", "b", "not_equal_to")
    ) == ["always_true"]
    assert list_joined("or", build_comparison("one", "a"), build_comparison("two", "b")) == []
    assert list_joined("and", build_comparison("one", "a"), build_comparison("n", 3)) == []
