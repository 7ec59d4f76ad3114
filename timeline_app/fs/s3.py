"""An object store that speaks S3, with the credentials, region and endpoint of AWS's usual variables.

An object is there whole or not at all; `If-None-Match: *` lets one of several make it. There are no folders: what lies
below a name is found by its beginning.
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
"""What an object says of the request that made it: one whose answer was lost is known again by it."""
_ERRORS = {
    "404": errno.ENOENT,
    "NoSuchKey": errno.ENOENT,
    "403": errno.EACCES,
    "AccessDenied": errno.EACCES,
    "QuotaExceeded": errno.EDQUOT,
    "507": errno.ENOSPC,
}

PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0)
"""So many seconds it waits before it asks again where two make an object at once."""
_BUSY = (500, 502, 503, 504)
"""With these it says that it cannot just now."""


class Objects:
    """The objects of a bucket."""

    def __init__(self, bucket: str, endpoint: str) -> None:
        """Nothing is asked yet; at an endpoint of one's own the bucket stands in the path."""
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

    def look(self, path: str) -> Seen | None:
        """See `Store`, as of all others."""
        head = self._head(path)
        if head is None:
            return None
        return Seen(head["ETag"], head["ContentLength"], head["LastModified"].timestamp())

    def holds(self, path: str) -> bool:
        """Whether anything begins with it."""
        with _wrap_errors(path):
            listing = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=f"{path}/", MaxKeys=1)
        return bool(listing.get("KeyCount"))

    def children(self, path: str) -> Iterator[tuple[str, Seen | None]]:
        """A thousand names come with each answer."""
        prefix = f"{path}/" if path else ""
        with _wrap_errors(path):
            for page in self._pages(prefix, Delimiter="/"):
                for entry in page.get("CommonPrefixes", ()):
                    yield entry["Prefix"][len(prefix) :].rstrip("/"), None
                for entry in page.get("Contents", ()):
                    if name := entry["Key"][len(prefix) :]:
                        yield name, Seen(entry["ETag"], entry["Size"], entry["LastModified"].timestamp())

    def tail(self, path: str, most: int) -> tuple[bytes, int]:
        """One request; an empty object has no range."""
        try:
            with _wrap_errors(path):
                answer = self._s3.get_object(Bucket=self._bucket, Key=path, Range=f"bytes=-{most}")
                return answer["Body"].read(), int(answer["ContentRange"].rpartition("/")[2])
        except _Empty:
            return b"", 0

    def part(self, path: str, start: int, end: int) -> bytes:
        """A range."""
        if start >= end:
            return b""
        with _wrap_errors(path):
            answer = self._s3.get_object(Bucket=self._bucket, Key=path, Range=f"bytes={start}-{end - 1}")
            return bytes(answer["Body"].read())

    def create(self, path: str, body: IO[bytes]) -> bool:
        """The first time it is tried out whether the store refuses a second one: else events would be overwritten."""
        if not self._proven:
            self._prove(f"{path}.proof-{uuid.uuid4().hex}")
        return self._create(path, body)

    def _prove(self, path: str) -> None:
        try:
            made = [self._create(path, io.BytesIO(b"")) for _ in range(2)]
        finally:
            with suppress(OSError):  # what it said before counts
                self.remove(path)
        if made != [True, False]:
            words = "the S3 store ignores `If-None-Match: *`, so that events could be lost: use one that honours it"
            raise OSError(errno.EOPNOTSUPP, words, path)
        self._proven = True

    def _create(self, path: str, body: IO[bytes]) -> bool:
        """A request that is sent again, as its answer was lost, finds what it has made itself."""
        writer = uuid.uuid4().hex
        for pause in (*PAUSES, None):
            body.seek(0)
            try:
                with _wrap_errors(path):
                    self._put(path, body, IfNoneMatch="*", Metadata={WRITER: writer})
            except FileExistsError:
                return self._writer(path) == writer
            except BlockingIOError:  # two at once: the store decides when it is asked again
                if pause is None:
                    raise
                time.sleep(pause)
            except ConnectionError:  # it may have been made all the same
                if (known_writer := self._writer(path)) is None:
                    raise
                return known_writer == writer
            else:
                return True
        raise AssertionError("the last one returns or raises")

    def replace(self, path: str, body: IO[bytes]) -> None:
        """A PUT."""
        body.seek(0)
        with _wrap_errors(path):
            self._put(path, body)

    def remove(self, path: str) -> None:
        """One that is not there is no trouble for the store."""
        with _wrap_errors(path):
            self._s3.delete_object(Bucket=self._bucket, Key=path)

    def remove_all(self, path: str) -> None:
        """All that begins with it, a thousand at a time."""
        with _wrap_errors(path):
            keys = [entry["Key"] for page in self._pages(f"{path}/") for entry in page.get("Contents", ())]
            for start in range(0, len(keys), 1000):
                gone = {"Objects": [{"Key": key} for key in keys[start : start + 1000]], "Quiet": True}
                answer = self._s3.delete_objects(Bucket=self._bucket, Delete=gone)
                for kept in answer.get("Errors", ()):
                    why = f"S3: it cannot be removed: {kept.get('Code')}: {kept.get('Message')}"
                    raise OSError(_ERRORS.get(kept.get("Code"), errno.EIO), why, kept.get("Key"))

    def _writer(self, path: str) -> str | None:
        """Which request made an object; empty where it does not say so, None where there is no object."""
        head = self._head(path)
        return None if head is None else str(head["Metadata"].get(WRITER, ""))

    def _head(self, path: str) -> dict[str, Any] | None:
        with suppress(FileNotFoundError), _wrap_errors(path):
            return dict(self._s3.head_object(Bucket=self._bucket, Key=path))
        return None

    def _put(self, path: str, body: IO[bytes], **given: Any) -> None:
        self._s3.put_object(Bucket=self._bucket, Key=path, Body=body, **given)

    def _pages(self, prefix: str, **given: str) -> Iterator[dict[str, Any]]:
        pages = self._s3.get_paginator("list_objects_v2")
        yield from pages.paginate(Bucket=self._bucket, Prefix=prefix, **given)


class _Empty(Exception):
    """An object without a byte, of which no range can be given."""


_CONFLICTS: dict[str, type[OSError]] = {
    "PreconditionFailed": FileExistsError,
    "412": FileExistsError,
    "ConditionalRequestConflict": BlockingIOError,
    "409": BlockingIOError,
}


@contextmanager
def _wrap_errors(path: str) -> Iterator[None]:
    """What the store refuses, and what goes wrong on the way to it, as `OSError`."""
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
