"""What the web refuses: one root, and each refusal carries what its answer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Problem = dict[str, Any]
PROBLEM_KEYS = ("node", "port", "line", "column", "stream", "field", "code", "message", "cure", "severity")


def describe_problem(message: str, *, code: str, cure: str = "", **place: Any) -> Problem:
    """One problem as it goes over the wire; what is not known about its place is null."""
    return (
        dict.fromkeys(PROBLEM_KEYS)
        | {"code": code, "message": message, "cure": cure, "severity": "error"}
        | place
    )


def as_problem(document: dict[str, Any]) -> Problem:
    """Some problem's document with every key of the wire type."""
    return dict.fromkeys(PROBLEM_KEYS) | {"severity": "error", "cure": ""} | document


class ApiError(Exception):
    """Root of everything that is refused with a reason."""

    status = 400
    code = "bad_request"
    wait: int | None = None
    """Seconds after which it may be tried again, as it is."""

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
        again = {} if self.wait is None else {"Retry-After": str(self.wait)}
        self.headers = {**again, **(headers or {})}

    def body(self) -> dict[str, Any]:
        """The stable error body."""
        return {"code": self.code, "message": self.message, "problems": self.problems}


class Invalid(ApiError):
    """A field or parameter does not say what it must."""

    code = "invalid"

    @classmethod
    def field(cls, field: str, message: str, cure: str = "", *, code: str = "invalid") -> Invalid:
        """One field or parameter is wrong."""
        words = f"{field}: {message}" + (f" {cure}" if cure else "")
        return cls(words, code=code, problems=[describe_problem(message, code=code, cure=cure, field=field)])


class NotYours(ApiError):
    """The rights to the thing, or the role, do not reach so far."""

    status = 403
    code = "not_yours"


class Missing(ApiError):
    """There is no such thing."""

    status = 404
    code = "not_found"

    @classmethod
    def person(cls, name: str) -> Missing:
        """Somebody deleted this person while a request went on."""
        return cls(f"{name} was deleted in the meantime.", code="unknown_person")

    @classmethod
    def team(cls, name: str) -> Missing:
        """Somebody deleted this team while a request went on."""
        return cls(f"The team {name} was deleted in the meantime.", code="unknown_team")


class Conflict(ApiError):
    """Somebody was faster, or something running depends on how it is."""

    status = 409
    code = "conflict"


class QuotaExceeded(ApiError):
    """An owner, or the installation, would have more of something than there may be."""

    status = 409
    code = "quota_exceeded"

    @classmethod
    def of(cls, field: str, message: str, cure: str) -> QuotaExceeded:
        """Too much of what the quota of this name counts."""
        return cls(
            f"{message} {cure}", problems=[describe_problem(message, code=cls.code, cure=cure, field=field)]
        )


class BodyTooLarge(ApiError):
    """More bytes than a request may have."""

    status = 413
    code = "body_too_large"

    @classmethod
    def over(cls, limit: int) -> BodyTooLarge:
        """The request is larger than `limit` bytes."""
        size = f"{limit // 2**20} MiB" if limit >= 2**20 else f"{limit} bytes"
        cure = f"Send at most {size} in one request; split the rest over several requests."
        return cls(
            f"The body is larger than {size}. {cure}",
            problems=[describe_problem("too large", code=cls.code, cure=cure)],
        )


class LengthRequired(ApiError):
    """Nobody said how long the body is."""

    status = 411
    code = "length_required"


class BodyStalled(ApiError):
    """The rest of a body does not come."""

    status = 408
    code = "body_stalled"

    @classmethod
    def after(cls, seconds: float) -> BodyStalled:
        """For so long nothing came."""
        return cls(f"Nothing was taken: no byte of the body came for {seconds:g} s. Send it again.")

    @classmethod
    def crowded(cls, seconds: float) -> BodyStalled:
        """It was not there after so long, while others had no room."""
        words = f"Nothing was taken: the body was not whole after {seconds:g} s, and there was no room for others."
        return cls(f"{words} Send it again.")


class Busy(ApiError):
    """Too much at once; later is fine."""

    status = 429
    code = "busy"
    wait = 1

    @classmethod
    def in_flight(cls, limit: int) -> Busy:
        """More bytes of requests are under way in the server than it holds at once."""
        words = f"Nothing was taken: the server is taking {limit // 2**20} MiB of requests just now."
        return cls(f"{words} Send it again in a moment.", code="in_flight")

    @classmethod
    def hashing(cls) -> Busy:
        """More passwords wait to be checked than the server takes."""
        words = "The server is checking too many passwords just now. Try again in a few seconds."
        return cls(words, code="too_many_logins", headers={"Retry-After": "5"})

    @classmethod
    def behind(cls, stream: str, events: int, limit: int) -> Busy:
        """The queries that run cannot follow."""
        words = (
            f"Nothing was taken: {events:,} events of {stream} wait to be computed, at most {limit:,} may."
        )
        return cls(f"{words} Send it again later.", code="behind", headers={"Retry-After": "5"})


class NotWritten(ApiError):
    """The disk does not take it."""

    status = 503
    code = "not_written"
    wait = 10

    @classmethod
    def disk(cls, words: str) -> NotWritten:
        """There is no room."""
        message = f"Nothing was taken: there is no room on the server's disk ({words}). Make room, and send it again."
        return cls(message, code="disk_full", status=507)


class NotComputed(ApiError):
    """What computed it was ended by somebody else; it can be sent again."""

    status = 503
    code = "interrupted"
    wait = 1


class PlanRefused(ApiError):
    """A plan with problems cannot run."""

    status = 422
    code = "plan_refused"


def describe_other_operator(why: Exception) -> Conflict:
    """A plan was made with an operator that is another one, or none, today."""
    return Conflict(f"{str(why)[:1].upper()}{str(why)[1:]}.", code="other_operator")


def end_sentence(words: str) -> str:
    """With a mark at its end.

    >>> sentence("there is none"), sentence("Did you mean plays?")
    ('there is none.', 'Did you mean plays?')
    """
    return words if words.endswith((".", "?", "!", "…")) else f"{words}."
