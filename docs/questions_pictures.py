"""Draws docs/img/questions/NAME.svg from the questions of tests/questions: `python docs/questions_pictures.py`.

Only pictures that are not up to date are drawn, as those of the operators are.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.operators_pictures import Picture, draw_pictures
from docs.questions_figures import build_figures
from tests.questions.asked import load_questions

FOLDER = Path(__file__).with_name("img") / "questions"


def main() -> None:
    """Draw what is not up to date, and remove pictures of what nobody asks any more."""
    titles = {question.name: question.asked for question in load_questions()}
    draw_pictures(
        [Picture(FOLDER / f"{name}.svg", titles[name], spec) for name, spec in build_figures().items()]
    )


if __name__ == "__main__":
    main()
