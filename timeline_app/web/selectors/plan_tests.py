"""Reading the tests of plans, and running them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.compiler.partial import Part
from timeline_app.local.expectations import expected_of, read_expected
from timeline_app.local.plan_tests import STATUSES, Outcome, run_test
from timeline_app.plan.problems import Problem
from timeline_app.storage.recorded import Events, documents
from timeline_app.web.errors import Missing, as_problem
from timeline_app.web.models import Plan
from timeline_app.web.sample_models import PlanTest, Sample
from timeline_app.web.selectors.access import readable
from timeline_app.web.selectors.evaluate import Question, evaluated, hearing, part_of, tables_for, turn
from timeline_app.web.selectors.lending import known_with
from timeline_app.web.selectors.samples import events_by_sample, events_of
from timeline_app.web.selectors.streams import declarations, streams_of

EXPORT = 1
"""The version of exported tests."""
NOT_SHARED = Problem(
    None,
    None,
    "not_shared",
    "the sample is not shared with you, so this test runs on the draft as it is saved only",
    "save the draft, or ask the owner of the sample to share it with you",
)


def plan_tests(plan: Plan) -> QuerySet[PlanTest]:
    """The tests of a plan, in the order in which they were made."""
    return PlanTest.objects.filter(plan=plan).select_related("sample", "plan__owner", "plan__team")


def plan_test(plan: Plan, number: int) -> PlanTest:
    """The test of this number."""
    found = plan_tests(plan).filter(pk=number).first()
    if found is None:
        raise Missing("This plan has no test of this number; it may have been deleted.", code="unknown_test")
    return found


def plan_test_document(test: PlanTest) -> dict[str, Any]:
    """A test as it goes over the wire."""
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
    document: object, tests: Iterable[PlanTest], user: User | None, plan: Plan | None = None
) -> dict[str, Any]:
    """Run tests against a document; what each says, and how many passed, failed, are broken and ask for nothing.

    Where it is the draft of a plan as it is kept, what that one reads is known; another could ask for more. So could
    one that declares streams itself: of a sample that is not shared with the user the draft hears only what is known.
    """
    kept = plan if plan is not None and document == plan.document else None
    part, tests = part_of(document, user, partly=True, plan=kept), list(tests)
    samples = events_by_sample(test.sample_id for test in tests)
    known, shared = known_with(kept, user), _shared(samples, user)
    told = []
    for test in tests:
        events = samples.get(test.sample_id, {})
        if test.sample_id not in shared:
            events = {name: one for name, one in events.items() if name in known}
        heard = kept is not None or test.sample_id in shared
        outcome = _outcome(part, events, test) if heard else Outcome(problems=[NOT_SHARED])
        told.append({"id": test.pk, "name": test.name, **outcome_document(outcome)})
    counts = {name: sum(one["status"] == name for one in told) for name in STATUSES}
    return {"ok": not counts["failed"] and not counts["broken"], **counts, "tests": told}


def _shared(numbers: Iterable[int], user: User | None) -> set[int]:
    """Those samples that somebody may look at."""
    found = Sample.objects.filter(pk__in=list(numbers))
    return set((found if user is None else readable(found, user)).values_list("pk", flat=True))


def _outcome(part: Part, events: Mapping[str, Events], test: PlanTest) -> Outcome:
    expected = read_expected(test.expected)
    tables = tables_for(part, events, [one.node for one in expected])
    with turn():
        return run_test(part, tables, expected)


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    """What became of a test, as it goes over the wire."""
    return outcome.document() | {"problems": [as_problem(one.to_document()) for one in outcome.problems]}


def taken(part: Part, sample: Sample, nodes: Sequence[str], keys: Sequence[str]) -> list[dict[str, Any]]:
    """What the plan says of a sample now, as what is expected."""
    events = events_of(sample)
    part = hearing(part, events)
    answers = evaluated(part, events, Question(nodes, keys))["answers"]
    return expected_of(answers, part.compiled.names)


def exported(plan: Plan, user: User | None) -> dict[str, Any]:
    """A plan with its streams, its tests and their samples: all that it takes to run them elsewhere."""
    tests, declared = list(plan_tests(plan)), declarations(user)
    own = {
        name: declared[name].to_document() for name in sorted(streams_of(plan.document)) if name in declared
    }
    samples = events_by_sample(test.sample_id for test in tests)
    names = {test.sample_id: f"{test.sample.name} ({test.sample_id})" for test in tests}
    return {
        "export": EXPORT,
        "plan": {**plan.document, "streams": {**own, **(plan.document.get("streams") or {})}},
        "samples": {
            names[number]: {
                stream: documents(one.table, declared[stream])
                for stream, one in found.items()
                if stream in declared
            }
            for number, found in samples.items()
        },
        "tests": [
            {"name": test.name, "sample": names[test.sample_id], "expected": test.expected} for test in tests
        ],
    }
