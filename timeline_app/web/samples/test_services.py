"""Tests of plans: made, changed, deleted."""

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

MOST_TESTS = 200
"""So many tests a plan has at most."""


def create_plan_test(*, plan: Plan, user: User, sample: Sample, name: str, expected: Any) -> PlanTest:
    """A new test of a plan."""
    refuse_bad(expected)
    with transaction.atomic():
        plan = sharing.lock_permitted(plan, user, Right.EDIT)
        if plan.tests.count() >= MOST_TESTS:
            raise Conflict(f"A plan has at most {MOST_TESTS} tests. Delete some.", code="too_many_tests")
        made = _save_test(PlanTest(plan=plan, sample=sample, name=require_name(name), expected=expected))
        audit_writing.note(user=user, act="plan.test", thing=plan, after={"test": made.name})
    return made


def save_plan_test(
    *, test: PlanTest, user: User, version: int, sample: Sample, name: str, expected: Any
) -> PlanTest:
    """The test as it is now, if the change is based on its newest version."""
    refuse_bad(expected)
    with transaction.atomic():
        test = lock_permitted_test(test, user)
        before = {"test": test.name, "version": test.version}
        if version != test.version:
            words = f"Somebody changed this test in the meantime: it is at version {test.version}, yours is"
            raise Conflict(f"{words} based on {version}. Load it again and repeat your change.")
        test.sample, test.name, test.expected = sample, require_name(name), expected
        test.version += 1
        after = {"test": test.name, "version": test.version}
        audit_writing.note(user=user, act="plan.test", thing=test.plan, before=before, after=after)
        return _save_test(test)


def delete_plan_test(*, test: PlanTest, user: User) -> None:
    """Forget it; its sample stays."""
    with transaction.atomic():
        locked = lock_permitted_test(test, user)
        audit_writing.note(user=user, act="plan.test", thing=test.plan, before={"test": locked.name})
        locked.delete()


def lock_permitted_test(test: PlanTest, user: User) -> PlanTest:
    """The test, locked, if this user may change its plan."""
    sharing.lock_permitted(test.plan, user, Right.EDIT)
    result = PlanTest.objects.select_for_update().filter(pk=test.pk).first()
    if result is None:
        raise Missing("This test was deleted in the meantime.")
    return result


def require_name(name: str) -> str:
    """A name that is not empty."""
    if not name.strip():
        raise Invalid.field("name", "A test needs a name.", 'Send "name": "a seek is no rebuffering".')
    return name.strip()[:200]


def refuse_bad(expected: object) -> None:
    """Say all that is wrong with what is expected."""
    try:
        read_expected(expected)
    except Refused as refused:
        problems = [
            describe_problem(problem.message, code=problem.code, cure=problem.cure, field=problem.port)
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
