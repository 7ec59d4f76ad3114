"""A plan as document and as text: checking, parsing and formatting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from timeline_app.compiler.identity import build_computations
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.plan import Problem as PlanProblem
from timeline_app.plan import Refused, StreamDeclaration, check
from timeline_app.plan.text import Text, read_text_with_places, write_text
from timeline_app.web.core.errors import Invalid, Problem, as_problem
from timeline_app.web.jobs.packing import read_declarations


def check_plan(message: JobMessage) -> JobMessage:
    return JobMessage(describe_check(message.header["document"], read_declarations(message.header["known"])))


def read_plan_text(message: JobMessage) -> JobMessage:
    """Job `read_text`: return the document of a text."""
    return JobMessage(parse_plan_text(message.header["text"]))


def check_plan_text(message: JobMessage) -> JobMessage:
    return JobMessage(describe_text(message.header["text"], read_declarations(message.header["known"])))


def write_plan_text(message: JobMessage) -> JobMessage:
    return JobMessage(format_plan(message.header["document"]))


def describe_check(document: object, streams: Mapping[str, StreamDeclaration]) -> dict[str, Any]:
    """Return all problems, and kind and digest of each node; digests only if the whole plan is valid."""
    checked = check(document, streams)
    names = build_computations(checked)[0] if checked.ok else {}
    return {
        "ok": checked.ok,
        "problems": _format_problems(checked.problems),
        "nodes": {
            name: {"kind": facts.kind.value, "digest": names.get(name)}
            for name, facts in checked.nodes.items()
        },
    }


def describe_text(text: str, streams: Mapping[str, StreamDeclaration]) -> dict[str, Any]:
    """Return the document of a text (null if it cannot be parsed), and problems with line and column."""
    try:
        read = read_text_with_places(text)
    except Refused as refused:
        return {"document": None, "text": None, "problems": _format_problems(refused.problems), "places": {}}
    located = [read.located(problem) for problem in check(read.document, streams).problems]
    places = {name: list(offset) for name, offset in read.places.items()}
    return {"document": read.document, "text": None, "problems": _format_problems(located), "places": places}


def parse_plan_text(text: str) -> dict[str, Any]:
    """Return the document of a text; refuse errors with line and column."""
    try:
        read: Text = read_text_with_places(text)
    except Refused as refused:
        raise _refuse_text("The text cannot be read", refused.problems) from None
    return read.document


def format_plan(document: Mapping[str, Any]) -> str:
    """Return the document in the text language."""
    try:
        return write_text(document)
    except Refused as refused:
        raise _refuse_text("The document cannot be written as text", refused.problems) from None


def _format_problems(problems: Sequence[PlanProblem]) -> list[Problem]:
    return [as_problem(problem.to_document()) for problem in problems]


def _refuse_text(words: str, problems: Sequence[PlanProblem]) -> Invalid:
    number = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
    first = problems[0]
    location = f" at line {first.line}, column {first.column}" if first.line is not None else ""
    message = f"{words}: {number}. The first one{location}: {first.message}; {first.hint}."
    return Invalid(message, code="bad_text", problems=_format_problems(problems))
