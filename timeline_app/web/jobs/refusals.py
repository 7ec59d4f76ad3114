"""Refusals on their way from a child to the web process."""

from __future__ import annotations

from typing import Any

from timeline_app.compiler.step import OtherOperator
from timeline_app.evaluate.sandbox.messages import Job, JobMessage
from timeline_app.web.core.errors import ApiError, describe_other_operator


def answer_refusals(job: Job) -> Job:
    """Wrap a job so that a refusal becomes an answer."""

    def answer(message: JobMessage) -> JobMessage:
        try:
            result = job(message)
        except ApiError as why:
            return JobMessage({"refused": write_refusal(why)})
        except OtherOperator as why:
            return JobMessage({"refused": write_refusal(describe_other_operator(why))})
        return JobMessage({"found": result.header}, result.blobs)

    return answer


def write_refusal(why: ApiError) -> dict[str, Any]:
    """Return a refusal as JSON."""
    return {**why.body(), "status": why.status, "headers": why.headers}


def read_refusal(written: dict[str, Any]) -> ApiError:
    """Return the refusal from that JSON."""
    return ApiError(written.pop("message"), **written)
