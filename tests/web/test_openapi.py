"""OpenAPI 3.1: words for every parameter, an example of every body that is one, and how one is let in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

Call = tuple[str, dict[str, Any]]


@pytest.fixture
def schema(api: APIClient) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(api.get("/api/schema/").content)
    return document


def iterate_calls(schema: dict[str, Any]) -> Iterator[Call]:
    """Every operation, with a name for messages."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def iterate_contents(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every body that is sent or answered."""
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for response in operation["responses"].values():
        yield from response.get("content", {}).values()


def test_it_is_the_version_of_today(schema: dict[str, Any]) -> None:
    assert schema["openapi"].startswith("3.1")


def test_every_parameter_is_told_in_words(schema: dict[str, Any]) -> None:
    silent = [
        (name, item["name"])
        for name, operation in iterate_calls(schema)
        for item in operation.get("parameters", ())
        if not item.get("description")
    ]
    assert not silent


def test_every_call_is_told_in_words_and_says_how_one_is_let_in(schema: dict[str, Any]) -> None:
    for name, operation in iterate_calls(schema):
        assert operation["description"], name
        ways = {"public-link"} if "/api/public/" in name else {"session", "token"}
        assert {next(iter(way)) for way in operation["security"]} == ways, name
    assert set(schema["components"]["securitySchemes"]) == {"session", "token", "public-link"}


def test_every_body_has_an_example_that_is_one(schema: dict[str, Any]) -> None:
    for name, operation in iterate_calls(schema):
        for content in iterate_contents(operation):
            assert "example" in content, name
            checked = Draft202012Validator({**content["schema"], "components": schema["components"]})
            problems = [error.message for error in checked.iter_errors(content["example"])]
            assert not problems, (name, problems)
