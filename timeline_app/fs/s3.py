"""An object store that speaks S3, with the credentials, region and endpoint of AWS's usual variables.

An object exists whole or not at all; `If-None-Match: *` lets one of several writers create it. There are no folders:
the content of a folder is found by its prefix.
"""

from __future__ import annotations

import errno
import io
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from timeline_app.fs.paths import Seen

WRITER = "writer"
"""The metadata with the request that created an object; it identifies a request whose answer was lost."""
_ERRORS = {
    "404": errno.ENOENT,
    "NoSuchKey": errno.ENOENT,
    "403": errno.EACCES,
    "AccessDenied": errno.EACCES,
    "QuotaExceeded": errno.EDQUOT,
    "507": errno.ENOSPC,
}

RETRY_PAUSES_S = (0.05, 0.2, 0.5, 1.0, 2.0)
"""The waits before a retry where two writers create an object at once."""
_BUSY = (500, 502, 503, 504)
"""The codes of a store that is busy."""


class Objects:
    """The objects of a bucket."""

    def __init__(self, bucket: str, endpoint: str) -> None:
        """At a custom endpoint the bucket stands in the path."""
        style = {"addressing_style": "path"} if endpoint else {}
        config = Config(
            s3=style,
            connect_timeout=5,
            read_timeout=60,
            max_pool_connections=16,
            retries={"mode": "standard", "total_max_attempts": 4},
        )
        self._bucket, self._proven = bucket, False
        self._s3 = boto3.Session().client("s3", endpoint_url=endpoint or None, config=config)

    def stat(self, path: str) -> Seen | None:
        """See `Store`, as for the methods below."""
        head = self._head(path)
        if head is None:
            return None
        return Seen(head["ETag"], head["ContentLength"], head["LastModified"].timestamp())

    def holds(self, path: str) -> bool:
        """Return whether any object has the prefix."""
        with _wrap_errors(path):
            listing = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=f"{path}/", MaxKeys=1)
        return bool(listing.get("KeyCount"))

    def children(self, path: str) -> Iterator[tuple[str, Seen | None]]:
        """Yield the names in a folder, a thousand per request."""
        prefix = f"{path}/" if path else ""
        with _wrap_errors(path):
            for page in self._pages(prefix, Delimiter="/"):
                for entry in page.get("CommonPrefixes", ()):
                    yield entry["Prefix"][len(prefix) :].rstrip("/"), None
                for entry in page.get("Contents", ()):
                    if name := entry["Key"][len(prefix) :]:
                        yield name, Seen(entry["ETag"], entry["Size"], entry["LastModified"].timestamp())

    def tail(self, path: str, most: int) -> tuple[bytes, int]:
        """Return the end of an object, in one request; an empty object has no range."""
        try:
            with _wrap_errors(path):
                answer = self._s3.get_object(Bucket=self._bucket, Key=path, Range=f"bytes=-{most}")
                return answer["Body"].read(), int(answer["ContentRange"].rpartition("/")[2])
        except _Empty:
            return b"", 0

    def part(self, path: str, start: int, end: int) -> bytes:
        """Return a range of an object."""
        if start >= end:
            return b""
        with _wrap_errors(path):
            answer = self._s3.get_object(Bucket=self._bucket, Key=path, Range=f"bytes={start}-{end - 1}")
            return bytes(answer["Body"].read())

    def create(self, path: str, body: IO[bytes]) -> bool:
        """Create an object; first prove that the store refuses a second writer: else events would be overwritten."""
        if not self._proven:
            self._prove(f"{path}.proof-{uuid.uuid4().hex}")
        return self._create(path, body)

    def _prove(self, path: str) -> None:
        try:
            created = [self._create(path, io.BytesIO(b"")) for _ in range(2)]
        finally:
            with suppress(OSError):  # the result of the proof counts
                self.remove(path)
        if created != [True, False]:
            words = "the S3 store ignores `If-None-Match: *`, so that events could be lost: use one that honours it"
            raise OSError(errno.EOPNOTSUPP, words, path)
        self._proven = True

    def _create(self, path: str, body: IO[bytes]) -> bool:
        """Create an object. A request repeated after a lost answer recognises its own object."""
        writer = uuid.uuid4().hex
        for pause in (*RETRY_PAUSES_S, None):
            body.seek(0)
            try:
                with _wrap_errors(path):
                    self._put(path, body, IfNoneMatch="*", Metadata={WRITER: writer})
            except FileExistsError:
                return self._writer(path) == writer
            except BlockingIOError:  # two writers at once: the store decides at the next request
                if pause is None:
                    raise
                time.sleep(pause)
            except ConnectionError:  # it may have been created all the same
                if (known_writer := self._writer(path)) is None:
                    raise
                return known_writer == writer
            else:
                return True
        raise AssertionError("the last one returns or raises")

    def replace(self, path: str, body: IO[bytes]) -> None:
        """PUT an object."""
        body.seek(0)
        with _wrap_errors(path):
            self._put(path, body)

    def remove(self, path: str) -> None:
        """Remove an object; a missing one is no error."""
        with _wrap_errors(path):
            self._s3.delete_object(Bucket=self._bucket, Key=path)

    def remove_all(self, path: str) -> None:
        """Remove all objects with the prefix, a thousand per request."""
        with _wrap_errors(path):
            keys = [entry["Key"] for page in self._pages(f"{path}/") for entry in page.get("Contents", ())]
            for start in range(0, len(keys), 1000):
                request = {"Objects": [{"Key": key} for key in keys[start : start + 1000]], "Quiet": True}
                answer = self._s3.delete_objects(Bucket=self._bucket, Delete=request)
                for failure in answer.get("Errors", ()):
                    why = f"S3: it cannot be removed: {failure.get('Code')}: {failure.get('Message')}"
                    raise OSError(_ERRORS.get(failure.get("Code"), errno.EIO), why, failure.get("Key"))

    def _writer(self, path: str) -> str | None:
        """Return the writer of an object; empty where it names none, None where there is no object."""
        head = self._head(path)
        return None if head is None else str(head["Metadata"].get(WRITER, ""))

    def _head(self, path: str) -> dict[str, Any] | None:
        with suppress(FileNotFoundError), _wrap_errors(path):
            return dict(self._s3.head_object(Bucket=self._bucket, Key=path))
        return None

    def _put(self, path: str, body: IO[bytes], **arguments: Any) -> None:
        self._s3.put_object(Bucket=self._bucket, Key=path, Body=body, **arguments)

    def _pages(self, prefix: str, **params: str) -> Iterator[dict[str, Any]]:
        pages = self._s3.get_paginator("list_objects_v2")
        yield from pages.paginate(Bucket=self._bucket, Prefix=prefix, **params)


class _Empty(Exception):
    """An empty object, which has no ranges."""


_CONFLICTS: dict[str, type[OSError]] = {
    "PreconditionFailed": FileExistsError,
    "412": FileExistsError,
    "ConditionalRequestConflict": BlockingIOError,
    "409": BlockingIOError,
}


@contextmanager
def _wrap_errors(path: str) -> Iterator[None]:
    """Raise refusals of the store, and errors on the way to it, as `OSError`."""
    try:
        yield
    except ClientError as why:
        code = why.response["Error"]["Code"]
        if code in ("InvalidRange", "416"):
            raise _Empty from why
        if code in _CONFLICTS:
            raise _CONFLICTS[code](errno.EAGAIN, str(why), path) from why
        if why.response["ResponseMetadata"]["HTTPStatusCode"] in _BUSY:
            raise ConnectionError(errno.ECONNABORTED, f"S3 does not answer: {why}", path) from why
        raise OSError(_ERRORS.get(code, errno.EIO), f"S3: {why}", path) from why
    except BotoCoreError as why:
        raise ConnectionError(errno.ECONNABORTED, f"S3 does not answer: {why}", path) from why
