"""ETags: unchanged resources are not sent again, and a save does not overwrite the saves of others.

A tag is `"VERSION.BODY"`: the version of what a person edits, and a hash of the whole body. `If-None-Match`
compares all of it, `If-Match` only the version: a plan that was started meanwhile can still be saved.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import singledispatch
from typing import Any, TypeVar

import orjson
from django.db import transaction
from django.db.models import Model
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.errors import ApiError
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Dashboard, Plan, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel

R = TypeVar("R")
TAG = re.compile(r'(W/)?"([^"]*)"')
IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="the ETag of what you read: refused with 412 where somebody has saved another version since",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="the ETag of what you have: 304 and no body where it is still the same",
)


class ChangedMeanwhile(ApiError):
    """The resource has another version than `If-Match` says."""

    status = 412
    code = "changed_meanwhile"


@singledispatch
def compute_version(thing: Model) -> str:
    """Return the version of what a person edits."""
    raise TypeError(f"{thing} has no versions")


@compute_version.register(Plan)
@compute_version.register(Dashboard)
@compute_version.register(Alert)
@compute_version.register(AlertChannel)
def _format_numbered_version(thing: Plan | Dashboard | Alert | AlertChannel) -> str:
    return f"v{thing.version}"


@compute_version.register
def _hash_declaration(stream: Stream) -> str:
    return f"d{hash_document(stream.document)}"


def hash_document(document: Any) -> str:
    """Return 16 hexadecimal digits that identify a document."""
    raw = orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str)
    return hashlib.sha256(raw).hexdigest()[:16]


def answer_with_etag(request: Request, thing: Model, body: Any, **more: Any) -> Response:
    """Return a response with its ETag, which ignores `more`; 304 if the client has it already."""
    tag = f"{compute_version(thing)}.{hash_document(body)}"
    headers = {"ETag": f'"{tag}"', "Cache-Control": "private, no-cache"}
    if request.method == "GET" and is_in_header(request.headers.get("If-None-Match", ""), tag, weak=True):
        return Response(status=status.HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(body | more, headers=headers)


def is_in_header(header: str, tag: str, *, weak: bool = False) -> bool:
    """Return whether a header names this tag."""
    named = {name for faint, name in TAG.findall(header) if weak or not faint}
    return header.strip() == "*" or tag in named


def apply_if_match(request: Request, thing: Model, act: Callable[[], R]) -> R:
    """Call `act` with the row locked, if its version is that of `If-Match`; else raise `ChangedMeanwhile`."""
    if_match = request.headers.get("If-Match")
    return act() if if_match is None else _run_guarded(if_match, thing, act)


@retry_on_deadlock
def _run_guarded(if_match: str, thing: Model, act: Callable[[], R]) -> R:
    versions = ", ".join(f'"{name.split(".")[0]}"' for faint, name in TAG.findall(if_match) if not faint)
    with transaction.atomic():
        locked = type(thing)._default_manager.select_for_update().filter(pk=thing.pk).first()
        if locked is None or not (if_match.strip() == "*" or is_in_header(versions, compute_version(locked))):
            raise ChangedMeanwhile(
                "Nothing was changed: it is at another version than If-Match says. Load it again."
            )
        return act()
