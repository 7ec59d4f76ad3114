"""Reading, running and exporting the tests of plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.evaluate.plan_tests import STATUSES, Outcome
from timeline_app.landing.recording import describe_events
from timeline_app.problems.problem import Problem
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.core.sandboxed_work import Asker
from timeline_app.web.jobs.plan_tests import describe_outcome
from timeline_app.web.models import Plan
from timeline_app.web.models.samples import PlanTest, Sample
from timeline_app.web.samples.selectors import load_events_by_sample
from timeline_app.web.samples.test_runs import TestRun
from timeline_app.web.streams.granted_streams import load_visible_streams
from timeline_app.web.streams.selectors import collect_stream_names, load_declarations

EXPORT_FORMAT = 1
"""The version of exported tests."""
NOT_SHARED = Problem(
    None,
    None,
    "not_shared",
    "the sample is not shared with you, so this test runs on the draft as it is saved only",
    "save the draft, or ask the owner of the sample to share it with you",
)


def select_plan_tests(plan: Plan) -> QuerySet[PlanTest]:
    """Select the tests of a plan, in the order of their creation."""
    return PlanTest.objects.filter(plan=plan).select_related("sample", "plan__owner", "plan__team")


def get_plan_test(plan: Plan, number: int) -> PlanTest:
    """Return the test of this number."""
    test = select_plan_tests(plan).filter(pk=number).first()
    if test is None:
        raise Missing("This plan has no test of this number; it may have been deleted.", code="unknown_test")
    return test


def describe_plan_test(test: PlanTest) -> dict[str, Any]:
    """Return a test in its wire type."""
    return {
        "id": test.pk,
        "name": test.name,
        "sample": test.sample_id,
        "sample_name": test.sample.name,
        "expected": test.expected,
        "version": test.version,
        "updated_at": test.updated_at.isoformat(),
    }


def run_tests(
    document: object, tests: Iterable[PlanTest], user: User, plan: Plan, asker: Asker
) -> dict[str, Any]:
    """Run tests against a document; return each outcome, and the number of each status.

    If it is the plan's saved draft, it may read what that plan reads; a changed document could ask for more. So could
    one that declares streams: of samples that are not shared with the user, the draft gets only known streams.
    """
    tested_plan, chosen = (plan if document == plan.document else None), list(tests)
    declarations, shared = (
        load_visible_streams(tested_plan, user),
        _select_visible_samples((test.sample_id for test in chosen), user),
    )
    heard = {
        test.pk: None if test.sample_id in shared else set(declarations)
        for test in chosen
        if tested_plan is not None or test.sample_id in shared
    }
    outcomes = TestRun(document, declarations, asker).outcomes(
        [test for test in chosen if test.pk in heard], heard
    )
    refused = describe_outcome(Outcome(problems=[NOT_SHARED]))
    items = [{"id": test.pk, "name": test.name, **outcomes.get(test.pk, refused)} for test in chosen]
    counts = {name: sum(item["status"] == name for item in items) for name in STATUSES}
    return {"ok": not counts["failed"] and not counts["broken"], **counts, "tests": items}


def _select_visible_samples(numbers: Iterable[int], user: User) -> set[int]:
    """Return the samples that somebody may read."""
    return set(
        select_readable(Sample.objects.filter(pk__in=list(numbers)), user).values_list("pk", flat=True)
    )


def export_tests(plan: Plan, user: User | None) -> dict[str, Any]:
    """Return a plan with its streams, tests and samples: everything that is needed to run them elsewhere.

    Tests with samples that the user may not read are left out.
    """
    all_tests, declared = list(select_plan_tests(plan)), load_declarations(user)
    shared = {test.sample_id for test in all_tests}
    if user is not None:
        shared = _select_visible_samples(shared, user)
    tests = [test for test in all_tests if test.sample_id in shared]
    declarations = {
        name: declared[name].to_document()
        for name in sorted(collect_stream_names(plan.document))
        if name in declared
    }
    samples = load_events_by_sample(test.sample_id for test in tests)
    names = {test.sample_id: f"{test.sample.name} ({test.sample_id})" for test in tests}
    return {
        "export": EXPORT_FORMAT,
        "left_out": len(all_tests) - len(tests),
        "display": {
            name: display for name, display in plan.display.items() if name in plan.document.get("nodes", ())
        },
        "plan": {**plan.document, "streams": {**declarations, **(plan.document.get("streams") or {})}},
        "samples": {
            names[number]: {
                stream: describe_events(value.table, declared[stream])
                for stream, value in sample.items()
                if stream in declared
            }
            for number, sample in samples.items()
        },
        "tests": [
            {"name": test.name, "sample": names[test.sample_id], "expected": test.expected} for test in tests
        ],
    }
