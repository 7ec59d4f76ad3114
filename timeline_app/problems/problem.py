"""A refusal is a value: a place, a reason, a hint. All of them come at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from timeline_app.problems.spelling import close_names

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at a node's port, and what to do; `node` and `port` are None for the whole plan.

    `line` and `column` count from 1, where the plan was written as text. `stream` and `field` say which events a
    warning concerns.
    """

    node: str | None
    port: str | None
    code: str
    message: str
    hint: str
    severity: Severity = "error"
    line: int | None = None
    column: int | None = None
    stream: str | None = None
    field: str | None = None

    def to_document(self) -> dict[str, Any]:
        """Return it as JSON; line, column, stream and field only where they are known."""
        places = ("line", "column", "stream", "field")
        return {key: value for key, value in asdict(self).items() if key not in places or value is not None}

    def describe(self) -> str:
        """Place, message and hint on one line."""
        line = "" if self.line is None else f"line {self.line}, column {self.column}: "
        node = ".".join(part for part in (self.node, self.port) if part)
        subject = node or (f"stream {self.stream}" if self.stream else "plan")
        return f"{line}{subject}: {self.message}; {self.hint}"


def make_warning(code: str, message: str, hint: str, **subject: Any) -> Problem:
    """Return a warning; `place` says which node, port, stream and field it speaks of."""
    fields = {"node": None, "port": None} | subject
    return Problem(code=code, message=message, hint=hint, severity="warning", **fields)


MAX_PROBLEMS_PER_DOCUMENT = 500
"""For errors and for warnings each."""


class TooManyProblems(Exception):
    """The limit of errors is reached; checks stop."""


class Problems(list[Problem]):
    """The problems of one document. The error after the last that is kept raises `TooManyProblems`."""

    def __init__(self, most: int = MAX_PROBLEMS_PER_DOCUMENT) -> None:
        """`most` errors are kept, and as many warnings."""
        super().__init__()
        self.most, self.errors = most, 0

    @property
    def can_warn(self) -> bool:
        """Whether another warning is kept; checking first saves preparing it."""
        return len(self) - self.errors < self.most

    def append(self, problem: Problem) -> None:
        """Keep it; of warnings no more than the limit."""
        if problem.severity == "warning":
            if self.can_warn:
                super().append(problem)
        elif self.errors >= self.most:
            raise TooManyProblems
        else:
            self.errors += 1
            super().append(problem)

    def close(self) -> None:
        """Say that there are more."""
        hint = "mend these first, then check again"
        words = f"more than {self.most} problems"
        super().append(Problem(None, None, "too_many_problems", words, hint))


class Refused(Exception):
    """Something was refused, for all of these reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """`problems` must not be empty."""
        self.problems = tuple(problems)
        super().__init__("; ".join(_format_sentence(problem) for problem in problems))


def _format_sentence(problem: Problem) -> str:
    subject = ".".join(part for part in (problem.node, problem.port) if part)
    line = f"line {problem.line}, column {problem.column}" if problem.line is not None else ""
    sentence = f"{problem.message} ({problem.hint})" if problem.hint else problem.message
    return ": ".join(part for part in (line, subject, sentence) if part)


def add_example(words: str, example: str) -> tuple[str, str]:
    """Return the message and the hint of a reason like `this is wrong; do that`; the hint names an example."""
    match_ = re.fullmatch(r"(.*); ((?:write|give|choose|a duration) .*)", words, re.DOTALL)
    if match_ is None:
        return words, f"for example {example}"
    return match_[1], match_[2] if " such as " in match_[2] else f"{match_[2]}, for example {example}"


def suggest_nearest(name: str, candidates: Iterable[str], fallback: str = "") -> str:
    """`did you mean …?` with the nearest known names, or all of them where they are few."""
    names = sorted(candidates)
    if close := close_names(name, names):
        return f"did you mean {' or '.join(close)}?"
    if names:
        return f"known are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}"
    return fallback
