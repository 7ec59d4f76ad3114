"""Work on client input in children with limits (`timeline_app.evaluate.sandbox`), queued and fair by person.

Checking a large plan and reading or writing its text take seconds too and have separate queues. What must be
compiled in the web process runs one at a time: a second computing thread would delay `/healthz`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings

from timeline_app.evaluate import trial
from timeline_app.evaluate.sandbox import (
    Cancelled,
    Interrupted,
    JobMessage,
    LimitExceeded,
    Limits,
    NoTurn,
    Sandbox,
    Turns,
)
from timeline_app.evaluate.trial import Budget
from timeline_app.web.core.errors import ApiError, Busy, NotComputed, describe_problem
from timeline_app.web.jobs.refusals import read_refusal

MAX_CONCURRENT_CHILDREN = 2
"""Per web process."""
MAX_WAITING_PER_PERSON = 4
MAX_TURN_WAIT_S = 5.0
SLACK_S = 2.0
"""A child that measures the time itself can name the slow node, so it gets this much longer before it is
ended.
"""
sandbox = Sandbox("timeline_app.web.jobs")
turns = Turns(MAX_CONCURRENT_CHILDREN, MAX_WAITING_PER_PERSON)
plan_turns = Turns(MAX_CONCURRENT_CHILDREN, MAX_WAITING_PER_PERSON)
MAX_SMALL_PLAN_BYTES = 16 * 2**10
"""The worst plan of this size takes 0.2 s."""
PLAN_HINT = "Split the plan into several, or shorten its conditions."
MAX_COMPILATIONS_WAITING_PER_PERSON = 8
MAX_COMPILATION_WAIT_S = 30.0
compilations = Turns(1, MAX_COMPILATIONS_WAITING_PER_PERSON)
readings = Turns(1, MAX_WAITING_PER_PERSON)
"""What is read into memory for a child, up to millions of events, is read for one request at a time."""
_BUSY = "The server computes for others just now. Send it again in a moment."


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks, by number, and whether the client has disconnected."""

    person: int
    is_gone: Callable[[], bool] = lambda: False


class OverLimit(ApiError):
    """A child exceeded a limit."""

    status = 413
    code = "too_much"

    @classmethod
    def from_limit(cls, why: LimitExceeded, hint: str) -> OverLimit:
        problem = describe_problem(str(why), code=f"{why.limit}_limit", hint=hint)
        return cls(f"It is too much: {why}. {hint}", problems=[problem])


def get_child_limits() -> Limits:
    """Return the limits of a child."""
    seconds = settings.EVALUATE_TIMEOUT_S + SLACK_S
    return Limits(settings.EVALUATE_MEMORY_BYTES, processor=seconds, time=2 * seconds)


def plan_budget() -> dict[str, Any]:
    """Return the budget of a plan within these limits, as JSON for a job."""
    seconds = float(settings.EVALUATE_TIMEOUT_S)
    budget = Budget(trial.MAX_POINTS, trial.MAX_EVENTS_TIMES_NODES, seconds)
    return {"points": budget.points, "work": budget.work, "seconds": budget.seconds}


def compute(
    job: str,
    header: dict[str, Any],
    blobs: Sequence[bytes],
    *,
    asker: Asker,
    hint: str,
    turns: Turns = turns,
) -> JobMessage:
    """Return the answer of a job of `timeline_app.web.jobs`.

    Raise the job's refusals, `OverLimit`, `Busy` and `NotComputed`.
    """
    try:
        with turns.turn(asker.person, MAX_TURN_WAIT_S, asker.is_gone):
            answer = sandbox.run(job, JobMessage(header, blobs), get_child_limits(), asker.is_gone)
    except NoTurn:
        raise Busy(_BUSY) from None
    except LimitExceeded as why:
        raise OverLimit.from_limit(why, hint) from None
    except Interrupted as why:
        message = f"Nothing was computed: {why}. Send it again; if that happens each time, send less."
        raise NotComputed(message) from None
    except Cancelled:
        raise ApiError("Nobody waits for the answer any more.", code="cancelled", status=499) from None
    if "refused" in answer.header:
        raise read_refusal(answer.header["refused"])
    return JobMessage(answer.header["found"], answer.blobs)


def is_large(plan: Any) -> bool:
    """Return whether a document or a text is too large to process in the web process."""
    return len(_as_bytes(plan)) > MAX_SMALL_PLAN_BYTES


def _as_bytes(plan: Any) -> bytes:
    try:
        return orjson.dumps(plan)
    except TypeError:  # numbers of more than 64 bits, and halves of surrogate pairs
        return json.dumps(plan).encode()


def compute_plan(job: str, header: dict[str, Any], asker: Asker) -> Any:
    """Return a job's answer about a large plan."""
    return compute(job, header, [], asker=asker, hint=PLAN_HINT, turns=plan_turns).header


@contextmanager
def read_slot(asker: Asker) -> Iterator[None]:
    """Run the block, which reads much for a child, and lets it compute. Raise `Busy`."""
    try:
        with readings.turn(asker.person, MAX_TURN_WAIT_S, asker.is_gone):
            yield
    except NoTurn:
        raise Busy(_BUSY) from None


@contextmanager
def compile_slot(plan: Any, person: int) -> Iterator[None]:
    """Run the block, which compiles a plan here; large plans one at a time. Raise `Busy`."""
    if not is_large(plan):
        yield
        return
    try:
        with compilations.turn(person, MAX_COMPILATION_WAIT_S):
            yield
    except NoTurn:
        raise Busy(_BUSY) from None
