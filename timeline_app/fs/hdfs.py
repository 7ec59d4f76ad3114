"""HDFS over HTTP: WebHDFS, as served by a NameNode or an HttpFS gateway.

A file is written under another name and then renamed, which the NameNode does atomically and durably. Without
`OVERWRITE` it refuses where the name exists.
"""

from __future__ import annotations

import errno
import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import quote, urlencode

import urllib3
from urllib3.exceptions import HTTPError
from urllib3.util import Retry, Timeout

from timeline_app.fs.paths import STAGED, Seen

NAMENODE_TIMEOUT, DATANODE_TIMEOUT = Timeout(connect=5.0, read=15.0), Timeout(connect=5.0, read=30.0)
"""Each is asked twice at most: a hanging one costs half a minute, or a minute."""
_AGAIN = Retry(3, connect=1, read=1, redirect=False, allowed_methods=None)
_ONCE = Retry(3, connect=1, read=False, redirect=False)
_ERRORS = {
    "FileNotFoundException": errno.ENOENT,
    "FileAlreadyExistsException": errno.EEXIST,
    "AccessControlException": errno.EACCES,
    "DSQuotaExceededException": errno.EDQUOT,
    "NSQuotaExceededException": errno.EDQUOT,
    "StandbyException": errno.EAGAIN,
}
_Answer = urllib3.BaseHTTPResponse


class WebHdfs:
    """The files of an HDFS; of several NameNodes the active one is asked."""

    def __init__(self, servers: Sequence[str], user: str) -> None:
        self._servers, self._user = [server.rstrip("/") for server in servers], user
        self._pool = urllib3.PoolManager(maxsize=16)

    def stat(self, path: str) -> Seen | None:
        """See `Store`, as for the methods below."""
        status = self._status(path)
        return _build_seen(status) if status and status["type"] == "FILE" else None

    def holds(self, path: str) -> bool:
        """Return whether it is a folder, even an empty one."""
        status = self._status(path)
        return status is not None and status["type"] == "DIRECTORY"

    def children(self, path: str) -> Iterator[tuple[str, Seen | None]]:
        """Yield all names from one answer."""
        try:
            statuses = self._json("GET", "LISTSTATUS", path)["FileStatuses"]["FileStatus"]
        except FileNotFoundError:
            return
        for status in statuses:
            yield status["pathSuffix"], _build_seen(status) if status["type"] == "FILE" else None

    def tail(self, path: str, most: int) -> tuple[bytes, int]:
        """Return the end of a file. The answer contains a small file whole; a gateway may leave its size out."""
        answer = self._ask("GET", "OPEN", path, preload=False)
        size = int(answer.headers.get("Content-Length") or self._size(path))
        if size <= most:
            with _wrap_errors(path):
                return answer.data, len(answer.data)
        answer.close()
        return self.part(path, size - most, size), size

    def part(self, path: str, start: int, end: int) -> bytes:
        """Return a range of a file."""
        return self._ask("GET", "OPEN", path, offset=start, length=end - start).data if end > start else b""

    def create(self, path: str, body: IO[bytes]) -> bool:
        """Write under another name and rename, if the name is free."""
        return self._written(path, body, "NONE")

    def replace(self, path: str, body: IO[bytes]) -> None:
        """Write under another name and rename over an existing file."""
        self._written(path, body, "OVERWRITE")

    def remove(self, path: str) -> None:
        """Remove a file; a missing one is no error."""
        self._ask("DELETE", "DELETE", path)

    def remove_all(self, path: str) -> None:
        """Remove a folder."""
        self._ask("DELETE", "DELETE", path, recursive="true")

    def _written(self, path: str, body: IO[bytes], how: str) -> bool:
        folder, _, _ = path.rpartition("/")
        draft = f"{folder}/.{uuid.uuid4().hex}{STAGED}".lstrip("/")
        try:
            self._ask("PUT", "CREATE", draft, body=body, overwrite="true")
            return self._renamed(draft, path, how)
        except BaseException:
            self.remove(draft)
            raise

    def _renamed(self, draft: str, path: str, how: str) -> bool:
        """Rename the draft. Without an answer it may have been renamed all the same: then the draft is gone."""
        try:
            self._ask("PUT", "RENAME", draft, retries=_ONCE, destination=f"/{path}", renameoptions=how)
        except FileExistsError:
            self.remove(draft)
            return False
        except OSError:
            if self.stat(draft) is not None:
                raise
        return True

    def _size(self, path: str) -> int:
        return int(self._json("GET", "GETFILESTATUS", path)["FileStatus"]["length"])

    def _status(self, path: str) -> dict[str, Any] | None:
        try:
            status: dict[str, Any] = self._json("GET", "GETFILESTATUS", path)["FileStatus"]
        except FileNotFoundError:
            return None
        return status

    def _json(self, method: str, op: str, path: str) -> Any:
        return json.loads(self._ask(method, op, path).data)

    def _ask(
        self,
        method: str,
        op: str,
        path: str,
        *,
        body: IO[bytes] | None = None,
        retries: Retry = _AGAIN,
        preload: bool = True,
        **options: object,
    ) -> _Answer:
        """Return the answer of the active NameNode, or of the DataNode that it names. Raises `OSError`."""
        query = urlencode({"op": op, "user.name": self._user, **options})
        for number, server in enumerate(tuple(self._servers), 1):
            try:
                with _wrap_errors(path):
                    url = f"{server}/webhdfs/v1/{quote(path)}?{query}"
                    answer = self._exchange(method, url, body, retries, preload)
                    _refuse(answer, path)
            except (BlockingIOError, ConnectionError):  # it is on standby, or away
                if number == len(self._servers):
                    raise
                continue
            if number > 1:  # ask this one first from now on
                self._servers = [
                    server,
                    *(other_server for other_server in self._servers if other_server != server),
                ]
            return answer
        raise AssertionError("there is no server")

    def _exchange(
        self, method: str, url: str, body: IO[bytes] | None, retries: Retry, preload: bool
    ) -> _Answer:
        answer = self._pool.request(
            method, url, preload_content=preload, retries=retries, redirect=False, timeout=NAMENODE_TIMEOUT
        )
        if answer.status != 307:  # a gateway serves the file itself
            return answer
        answer.drain_conn()
        length = {} if body is None else {"Content-Length": str(_measure_length(body))}
        headers = {"Content-Type": "application/octet-stream", **length}
        return self._pool.request(
            method,
            answer.headers["Location"],
            body=body,
            headers=headers,
            preload_content=preload,
            retries=retries,
            redirect=False,
            timeout=DATANODE_TIMEOUT,
        )


