"""docs/recipes.md, its pictures and the templates of *New plan* show the questions, and what their plans answer."""

from __future__ import annotations

import pytest

from docs import templates_of_plans
from docs.operators_pictures import Picture
from docs.questions_figures import build_figures
from docs.questions_pictures import FOLDER

FIGURES = build_figures()


@pytest.mark.parametrize("name", FIGURES)
def test_the_picture_of_a_question_shows_what_its_plan_answers_now(name: str) -> None:
    assert not Picture(FOLDER / f"{name}.svg", "", FIGURES[name]).is_outdated(), "run `make pictures`"


def test_there_is_no_picture_of_anything_else() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(FIGURES)


def test_the_templates_of_new_plan_are_the_questions() -> None:
    assert templates_of_plans.FILE.read_text(encoding="utf-8") == templates_of_plans.format_templates(), (
        "run `make docs`"
    )
