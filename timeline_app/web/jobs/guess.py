"""Guessing a declaration from a sample of events."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.events.declaration import read_stated_encoding
from timeline_app.events.decode import DecodeError
from timeline_app.events.guess import Guessed, Sample, guess, read_sample
from timeline_app.events.guess.sample import Row
from timeline_app.events.mapping import BadMapping, FieldMapping
from timeline_app.events.mapping_preview import compare_event
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.web.core.errors import ApiError, as_problem, describe_problem
from timeline_app.web.core.field_mappings import check_mapping, refuse_mapping
from timeline_app.web.core.json_documents import as_refusal
from timeline_app.web.jobs.rendered import render


def guess_declaration(message: JobMessage) -> JobMessage:
    """Job `guess`: return the declaration that a sample suggests, serialised."""
    (body,) = message.blobs
    try:
        stated = message.header["said"]
        sample = parse_sample(body, check_mapping(message.header["mapping"]), read_stated_encoding(stated))
        return JobMessage(None, [render(describe_guess(sample, guess(sample, stated)))])
    except BadMapping as error:
        raise refuse_mapping(error) from None
    except Refused as refused:
        raise as_refusal(refused) from None
    except DecodeError as why:
        raise refuse_sample(why) from None


def parse_sample(body: bytes, mapping: FieldMapping, encoding: str | None) -> Sample:
    """Return the events of a sample; refuse it with a hint."""
    try:
        return read_sample(body, mapping, encoding)
    except DecodeError as why:
        raise refuse_sample(why) from None


def parse_rows(sample: Sample, declaration: StreamDeclaration) -> tuple[Row, ...]:
    """Return the rows as the stream declares them; refuse them with a hint."""
    try:
        return sample.rows_as(declaration)
    except DecodeError as why:
        raise refuse_sample(why) from None


def refuse_sample(why: DecodeError) -> ApiError:
    """Return the refusal of an unreadable sample."""
    problem = describe_problem(why.message, code=why.code, hint=why.hint, line=why.line)
    return ApiError(f"{why}", code="bad_sample", problems=[problem])


def describe_guess(sample: Sample, guessed: Guessed) -> dict[str, Any]:
    """Return the response of `guess/` as JSON."""
    return {
        "format": sample.format,
        "why": sample.why,
        "rows": len(sample.rows),
        "looked_at": guessed.looked_at,
        "declaration": guessed.document,
        "guesses": [asdict(guess) for guess in guessed.guesses],
        "fields": [asdict(field) for field in guessed.fields],
        "read": [asdict(row) for row in guessed.rows],
        "refused": guessed.refused,
        "refused_lines": [asdict(item) | {"text": text} for item, text in guessed.problems],
        "warnings": [as_problem(warning.to_document()) for warning in guessed.warnings],
        "lateness": None if guessed.lateness is None else asdict(guessed.lateness),
        "compared": [compare_event(event, sample.mapping) for event in sample.before if sample.mapping],
    }
