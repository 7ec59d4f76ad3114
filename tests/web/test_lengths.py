"""Every text of a request has a maximum length, which the API description tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from timeline_app.connectors.options import MAX_CERTIFICATE_CHARS, OptionKind, describe
from timeline_app.connectors.sink_kinds import KINDS as SINKS
from timeline_app.connectors.source_kinds import KINDS as SOURCES
from timeline_app.web.core.views import MAX_PARAMETER_CHARS

pytestmark = pytest.mark.django_db
FORMATS = {"date-time", "binary", "uuid", "date"}
"""Texts whose form says how long they may be, and bodies, which have a limit of their own."""


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-any-return,no-untyped-call]


def iterate_texts(
    schema: Mapping[str, Any], node: Mapping[str, Any], path: str, seen: frozenset[str]
) -> Iterator[str]:
    """The places of texts without a maximum in a part of the description."""
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        if name not in seen:
            yield from iterate_texts(schema, schema["components"]["schemas"][name], path, seen | {name})
        return
    kinds = node.get("type")
    is_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    if is_text and not ({"enum", "maxLength"} & node.keys()) and node.get("format") not in FORMATS:
        yield path
    for name, part in node.get("properties", {}).items():
        yield from iterate_texts(schema, part, f"{path}.{name}", seen)
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from iterate_texts(schema, node[key], f"{path}.{key}", seen)
    for part in (*node.get("oneOf", ()), *node.get("anyOf", ()), *node.get("allOf", ())):
        yield from iterate_texts(schema, part, path, seen)


def iterate_calls(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, call in methods.items():
            if isinstance(call, Mapping) and method != "parameters":
                yield method, path, call


def test_every_text_of_a_body_has_a_maximum(schema: dict[str, Any]) -> None:
    parts = [
        f"{method} {path}: {place}"
        for method, path, call in iterate_calls(schema)
        for body in [call.get("requestBody", {}).get("content", {}).get("application/json")]
        if body is not None
        for place in iterate_texts(schema, body["schema"], "", frozenset())
    ]
    assert parts == []


def test_the_walk_finds_a_text_without_a_maximum() -> None:
    part = {"properties": {"a": {"type": "string"}, "b": {"items": {"type": ["string", "null"]}}}}
    assert list(iterate_texts({}, part, "", frozenset())) == [".a", ".b.items"]


def test_every_parameter_has_a_maximum(schema: dict[str, Any]) -> None:
    """Told by the root of all views: one of each call that can be made without knowing more."""
    client = APIClient()
    client.force_authenticate(User.objects.create_superuser("root"))
    tried = 0
    for method, path, call in iterate_calls(schema):
        for item in call.get("parameters", ()):
            if (
                method == "get"
                and "{" not in path
                and item["in"] == "query"
                and item["schema"].get("type") == "string"
            ):
                answer = client.get(path, {item["name"]: "x" * (MAX_PARAMETER_CHARS + 1)})
                [document] = answer.json()["problems"]
                assert (answer.status_code, document["field"], document["code"]) == (
                    400,
                    item["name"],
                    "too_long",
                )
                assert "at most 8,192" in document["message"]
                tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        (kind, option)
        for kinds in (SOURCES, SINKS)
        for kind in kinds.values()
        for option in describe(kind)
        if option.kind is OptionKind.TEXT
    ],
    ids=lambda one: getattr(one, "name", getattr(one, "__name__", "")),
)
def test_every_text_option_has_a_maximum(kind: type, option: Any) -> None:
    assert option.most <= MAX_CERTIFICATE_CHARS
    words = option.problem("a." * option.most)
    assert words is not None
    assert words.startswith("has ")
    assert "at most" in words
