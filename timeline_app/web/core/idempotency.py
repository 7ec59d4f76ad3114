"""`Idempotency-Key`: a repeated POST is executed once and gets the same response."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http.request import RawPostDataException
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.idempotency_keys import Answer, answer_once
from timeline_app.web.core.requests import get_user

KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotent-Replayed"
PARAMETER = OpenApiParameter(
    KEY_HEADER,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="a name of your own for this request: sent again within a day, it is done once and answered alike",
)
Handler = Callable[..., Response]


def replay_or_answer(
    handler: Handler, request: Request, refuse: Callable[[Exception], Response], **arguments: Any
) -> Response:
    """Return the handler's response, or the stored one; `refuse` turns an exception into a response."""
    key = request.headers.get(KEY_HEADER, "")
    if not re.fullmatch(r"[\x20-\x7e]{1,255}", key):
        raise Invalid.field(KEY_HEADER, "It must have 1 to 255 printable ASCII characters.")

    def act() -> Answer:
        try:
            with transaction.atomic():
                response = handler(request, **arguments)
        except Exception as why:
            response = refuse(why)
        body = None if response.data is None else json.loads(JSONRenderer().render(response.data))
        return Answer(response.status_code, body)

    answer = answer_once(user=get_user(request), key=key, request=hash_request(request), act=act)
    headers = {REPLAYED_HEADER: "true"} if answer.repeated else {}
    return Response(answer.body, status=answer.status, headers=headers)


def hash_request(request: Request) -> bytes:
    raw = request._request
    start = f"{raw.method} {raw.get_full_path()}\n".encode()
    try:
        return start + raw.body
    except RawPostDataException:  # a form whose fields Django has already read
        return start + hash_form(request)


def hash_form(request: Request) -> bytes:
    fields = sorted((name, values) for name, values in request.POST.lists())
    files = []
    for name, file in sorted(request.FILES.items()):
        files.append((name, file.name, hashlib.sha256(file.read()).hexdigest()))
        file.seek(0)
    return repr((fields, files)).encode()
