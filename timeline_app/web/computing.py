"""Work on what somebody sent, in children with limits (`timeline_app.local.sandbox`), in turn and fair by person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from timeline_app.local import trial
from timeline_app.local.sandbox import (
    Cancelled,
    Interrupted,
    LimitExceeded,
    Limits,
    Message,
    NoTurn,
    Sandbox,
    Turns,
)
from timeline_app.local.trial import Budget
from timeline_app.web.errors import ApiError, Busy, NotComputed, problem
from timeline_app.web.jobs.refusals import read_refusal

MAX_CHILDREN_AT_ONCE = 2
"""Of one web process."""
MAX_WAITING_PER_PERSON = 4
MAX_TURN_WAIT_S = 5.0
SLACK_S = 2.0
"""A child that keeps the time itself can name the node that is slow, so it gets this much longer before it is ended."""
sandbox = Sandbox("timeline_app.web.jobs")
turns = Turns(MAX_CHILDREN_AT_ONCE, MAX_WAITING_PER_PERSON)


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks, by number, and whether nobody waits for the answer any more."""

    person: int
    is_gone: Callable[[], bool] = lambda: False


class OverLimit(ApiError):
    """A child met a limit."""

    status = 413
    code = "too_much"

    @classmethod
    def of(cls, why: LimitExceeded, cure: str) -> OverLimit:
        """Which limit, how much it is, and what to do."""
        found = problem(str(why), code=f"{why.limit}_limit", cure=cure)
        return cls(f"It is too much: {why}. {cure}", problems=[found])


def limits() -> Limits:
    """What a child may take."""
    seconds = settings.EVALUATE_SECONDS + SLACK_S
    return Limits(settings.EVALUATE_MEMORY, processor=seconds, time=2 * seconds)


def budget() -> dict[str, Any]:
    """The part of it that a plan may take, as JSON for a job."""
    seconds = float(settings.EVALUATE_SECONDS)
    made = Budget(trial.MOST_POINTS, trial.MOST_WORK, seconds)
    return {"points": made.points, "work": made.work, "seconds": made.seconds}


def compute(job: str, header: dict[str, Any], blobs: Sequence[bytes], *, asker: Asker, cure: str) -> Message:
    """What a job of `timeline_app.web.jobs` answers; raises its refusals, `OverLimit`, `Busy` and `NotComputed`."""
    try:
        with turns.turn(asker.person, MAX_TURN_WAIT_S, asker.is_gone):
            answer = sandbox.run(job, Message(header, blobs), limits(), asker.is_gone)
    except NoTurn:
        raise Busy("The server computes for others just now. Send it again in a moment.") from None
    except LimitExceeded as why:
        raise OverLimit.of(why, cure) from None
    except Interrupted as why:
        words = f"Nothing was computed: {why}. Send it again; if that happens each time, send less."
        raise NotComputed(words) from None
    except Cancelled:
        raise ApiError("Nobody waits for the answer any more.", code="cancelled", status=499) from None
    if "refused" in answer.header:
        raise read_refusal(answer.header["refused"])
    return Message(answer.header["found"], answer.blobs)
