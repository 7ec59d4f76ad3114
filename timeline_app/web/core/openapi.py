"""What OpenAPI says beyond the views: words for every parameter, an example of every body, and how one is let in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from timeline_app.web.core.openapi_examples import ERRORS, build_example

Schema = dict[str, Any]
THINGS = {
    "plans": "of the plan, as `GET /api/plans/` tells it",
    "dashboards": "of the dashboard, as `GET /api/dashboards/` tells it",
    "samples": "of the sample, as `GET /api/samples/` tells it",
    "tokens": "of the token, as `GET /api/tokens/` tells it",
}
NAMED = {"streams": "stream", "people": "person", "teams": "team"}
WORDS = {
    "digest": "the digest of the node: what it computes, in 64 hexadecimal digits",
    "key": "the key whose timeline is asked for",
    "kind": "only those that were refused, or that came too late",
    "limit": "at most so many",
    "owner": "only what belongs to this person or team, as `owner:` in a search; `me` is who asks",
    "search": "only keys that contain this",
    "status": "only nodes that were last seen like this",
    "test": "the number of the test, as `GET /api/plans/{number}/tests/` tells it",
    "version": "the number of the version, as `GET /api/plans/{number}/versions/` tells it",
}
"""Of parameters that their views say nothing about."""


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a browser is let in."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = "session"
    priority = 1

    def get_security_definition(self, _auto_schema: Any) -> Schema:
        """The cookie, and what unsafe calls need beside it."""
        words = "The session of a browser; calls that change something need the cookie `csrftoken` as `X-CSRFToken`."
        return {"type": "apiKey", "in": "cookie", "name": "timelines_session", "description": words}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a program is let in."""

    target_class = "timeline_app.web.core.authentication.TokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, _auto_schema: Any) -> Schema:
        """The header."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token …`, made on the page of your tokens or at `POST /api/tokens/`",
        }


def complete_schema(result: Schema, **_rest: Any) -> Schema:
    """Complete what the generator made; called by drf-spectacular."""
    components = result["components"]["schemas"]
    merge_null_types(components)
    for path, operation in iterate_operations(result):
        for parameter in operation.get("parameters", ()):
            if "description" not in parameter:
                parameter["description"] = describe_parameter(path, parameter["name"])
        for body in iterate_bodies(operation):
            add_example(body, components)
        for status, response in operation["responses"].items():
            if status >= "400":
                for content in response.get("content", {}).values():
                    content["example"] = ERRORS[status]
    return result


def merge_null_types(components: Mapping[str, Schema]) -> None:
    """What may be anything may be null: said apart, null would fit twice."""
    for component in components.values():
        for part in component.get("properties", {}).values():
            if part.get("oneOf") == [{}, {"type": "null"}]:
                del part["oneOf"]


def iterate_operations(result: Schema) -> Iterator[tuple[str, Schema]]:
    """Every call with its address."""
    for path, calls in result["paths"].items():
        for operation in calls.values():
            yield path, operation


def iterate_bodies(operation: Schema) -> Iterator[Schema]:
    """What is sent and what a success answers, by content type."""
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for status, response in operation["responses"].items():
        if status < "400":
            yield from response.get("content", {}).values()


def add_example(content: Schema, components: Mapping[str, Schema]) -> None:
    """Show what such a body looks like, unless the view did."""
    if "schema" in content and not {"example", "examples"} & content.keys():
        content["example"] = build_example(content["schema"], components)


def describe_parameter(path: str, name: str) -> str:
    """What a parameter is, by its name and where it stands."""
    if name == "number":
        return f"the number {THINGS.get(path.split('/')[2], '')}".strip()
    if name == "name":
        return f"the name of the {NAMED.get(path.split('/')[2], 'thing')}"
    return WORDS.get(name, "")
