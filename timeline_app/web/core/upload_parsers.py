"""Requests that contain events: as JSON, or as files beside it."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from timeline_app.web.core.json_documents import parse_object, refuse_json
from timeline_app.web.core.parsers import LargeJsonBody
from timeline_app.web.core.requests import validate_document
from timeline_app.web.jobs.uploads import File

PARSERS = (MultiPartParser, LargeJsonBody)


def validate_upload(
    serializer: type[serializers.Serializer[Any]], request: Request
) -> tuple[dict[str, Any], dict[str, File]]:
    """Return the validated body, and the files beside it by stream.

    `multipart/form-data` has the JSON object as the field `request`, and a file for each stream, under its name.
    """
    files: dict[str, File] = {}
    document = dict(request.data)
    if isinstance(request.data, QueryDict):
        files = {name: (file.name or "", file.read()) for name, file in request.FILES.items()}
        if strange := sorted(set(request.data) - {"request", *files}):
            hint = "Send the JSON object as `request`."
            raise refuse_json(f"The form has a field {strange[0][:40]!r}.", hint)
        document = parse_object(request.data.get("request", "").encode("utf-8", "surrogatepass"))
    return validate_document(serializer, document), files
