"""What the server refuses, and what cannot be done without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx


class TimelinesError(Exception):
    """The root of all that this package raises."""


class Unreachable(TimelinesError):
    """No answer came, though it was asked for as often as is safe."""


class Silent(TimelinesError):
    """Nothing came of what is followed for as long as one was willing to wait."""


class Ambiguous(TimelinesError):
    """Several things have this name."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, what, and what to do."""

    code: str
    message: str
    hint: str = ""
    severity: str = "error"
    node: str | None = None
    port: str | None = None
    field: str | None = None
    line: int | None = None
    column: int | None = None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Problem:
        """As the server tells it."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__ if name in document})

    @property
    def place(self) -> str:
        """Where it is, in words; empty where that is not known."""
        if self.line is not None:
            return f"line {self.line}, column {self.column}"
        return ".".join(name for name in (self.node, self.port) if name) or (self.field or "")

    def __str__(self) -> str:
        location = f"{self.place}: " if self.place else ""
        return f"{location}{self.message} {self.hint}".strip()


class ApiError(TimelinesError):
    """The server refuses: `status`, a stable `code`, words, and every problem with its place and hint."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        problems: tuple[Problem, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        more = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"{message} ({status} {code}){more}")
        self.status, self.code, self.message, self.problems = status, code, message, problems
        self.retry_after = retry_after


class Conflict(ApiError):
    """Somebody was faster, or something running depends on how it is."""


class NotAllowed(ApiError):
    """Not logged in, or it is not yours, or not what the token is for."""


class Missing(ApiError):
    """There is no such thing, or you may not look at it."""


class RateLimited(ApiError):
    """Too much at once; `retry_after` says in how many seconds it may be tried again."""


KINDS: dict[int, type[ApiError]] = {
    401: NotAllowed, 403: NotAllowed, 404: Missing, 409: Conflict, 412: Conflict, 429: RateLimited,
}  # fmt: skip


def refusal(answer: httpx.Response) -> ApiError:
    """What an answer that is no success says; anything but our error body comes from something in between."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    if not isinstance(body, dict) or "code" not in body:
        body = {"code": "no_reason", "message": f"{answer.reason_phrase or 'No reason is given'}."}
    problems = tuple(Problem.from_json(problem) for problem in body.get("problems", ()))
    kind = KINDS.get(answer.status_code, ApiError)
    return kind(answer.status_code, body["code"], body.get("message", ""), problems, wait_of(answer))


def wait_of(answer: httpx.Response) -> float | None:
    """The seconds of `Retry-After`."""
    try:
        return max(0.0, float(answer.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
