"""Plans as text, and texts as plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from timeline_app.plan import Problem as PlanProblem
from timeline_app.plan import Refused, check
from timeline_app.plan.text import Text, read_text_with_places, write_text
from timeline_app.web.errors import Invalid, Problem, as_problem
from timeline_app.web.models import Plan
from timeline_app.web.selectors.lending import known_with


def text_of(document: Mapping[str, Any]) -> str:
    """The document in the text language."""
    try:
        return write_text(document)
    except Refused as refused:
        raise _invalid("The document cannot be written as text", refused.problems) from None


def document_of(text: str) -> Text:
    """What a text means, with its places; refused with line and column where it cannot be read."""
    try:
        return read_text_with_places(text)
    except Refused as refused:
        raise _invalid("The text cannot be read", refused.problems) from None


def read_and_checked(text: str, user: User, plan: Plan | None = None) -> dict[str, Any]:
    """The document of a text, null where it cannot be read, and all problems at their lines and columns.

    Where the text is a plan's, what that one reads is known.
    """
    try:
        read = read_text_with_places(text)
    except Refused as refused:
        return {"document": None, "text": None, "problems": _shown(refused.problems), "places": {}}
    problems = check(read.document, known_with(plan, user)).problems
    located = _shown([read.located(problem) for problem in problems])
    places = {name: list(place) for name, place in read.places.items()}
    return {"document": read.document, "text": None, "problems": located, "places": places}


def _shown(problems: Sequence[PlanProblem]) -> list[Problem]:
    return [as_problem(problem.to_document()) for problem in problems]


def _invalid(words: str, problems: Sequence[PlanProblem]) -> Invalid:
    number = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
    first = problems[0]
    place = f" at line {first.line}, column {first.column}" if first.line is not None else ""
    message = f"{words}: {number}. The first one{place}: {first.message}; {first.cure}."
    return Invalid(message, code="bad_text", problems=_shown(problems))
