"""A sample of any format is pushed: each row as the declaration has it, through the door of all events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from timeline_app.local.guess import NoSample, Sample, read_sample
from timeline_app.local.guess.guess import spelled_row, taken
from timeline_app.plan.events import MAX_PROBLEMS, EventBatch, Misread
from timeline_app.storage.landing import Request
from timeline_app.web.errors import ApiError, as_problem, problem
from timeline_app.web.models import Stream
from timeline_app.web.selectors.streams import declaration
from timeline_app.web.services.events import NAMELESS, Ticket, events_take
from timeline_app.web.services.measures import note_refused


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a sample: the request that landed, and how many rows were left out."""

    request: Request
    left_out: int


def sample_of(body: bytes) -> Sample:
    """The events of a sample, or a refusal that says what would do."""
    try:
        return read_sample(body)
    except NoSample as why:
        told = problem(str(why), code=why.code, cure=why.cure, line=why.line)
        raise ApiError(f"{why} {why.cure}", code="bad_sample", problems=[told]) from None


def sample_push(*, stream: Stream, body: bytes, leave_out: bool, ticket: Ticket = NAMELESS) -> Pushed:
    """Take the events of a sample: all, or with `leave_out` all that are right; the others are kept aside."""
    sample, batch = sample_of(body), EventBatch(declaration(stream))
    events: list[dict[str, Any]] = []
    wrong: list[Misread] = []
    for row in sample.rows:
        refusal = taken(batch, row, sample)
        if refusal is not None:
            wrong.append(Misread(refusal, spelled_row(row), alone=True))
        elif row.event is not None:
            events.append(sample.typed(row.event, batch.declaration))
    if wrong and (not leave_out or not events):
        raise refused(wrong)
    lines = b"\n".join(orjson.dumps(event, default=str) for event in events)
    request = events_take(stream=stream, body=lines, ticket=ticket)
    if wrong and not request.repeated:
        note_refused(stream, wrong, ticket.user)
    return Pushed(request, len(wrong))


def refused(wrong: list[Misread]) -> ApiError:
    """Nothing was taken, and why."""
    problems = [
        as_problem({"line": one.line, "field": one.field, "code": one.code, "message": one.message})
        for one, *_ in wrong[:MAX_PROBLEMS]
    ]
    first = wrong[0].problem
    words = f"Nothing was taken. {len(wrong):,} rows are wrong. Line {first.line}: {first.message}"
    return ApiError(words, code="bad_events", problems=problems)
