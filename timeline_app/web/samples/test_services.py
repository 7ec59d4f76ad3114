"""Creating, changing and deleting tests of plans."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from timeline_app.evaluate.expectations import read_expected
from timeline_app.problems.problem import Refused
from timeline_app.web.core import audit_writing, sharing
from timeline_app.web.core.errors import ApiError, Conflict, Invalid, Missing, describe_problem
from timeline_app.web.core.permissions import Right
from timeline_app.web.models import Plan
from timeline_app.web.models.samples import PlanTest, Sample

MAX_TESTS_PER_PLAN = 200
"""An exported file with more is refused, too."""


def create_plan_test(*, plan: Plan, user: User, sample: Sample, name: str, expected: Any) -> PlanTest:
    refuse_bad_expectations(expected)
    with transaction.atomic():
        plan = sharing.lock_permitted(plan, user, Right.EDIT)
        if plan.tests.count() >= MAX_TESTS_PER_PLAN:
            raise Conflict(
                f"A plan has at most {MAX_TESTS_PER_PLAN} tests. Delete some.", code="too_many_tests"
            )
        plan_test = _save_test(PlanTest(plan=plan, sample=sample, name=require_name(name), expected=expected))
        audit_writing.note(user=user, act="plan.test", thing=plan, after={"test": plan_test.name})
    return plan_test


def save_plan_test(
    *, test: PlanTest, user: User, version: int, sample: Sample, name: str, expected: Any
) -> PlanTest:
    """Save a test, if the change is based on its newest version."""
    refuse_bad_expectations(expected)
    with transaction.atomic():
        test = lock_permitted_test(test, user)
        before = {"test": test.name, "version": test.version}
        if version != test.version:
            message = f"Somebody changed this test in the meantime: it is at version {test.version}, yours is"
            raise Conflict(f"{message} based on {version}. Load it again and repeat your change.")
        test.sample, test.name, test.expected = sample, require_name(name), expected
        test.version += 1
        after = {"test": test.name, "version": test.version}
        audit_writing.note(user=user, act="plan.test", thing=test.plan, before=before, after=after)
        return _save_test(test)


def delete_plan_test(*, test: PlanTest, user: User) -> None:
    """Delete a test; its sample stays."""
    with transaction.atomic():
        locked = lock_permitted_test(test, user)
        audit_writing.note(user=user, act="plan.test", thing=test.plan, before={"test": locked.name})
        locked.delete()


def lock_permitted_test(test: PlanTest, user: User) -> PlanTest:
    """Return the locked test, if this user may change its plan."""
    sharing.lock_permitted(test.plan, user, Right.EDIT)
    locked = PlanTest.objects.select_for_update().filter(pk=test.pk).first()
    if locked is None:
        raise Missing("This test was deleted in the meantime.")
    return locked


def require_name(name: str) -> str:
    """Return a name that is not empty."""
    if not name.strip():
        raise Invalid.field("name", "A test needs a name.", 'Send "name": "a seek is no rebuffering".')
    return name.strip()[:200]


def refuse_bad_expectations(expected: object) -> None:
    """Refuse invalid expectations with all problems."""
    try:
        read_expected(expected)
    except Refused as refused:
        problems = [
            describe_problem(problem.message, code=problem.code, hint=problem.hint, field=problem.port)
            for problem in refused.problems
        ]
        words = f"What is expected cannot be used: {refused}."
        raise ApiError(words, code="bad_expected", problems=problems) from None


def _save_test(test: PlanTest) -> PlanTest:
    try:
        with transaction.atomic():
            test.save()
    except IntegrityError:
        raise Conflict(
            f"The plan has a test “{test.name}” already. Choose another name.", code="name_taken"
        ) from None
    return test
