"""Limits on connections: how long a request may take to arrive, how large its headers are, how many wait at once.

    uvicorn --http timeline_app.web.core.http_limits:GuardedHttp …

uvicorn itself waits without limit for the end of the headers, and keeps all of them. `asgi_limits` limits bodies,
`socket_limits` WebSockets.
"""

from __future__ import annotations

import resource
from asyncio import TimerHandle, Transport
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from timeline_app.web.core.socket_limits import GuardedSocket
from timeline_app.web.core.write_timeout import WriteTimeout

MAX_HEAD_BYTES = 64 * 2**10
"""Address and headers of one request. Cookies of browsers stay below 8 KiB."""
MAX_HEADERS = 200
HEAD_TIMEOUT_S = 15.0
"""From connecting, or from the previous answer, to the end of the headers."""
MAX_WAITING_CONNECTIONS = 400
"""Connections whose request is not complete. One more drops the one that has waited longest."""
RESERVED_FILES = 256
"""Files that are no connections: database, Redis, events that land."""


def compute_max_connections() -> int:
    """Return how many connections the limit on open files allows."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(RESERVED_FILES, soft - RESERVED_FILES) if soft != resource.RLIM_INFINITY else 2**20


class GuardedHttp(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with these limits; one object for each connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Share the queue of waiting connections between all connections of a server."""
        super().__init__(*arguments, **named)
        self._waiting: dict[GuardedHttp, None] = self.server_state.__dict__.setdefault("waiting", {})
        self._most = compute_max_connections()
        self._head_timer: TimerHandle | None = None
        self.ws_protocol_class = GuardedSocket
        self._head_bytes = self._header_bytes = self._header_count = 0
        self._too_large = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; with too many connections, drop the one that has waited longest."""
        super().connection_made(transport)
        self._write_timeout = WriteTimeout(self.loop, transport)
        self._wait_for_head()
        if len(self._waiting) > MAX_WAITING_CONNECTIONS or len(self.connections) > self._most:
            oldest = next(iter(self._waiting))
            oldest._end_wait()
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        self._write_timeout.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, unless the headers have grown too large."""
        if self._head_timer is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > MAX_HEAD_BYTES and not self._too_large:
            self._too_large = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Reset the counters of header bytes for the next request."""
        super().on_message_begin()
        self._header_bytes = self._header_count = 0
        self._wait_for_head()
        self._head_bytes = max(1, self._head_bytes)

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_count += 1
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop the header timer: only the body is missing."""
        self._end_wait()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has already begun."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.cycle.response_complete:
            self._wait_for_head()

    def send_400_response(self, msg: str) -> None:
        """Explain the refusal of an illegible or too large request, and close the connection."""
        if not self._too_large:
            super().send_400_response(msg)
            return
        self._refuse(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"The address and headers are larger than {MAX_HEAD_BYTES // 2**10} KiB, or more than {MAX_HEADERS}.",
        )

    def pause_writing(self) -> None:
        """Start the write timer: the client does not read."""
        super().pause_writing()
        self._write_timeout.start()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._write_timeout.cancel()

    def _count(self, size: int) -> None:
        """Check the limits per header: a single read may bring more than they allow."""
        self._header_bytes += size
        if self._header_bytes > MAX_HEAD_BYTES or self._header_count > MAX_HEADERS:
            self._too_large = True
            raise ValueError("too large")  # the parser ends, and uvicorn calls `send_400_response`

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        head = STATUS_LINE[status], b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
        text = f"{message}\n".encode()
        self.transport.write(b"".join((*head, b"content-length: %d\r\n\r\n" % len(text), text)))
        self.transport.close()

    def _wait_for_head(self) -> None:
        if self._head_timer is None:
            self._head_bytes = 0
            self._waiting[self] = None
            self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self._head_timed_out)

    def _end_wait(self) -> None:
        self._waiting.pop(self, None)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_timed_out(self) -> None:
        """Close the connection; explain why if part of a request has arrived."""
        if self._head_bytes:
            message = f"The headers did not come within {HEAD_TIMEOUT_S:g} s."
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, message)
        else:
            self.transport.close()