@contextmanager
def _wrap_errors(path: str) -> Iterator[None]:
    """Raise `OSError` for errors on the way to a server."""
    try:
        yield
    except HTTPError as why:
        raise ConnectionError(errno.ECONNABORTED, f"HDFS does not answer: {why}", path) from why


def _refuse(answer: _Answer, path: str) -> None:
    """Raise what the server reports as an `OSError` of that kind."""
    if answer.status < 400:
        return
    try:
        exception = json.loads(answer.data)["RemoteException"]
    except (ValueError, KeyError, TypeError):
        reason = f"{answer.status} {answer.reason}"
        if answer.status in (502, 503, 504):  # from a gateway, or a server that starts
            raise ConnectionError(errno.ECONNABORTED, f"HDFS does not answer: {reason}", path) from None
        raise OSError(errno.EIO, f"HDFS answers {reason}", path) from None
    words = str(exception.get("message", "")).splitlines() or [""]
    raise OSError(
        _ERRORS.get(exception["exception"], errno.EIO), f"{exception['exception']}: {words[0]}", path
    )


def _build_seen(status: dict[str, Any]) -> Seen:
    stamp = status["fileId"], status["modificationTime"]
    return Seen(stamp, status["length"], status["modificationTime"] / 1000)


def _measure_length(body: IO[bytes]) -> int:
    """Return the bytes of a file, and rewind it."""
    length = body.seek(0, 2)
    body.seek(0)
    return length
