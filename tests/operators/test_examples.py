"""Every operator is declared with an example: compact events are read as they look, and none may be left out."""

from __future__ import annotations

import pytest

from timeline_app.algebra.logic import negate
from timeline_app.operators import operators
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool


def test_a_declaration_without_an_example_fails_with_the_hint() -> None:
    def upside_down(of: Bool) -> Bool:
        """True while the input is false."""
        return negate(of)

    with pytest.raises(TypeError, match="upside_down has no example for its page; give @operator example="):
        operator("Upside down", category="timelines", why=operators()["not"].why)(upside_down)


def test_events_are_read_as_they_look() -> None:
    example = Example("plan", "1 state=play n=2; 2.5 s2 live=true note=a=b")
    assert example.delivered() == [
        {"key": "s1", "t": 1.0, "state": "play", "n": 2},
        {"key": "s2", "t": 2.5, "live": True, "note": "a=b"},
    ]


def test_the_stream_is_declared_as_its_values_are() -> None:
    declared = Example("plan", "1 state=play n=2; 2 live=true").declaration()
    assert declared["fields"] == {"state": "text", "n": "number", "live": "bool"}


def test_the_plan_is_shown_without_the_indentation_of_the_code() -> None:
    assert Example("\n    a = b\n        and c\n    ", "1").text() == "a = b\n    and c"
