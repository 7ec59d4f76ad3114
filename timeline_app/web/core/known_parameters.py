"""The query parameters of each call, as its schema declares them: others are refused, not ignored."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.core.errors import Invalid, Problem, describe_problem

MAX_NAME_SHOWN = 100
_BODY_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_NAMES: dict[tuple[type[APIView], str], frozenset[str]] = {}


def refuse_unknown_parameters(view: APIView, request: Request) -> None:
    """Raise `Invalid` for parameters that the call does not have; a misspelt one would change nothing."""
    method = "GET" if request.method == "HEAD" else str(request.method)
    if not request.query_params or method not in _BODY_METHODS:
        return
    known_names = list_parameters(type(view), method)
    unknown = sorted(set(request.query_params) - known_names)
    if unknown:
        problems = [_describe(name, known_names) for name in unknown]
        message = "; ".join(f"{problem['message']} {problem['hint']}" for problem in problems)
        raise Invalid(message, code="unknown_parameter", problems=problems)


def list_parameters(view_class: type[APIView], method: str) -> frozenset[str]:
    """Return the names of the query parameters of a call, those of its pages included."""
    if (view_class, method) not in _NAMES:
        _NAMES[view_class, method] = _read_parameters(view_class, method)
    return _NAMES[view_class, method]


def _read_parameters(view_class: type[APIView], method: str) -> frozenset[str]:
    view: Any = view_class(request=None, kwargs={})
    schema = _build_schema(view, method)
    declared = {name for name, location in schema._process_override_parameters() if location == "query"}
    paginator = getattr(view, "pagination_class", None) if method == "GET" else None
    pages = paginator().get_schema_operation_parameters(view) if paginator else []
    return frozenset({*declared, *(item["name"] for item in pages), str(api_settings.URL_FORMAT_OVERRIDE)})


def _build_schema(view: APIView, method: str) -> Any:
    handler = getattr(view, method.lower(), None)
    declared = getattr(handler, "kwargs", {}).get("schema", type(view).schema)
    schema: Any = declared() if isinstance(declared, type) else declared
    schema.view, schema.method, schema.path = view, method, ""
    return schema


def _describe(name: str, known_names: frozenset[str]) -> Problem:
    hint = suggest_nearest(
        name, sorted(known_names - {str(api_settings.URL_FORMAT_OVERRIDE)}), "leave it out"
    )
    message = f"{name[:MAX_NAME_SHOWN]!r} is no parameter of this call."
    words = f"{hint[0].upper()}{hint[1:]}"
    return describe_problem(message, code="unknown_parameter", hint=words, field=name[:MAX_NAME_SHOWN])
