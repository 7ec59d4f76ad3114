"""Tests of a plan on samples."""

from __future__ import annotations

from typing import Any

from timeline_app.evaluate.expectations import read_expected
from timeline_app.evaluate.plan_tests import Outcome, run_test
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.trial import Budget
from timeline_app.web.core.errors import as_problem
from timeline_app.web.jobs.evaluate import build_event_tables, part_of
from timeline_app.web.jobs.packing import read_declarations, unpack_parts


def run_plan_tests(message: JobMessage) -> JobMessage:
    """Job `test`: return the outcome of each test; its parts are given by place among the blobs."""
    header = message.header
    part = part_of(header["document"], read_declarations(header["known"]), partly=True)
    outcomes = []
    for test in header["tests"]:
        blobs = [message.blobs[item["blob"]] for item in test["parts"]]
        expected = read_expected(test["expected"])
        tables = build_event_tables(
            part, unpack_parts(test["parts"], blobs), [item.node for item in expected]
        )
        outcomes.append(describe_outcome(run_test(part, tables, expected, Budget(**header["budget"]))))
    return JobMessage(outcomes)


def describe_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome of a test in its wire type."""
    return outcome.document() | {
        "problems": [as_problem(problem.to_document()) for problem in outcome.problems],
        "warnings": [as_problem(warning.to_document()) for warning in outcome.warnings],
    }
