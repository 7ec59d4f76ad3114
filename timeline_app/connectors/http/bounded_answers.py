"""HTTP answers with limits of size and time, whoever sends them."""

from __future__ import annotations

import http.client
import io
import socket
import time
import urllib.request
from functools import partial
from typing import Any

from timeline_app.connectors.egress.policy import Egress

CHUNK_BYTES = 1 << 16


def read_body(answer: http.client.HTTPResponse, most: int, seconds: float) -> bytes:
    """Read a body, at most one byte more than `most`. Raises `TimeoutError` and `http.client.IncompleteRead`."""
    until, body = time.monotonic() + seconds, bytearray()
    while len(body) <= most and (chunk := answer.read1(min(CHUNK_BYTES, most + 1 - len(body)))):
        body += chunk
        if time.monotonic() > until:
            raise TimeoutError(f"it has not ended for {seconds:g} s")
    if len(body) <= most:
        answer.read()  # reads nothing, but raises where the answer was cut short, and frees the connection
    return bytes(body)


class Timely(http.client.HTTPResponse):
    """An answer that must arrive whole, headers included, within its connection's time limit; else `TimeoutError`."""

    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        """Start the time limit."""
        super().__init__(sock, *arguments, **named)
        self.fp = io.BufferedReader(_Until(self.fp.detach(), sock))


class _Until(io.RawIOBase):
    """Reads from a connection until its total time limit."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock, self._seconds = raw, sock, sock.gettimeout()
        self._until = None if self._seconds is None else time.monotonic() + self._seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        if self._until is not None:
            seconds_left = self._until - time.monotonic()
            if seconds_left <= 0:
                raise TimeoutError(self._words())
            self._sock.settimeout(seconds_left)
        try:
            return self._raw.readinto(buffer)
        except TimeoutError:
            raise TimeoutError(self._words()) from None

    def _words(self) -> str:
        return f"it has not ended for {self._seconds:g} s"

    def close(self) -> None:
        self._raw.close()
        super().close()


class HttpConnection(http.client.HTTPConnection):
    """A connection with limited answers, to an address that may be reached."""

    response_class = Timely

    def __init__(self, *arguments: Any, egress: Egress, **named: Any) -> None:
        """Connect on first use."""
        super().__init__(*arguments, **named)
        self._create_connection = egress.create_connection


class SecureConnection(http.client.HTTPSConnection):
    """The encrypted variant; the certificate is checked against the name, whatever the address."""

    response_class = Timely

    def __init__(self, *arguments: Any, egress: Egress, **named: Any) -> None:
        """Connect on first use."""
        super().__init__(*arguments, **named)
        self._create_connection = egress.create_connection


class Asking(urllib.request.HTTPHandler):
    """Opens such connections."""

    def __init__(self, egress: Egress) -> None:
        super().__init__()
        self._egress = egress

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a request."""
        return self.do_open(partial(HttpConnection, egress=self._egress), req)


class AskingSecurely(urllib.request.HTTPSHandler):
    """Opens such encrypted connections."""

    def __init__(self, egress: Egress) -> None:
        super().__init__()
        self._egress = egress

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a request."""
        return self.do_open(partial(SecureConnection, egress=self._egress), req)
