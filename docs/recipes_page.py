"""Writes docs/recipes.md from the questions and the recipes of the palette: `python docs/recipes_page.py`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.questions_figures import iterate_groups_of_work
from tests.questions.question import Question

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("recipes.md")
RECIPES: list[dict[str, Any]] = json.loads(
    (ROOT / "frontend/src/plans/recipes/recipes.json").read_text(encoding="utf-8")
)
HEAD = """# Recipes

After this page you can find a plan for a common question, and add it to your own.

Written by `make docs` from `tests/questions` and `frontend/src/plans/recipes/recipes.json`; change those.

Plans that answer common questions, by field of work, and [small ones](#recipes-of-the-palette) that the palette of the
studio adds to a plan. Each plan of a question has at most eight nodes. A slow script without timelines answers the same
question on the same events, and tests compare the two, whatever the order in which the events arrive.

On *New plan* they are templates: **Start from a template…**, search by any of their words, and create the plan. Its
streams are declared and its events are kept as a sample, so that the lanes show the answer at once. Nothing runs before
you press Run. Then set the streams, fields and values that are yours.

In the pictures time runs from left to right. The events of each key stand above the answer. Numbers are drawn with
their slopes, and what is unknown is hatched.
"""
PALETTE = """## Recipes of the palette

In the studio, search the palette by any of a recipe's words and press it: its nodes are added to the plan, on a stream
of yours. Fields and conditions that your stream does not have are left empty, and the list of problems leads to them.
In the text view, paste the lines.
"""


def build_page() -> str:
    """The whole page."""
    return "\n".join(_iterate_lines()).rstrip() + "\n"


def _iterate_lines() -> Iterator[str]:
    yield HEAD
    for work, members in iterate_groups_of_work():
        yield f"## {work}\n"
        for question in members:
            yield from _iterate_section(question)
    yield PALETTE
    for recipe in RECIPES:
        yield f"### {recipe['title']}\n"
        yield f"{recipe['summary']}\n"
        yield from _block(recipe["plan"])
        yield f"Found by: {', '.join(recipe['synonyms'])}.\n"


def _iterate_section(question: Question) -> Iterator[str]:
    yield f"### {question.title}\n"
    yield f"*{question.asked}*\n"
    yield from _block(question.plan.splitlines())
    yield f"![Events of each key, and `{question.result}` below them](img/questions/{question.name}.svg)\n"
    yield f"From: {question.source}. Also called: {', '.join(question.words)}.\n"


def _block(lines: list[str]) -> Iterator[str]:
    yield "```timeline"
    yield from lines
    yield "```\n"


if __name__ == "__main__":
    PAGE.write_text(build_page(), encoding="utf-8")
