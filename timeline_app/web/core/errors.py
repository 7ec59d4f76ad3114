"""Refusals of the web application: one root class; each refusal carries what its response needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Problem = dict[str, Any]
PROBLEM_KEYS = ("node", "port", "line", "column", "stream", "field", "code", "message", "hint", "severity")


def describe_problem(message: str, *, code: str, hint: str = "", **location: Any) -> Problem:
    """Return one problem in its wire type; unknown parts of its place are null."""
    return (
        dict.fromkeys(PROBLEM_KEYS)
        | {"code": code, "message": message, "hint": hint, "severity": "error"}
        | location
    )


def as_problem(document: dict[str, Any]) -> Problem:
    """Complete a problem with every key of the wire type."""
    return dict.fromkeys(PROBLEM_KEYS) | {"severity": "error", "hint": ""} | document


class ApiError(Exception):
    """Root of every refusal with a reason."""

    status = 400
    code = "bad_request"
    wait: int | None = None
    """Seconds after which the unchanged request may be sent again."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        problems: Sequence[Problem] = (),
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.status = status or self.status
        self.problems = list(problems)
        retry_headers = {} if self.wait is None else {"Retry-After": str(self.wait)}
        self.headers = {**retry_headers, **(headers or {})}

    def body(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "problems": self.problems}


class Invalid(ApiError):
    """A field or parameter has a wrong value."""

    code = "invalid"

    @classmethod
    def field(cls, field: str, message: str, hint: str = "", *, code: str = "invalid") -> Invalid:
        text = f"{field}: {message}" + (f" {hint}" if hint else "")
        return cls(text, code=code, problems=[describe_problem(message, code=code, hint=hint, field=field)])


class NotYours(ApiError):
    """The user lacks the right or the role."""

    status = 403
    code = "not_yours"


class Missing(ApiError):
    """The resource does not exist."""

    status = 404
    code = "not_found"

    @classmethod
    def person(cls, name: str) -> Missing:
        """Return the refusal for a person who was deleted during the request."""
        return cls(f"{name} was deleted in the meantime.", code="unknown_person")

    @classmethod
    def team(cls, name: str) -> Missing:
        """Return the refusal for a team that was deleted during the request."""
        return cls(f"The team {name} was deleted in the meantime.", code="unknown_team")


class Conflict(ApiError):
    """The resource was changed meanwhile, or something running depends on it."""

    status = 409
    code = "conflict"


class QuotaExceeded(ApiError):
    """An owner, or the installation, would exceed a quota."""

    status = 409
    code = "quota_exceeded"

    @classmethod
    def for_field(cls, field: str, message: str, hint: str) -> QuotaExceeded:
        return cls(
            f"{message} {hint}", problems=[describe_problem(message, code=cls.code, hint=hint, field=field)]
        )


class BodyTooLarge(ApiError):
    """The request has too many bytes."""

    status = 413
    code = "body_too_large"

    @classmethod
    def over(cls, limit: int) -> BodyTooLarge:
        size = f"{limit // 2**20} MiB" if limit >= 2**20 else f"{limit} bytes"
        hint = f"Send at most {size} in one request; split the rest over several requests."
        return cls(
            f"The body is larger than {size}. {hint}",
            problems=[describe_problem("too large", code=cls.code, hint=hint)],
        )


class LengthRequired(ApiError):
    """The request does not declare its length."""

    status = 411
    code = "length_required"


class BodyStalled(ApiError):
    """The rest of a body does not arrive."""

    status = 408
    code = "body_stalled"

    @classmethod
    def after(cls, seconds: float) -> BodyStalled:
        """Return the refusal for a body of which nothing arrived for `seconds`."""
        return cls(f"Nothing was taken: no byte of the body came for {seconds:g} s. Send it again.")

    @classmethod
    def crowded(cls, seconds: float) -> BodyStalled:
        """Return the refusal for a body that was incomplete after `seconds` while others had no room."""
        message = f"Nothing was taken: the body was not whole after {seconds:g} s, and there was no room for others."
        return cls(f"{message} Send it again.")


class Busy(ApiError):
    """The server has too much to do; a later request may succeed."""

    status = 429
    code = "busy"
    wait = 1

    @classmethod
    def in_flight(cls, limit: int) -> Busy:
        """Return the refusal for a server that already holds its limit of request bytes."""
        message = f"Nothing was taken: the server is taking {limit // 2**20} MiB of requests just now."
        return cls(f"{message} Send it again in a moment.", code="in_flight")

    @classmethod
    def hashing(cls) -> Busy:
        """Return the refusal for a server with too many passwords to check."""
        message = "The server is checking too many passwords just now. Try again in a few seconds."
        return cls(message, code="too_many_logins", headers={"Retry-After": "5"})

    @classmethod
    def behind(cls, stream: str, events: int, limit: int) -> Busy:
        """Return the refusal for a stream whose queries cannot keep up."""
        message = (
            f"Nothing was taken: {events:,} events of {stream} wait to be computed, at most {limit:,} may."
        )
        return cls(f"{message} Send it again later.", code="behind", headers={"Retry-After": "5"})


class NotWritten(ApiError):
    """The disk does not accept the data."""

    status = 503
    code = "not_written"
    wait = 10

    @classmethod
    def disk(cls, detail: str) -> NotWritten:
        """Return the refusal for a full disk."""
        message = f"Nothing was taken: there is no room on the server's disk ({detail}). Make room, and send it again."
        return cls(message, code="disk_full", status=507)


class NotComputed(ApiError):
    """The computation was interrupted; the request can be sent again."""

    status = 503
    code = "interrupted"
    wait = 1


class PlanRefused(ApiError):
    """A plan with problems cannot run."""

    status = 422
    code = "plan_refused"


def describe_other_operator(why: Exception) -> Conflict:
    """Return the refusal for a plan whose operator has changed or is gone."""
    return Conflict(f"{str(why)[:1].upper()}{str(why)[1:]}.", code="other_operator")


def end_sentence(text: str) -> str:
    """Return the text with a mark at its end.

    >>> end_sentence("there is none"), end_sentence("Did you mean plays?")
    ('there is none.', 'Did you mean plays?')
    """
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."
