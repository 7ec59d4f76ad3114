"""Bodies of requests: read to a limit, and never deeper or stranger than the database can keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from timeline_app.web.documents import parse_object
from timeline_app.web.errors import BodyTooLarge

EVENT_LIMIT = 8 * 2**20
JSON_LIMIT = 2 * 2**20


def read_body(stream: IO[bytes], limit: int) -> bytes:
    """The whole body, or a refusal when it is larger than `limit` bytes."""
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge.over(limit)
    return body


class JsonBody(BaseParser):
    """A JSON object, whatever else the client calls it."""

    media_type = "*/*"
    limit = JSON_LIMIT

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """The object; an empty body is an empty object."""
        return parse_object(read_body(stream, self.limit))


class LargeJsonBody(JsonBody):
    """A JSON object that may bring events along."""

    limit = EVENT_LIMIT


class RawBody(BaseParser):
    """The bytes as they are, for the event door."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> dict[str, bytes]:
        """The whole body as `body`, at most 8 MiB."""
        return {"body": read_body(stream, EVENT_LIMIT)}
