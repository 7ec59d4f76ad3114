"""Running tests of a plan in children with limits: all in one, or one by one after a limit was exceeded."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from timeline_app.evaluate.plan_tests import Outcome
from timeline_app.problems.problem import Problem
from timeline_app.web.core.sandboxed_work import Asker, OverLimit, compute, plan_budget
from timeline_app.web.jobs.packing import KeptPart, write_declarations
from timeline_app.web.jobs.plan_tests import describe_outcome
from timeline_app.web.models.samples import PlanTest, SamplePart
from timeline_app.web.samples.selectors import load_part
from timeline_app.web.streams.granted_streams import Declarations

MAX_BYTES_PER_JOB = 16 * 2**20
"""Tests with larger samples in total run one by one."""
MAX_RUN_S = 60.0
"""For tests that run one by one. The rest counts as broken, and says why."""
HINT = "Take a smaller sample, or test fewer nodes."

Heard = Mapping[int, Set[str] | None]
"""By number of a test, the streams of its sample that the plan gets; None: all."""


@dataclass(frozen=True, slots=True)
class TestRun:
    """Tests against one document; `known` are the streams that it may read."""

    document: object
    known: Declarations
    asker: Asker

    def outcomes(self, tests: Sequence[PlanTest], heard: Heard) -> dict[int, dict[str, Any]]:
        """Return the outcome of each test by number; refuse a document that cannot be computed."""
        samples = {test.sample_id for test in tests}
        size = SamplePart.objects.filter(sample__in=samples).aggregate(sum=Sum("size"))["sum"] or 0
        if size > MAX_BYTES_PER_JOB:
            return self._one_by_one(tests, heard)
        try:
            return self._run(tests, heard)
        except OverLimit as why:
            return (
                self._one_by_one(tests, heard)
                if len(tests) > 1
                else {tests[0].pk: _describe_failure(why.problems[0])}
            )

    def _one_by_one(self, tests: Iterable[PlanTest], heard: Heard) -> dict[int, dict[str, Any]]:
        outcomes, until = dict[int, dict[str, Any]](), time.monotonic() + MAX_RUN_S
        for test in tests:
            if time.monotonic() > until:
                message = f"the tests before it took {MAX_RUN_S:g} s"
                outcomes[test.pk] = _describe_failure({"message": message, "hint": "Run it by itself."})
                continue
            try:
                outcomes |= self._run([test], heard)
            except OverLimit as why:
                outcomes[test.pk] = _describe_failure(why.problems[0])
        return outcomes

    def _run(self, tests: Sequence[PlanTest], heard: Heard) -> dict[int, dict[str, Any]]:
        """Run all of them in one child; raise `OverLimit`."""
        parts = list(_load_parts(test.sample_id for test in tests))
        blobs = [item.body for _, item in parts]
        jobs = [
            {"expected": test.expected, "parts": _pack_parts(test.sample_id, heard[test.pk], parts)}
            for test in tests
        ]
        header = {
            "document": self.document,
            "known": write_declarations(self.known),
            "tests": jobs,
            "budget": plan_budget(),
        }
        outcomes = compute("test", header, blobs, asker=self.asker, hint=HINT).header
        return {test.pk: outcome for test, outcome in zip(tests, outcomes, strict=True)}


def _load_parts(samples: Iterable[int]) -> Iterable[tuple[int, KeptPart]]:
    for part in SamplePart.objects.filter(sample__in=set(samples)):
        yield part.sample_id, load_part(part)


def _pack_parts(
    sample: int, heard: Set[str] | None, parts: Sequence[tuple[int, KeptPart]]
) -> list[dict[str, Any]]:
    """Return the parts of a sample that a test gets, and their places among the blobs."""
    return [
        item.describe() | {"blob": index}
        for index, (number, item) in enumerate(parts)
        if number == sample and (heard is None or item.stream in heard)
    ]


def _describe_failure(why: Mapping[str, Any]) -> dict[str, Any]:
    return describe_outcome(Outcome(problems=[Problem(None, None, "too_much", why["message"], why["hint"])]))
