"""Additions to OpenAPI beyond the views: descriptions of parameters, examples of bodies, authentication."""

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
    "link": "the number of the link, as `GET /api/dashboards/{number}/links/` tells it",
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
"""Descriptions of parameters that their views do not describe."""


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "rest_framework.authentication.SessionAuthentication"
    name = "session"
    priority = 1

    def get_security_definition(self, _auto_schema: Any) -> Schema:
        """Describe the cookie, and the token that unsafe calls need as well."""
        text = "The session of a browser; calls that change something need the cookie `csrftoken` as `X-CSRFToken`."
        return {"type": "apiKey", "in": "cookie", "name": "timelines_session", "description": text}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "timeline_app.web.core.authentication.TokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, _auto_schema: Any) -> Schema:
        return describe_header("`Token …`, made on the page of your tokens or at `POST /api/tokens/`")


class PublicLinkScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "timeline_app.web.dashboards.public_api.PublicLinkAuthentication"
    name = "public-link"
    priority = 1

    def get_security_definition(self, _auto_schema: Any) -> Schema:
        return describe_header(
            "`Link …`, the part of a public link behind `#`; nothing else opens these calls"
        )


def describe_header(description: str) -> Schema:
    """Return the scheme of a secret in the header `Authorization`."""
    return {"type": "apiKey", "in": "header", "name": "Authorization", "description": description}


def complete_schema(result: Schema, **_rest: Any) -> Schema:
    """Complete the generated schema; drf-spectacular calls this."""
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
    """Simplify "anything or null" to "anything": with both, null would match twice."""
    for component in components.values():
        for property_schema in component.get("properties", {}).values():
            if property_schema.get("oneOf") == [{}, {"type": "null"}]:
                del property_schema["oneOf"]


def iterate_operations(result: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield every operation with its path."""
    for path, calls in result["paths"].items():
        for operation in calls.values():
            yield path, operation


def iterate_bodies(operation: Schema) -> Iterator[Schema]:
    """Yield request bodies and the bodies of success responses."""
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for status, response in operation["responses"].items():
        if status < "400":
            yield from response.get("content", {}).values()


def add_example(content: Schema, components: Mapping[str, Schema]) -> None:
    """Add an example to a body, unless the view has one."""
    if "schema" in content and not {"example", "examples"} & content.keys():
        content["example"] = build_example(content["schema"], components)


def describe_parameter(path: str, name: str) -> str:
    """Return the description of a parameter by its name and path."""
    if name == "number":
        return f"the number {THINGS.get(path.split('/')[2], '')}".strip()
    if name == "name":
        return f"the name of the {NAMED.get(path.split('/')[2], 'thing')}"
    return WORDS.get(name, "")
