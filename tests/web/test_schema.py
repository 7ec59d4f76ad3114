"""The API describes itself: operators for the palette, OpenAPI for programs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from rest_framework.test import APIClient

from timeline_app.operators import operators
from timeline_app.web.plans.operators_api import OperatorSerializer

pytestmark = pytest.mark.deep


@pytest.fixture
def schema(api: APIClient) -> dict[str, Any]:
    answer = api.get("/api/schema/")
    assert answer.status_code == 200
    document: dict[str, Any] = json.loads(answer.content)
    return document


def test_every_operator_is_told_as_its_wire_type_says(api: APIClient) -> None:
    answer = api.get("/api/operators/").json()["results"]
    assert {item["name"] for item in answer} == set(operators())
    for item in answer:
        assert OperatorSerializer(item).data == item


def test_every_operator_has_a_picture_that_is_served_from_here() -> None:
    for name in operators():
        assert finders.find(f"operators/{name}.svg"), name


def test_the_schema_is_valid_and_without_warnings(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", "/dev/null")
    assert "warn" not in capsys.readouterr().err.lower()


def test_every_call_tells_how_it_may_be_refused(schema: dict[str, Any]) -> None:
    for path, calls in schema["paths"].items():
        if path == "/api/schema/":
            continue
        for method, call in calls.items():
            refusals = {status for status in call["responses"] if status >= "400"}
            assert "401" in refusals, (path, method)
            for status in refusals:
                [content] = call["responses"][status]["content"].values()
                assert content["schema"] == {"$ref": "#/components/schemas/Error"}
    run = schema["paths"]["/api/plans/{number}/run/"]["post"]["responses"]
    assert set(run) == {"200", "400", "401", "403", "404", "422", "429", "507"}


def test_the_docs_need_no_other_server(api: APIClient) -> None:
    page = api.get("/api/docs/").content.decode()
    assert "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js" in page
    assert "cdn." not in page
    script = api.get("/api/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")
