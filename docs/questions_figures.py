"""What the questions of tests/questions answer, ready to be drawn: the events of each key, the answer below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import groupby
from typing import Any

from docs.operators_examples import SECOND, Lane, Shown
from docs.operators_figures import Axis, Spec, build_figure
from tests.questions.asked import ORIGIN, load_questions
from tests.questions.question import MONDAY, Question
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.testing.points import build_batches

MARGIN = 0.25
"""The axis goes on after the last event for this share of the time before."""
STEPS = (5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 604_800)
"""Seconds between two ticks."""
MAX_TICKS = 7
MAX_KEYS = 4
"""So many timelines are drawn."""


def build_figures() -> dict[str, Spec]:
    """The figure of each question, by its name."""
    return {question.name: build_question_figure(question) for question in load_questions()}


def iterate_groups_of_work() -> Iterator[tuple[str, list[Question]]]:
    """The questions by field of work, in alphabetical order."""
    ordered = sorted(load_questions(), key=lambda question: question.work)
    for work, members in groupby(ordered, key=lambda question: question.work):
        yield work, list(members)


def build_question_figure(question: Question) -> Spec:
    """The events and the answer of a question, on one axis."""
    happened = list(question.history())
    start = happened[0].at
    end = (happened[-1].at - start) * (1 + MARGIN)
    events = [{"key": event.key, "t": event.at - start} for event in happened]
    lane = answer_lane(question, ORIGIN + round(start * SECOND), end)
    return build_figure(
        Shown(question.name, events, [lane]), Axis(end, build_ticks(start, end), labelled=False)
    )


def answer_lane(question: Question, start: int, end: float) -> Lane:
    """The timelines of the answer, their times counted from the first event."""
    compiled = compile_plan(question.document, {})
    events: dict[str, list[dict[str, Any]]] = {}
    for stream, event in question.delivered:
        events.setdefault(stream, []).append(event)
    rows = list(iterate_answers(compiled, build_batches(compiled, events), [question.result], [], None))[
        :MAX_KEYS
    ]
    keys = {row["key"]: [*move_points(row["points"], start, end)] for row in rows}
    return Lane(question.result, rows[0]["kind"], keys)


def move_points(points: list[Mapping[str, Any]], start: int, end: float) -> Iterator[Mapping[str, Any]]:
    """The points that lie on the axis."""
    for point in points:
        if point["t"] is None:
            yield point
        elif point["t"] - start < end * SECOND:
            yield {**point, "t": point["t"] - start}


def build_ticks(start: float, end: float) -> Spec:
    """Ticks at round times of day, or at midnight."""
    step = next((step for step in STEPS if end / step <= MAX_TICKS), STEPS[-1])
    first = -(-start // step) * step
    times = [first + step * place for place in range(int((start + end - first) // step) + 1)]
    pattern = "%-d %b" if step >= 86_400 else "%a %H:%M" if end > 86_400 else "%H:%M"
    pattern = "%H:%M:%S" if step < 60 else pattern
    labels = [(MONDAY + timedelta(seconds=time)).strftime(pattern) for time in times]
    return {"tickvals": [time - start for time in times], "ticktext": labels, "tickangle": 0}
