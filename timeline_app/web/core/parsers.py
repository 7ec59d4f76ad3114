"""Parsers of request bodies: limited in size, and to what the database can store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from timeline_app.events.decode import DecodeError, TooLarge
from timeline_app.events.decode.compression import detect_compression, unpack_bytes
from timeline_app.web.core.errors import ApiError, BodyTooLarge
from timeline_app.web.core.json_documents import parse_object

MAX_EVENT_BODY_BYTES = 8 * 2**20
MAX_JSON_BODY_BYTES = 2 * 2**20
ENCODINGS = {"": None, "identity": None, "gzip": "gzip", "x-gzip": "gzip", "zstd": "zstd", "br": "br"}


def read_body(stream: IO[bytes], limit: int) -> bytes:
    """Return the whole body; refuse more than `limit` bytes."""
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge.over(limit)
    return body


class JsonBody(BaseParser):
    """A JSON object, whatever content type the client sends."""

    media_type = "*/*"
    limit = MAX_JSON_BODY_BYTES

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return the object; an empty body is an empty object."""
        return parse_object(read_body(stream, self.limit))


class LargeJsonBody(JsonBody):
    """A JSON object that may contain events."""

    limit = MAX_EVENT_BODY_BYTES


class RawBody(BaseParser):
    """The bytes of events, decompressed whether or not a header announces the compression."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, bytes]:
        """Return the whole body as `body`: at most 8 MiB, also when decompressed."""
        request = (parser_context or {}).get("request")
        encoding = "" if request is None else request.headers.get("Content-Encoding", "")
        return {
            "body": unpack_body(
                read_body(stream, MAX_EVENT_BODY_BYTES), encoding.strip().lower(), MAX_EVENT_BODY_BYTES
            )
        }


def unpack_body(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompress a body by its `Content-Encoding` or by its first bytes."""
    if encoding not in ENCODINGS:
        message = f"The Content-Encoding {encoding[:60]!r} is not taken. Send gzip, zstd or br, or the body as it is."
        raise ApiError(
            message, code="unsupported_encoding", status=415, headers={"Accept-Encoding": "gzip, zstd, br"}
        )
    name = ENCODINGS[encoding] or detect_compression(body[:16])
    if name is None:
        return body
    try:
        return unpack_bytes(body, name, limit)
    except TooLarge:
        raise BodyTooLarge.over(limit) from None
    except DecodeError as why:
        raise ApiError(f"Nothing was taken. {why}", code=why.code) from None
