"""Tests of plans: saving, running and exporting them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.evaluate.plan_tests import STATUSES
from timeline_app.web.core.display_forms import DisplaySerializer
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.paging import Whole, format_page
from timeline_app.web.core.requests import get_asker, get_user, validate_body
from timeline_app.web.core.sandboxed_work import Asker
from timeline_app.web.core.schema import ProblemSerializer
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.jobs.evaluate import EvaluationQuestion
from timeline_app.web.models import Plan
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.evaluate_api import make_names_field
from timeline_app.web.plans.evaluation import compute_expected
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.samples.plan_tests import (
    describe_plan_test,
    export_tests,
    get_plan_test,
    run_tests,
    select_plan_tests,
)
from timeline_app.web.samples.selectors import get_sample, load_parts
from timeline_app.web.samples.test_services import create_plan_test, delete_plan_test, save_plan_test

MAX_TESTS_PER_RUN = 200


class TakeSerializer(serializers.Serializer[Any]):
    """Take the draft's present results as expectations; of all nodes and keys if none are named."""

    nodes = make_names_field("only these nodes")
    keys = make_names_field("only these keys, and groups")


class NewTestSerializer(serializers.Serializer[Any]):
    """A test to create, with either `expected` or `take`."""

    name = serializers.CharField(max_length=200)
    sample = serializers.IntegerField(min_value=1)
    expected = serializers.ListField(
        required=False, help_text="[{node, key, spans, tolerance, slack, digest}, …]"
    )
    take = TakeSerializer(required=False)


class SaveTestSerializer(NewTestSerializer):
    """A test to save, and the version that it is based on."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class PlanTestSerializer(serializers.Serializer[Any]):
    """A saved test."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    sample = serializers.IntegerField()
    sample_name = serializers.CharField()
    expected = serializers.ListField(child=serializers.DictField())
    version = serializers.IntegerField()
    updated_at = serializers.DateTimeField()


class RunTestsSerializer(serializers.Serializer[Any]):
    """Which tests to run (all if none are named), against the saved draft or a document."""

    document = serializers.DictField(required=False)
    tests = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=MAX_TESTS_PER_RUN
    )


class DifferenceSerializer(serializers.Serializer[Any]):
    """A difference between expectation and result, from `from` to `to` (null: unbounded)."""

    node = serializers.CharField()
    key = serializers.CharField()
    to = serializers.IntegerField(allow_null=True)
    expected = serializers.DictField()
    got = serializers.DictField()
    words = serializers.CharField()

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return super().get_fields() | {"from": serializers.IntegerField(allow_null=True)}


class OutcomeSerializer(serializers.Serializer[Any]):
    """The outcome of a test; `problems` says why a broken one cannot be compared."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    status = serializers.ChoiceField(STATUSES, help_text="empty: it expects nothing yet")
    words = serializers.CharField()
    renamed = serializers.DictField(child=serializers.CharField(), help_text="new names of nodes by old ones")
    count = serializers.IntegerField(help_text="how many differences there are; the first hundred are told")
    differences = DifferenceSerializer(many=True)
    problems = ProblemSerializer(many=True)
    warnings = ProblemSerializer(many=True, help_text="what the nodes ask for and no event of the sample has")


class TestRunSerializer(serializers.Serializer[Any]):
    """The outcomes of all tests."""

    ok = serializers.BooleanField(help_text="none failed, and none is broken")
    passed = serializers.IntegerField()
    failed = serializers.IntegerField()
    broken = serializers.IntegerField()
    empty = serializers.IntegerField(help_text="they expect nothing yet, and have not passed")
    tests = OutcomeSerializer(many=True)


class ExportSerializer(serializers.Serializer[Any]):
    """A plan with its streams, tests and samples, for `manage.py plan test FILE`."""

    export = serializers.IntegerField()
    left_out = serializers.IntegerField(help_text="tests whose samples are not shared with you")
    plan = serializers.DictField()
    display = serializers.DictField(
        child=DisplaySerializer(), help_text="by node, what its values look like, where somebody chose that"
    )
    samples = serializers.DictField()
    tests = serializers.ListField(child=serializers.DictField())


def read_expectation(body: dict[str, Any], plan: Plan, user: User, asker: Asker) -> Any:
    """Return the expectations that were sent, or the draft's present results."""
    if ("expected" in body) == ("take" in body):
        raise serializers.ValidationError("Send either expected or take.")
    if "expected" in body:
        return body["expected"]
    question = EvaluationQuestion(body["take"].get("nodes", ()), body["take"].get("keys", ()))
    parts = load_parts(get_sample(body["sample"], user))
    return compute_expected(plan, parts, question, user=user, asker=asker)


