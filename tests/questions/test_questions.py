"""Every plan answers its question as the slow script does, at every instant that matters, however the events come."""

from __future__ import annotations

import pytest

from tests.evaluate.running import run
from tests.questions.asked import compute_answers, load_questions
from tests.questions.comparing import describe_differences, iterate_late_places, run_in_batches
from tests.questions.question import Question
from timeline_app.compiler.placement import PLACEMENTS

MAX_NODES = 8
MIN_QUESTIONS = 60
QUESTIONS = [pytest.param(question, id=question.name) for question in load_questions()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plan_answers_its_question(question: Question) -> None:
    events = {
        name: [event for stream, event in question.delivered if stream == name]
        for name in question.document["streams"]
    }
    assert describe_differences(question, run(question.document, events)[question.result]) == []


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_plan_answers_when_events_come_in_batches(question: Question, placement: str) -> None:
    for late_last in (False, True):
        results = run_in_batches(question, placement, late_last=late_last)
        assert describe_differences(question, results) == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_says_what_is_hard_about_it(question: Question) -> None:
    assert 10 <= len(question.delivered) <= 60
    assert len({event.key for event in question.history()}) >= 2
    assert list(iterate_late_places(question)) != []
    values = {value for answers in compute_answers(question).values() for _, value in answers}
    assert len(values) > 1


def test_all_questions_take_few_nodes() -> None:
    sizes = {question.name: len(question.document["nodes"]) for question in load_questions()}
    assert {name: size for name, size in sizes.items() if size > MAX_NODES} == {}
    assert len(sizes) >= MIN_QUESTIONS


def test_names_are_unique() -> None:
    assert len({question.name for question in load_questions()}) == len(load_questions())
