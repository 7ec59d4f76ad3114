"""sequence in the text language, in Python and on its page of the guides."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.operators.small import STREAM
from timeline_app import timeline as tl
from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text, write_text

WEB: dict[str, Any] = {**STREAM, "fields": {"n": "number", "on": "bool", "page": "text"}}
OTHER: dict[str, Any] = {**WEB, "id": "id"}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "sequences.md"
BLOCKS = re.findall(r"```timeline\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", BLOCKS)
def test_the_plans_of_the_page_can_run_and_read_back(text: str) -> None:
    document = read_text(text)
    streams = dict.fromkeys(("web", "shop", "jobs", "door"), WEB)
    motion = {**WEB, "fields": {"seen": "bool"}}
    result = check({**document, "streams": {**streams, "motion": motion}}, {}).problems
    assert {item.message for item in result if item.severity == "error"} == set()
    assert read_text(write_text(document)) == document


def test_the_page_has_its_recipes() -> None:
    assert len(BLOCKS) == 4


STEPS_TEXT = """q = sequence(
    steps = {a: s.page == "A", "b c": {where: t.n > 3, within: 5s}, d: t},
    within = 1h,
    not = [s.page == "X", {where: s.page == "Y", between: [a, d]}, t, {stream: s, where: "true"}],
    again = latest)
"""


def test_the_text_language_names_steps_streams_and_conditions() -> None:
    assert read_text(STEPS_TEXT)["nodes"]["q"]["params"] == {
        "steps": [
            {"name": "a", "stream": "s", "where": 'page == "A"'},
            {"name": "b c", "stream": "t", "where": "n > 3", "within": "5s"},
            {"name": "d", "stream": "t"},
        ],
        "within": "1h",
        "not": [
            {"stream": "s", "where": 'page == "X"'},
            {"stream": "s", "where": 'page == "Y"', "between": ["a", "d"]},
            {"stream": "t"},
            {"stream": "s", "where": "true"},
        ],
        "again": "latest",
    }
    assert " ".join(write_text(read_text(STEPS_TEXT)).split()) == " ".join(STEPS_TEXT.split())


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ('{a: s.page == "A" and t.n > 3, b: s}', "t.n is not a field of s"),
        ('{a: page == "A", b: s}', "page does not say of which stream it is a field"),
        ('{a: hour("UTC") > 3, b: s}', "this condition does not say of which stream it is"),
        ("s.n > 3", "this is no list of steps"),
    ],
)
def test_a_text_that_names_no_steps_is_refused_at_the_place(steps: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        read_text(f"q = sequence(steps = {steps})")
    [problem] = refused.value.problems
    assert (problem.message, problem.port, problem.line) == (message, "steps", 1)
    assert problem.column is not None
    assert problem.column > len("q = sequence(steps")


def test_python_takes_streams_and_conditions_and_the_plan_declares_them() -> None:
    s, t = tl.stream("s", **WEB), tl.stream("t", **OTHER)
    steps = [
        {"name": "a", "stream": s, "where": tl.field("page") == "A"},
        {"name": "b", "stream": t, "within": timedelta(seconds=5)},
    ]
    breaks = [{"stream": s, "where": tl.field("n") > 3}]
    made = tl.plan(q=tl.sequence(steps=steps, within="1h", not_=breaks)).document()
    assert made["nodes"]["q"]["params"] == {
        "steps": [
            {"name": "a", "stream": "s", "where": 'page == "A"'},
            {"name": "b", "stream": "t", "within": "5s"},
        ],
        "within": "1h",
        "not": [{"stream": "s", "where": "n > 3"}],
    }
    assert made["streams"].keys() == {"s", "t"}
