"""Writes the templates of *New plan* from the questions of tests/questions: `python docs/templates_of_plans.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.questions_figures import iterate_groups_of_work
from tests.questions.question import Question

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "frontend/src/plans/templates/templates.json"


def format_templates() -> str:
    """The text of the file: a line for each template, so that a change of one is a change of one line."""
    templates = [
        describe_template(question) for _, members in iterate_groups_of_work() for question in members
    ]
    lines = (json.dumps(template, ensure_ascii=False) for template in templates)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def describe_template(question: Question) -> dict[str, Any]:
    """A question as the page reads it: its words, the plan in text, and the events of each stream as they arrive."""
    events: dict[str, list[dict[str, Any]]] = {}
    for stream, event in question.delivered:
        events.setdefault(stream, []).append(event)
    return {
        "title": question.title,
        "asked": question.asked,
        "work": question.work,
        "words": question.words,
        "plan": question.plan.splitlines(),
        "events": events,
    }


if __name__ == "__main__":
    FILE.write_text(format_templates(), encoding="utf-8")