class PlanTestsView(ApiView):
    """The tests of a plan."""

    pagination_class = Whole

    refusals = ("403", "409", "413", "422", "429", "503")

    @extend_schema(responses=PlanTestSerializer(many=True), operation_id="plan_tests_list")
    def get(self, request: Request, number: int) -> Response:
        """List the tests of the plan."""
        result = select_plan_tests(plan_of(number, get_user(request)))
        return format_page([describe_plan_test(item) for item in result])

    @extend_schema(request=NewTestSerializer, responses={201: PlanTestSerializer})
    def post(self, request: Request, number: int) -> Response:
        """Create a test: a sample, and expectations of nodes and keys, or their present results."""
        plan, body = plan_of(number, get_user(request)), validate_body(NewTestSerializer, request)
        plan_test = create_plan_test(
            plan=plan,
            user=get_user(request),
            sample=get_sample(body["sample"], get_user(request)),
            name=body["name"],
            expected=read_expectation(body, plan, get_user(request), get_asker(request)),
        )
        return Response(describe_plan_test(plan_test), status=status.HTTP_201_CREATED)


class PlanTestView(ApiView):
    """One test."""

    refusals = ("403", "409", "413", "422", "429", "503")

    @extend_schema(responses=PlanTestSerializer)
    def get(self, request: Request, number: int, test: int) -> Response:
        """Return a test."""
        return Response(describe_plan_test(get_plan_test(plan_of(number, get_user(request)), test)))

    @extend_schema(request=SaveTestSerializer, responses=PlanTestSerializer)
    def put(self, request: Request, number: int, test: int) -> Response:
        """Save the test; `version` is the one that the change is based on."""
        plan = plan_of(number, get_user(request))
        result, body = get_plan_test(plan, test), validate_body(SaveTestSerializer, request)
        saved = save_plan_test(
            test=result,
            user=get_user(request),
            version=body["version"],
            sample=get_sample(body["sample"], get_user(request)),
            name=body["name"],
            expected=read_expectation(body, plan, get_user(request), get_asker(request)),
        )
        return Response(describe_plan_test(saved))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, number: int, test: int) -> Response:
        """Delete the test; its sample stays."""
        delete_plan_test(test=get_plan_test(plan_of(number, get_user(request)), test), user=get_user(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class PlanTestsRunView(ApiView):
    """Running tests."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("413", "422", "429", "503")

    @extend_schema(request=RunTestsSerializer, responses=TestRunSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Run tests of the plan; return the differences as spans and in words."""
        plan, body = plan_of(number, get_user(request)), validate_body(RunTestsSerializer, request)
        tests = list(select_plan_tests(plan))
        if "tests" in body:
            if missing := sorted(set(body["tests"]) - {test.pk for test in tests}):
                raise Missing(
                    f"This plan has no test {missing[0]}; it may have been deleted.", code="unknown_test"
                )
            tests = [test for test in tests if test.pk in body["tests"]]
        document = body.get("document", plan.document)
        return Response(run_tests(document, tests, get_user(request), plan, get_asker(request)))


class PlanTestsExportView(ApiView):
    """Exporting tests."""

    @extend_schema(responses=ExportSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return the plan with its streams, tests and samples: everything to run them elsewhere."""
        return Response(export_tests(plan_of(number, get_user(request)), get_user(request)))
