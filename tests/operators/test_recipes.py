"""The recipes of the palette are plans that answer what they say; no common search stays without answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docs.recipes_page import PAGE, RECIPES, build_page
from tests.evaluate.running import run
from timeline_app.operators import operators
from timeline_app.plan.reads import list_streams
from timeline_app.plan.text import read_text

HOUR = 3600
STREAMS: dict[str, Any] = {
    "machine": {
        "key": "k",
        "time": "t",
        "unit": "s",
        "fields": {"state": "text", "line": "text", "temperature": "number"},
    },
    "shop": {"key": "k", "time": "t", "unit": "s", "fields": {"action": "text"}},
}
WORDS = [
    "window",
    "last hour",
    "share",
    "rolling",
    "average",
    "mean",
    "percent",
    "rate",
    "delta",
    "previous",
    "session",
    "filter",
    "sequence",
    "join",
    "threshold",
    "alert",
    "top",
    "followed by",
    "ratio",
    "if",
    "moving average",
    "rolling sum",
    "count",
    "sum",
    "group by",
    "time since",
    "a then b",
    "not followed by",
    "latest event to state",
    "has existed",
    "has existed within",
    "changed to",
    "when",
    "duration where",
    "shift",
    "held for",
    "sliding window",
    "timeout",
    "percentage",
    "funnel",
    "previous value",
    "last value",
    "uptime",
]


def build_machine_event(t: float, key: str = "m1", **fields: Any) -> dict[str, Any]:
    return {"k": key, "t": t, **fields}


def answer(
    title: str, machines: list[dict[str, Any]], shops: list[dict[str, Any]], at: float
) -> dict[str, Any]:
    """What the last node of a recipe says by key at an instant."""
    [recipe] = [item for item in RECIPES if item["title"] == title]
    document = read_text("\n".join(recipe["plan"]))
    used = {stream for node in document["nodes"].values() for stream in list_streams(node)}
    events = {"machine": machines, "shop": shops}
    timelines = run(
        {**document, "streams": {name: STREAMS[name] for name in used}}, {name: events[name] for name in used}
    )[list(document["nodes"])[-1]]
    return {key: read_value_at(points, at * 1_000_000) for key, points in timelines.items()}


def read_value_at(points: list[Any], at: float) -> Any:
    time, value, slope = [point for point in points if point[0] is None or point[0] <= at][-1]
    passed = (at - (time or 0)) / 1_000_000
    if isinstance(value, tuple):
        above, climb, below, widen = value
        return (above + climb * passed) / (below + widen * passed)
    return value + slope * passed if slope else value


FAILED = [
    build_machine_event(0, state="running", line="A"),
    build_machine_event(HOUR, state="failed"),
    build_machine_event(HOUR + 900, state="running"),
]
OTHER = [build_machine_event(0, "m2", state="running", line="A")]
HOT = [
    build_machine_event(0, temperature=80),
    build_machine_event(100, temperature=95),
    build_machine_event(1000, temperature=60),
]
VISIT = [
    build_machine_event(0, "v", action="visit"),
    build_machine_event(10, "v", action="visit"),
    build_machine_event(60, "v", action="basket"),
]
LOGIN = build_machine_event(5, "v", action="login")
BUYS = build_machine_event(300, "v", action="purchase")
QUESTIONS: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]], float, dict[str, Any]]] = [
    ("Share of time in a state over the last hour", FAILED, [], 2 * HOUR, {"m1": 0.25}),
    ("Share of time in a state, average by group", FAILED + OTHER, [], 2 * HOUR, {"A": 0.125}),
    ("Seconds in a state over the last hour", FAILED, [], 2 * HOUR, {"m1": 900.0}),
    ("Seconds in a state over the last hour", FAILED, [], 3 * HOUR, {"m1": 0.0}),
    ("Moving average of a field", HOT, [], 600, {"m1": 92.5}),
    ("Count of events in the last hour", FAILED, [], HOUR + 1, {"m1": 1.0}),
    ("Count of events in the last hour", FAILED, [], 2 * HOUR + 1, {"m1": 0.0}),
    ("Change since an hour ago", HOT, [], HOUR + 200, {"m1": -35.0}),
    ("A followed by B within ten minutes", [], [*VISIT, BUYS], 500, {"v": True}),
    (
        "A followed by B within ten minutes",
        [],
        [*VISIT, build_machine_event(700, "v", action="purchase")],
        701,
        {"v": False},
    ),
    ("A not followed by B within ten minutes", [], VISIT, 660.5, {"v": True}),
    ("A not followed by B within ten minutes", [], [*VISIT, BUYS], 660.5, {"v": False}),
    ("From login to purchase, step by step", [], [LOGIN, *VISIT, BUYS], 299, {"v": None}),
    ("From login to purchase, step by step", [], [LOGIN, *VISIT, BUYS], 400, {"v": 295.0}),
    ("Sessions by a gap of 30 minutes", [], VISIT, 1000, {"v": 1000.0}),
    ("Sessions by a gap of 30 minutes", [], VISIT, 2000, {"v": None}),
    ("Above a threshold for five minutes", HOT, [], 399, {"m1": False}),
    ("Above a threshold for five minutes", HOT, [], 401, {"m1": True}),
    ("Top groups by a total", FAILED + OTHER, [], 2 * HOUR, {"A": 900.0}),
    ("Ratio of two counts", [], [*VISIT, BUYS], 400, {"v": 0.5}),
    (
        "Two streams joined by key",
        [build_machine_event(0, "v", state="failed")],
        [*VISIT, BUYS],
        400,
        {"v": True},
    ),
    (
        "A value only while a condition holds",
        [build_machine_event(0, state="running", temperature=80)],
        [],
        10,
        {"m1": 80.0},
    ),
    (
        "A value only while a condition holds",
        [build_machine_event(0, state="off", temperature=80)],
        [],
        10,
        {"m1": None},
    ),
    ("Time since the last change of a state", FAILED, [], HOUR + 60, {"m1": 60.0}),
]


@pytest.mark.parametrize(("title", "machines", "shops", "at", "expected"), QUESTIONS)
def test_a_recipe_answers_its_question(
    title: str,
    machines: list[dict[str, Any]],
    shops: list[dict[str, Any]],
    at: float,
    expected: dict[str, Any],
) -> None:
    assert answer(title, machines, shops, at) == pytest.approx(expected)


def test_every_recipe_is_asked_something() -> None:
    assert {title for title, *_ in QUESTIONS} == {recipe["title"] for recipe in RECIPES}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_people_search_by_names_an_operator_or_a_recipe(word: str) -> None:
    texts = [text for op in operators().values() for text in (op.title, op.name, *op.synonyms)]
    texts += [text for recipe in RECIPES for text in (recipe["title"], *recipe["synonyms"])]
    assert any(f" {word}" in f" {text.lower().replace('_', ' ')}" for text in texts)


def test_the_page_of_recipes_is_as_the_recipes_write_it() -> None:
    assert Path(PAGE).read_text(encoding="utf-8") == build_page(), "run `make docs`"
