"""Bodies of requests: read to a limit, and never deeper or stranger than the database can keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from timeline_app.events.decode import DecodeError, TooLarge
from timeline_app.events.decode.compression import detect_compression, unpack_bytes
from timeline_app.web.core.errors import ApiError, BodyTooLarge
from timeline_app.web.core.json_documents import parse_object

EVENT_LIMIT = 8 * 2**20
JSON_LIMIT = 2 * 2**20
ENCODINGS = {"": None, "identity": None, "gzip": "gzip", "x-gzip": "gzip", "zstd": "zstd", "br": "br"}


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
    """The bytes of events, for their door: compressed ones are unpacked, whether a header says so or not."""

    media_type = "*/*"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, bytes]:
        """The whole body as `body`, at most 8 MiB, also when it is unpacked."""
        request = (parser_context or {}).get("request")
        said = "" if request is None else request.headers.get("Content-Encoding", "")
        return {"body": unpack_body(read_body(stream, EVENT_LIMIT), said.strip().lower(), EVENT_LIMIT)}


def unpack_body(body: bytes, said: str, limit: int) -> bytes:
    """What a body holds that is compressed as `Content-Encoding` says, or as it begins."""
    if said not in ENCODINGS:
        words = (
            f"The Content-Encoding {said[:60]!r} is not taken. Send gzip, zstd or br, or the body as it is."
        )
        raise ApiError(
            words, code="unsupported_encoding", status=415, headers={"Accept-Encoding": "gzip, zstd, br"}
        )
    name = ENCODINGS[said] or detect_compression(body[:16])
    if name is None:
        return body
    try:
        return unpack_bytes(body, name, limit)
    except TooLarge:
        raise BodyTooLarge.over(limit) from None
    except DecodeError as why:
        raise ApiError(f"Nothing was taken. {why}", code=why.code) from None
