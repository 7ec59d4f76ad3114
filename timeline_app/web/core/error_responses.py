"""The one place where an exception of the API becomes a response."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import IntegrityError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from timeline_app.compiler.step import OtherOperator
from timeline_app.web.core.errors import (
    ApiError,
    BodyTooLarge,
    Conflict,
    Missing,
    Problem,
    describe_other_operator,
    describe_problem,
)

log = logging.getLogger(__name__)
CHANGED_MEANWHILE = (
    "Nothing was done: what this speaks of was deleted, or made, by somebody else meanwhile. Look again."
)


def handle(exception: Exception, _context: dict[str, Any]) -> Response | None:
    """Return an error response for every refusal, and None (a 500) for our own faults."""
    refusal = find_refusal(exception)
    if refusal is None:
        return None
    set_rollback()
    response = Response(refusal.body(), status=refusal.status, headers=refusal.headers)
    if isinstance(exception, exceptions.APIException):
        for name, attribute in (("WWW-Authenticate", "auth_header"), ("Retry-After", "wait")):
            if value := getattr(exception, attribute, None):
                response.headers[name] = str(value)
    return response


def find_refusal(exception: Exception) -> ApiError | None:
    """Return the refusal that an exception stands for, if any."""
    if isinstance(exception, ApiError):
        return exception
    if isinstance(exception, IntegrityError):
        log.warning("somebody else was faster: %s", exception)
        return Conflict(CHANGED_MEANWHILE, code="changed_meanwhile")
    if isinstance(exception, OtherOperator):
        return describe_other_operator(exception)
    if isinstance(exception, Http404):
        return Missing("There is no such thing here.")
    if isinstance(exception, PermissionDenied):
        exception = exceptions.PermissionDenied()
    if isinstance(exception, RequestDataTooBig):
        return BodyTooLarge.over(8 * 2**20)
    if isinstance(exception, exceptions.ValidationError):
        return explain_validation_error(exception)
    if isinstance(exception, exceptions.APIException):
        detail = exception.detail
        code = getattr(detail, "code", None) or exception.default_code
        refusal = ApiError(str(detail), code=str(code))
        refusal.status = exception.status_code
        return refusal
    return None


def explain_validation_error(exception: exceptions.ValidationError) -> ApiError:
    """Return a refusal with all wrong fields of a body and their places."""
    problems = list(iterate_wrong_fields(exception.detail, ""))
    message = "; ".join(
        f"{problem['field']}: {problem['message']}" if problem["field"] else problem["message"]
        for problem in problems
    )
    refusal = ApiError(message or "The body is not valid.", code="invalid", problems=problems)
    refusal.status = status.HTTP_400_BAD_REQUEST
    return refusal


def iterate_wrong_fields(detail: Any, path: str) -> Iterator[Problem]:
    """Walk the nested details of a validation error."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            at = path if name == "non_field_errors" else f"{path}.{name}".lstrip(".")
            yield from iterate_wrong_fields(inner, at)
    elif isinstance(detail, list):
        for inner in detail:
            yield from iterate_wrong_fields(inner, path)
    else:
        yield describe_problem(str(detail), code=getattr(detail, "code", "invalid"), field=path or None)
