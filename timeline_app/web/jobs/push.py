"""A sample of any format as lines for its stream, and the rows that it refuses."""

from __future__ import annotations

from typing import Any

import orjson

from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.events.guess.guess import format_row, take_row
from timeline_app.events.validate import MAX_PROBLEMS, EventBatch, Misread
from timeline_app.web.core.errors import ApiError, as_problem
from timeline_app.web.core.field_mappings import check_mapping
from timeline_app.web.jobs.guess import parse_rows, parse_sample
from timeline_app.web.jobs.packing import read_declarations


def read_rows(message: JobMessage) -> JobMessage:
    """Job `push`: return valid events as JSON lines, how many rows were refused, and the newest of them.

    All or none are taken, unless `leave_out`.
    """
    (declaration,) = read_declarations(message.header["known"]).values()
    mapping = check_mapping(message.header["mapping"], declaration)
    sample = parse_sample(message.blobs[0], mapping, declaration.encoding)
    batch = EventBatch(declaration)
    events: list[dict[str, Any]] = []
    rejected: list[Misread] = []
    for row in parse_rows(sample, declaration):
        refusal = take_row(batch, row)
        if refusal is not None:
            rejected.append(Misread(refusal, format_row(row), alone=True))
        elif row.event is not None:
            events.append(row.event)
    if rejected and (not message.header["leave_out"] or not events):
        raise refuse_all(rejected)
    lines = b"\n".join(orjson.dumps(event, default=str) for event in events)
    newest = rejected[-message.header["keep"] :]
    return JobMessage({"count": len(rejected), "newest": [_format_misread(item) for item in newest]}, [lines])


def _format_misread(misread: Misread) -> list[Any]:
    problem = misread.problem
    return [problem.line, problem.field, problem.code, problem.message, misread.text]


def refuse_all(rejected: list[Misread]) -> ApiError:
    """Return the refusal of all rows, with the problems."""
    problems = [
        as_problem({"line": item.line, "field": item.field, "code": item.code, "message": item.message})
        for item, *_ in rejected[:MAX_PROBLEMS]
    ]
    first = rejected[0].problem
    message = f"Nothing was taken. {len(rejected):,} rows are wrong. Line {first.line}: {first.message}"
    return ApiError(message, code="bad_events", problems=problems)
